import { connect, type Socket } from "node:net"
import * as Redacted from "effect/Redacted"
import mysql from "mysql2"
import {
  DatabaseUnreachable,
  type DataTarget,
  type ServerSettings
} from "../../../core/connected/livedata/index.js"
import { type AddressRules, guardedLookup } from "../../host/addresses.js"
import { addressRefusal, tlsOf } from "../addresses.js"
import { connectionsMax, connectTimeoutMs, idleMs } from "../driver.js"

/** Returns the driver's options for a connection to MySQL or MariaDB: address check, encryption, value types. */
const optionsOf = ({ credential, settings }: DataTarget, rules: AddressRules): mysql.ConnectionOptions => {
  const { database, host, port = 3306, user } = settings as ServerSettings
  const tls = tlsOf(settings as ServerSettings)
  const lookup = guardedLookup(rules, () => new Error(addressRefusal))
  return {
    host,
    port,
    database,
    user,
    password: credential === null ? "" : Redacted.value(credential),
    ...(tls === "off"
      ? {}
      : { ssl: { rejectUnauthorized: tls === "verify", verifyIdentity: tls === "verify" } }),
    connectTimeout: connectTimeoutMs,
    stream: () => connect({ host, port, lookup }),
    charset: "utf8mb4",
    supportBigNumbers: true,
    dateStrings: true,
    jsonStrings: true,
    multipleStatements: false,
    // Files of this host are never sent to a server that asks for them.
    flags: ["-LOCAL_FILES", "-MULTI_STATEMENTS"],
    maxPreparedStatements: 64
  }
}

/** Pools of connectors; one whose settings or credential changed is closed and made anew. */
export class MysqlPools {
  private readonly pools = new Map<string, { readonly version: string; readonly pool: mysql.Pool }>()

  constructor(private readonly rules: AddressRules) {}

  /** A connection of the pool; the caller releases or destroys it. */
  connect(target: DataTarget): Promise<mysql.PoolConnection> {
    return new Promise((resolve, reject) =>
      this.poolOf(target).getConnection((error, connection) =>
        error === null ? resolve(connection) : reject(new DatabaseUnreachable({ message: reasonOf(error) }))
      )
    )
  }

  async close(id: string | null): Promise<void> {
    const named = [...this.pools].filter(([one]) => id === null || one === id)
    for (const [one] of named) this.pools.delete(one)
    await Promise.all(named.map(([, { pool }]) => new Promise((resolve) => pool.end(resolve))))
  }

  /** Has the server stop what a connection is doing, by another connection, and breaks that connection. */
  killAndBreak(target: DataTarget, connection: mysql.PoolConnection): void {
    const { threadId } = connection
    connection.destroy()
    if (typeof threadId !== "number") return
    const other = mysql.createConnection(optionsOf(target, this.rules))
    other.on("error", () => {})
    other.query(`kill query ${threadId}`, () => other.destroy())
  }

  private poolOf(target: DataTarget): mysql.Pool {
    const cached = this.pools.get(target.id)
    if (cached?.version === target.version) return cached.pool
    if (cached !== undefined) cached.pool.end(() => {})
    const pool = mysql.createPool({
      ...optionsOf(target, this.rules),
      connectionLimit: connectionsMax,
      maxIdle: connectionsMax,
      idleTimeout: idleMs
    })
    this.pools.set(target.id, { version: target.version, pool })
    return pool
  }
}

/** Returns the reason of a failed connection: a code, or the server's message about the account, never an address. */
const reasonOf = (error: Error): string => {
  if (error.message === addressRefusal) return addressRefusal
  const code = "code" in error && typeof error.code === "string" ? error.code : null
  if (code === "ER_ACCESS_DENIED_ERROR" || code === "ER_ACCESS_DENIED_NO_PASSWORD_ERROR")
    return "The database refuses the user or its password."
  if (code === "ER_DBACCESS_DENIED_ERROR" || code === "ER_BAD_DB_ERROR")
    return "The account has no such database."
  if (code === "HANDSHAKE_NO_SSL_SUPPORT") return "The server does not encrypt connections (tls)."
  if (code === "HANDSHAKE_SSL_ERROR" || code?.includes("CERT") === true)
    return "The certificate of the server cannot be verified (tls)."
  if (code === "ETIMEDOUT") return "The server does not answer."
  return `The connection failed (${code ?? "unknown reason"}).`
}

/** The socket of a connection: the driver has no type for it. */
export const socketOf = (connection: mysql.PoolConnection): Socket | undefined =>
  (connection as unknown as { readonly stream?: Socket }).stream

/** Runs a statement of ours by the text protocol. */
export const queryRows = (
  connection: mysql.PoolConnection,
  sql: string
): Promise<ReadonlyArray<Array<unknown>>> =>
  new Promise((resolve, reject) =>
    connection.query({ sql, rowsAsArray: true }, (error, rows) =>
      error === null ? resolve(Array.isArray(rows) ? (rows as Array<Array<unknown>>) : []) : reject(error)
    )
  )
