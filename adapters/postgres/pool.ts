import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import pg from "pg"
import { watchGauge } from "../../core/platform/kernel/index.js"
import { decodeJsonText, decodeText, encodeValue, Reached, reachedQuery } from "./scoped-query.js"

/** Timeout of the first connection. */
const connectMaxMs = 5000
/** Timeout for getting a connection. */
const waitMaxMs = 15_000
const keepAliveMs = 5_000

/** Opens a pool that encodes and decodes text, after a first successful connection; closed with the scope. */
export const openPool = (url: string, connectionsMax: number) =>
  Effect.tap(poolOf(url, { max: connectionsMax }), (pool) =>
    Effect.tryPromise({
      try: () => pool.query("select 1"),
      catch: (cause) => new SqlError({ cause, message: "Failed to connect" })
    })
  ).pipe(
    Effect.tap(watchPool),
    Effect.timeoutFail({
      duration: connectMaxMs,
      onTimeout: () =>
        new SqlError({ cause: new Error("Connection timed out"), message: "Failed to connect" })
    })
  )

const watchPool = (pool: pg.Pool) =>
  Effect.all([
    watchGauge("kanon_database_connections", { state: "in_use" }, () => pool.totalCount - pool.idleCount),
    watchGauge("kanon_database_connections", { state: "idle" }, () => pool.idleCount),
    watchGauge("kanon_database_waiting", {}, () => pool.waitingCount)
  ])

/** Opens a single connection on first use and keeps it. */
export const openSingleConnection = (url: string) => poolOf(url, { max: 1, idleTimeoutMillis: 0 })

/**
 * Opens a pool for a replica: it connects on first use, waits for a connection no longer than the caller would, and ends
 * running statements when it is closed, so that those of a server that no longer responds do not wait for it.
 */
export const openReplicaPool = (url: string, max: number, connectionTimeoutMillis: number) =>
  Effect.tap(poolOf(url, { max, connectionTimeoutMillis }), (pool) => {
    const clients = new Set<pg.PoolClient>()
    pool.on("connect", (client) => void clients.add(client))
    pool.on("remove", (client) => void clients.delete(client))
    return Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const client of clients) if (client instanceof pg.Client) client.end().catch(() => {})
      })
    )
  })

const poolOf = (
  url: string,
  settings: Pick<pg.PoolConfig, "max" | "idleTimeoutMillis" | "connectionTimeoutMillis">
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new pg.Pool({
        connectionString: checkedFully(url),
        application_name: "kanon",
        // Detects within seconds a server that vanished without closing, as in a failover.
        connectionTimeoutMillis: waitMaxMs,
        ...settings,
        keepAlive: true,
        keepAliveInitialDelayMillis: keepAliveMs,
        types: parsers,
        Client: AnyTextClient
      })
      // A lost idle connection is replaced at the next use.
      pool.on("error", () => {})
      return pool
    }),
    (pool) =>
      Effect.tryPromise(() => pool.end()).pipe(
        // Do not wait for a server that does not respond.
        Effect.interruptible,
        Effect.timeout("1 second"),
        Effect.ignore
      )
  )

/**
 * Returns a URL that states the driver's present behaviour explicitly: it fully verifies certificates for `prefer`,
 * `require` and `verify-ca` too, and warns that later versions will not. `uselibpqcompat=true` selects libpq's
 * behaviour.
 */
export const checkedFully = (url: string): string =>
  /[?&]uselibpqcompat=true(&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, "$1verify-full")

/** A client that encodes text which Postgres cannot hold. */
class AnyTextClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const send: (...given: ReadonlyArray<unknown>) => unknown = this.query.bind(this)
    const query = (asked: unknown, ...rest: ReadonlyArray<unknown>): unknown => {
      // A submittable query has encoded its values already.
      if (typeof asked === "object" && asked !== null && "submit" in asked) return send(asked, ...rest)
      if (typeof asked !== "object" || asked === null || !("values" in asked) || !Array.isArray(asked.values))
        return send(...withReach(asked, rest))
      // A submittable query must stay the same object.
      return send(Object.assign(asked, { values: asked.values.map(encodeValue) }), ...rest)
    }
    Object.assign(this, { query })
  }
}

/** Wraps a statement with a reach into a query that sends both; passes others through. */
const withReach = (asked: unknown, rest: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const [values, ...others] = rest
  const [first, ...own]: ReadonlyArray<unknown> = Array.isArray(values) ? values : []
  return first instanceof Reached && typeof asked === "string"
    ? [reachedQuery(first, asked, own), ...others]
    : [asked, ...rest.map(writableAll)]
}

const writableAll = (given: unknown): unknown => (Array.isArray(given) ? given.map(encodeValue) : given)

/** Parses counts, sums and 64-bit integers as numbers; all of ours are below 2^53. */
const parsers: pg.CustomTypesConfig = {
  getTypeParser: (type, format) => {
    const { INT8, JSON: json, NUMERIC, TEXT } = pg.types.builtins
    if (type === INT8 || type === NUMERIC) return Number
    if (type === TEXT) return decodeText
    return type === json ? decodeJsonText : pg.types.getTypeParser(type, format)
  }
}
