import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import pg from "pg"
import { asWritten, jsonAsWritten, writable } from "./nul.js"
import { Reached, reachedQuery } from "./scoped-query.js"

/** How long the first connection may take. */
const connectMaxMs = 5000
/** Longest wait for a connection, be it made or become free. */
const waitMaxMs = 15_000
const keepAliveMs = 5_000

/** A pool of connections that write and read any text, whose first has been made; it ends with the scope. */
export const openPool = (url: string, connectionsMax: number) =>
  Effect.tap(poolOf(url, { max: connectionsMax }), (pool) =>
    Effect.tryPromise({
      try: () => pool.query("select 1"),
      catch: (cause) => new SqlError({ cause, message: "Failed to connect" })
    })
  ).pipe(
    Effect.timeoutFail({
      duration: connectMaxMs,
      onTimeout: () =>
        new SqlError({ cause: new Error("Connection timed out"), message: "Failed to connect" })
    })
  )

/** The same of one connection, which is made when it is wanted first and then stays. */
export const openKept = (url: string) => poolOf(url, { max: 1, idleTimeoutMillis: 0 })

const poolOf = (url: string, size: Pick<pg.PoolConfig, "max" | "idleTimeoutMillis">) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new pg.Pool({
        connectionString: checkedFully(url),
        ...size,
        application_name: "kanon",
        // A server that vanished without a word, as in a failover, is noticed within seconds.
        connectionTimeoutMillis: waitMaxMs,
        keepAlive: true,
        keepAliveInitialDelayMillis: keepAliveMs,
        types: parsers,
        Client: AnyTextClient
      })
      // A connection that is lost while nobody uses it is replaced when somebody wants one.
      pool.on("error", () => {})
      return pool
    }),
    (pool) =>
      Effect.tryPromise(() => pool.end()).pipe(
        // A server that says nothing is not waited for.
        Effect.interruptible,
        Effect.timeout("1 second"),
        Effect.ignore
      )
  )

/**
 * A URL that says what the driver does: it checks certificate and name for `prefer`, `require` and `verify-ca` too, and
 * warns each time that a later one will not. `uselibpqcompat=true` asks it to do as libpq does.
 */
export const checkedFully = (url: string): string =>
  /[?&]uselibpqcompat=true(&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, "$1verify-full")

/** Sends no text that Postgres cannot hold. */
class AnyTextClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const send: (...given: ReadonlyArray<unknown>) => unknown = this.query.bind(this)
    const query = (asked: unknown, ...rest: ReadonlyArray<unknown>): unknown => {
      // What submits itself has its values written already.
      if (typeof asked === "object" && asked !== null && "submit" in asked) return send(asked, ...rest)
      if (typeof asked !== "object" || asked === null || !("values" in asked) || !Array.isArray(asked.values))
        return send(...withReach(asked, rest))
      // What submits itself stays the object that it is.
      return send(Object.assign(asked, { values: asked.values.map(writable) }), ...rest)
    }
    Object.assign(this, { query })
  }
}

/** A statement that goes with its reach becomes a query that sends itself; any other goes as it is. */
const withReach = (asked: unknown, rest: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const [values, ...others] = rest
  const [first, ...own]: ReadonlyArray<unknown> = Array.isArray(values) ? values : []
  return first instanceof Reached && typeof asked === "string"
    ? [reachedQuery(first.reach, asked, own), ...others]
    : [asked, ...rest.map(writableAll)]
}

const writableAll = (given: unknown): unknown => (Array.isArray(given) ? given.map(writable) : given)

/** Counts, sums and 64-bit integers as numbers: none of ours is beyond 2^53. */
const parsers: pg.CustomTypesConfig = {
  getTypeParser: (type, format) => {
    const { INT8, JSON: json, NUMERIC, TEXT } = pg.types.builtins
    if (type === INT8 || type === NUMERIC) return Number
    if (type === TEXT) return asWritten
    return type === json ? jsonAsWritten : pg.types.getTypeParser(type, format)
  }
}
