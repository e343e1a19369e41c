import { fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { cachedDataVersionTag } from "node:v8"
import { Script } from "node:vm"

/**
 * Loads a program that is the function of a CommonJS module in one file of ASCII, and stores V8's compiled code beside it when the process ends: most of
 * the start-up time is compilation, which Node 20 does not cache. The cache belongs to this program (its name holds a
 * digest), engine and processor; `use` separates runs that need different parts of it. Without write access everything
 * is compiled each time.
 */
export const loadProgram = <Exports>(file: string, use: string): Exports => {
  const cacheFile = `${file}.${cachedDataVersionTag().toString(36)}.${use}.cache`
  const cachedData = readCache(cacheFile)
  const script = new Script(readFileSync(file, "latin1"), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  if (cachedData === undefined || script.cachedDataRejected === true)
    process.once("exit", () => writeCache(cacheFile, script))
  const module = { exports: {} }
  return script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
}

const readCache = (cacheFile: string): Buffer | undefined => {
  try {
    return readFileSync(cacheFile)
  } catch {
    return undefined
  }
}

/** Written atomically: several processes may end at once. */
const writeCache = (cacheFile: string, script: Script): void => {
  const temporary = join(dirname(cacheFile), `.${basename(cacheFile)}.${process.pid}`)
  try {
    const opened = openSync(temporary, "wx")
    writeFileSync(opened, script.createCachedData())
    fsyncSync(opened)
    renameSync(temporary, cacheFile)
  } catch {
    // Read-only or full: the next start compiles again.
    rmSync(temporary, { force: true })
  }
}
