import { fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { cachedDataVersionTag, setFlagsFromString } from "node:v8"
import { Script } from "node:vm"

/**
 * Settings of V8 by its major version, without the word for others, because V8 prints a line about what it does not
 * know. A function is compiled for speed once it has run eight times as much as usual: a command ends soon, and that
 * compiler, which works on threads of its own, takes a third of the CPU time of an ingest. A pattern is compiled once,
 * not for its first match and again for its second.
 */
const settingsOf = (major: number): ReadonlyArray<string> =>
  major === 11 ? ["--interrupt-budget=528000", "--regexp-tier-up-ticks=0"] : []

/** Prepares V8 for a program that ends soon. To be called before `loadProgram`, whose cache depends on the settings. */
export const compileLater = (): void => {
  for (const setting of settingsOf(Number.parseInt(process.versions.v8, 10))) setFlagsFromString(setting)
}

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
