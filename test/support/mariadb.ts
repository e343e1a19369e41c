import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import mysql from "mysql2/promise"
import { freePort } from "./loopback.js"

/** A throw-away MariaDB for tests. */
export interface MariaDb {
  readonly host: "127.0.0.1"
  readonly port: number
  /** Runs statements as the root of the server. */
  readonly root: (...statements: ReadonlyArray<string>) => Promise<void>
  /** Runs several statements in a database. */
  readonly script: (database: string, statements: string) => Promise<void>
  readonly rows: (statement: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  readonly stop: () => Promise<void>
}

const programOf = (name: string): string | null =>
  ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path)) ?? null

/** Whether this machine has a MariaDB; one line says so where it has none. */
export const hasMariaDb = (): boolean => {
  const found = programOf("mariadbd") !== null && programOf("mariadb-install-db") !== null
  if (!found) console.warn("MariaDB is not installed (mariadb-server): its live-data tests are skipped.")
  return found
}

/** Starts a server in a folder of its own on loopback. */
export const startMariaDb = async (): Promise<MariaDb> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-mariadb-"))
  const data = join(folder, "data")
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? ["--user=root"] : []
  const installed = spawnSync(
    programOf("mariadb-install-db") ?? "",
    [
      "--no-defaults",
      `--datadir=${data}`,
      "--auth-root-authentication-method=normal",
      "--skip-test-db",
      ...user
    ],
    { encoding: "utf8" }
  )
  if (installed.status !== 0) throw new Error(`mariadb-install-db: ${installed.stdout}${installed.stderr}`)
  const port = await freePort()
  const server = spawn(
    programOf("mariadbd") ?? "",
    [
      "--no-defaults",
      `--datadir=${data}`,
      `--socket=${join(folder, "socket")}`,
      `--pid-file=${join(folder, "pid")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      "--skip-log-bin",
      "--lower-case-table-names=1",
      "--innodb-buffer-pool-size=16M",
      "--innodb-flush-log-at-trx-commit=0",
      "--performance-schema=off",
      ...user
    ],
    { stdio: "ignore" }
  )
  const connect = () => mysql.createConnection({ host: "127.0.0.1", port, user: "root", password: "" })
  const started = Date.now()
  for (;;) {
    try {
      await (await connect()).end()
      break
    } catch (error) {
      if (Date.now() - started > 60_000 || server.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const rows: MariaDb["rows"] = async (statement) => {
    const connection = await connect()
    try {
      const [found] = await connection.query(statement)
      return Array.isArray(found) ? (found as ReadonlyArray<Readonly<Record<string, unknown>>>) : []
    } finally {
      await connection.end()
    }
  }
  return {
    host: "127.0.0.1",
    port,
    rows,
    script: async (database, statements) => {
      const connection = await mysql.createConnection({
        host: "127.0.0.1",
        port,
        user: "root",
        password: "",
        database,
        multipleStatements: true
      })
      await connection.query(statements)
      await connection.end()
    },
    root: async (...statements) => {
      for (const statement of statements) await rows(statement)
    },
    stop: () =>
      new Promise((resolve) => {
        server.once("exit", () => {
          rmSync(folder, { recursive: true, force: true })
          resolve()
        })
        server.kill("SIGKILL")
      })
  }
}
