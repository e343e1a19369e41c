import type pg from "pg"
import Cursor from "pg-cursor"
import {
  type ColumnInfo,
  type CompiledStatement,
  type ConnectorProbe,
  DatabaseUnreachable,
  type DataLimits,
  type DataResult,
  type DataTarget,
  StatementFailed,
  StatementTimedOut
} from "../../../core/connected/livedata/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { allLayers, type Driver, graceMs, type Layers, RowSink, refuse, withDeadline } from "../driver.js"
import { describeColumns, Sources } from "./columns.js"
import { cancelAndBreak, PostgresPools, watchBytes } from "./connection.js"
import { loadGrammar, postgresRefusal } from "./guard.js"
import { probeAccount } from "./probe.js"
import { textsOf, toCell, typeName } from "./values.js"

/** PostgreSQL: guarded by its own grammar, run in a read-only transaction, read through a cursor. */
export const postgresDriver = (rules: AddressRules, layers: Layers = allLayers): Driver => {
  const pools = new PostgresPools(rules)
  const sources = new Sources()
  const inspect: Driver["inspect"] = async ({ settings }, { text }) => {
    if (!layers.guard) return null
    await loadGrammar()
    return postgresRefusal(text, settings)
  }

  /** Runs work in a read-only transaction that always ends in a rollback. A connection that saw an error is closed. */
  const inSession = async <A>(
    target: DataTarget,
    limits: Pick<DataLimits, "timeoutMs" | "maxBytes">,
    signal: AbortSignal,
    work: (client: pg.PoolClient, isOver: () => boolean) => Promise<A>
  ): Promise<A> => {
    const client = await pools.connect(target)
    client.on("error", ignore)
    const watch = watchBytes(client, limits)
    try {
      const value = await withDeadline(
        limits.timeoutMs + graceMs,
        signal,
        () => cancelAndBreak(client, target, rules),
        async () => {
          if (layers.session) await client.query(beginning(limits.timeoutMs))
          const done = await work(client, watch.isOver)
          if (layers.session && !watch.isOver()) await client.query("rollback")
          return done
        }
      )
      client.release(watch.isOver())
      return value
    } catch (error) {
      client.release(true)
      throw faultOf(error)
    } finally {
      watch.end()
      client.off("error", ignore)
    }
  }

  return {
    inspect,
    probe: (target, signal) => probed(() => inSession(target, probeLimits, signal, probeAccount)),
    describe: async (target, statement, limits, signal) => {
      await refuse(inspect, target, statement)
      const values = valuesOf(statement)
      return inSession(target, limits, signal, async (client) => {
        // Also a statement without parameters goes through the extended protocol, which takes one statement alone.
        const extended = (text: string) => {
          const config: pg.QueryArrayConfig & { readonly queryMode: "extended" } = {
            text,
            values,
            rowMode: "array",
            queryMode: "extended"
          }
          return client.query(config)
        }
        const { fields } = await extended(`select * from (\n${statement.text}\n) as described limit 0`)
        const { rows } = await extended(`explain ${statement.text}`)
        return {
          columns: await describeColumns(client, target, fields, sources),
          plan: rows.flat().join("\n")
        }
      })
    },
    run: async (target, statement, limits, signal) => {
      await refuse(inspect, target, statement)
      return inSession(target, limits, signal, (client, isOver) =>
        readRows(client, target, statement, limits, isOver, sources)
      )
    },
    close: (id) => pools.close(id)
  }
}

const ignore = (): void => {}

const probeLimits = { timeoutMs: 5_000, maxBytes: 1024 * 1024 }

const probed = async (probe: () => Promise<ConnectorProbe>): Promise<ConnectorProbe> => {
  try {
    return await probe()
  } catch (error) {
    const message =
      error instanceof DatabaseUnreachable
        ? error.message
        : error instanceof StatementTimedOut
          ? "The server does not answer."
          : error instanceof StatementFailed && error.detail === statementPooling
            ? statementPooling
            : "The server refuses to tell what the account may do."
    return { ok: false, readOnlyProven: false, serverVersion: null, message }
  }
}

