import { fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { cachedDataVersionTag } from "node:v8"
import { Script } from "node:vm"

const wrapper = [
  "(function (exports, require, module, __filename, __dirname) {",
  "\nreturn module.exports })"
] as const

/**
 * Loads a program that is one file of CommonJS, and keeps what V8 compiled of it beside it when the process ends: most
 * of the start of a process is compiling, and Node 20 keeps nothing of that. What is kept is good for this very program
 * (its name holds a digest), engine and processor; `use` tells runs apart that need other parts of it. Where nothing
 * can be written everything is compiled each time.
 */
export const loadProgram = <Exports>(file: string, use: string): Exports => {
  const cacheFile = `${file}.${cachedDataVersionTag().toString(36)}.${use}.cache`
  const cachedData = kept(cacheFile)
  const script = new Script(wrapper.join(readFileSync(file, "utf8")), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  if (cachedData === undefined || script.cachedDataRejected === true)
    process.once("exit", () => keep(cacheFile, script))
  const module = { exports: {} }
  return script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
}

const kept = (cacheFile: string): Buffer | undefined => {
  try {
    return readFileSync(cacheFile)
  } catch {
    return undefined
  }
}

/** Whole or not at all: several processes may end at once, and a power cut may come. */
const keep = (cacheFile: string, script: Script): void => {
  const temporary = join(dirname(cacheFile), `.${basename(cacheFile)}.${process.pid}`)
  try {
    const opened = openSync(temporary, "wx")
    writeFileSync(opened, script.createCachedData())
    fsyncSync(opened)
    renameSync(temporary, cacheFile)
  } catch {
    // Not ours to write to, or full: the next start compiles again.
    rmSync(temporary, { force: true })
  }
}
