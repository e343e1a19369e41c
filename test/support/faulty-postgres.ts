import pg from "pg"
import { type FaultyStatements, failingOnce } from "./faulty-statements.js"

/** Codes of Postgres for a disk that says no: full, and one that cannot be read. */
const faults = ["53100", "58030"] as const

/** Returns a statement that fails with this code on the server, so that the transaction is in the real state. */
const failing = (code: string): string =>
  `do $$ begin raise exception 'injected' using errcode = '${code}'; end $$`

/** A commit that fails has ended the transaction. */
const failingAs = (text: string, code: string): string =>
  /^commit/i.test(text) ? `rollback; ${failing(code)}` : failing(code)

/** Statements of the engines of this process whose pools are opened from now on. */
export const faultyPostgres = (): FaultyStatements => {
  const { arm, hasFailed, next, texts } = failingOnce(faults)
  let seen: pg.Client | undefined
  const own = pg.Client.prototype.query
  const query = function (this: pg.Client, asked: unknown, ...rest: ReadonlyArray<unknown>): unknown {
    const send: (...given: ReadonlyArray<unknown>) => unknown = own.bind(this) as never
    const text = textOf(asked)
    if (applicationOf(this) !== "kanon" || text === null) return send(asked, ...rest)
    seen = this
    const code = next(text)
    if (code === null) return send(asked, ...rest)
    const instead = { text: failingAs(text, code), values: [], name: undefined }
    return typeof asked === "string"
      ? send(instead.text, ...rest.map((one) => (Array.isArray(one) ? [] : one)))
      : send(Object.assign(asked as object, instead), ...rest)
  }
  Object.assign(pg.Client.prototype, { query })
  return {
    arm,
    texts,
    hasFailed,
    beside: async (text) => {
      if (seen === undefined) throw new RangeError("No statement was run.")
      const { database, host, password, port, user } = seen
      const client = new pg.Client({ database, host, port, user, password: password ?? "" })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(text)).rows
      } finally {
        await client.end()
      }
    },
    restore: () => {
      Object.assign(pg.Client.prototype, { query: own })
    }
  }
}

const textOf = (asked: unknown): string | null => {
  if (typeof asked === "string") return asked
  const text = typeof asked === "object" && asked !== null ? Reflect.get(asked, "text") : null
  return typeof text === "string" ? text : null
}

const applicationOf = (client: pg.Client): unknown => {
  const parameters: unknown = Reflect.get(client, "connectionParameters")
  return typeof parameters === "object" && parameters !== null
    ? Reflect.get(parameters, "application_name")
    : null
}
