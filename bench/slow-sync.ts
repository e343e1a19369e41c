import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Read by what is preloaded too: how long a sync lasts at least, and the file in which syncs are counted. */
const [leastName, countName] = ["KANON_BENCH_SYNC_MS", "KANON_BENCH_SYNC_COUNT"]

/** How long a sync of this process lasts at least, in milliseconds; undefined where it lasts as long as the disk takes. */
export const syncMs = (): number | undefined => {
  const given = process.env[leastName]
  return given === undefined ? undefined : Number(given)
}

/**
 * Runs this program once more, with the same arguments, where every sync of a file lasts `leastMs` at least: those of
 * Node and those of SQLite alike, since what is replaced is the call of the C library. Gives its exit status; 2, and
 * says why, where that cannot be done.
 */
export const runWithSlowSync = async (leastMs: number): Promise<number> => {
  if (process.platform !== "linux") return refuse("--sync-ms needs Linux.")
  const folder = mkdtempSync(join(tmpdir(), "kanon-bench-sync-"))
  try {
    const [library, count] = [join(folder, "slow-sync.so"), join(folder, "count")]
    const source = fileURLToPath(new URL("slow-sync.c", import.meta.url))
    const compiled = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-Wall", "-o", library, source], {
      encoding: "utf8"
    })
    if (compiled.error !== undefined) return refuse("--sync-ms needs a C compiler that is called cc.")
    if (compiled.status !== 0) return refuse(`slow-sync.c was not compiled: ${compiled.stderr}`)
    writeFileSync(count, new Uint8Array(8))
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      env: { ...process.env, LD_PRELOAD: library, [leastName]: String(leastMs), [countName]: count },
      stdio: "inherit"
    })
    const pass = (signal: NodeJS.Signals) => child.kill(signal)
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, pass)
    const [code] = await once(child, "close")
    return typeof code === "number" ? code : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const refuse = (why: string): number => {
  console.error(why)
  return 2
}

/** Syncs of all threads of this process that ended so far; null where they are not counted. */
const syncsSoFar = (): number | null => {
  const file = process.env[countName]
  return file === undefined ? null : Number(readFileSync(file).readBigUInt64LE())
}

/** Syncs that one of so many writes made in the mean, those of checkpoints included; null where they are not counted. */
export const syncsEach = async (times: number, write: (place: number) => unknown): Promise<number | null> => {
  const before = syncsSoFar()
  if (before === null) return null
  for (let place = 0; place < times; place++) await write(place)
  return ((syncsSoFar() ?? before) - before) / times
}
