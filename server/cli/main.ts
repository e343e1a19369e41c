#!/usr/bin/env node
import { writeSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

/** The file of the bundled command, beside this one; undefined when run from source. */
declare const kanonProgram: string | undefined

const { version }: { readonly version: string } = createRequire(import.meta.url)("kanon/package.json")
const words = process.argv.slice(2)

/** Commands that are common enough to keep compiled code of their own; all others share one. */
const ownCache = new Set(["serve", "ask", "search"])

const load = async (): Promise<typeof import("./app.js")> => {
  if (typeof kanonProgram === "undefined") return import("./app.js")
  const { compileLater, loadProgram } = await import("./program.js")
  compileLater()
  const file = fileURLToPath(new URL(kanonProgram, import.meta.url))
  return loadProgram<typeof import("./app.js")>(
    file,
    ownCache.has(words[0] ?? "") ? (words[0] ?? "") : "other"
  )
}

/** Prints the version without loading the program. False when that is not asked for, or cannot be written. */
const printVersion = (): boolean => {
  if (words.length !== 1 || words[0] !== "--version") return false
  try {
    writeSync(1, `${version}\n`)
    return true
  } catch {
    return false
  }
}

if (!printVersion()) {
  const { main } = await load()
  main(words, version)
}
