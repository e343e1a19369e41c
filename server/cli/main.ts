#!/usr/bin/env node
import { writeSync } from "node:fs"
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

/** Whether the one question that needs nothing else was answered; where that cannot be written the program tells why. */
const toldVersion = (): boolean => {
  if (words.length !== 1 || words[0] !== "--version") return false
  try {
    writeSync(1, `${version}\n`)
    return true
  } catch {
    return false
  }
}

if (!toldVersion()) {
  const { main } = await load()
  main(words, version)
}
