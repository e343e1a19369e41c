// Started with `node --import`: prints every file that Node then loads, ES modules and CommonJS alike, one to a line.
import { writeSync } from "node:fs"
import { createRequire, register } from "node:module"
import { isMainThread } from "node:worker_threads"

export const load = (url, context, next) => {
  writeSync(1, `${url}\n`)
  return next(url, context)
}

// Node loads this file once more, in the thread that does the loading; there only the function above counts.
if (isMainThread) {
  register(import.meta.url)
  const { cache } = createRequire(import.meta.url)
  process.on("exit", () => writeSync(1, `${Object.keys(cache).join("\n")}\n`))
}
