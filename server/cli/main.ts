#!/usr/bin/env node
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

/** The command as one file beside this one, once it is bundled. */
declare const kanonProgram: string | undefined

const { version }: { readonly version: string } = createRequire(import.meta.url)("kanon/package.json")
const words = process.argv.slice(2)

const load = async (): Promise<typeof import("./app.js")> => {
  if (typeof kanonProgram === "undefined") return import("./app.js")
  const { loadProgram } = await import("./program.js")
  const file = fileURLToPath(new URL(kanonProgram, import.meta.url))
  return loadProgram<typeof import("./app.js")>(file, words[0] === "serve" ? "serve" : "other")
}

// The one question that needs nothing else is answered before anything else is loaded.
if (words.length === 1 && words[0] === "--version") process.stdout.write(`${version}\n`)
else {
  const { main } = await load()
  main(words, version)
}