/** One message of constants of ours. Names are looked up in the catalog first, then in the schema public. */
const beginning = (timeoutMs: number): string =>
  [
    "begin transaction read only",
    `set local statement_timeout = ${Math.ceil(timeoutMs)}`,
    `set local lock_timeout = ${Math.ceil(Math.min(timeoutMs, 2_000))}`,
    `set local idle_in_transaction_session_timeout = ${Math.ceil(timeoutMs) + 5_000}`,
    "set local search_path = pg_catalog, public",
    "set local datestyle = 'ISO, YMD'",
    "set local intervalstyle = 'iso_8601'",
    "set local timezone = 'UTC'",
    "set local bytea_output = 'hex'",
    // A role may have digits of floating-point numbers cut off.
    "set local extra_float_digits = 3",
    "set local standard_conforming_strings = on",
    "set local max_parallel_workers_per_gather = 0"
  ].join(";")

const valuesOf = ({ values }: CompiledStatement): Array<unknown> =>
  values.map(({ value }) => (value === null ? null : String(value)))

/** Values as text: they are converted with their types in hand. */
const asText = { getTypeParser: () => (text: string) => text }

const readRows = async (
  client: pg.PoolClient,
  target: DataTarget,
  statement: CompiledStatement,
  limits: DataLimits,
  isOver: () => boolean,
  sources: Sources
): Promise<DataResult> => {
  const sink = new RowSink(limits)
  const cursor = client.query(
    new Cursor<Array<string | null>>(statement.text, valuesOf(statement), {
      rowMode: "array",
      types: asText as unknown as pg.CustomTypesConfig
    })
  )
  let fields: ReadonlyArray<pg.FieldDef> = []
  cursor.on("row", (row: Array<string | null>, result: pg.QueryResult) => {
    fields = result.fields
    // The cursor keeps what it hands out until the end of the read: a row that is taken holds no texts there.
    sink.add(row.map((text, at) => toCell(fields[at]?.dataTypeID ?? 0, text, fields[at]?.dataTypeModifier)))
    row.length = 0
  })
  try {
    await new Promise<void>((resolve, reject) =>
      cursor.read(limits.rowCap + 1, (error, _rows, result) => {
        if (error !== undefined && error !== null) return reject(error)
        fields = result.fields
        resolve()
      })
    )
    await cursor.close()
  } catch (error) {
    // The socket was closed since too much came: what came before is the result.
    if (!isOver()) throw error
    sink.truncated = true
  }
  const columns: ReadonlyArray<ColumnInfo> = isOver()
    ? fields.map((field) => sources.known(target, field))
    : await describeColumns(client, target, fields, sources)
  return { columns, rows: withLists(fields, columns, sink.rows), truncated: sink.truncated }
}

/** Rows whose arrays of types of the database, such as enums, are lists: their type is known only now. */
const withLists = (
  fields: ReadonlyArray<pg.FieldDef>,
  columns: ReadonlyArray<ColumnInfo>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>
): ReadonlyArray<ReadonlyArray<unknown>> => {
  const lists = columns.map(
    ({ type }, at) => type.endsWith("[]") && typeName(fields[at]?.dataTypeID ?? 0) === null
  )
  return lists.includes(true)
    ? rows.map((row) =>
        row.map((cell, at) => (lists[at] === true && typeof cell === "string" ? textsOf(cell) : cell))
      )
    : rows
}

/** PgBouncer refuses the first statement of a transaction with a code of class 08, though the connection is fine. */
const statementPooling =
  "The pooler in front of the server gives each statement a connection (pool_mode = statement), and connectors read in a read-only transaction. Use transaction or session pooling, or connect to the server itself."

/** Converts an error of the server or the driver to a fault. */
const faultOf = (error: unknown): unknown => {
  if (!(error instanceof Error) || "_tag" in error) return error
  const code = "code" in error && typeof error.code === "string" ? error.code : null
  if (code === "57014" || code === "25P04") return new StatementTimedOut()
  if (/statement pooling mode/iu.test(error.message)) return new StatementFailed({ detail: statementPooling })
  if (code !== null && /^[0-9A-Z]{5}$/u.test(code) && !/^(?:08|57P)/u.test(code))
    return new StatementFailed({ detail: error.message })
  return new DatabaseUnreachable({ message: "The connection broke while the query ran." })
}
