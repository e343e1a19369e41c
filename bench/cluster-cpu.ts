import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"

/** Clock ticks of Linux last 10 ms on every platform that Node runs on. */
const tickMs = 10

/**
 * CPU time that a Postgres server of this machine has used with all its processes, in ms; 0 without a server, and where
 * it is not Linux that tells.
 */
export const clusterCpuMs = async (url: string | undefined): Promise<number> => {
  if (url === undefined || process.platform !== "linux") return 0
  const postmaster = await postmasterOf(url)
  let ticks = 0
  for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    const fields = statOf(pid)
    // Fields 14 and 15 are the time of a process, 16 and 17 that of its children that have ended.
    if (pid === postmaster) ticks += sum(fields, 14) + sum(fields, 16)
    else if (fields[4 - 3] === postmaster) ticks += sum(fields, 14)
  }
  return ticks * tickMs
}

const sum = (fields: ReadonlyArray<string>, from: number): number =>
  Number(fields[from - 3]) + Number(fields[from - 2])

/** From the third field on, which stands behind the name; none of a process that has ended meanwhile. */
const statOf = (pid: string): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? []
  } catch {
    return []
  }
}

const known = new Map<string, string>()

const postmasterOf = async (url: string): Promise<string> => {
  const found = known.get(url)
  if (found !== undefined) return found
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ folder: string }>(
    "select setting as folder from pg_settings where name = 'data_directory'"
  )
  await client.end()
  const [pid = ""] = readFileSync(join(rows[0]?.folder ?? "", "postmaster.pid"), "utf8").split("\n")
  known.set(url, pid)
  return pid
}
