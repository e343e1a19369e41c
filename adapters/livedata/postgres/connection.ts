import { Socket } from "node:net"
import type { ConnectionOptions } from "node:tls"
import * as Redacted from "effect/Redacted"
import pg from "pg"
import {
  DatabaseUnreachable,
  type DataLimits,
  type DataTarget,
  type ServerSettings
} from "../../../core/connected/livedata/index.js"
import { type AddressRules, guardedLookup } from "../../host/addresses.js"
import { addressRefusal, tlsOf } from "../addresses.js"
import { connectionsMax, connectTimeoutMs, idleMs, socketSlackBytes } from "../driver.js"

/** Pools of connectors; one whose settings or credential changed is closed and made anew. */
export class PostgresPools {
  private readonly pools = new Map<string, { readonly version: string; readonly pool: pg.Pool }>()

  constructor(private readonly rules: AddressRules) {}

  /** A connection of the pool; the caller releases it. */
  async connect(target: DataTarget): Promise<pg.PoolClient> {
    try {
      return await this.poolOf(target).connect()
    } catch (error) {
      throw new DatabaseUnreachable({ message: reasonOf(error) })
    }
  }

  async close(id: string | null): Promise<void> {
    const named = [...this.pools].filter(([one]) => id === null || one === id)
    for (const [one] of named) this.pools.delete(one)
    await Promise.all(named.map(([, { pool }]) => pool.end().catch(() => {})))
  }

  private poolOf(target: DataTarget): pg.Pool {
    const cached = this.pools.get(target.id)
    if (cached?.version === target.version) return cached.pool
    if (cached !== undefined) void cached.pool.end().catch(() => {})
    const pool = new pg.Pool({
      ...configOf(target, this.rules),
      max: connectionsMax,
      idleTimeoutMillis: idleMs,
      allowExitOnIdle: true
    })
    // A connection that breaks while nobody uses it is replaced by the next that is asked for.
    pool.on("error", () => {})
    this.pools.set(target.id, { version: target.version, pool })
    return pool
  }
}

const configOf = ({ credential, settings }: DataTarget, rules: AddressRules): pg.ClientConfig => {
  const { database, host, port = 5432, user } = settings as ServerSettings
  const tls = tlsOf(settings as ServerSettings)
  const ssl: ConnectionOptions | false =
    tls === "off" ? false : { rejectUnauthorized: tls === "verify", servername: host }
  return {
    host,
    port,
    database,
    user,
    // Never the environment of this process or its password file: they are the host's own.
    password: () => (credential === null ? "" : Redacted.value(credential)),
    ssl,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    application_name: "kanon",
    stream: () => guardedSocket(rules)
  }
}

/**
 * A socket that looks where a name leads before it connects. What is written in one turn is sent at once: a cursor
 * writes each of its four messages for itself, and each would wake the server.
 */
const guardedSocket = (rules: AddressRules): Socket => {
  const socket = new Socket()
  const { write } = socket
  const batched = (...given: ReadonlyArray<unknown>): boolean => {
    if (socket.writableCorked === 0) {
      socket.cork()
      process.nextTick(() => socket.uncork())
    }
    return Reflect.apply(write, socket, given)
  }
  const connect = socket.connect.bind(socket)
  const lookup = guardedLookup(rules, () => new Error(addressRefusal))
  const guarded = (port: number, host: string): Socket => connect({ port, host, lookup })
  return Object.assign(socket, { connect: guarded, write: batched })
}

/** Returns the reason of a failed connection: a code, or the server's message about the account, never an address. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "The connection failed."
  if (error.message === addressRefusal) return addressRefusal
  const code = "code" in error && typeof error.code === "string" ? error.code : null
  if (code === "28P01" || code === "28000") return "The database refuses the user or its password."
  if (code === "3D000") return "The server has no such database."
  if (code === "53300") return "The server has no room for another connection."
  if (/does not support SSL/u.test(error.message)) return "The server does not encrypt connections (tls)."
  if (/certificate|self.signed/iu.test(error.message) || code?.includes("CERT") === true)
    return "The certificate of the server cannot be verified (tls)."
  if (/timeout/iu.test(error.message)) return "The server does not answer."
  return `The connection failed (${code ?? "unknown reason"}).`
}

/** The socket of a connection, and what names it to the server: the driver has no types for them. */
interface Internals {
  readonly connection?: { readonly stream?: Socket }
  readonly processID?: number | null
  readonly secretKey?: number | null
}
const internalsOf = (client: pg.ClientBase): Internals => client as unknown as Internals

/** Breaks a connection once more bytes arrive than an execution may take. Gives what ends the watch, and whether it broke. */
export const watchBytes = (client: pg.ClientBase, { maxBytes }: Pick<DataLimits, "maxBytes">) => {
  const stream = internalsOf(client).connection?.stream
  let [bytes, isOver] = [0, false]
  const count = (part: Buffer): void => {
    bytes += part.length
    // JSON of a value may be shorter than its form on the wire.
    if (isOver || bytes <= maxBytes * 2 + socketSlackBytes) return
    isOver = true
    stream?.destroy()
  }
  stream?.on("data", count)
  return { isOver: () => isOver, end: () => void stream?.off("data", count) }
}

/**
 * Has the server stop what a connection is doing, by a connection of its own as the protocol wants it, and breaks that
 * connection.
 */
export const cancelAndBreak = (
  client: pg.ClientBase,
  { settings }: Pick<DataTarget, "settings">,
  rules: AddressRules
): void => {
  const { connection, processID, secretKey } = internalsOf(client)
  connection?.stream?.destroy()
  if (typeof processID !== "number" || typeof secretKey !== "number") return
  const { host, port = 5432 } = settings as ServerSettings
  const request = Buffer.alloc(16)
  request.writeInt32BE(16, 0)
  request.writeInt32BE(80_877_102, 4)
  request.writeInt32BE(processID, 8)
  request.writeInt32BE(secretKey, 12)
  const socket = guardedSocket(rules)
  socket.setTimeout(connectTimeoutMs, () => socket.destroy())
  socket.on("error", () => {})
  socket.connect(port, host)
  socket.end(request)
}
