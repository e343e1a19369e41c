import mysql from "mysql2"
import {
  type BoundValue,
  type ColumnInfo,
  type CompiledStatement,
  type ConnectorProbe,
  DatabaseUnreachable,
  type DataLimits,
  type DataResult,
  type DataTarget,
  mysqlRefusal,
  StatementFailed,
  StatementTimedOut
} from "../../../core/connected/livedata/index.js"
import type { AddressRules } from "../../host/addresses.js"
import {
  allLayers,
  type Driver,
  exactInteger,
  graceMs,
  jsonNumber,
  type Layers,
  RowSink,
  refuse,
  socketSlackBytes,
  utcText,
  withDeadline
} from "../driver.js"
import { MysqlPools, queryRows, socketOf } from "./connection.js"
import { probeGrants } from "./probe.js"

/** MySQL and MariaDB: guarded by a token allow list, prepared at the server, read as a stream. */
export const mysqlDriver = (rules: AddressRules, layers: Layers = allLayers): Driver => {
  const pools = new MysqlPools(rules)
  const inspect: Driver["inspect"] = async ({ settings }, { text }) =>
    layers.guard ? mysqlRefusal(text, settings) : null

  /** Runs work in a read-only transaction that always ends in a rollback. A connection that saw an error is closed. */
  const inSession = async <A>(
    target: DataTarget,
    limits: DataLimits,
    signal: AbortSignal,
    work: (connection: mysql.PoolConnection, stop: () => void) => Promise<A>
  ): Promise<A> => {
    const connection = await pools.connect(target)
    let isStopped = false
    const stop = (): void => {
      if (isStopped) return
      isStopped = true
      pools.killAndBreak(target, connection)
    }
    connection.on("error", ignore)
    try {
      const value = await withDeadline(limits.timeoutMs + graceMs, signal, stop, async () => {
        if (layers.session) {
          await queryRows(connection, await beginning(connection, limits))
          await queryRows(connection, "start transaction read only")
        }
        const done = await work(connection, stop)
        if (layers.session && !isStopped) await queryRows(connection, "rollback")
        return done
      })
      connection.off("error", ignore)
      if (!isStopped) connection.release()
      return value
    } catch (error) {
      connection.destroy()
      throw faultOf(error)
    }
  }

  return {
    inspect,
    probe: async (target, signal) => {
      try {
        return await inSession(target, probeLimits, signal, probeGrants)
      } catch (error) {
        return failedProbe(error)
      }
    },
    describe: async (target, statement, limits, signal) => {
      await refuse(inspect, target, statement)
      return inSession(target, limits, signal, async (connection, stop) => {
        const nothing = `select * from (\n${statement.text}\n) as described limit 0`
        const { columns } = await readRows(connection, { ...statement, text: nothing }, limits, stop).catch(
          // A derived table takes no two columns of one name; the statement itself does.
          () => readRows(connection, statement, { ...limits, rowCap: 1 }, stop)
        )
        const plan = await readRows(
          connection,
          { ...statement, text: `explain ${statement.text}` },
          limits,
          stop
        )
        const header = plan.columns.map(({ name }) => name).join(" | ")
        const lines = plan.rows.map((row) => row.map((cell) => String(cell ?? "")).join(" | "))
        return { columns, plan: [header, ...lines].join("\n") }
      })
    },
    run: async (target, statement, limits, signal) => {
      await refuse(inspect, target, statement)
      const { computed, ...result } = await inSession(target, limits, signal, (connection, stop) =>
        readRows(connection, statement, limits, stop)
      )
      const isTruth =
        computed.length > 0 &&
        (await inSession(target, catalogLimits, signal, (connection, stop) =>
          hasTruthValuesOnly(connection, statement, stop)
        ))
      return isTruth ? { ...result, rows: result.rows.map((row) => withTruth(row, computed)) } : result
    },
    close: (id) => pools.close(id)
  }
}

const ignore = (): void => {}

const probeLimits: DataLimits = { timeoutMs: 5_000, maxBytes: 1024 * 1024, rowCap: 1000 }

const failedProbe = (error: unknown): ConnectorProbe => ({
  ok: false,
  readOnlyProven: false,
  serverVersion: null,
  message:
    error instanceof DatabaseUnreachable
      ? error.message
      : error instanceof StatementTimedOut
        ? "The server does not answer."
        : "The server refuses to tell what the account may do."
})

/** Whether the server is a MariaDB, of each connection. */
const flavours = new WeakMap<mysql.PoolConnection, boolean>()

/** The session as the guard expects it: quoting, time limits, UTC. */
const beginning = async (
  connection: mysql.PoolConnection,
  { rowCap, timeoutMs }: DataLimits
): Promise<string> => {
  const known = flavours.get(connection)
  const isMariaDb =
    known ?? /mariadb/iu.test(String((await queryRows(connection, "select version()"))[0]?.[0]))
  if (known === undefined) flavours.set(connection, isMariaDb)
  const lockSeconds = Math.max(1, Math.ceil(Math.min(timeoutMs, 2_000) / 1000))
  const time = isMariaDb
    ? `max_statement_time = ${timeoutMs / 1000}, tx_read_only = 1, max_recursive_iterations = 4294967295`
    : `max_execution_time = ${Math.ceil(timeoutMs)}, transaction_read_only = 1`
  return `set session sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
    time_zone = '+00:00', lock_wait_timeout = ${lockSeconds}, innodb_lock_wait_timeout = ${lockSeconds},
    sql_select_limit = ${rowCap + 1}, autocommit = 1, ${time}`
}

const toParameter = ({ type, value }: BoundValue): string | number | bigint | boolean | null => {
  if (value === null) return null
  if (type === "integer") return BigInt(String(value))
  if (type === "boolean") return value === true ? 1 : 0
  if (type === "timestamp") return utcText(String(value))
  return typeof value === "boolean" ? Number(value) : value
}

interface Field {
  readonly name: string
  readonly orgTable?: string
  readonly orgName?: string
  readonly schema?: string
  readonly columnType?: number
  readonly columnLength?: number
  readonly type?: number
  readonly characterSet?: number
  readonly flags?: number
}

/** A result, with the columns that are computed from a TINYINT of unknown width. */
interface ReadRows extends DataResult {
  readonly computed: ReadonlyArray<number>
}

const catalogLimits: DataLimits = { timeoutMs: 5_000, maxBytes: 1024, rowCap: 1 }

/**
 * Whether every TINYINT column of the tables that a statement names is a TINYINT(1). MAX, UNION, windows and subqueries
 * lose the width that tells a truth value from a number; only where there is no other TINYINT is it known.
 */
const hasTruthValuesOnly = async (
  connection: mysql.PoolConnection,
  { text }: CompiledStatement,
  stop: () => void
): Promise<boolean> => {
  const others = `select table_name from information_schema.columns
    where data_type = 'tinyint' and column_type not like 'tinyint(1)%'
    and table_schema not in ('information_schema', 'mysql', 'performance_schema', 'sys')
    and locate(lower(table_name), ?) > 0 limit 1`
  const values = [{ type: "string", value: text.toLowerCase() } as const]
  const { rows } = await readRows(connection, { text: others, values }, catalogLimits, stop)
  return rows.length === 0
}

const withTruth = (row: ReadonlyArray<unknown>, computed: ReadonlyArray<number>): ReadonlyArray<unknown> =>
  row.map((cell, at) => (computed.includes(at) && (cell === 0 || cell === 1) ? cell === 1 : cell))

const readRows = (
  connection: mysql.PoolConnection,
  { text, values }: Pick<CompiledStatement, "text" | "values">,
  limits: DataLimits,
  stop: () => void
): Promise<ReadRows> => {
  const sink = new RowSink(limits)
  let fields: ReadonlyArray<Field> = []
  const socket = socketOf(connection)
  let bytes = 0
  return new Promise<ReadRows>((resolve, reject) => {
    const unlisten = (): void => {
      socket?.off("data", count)
      socket?.off("close", broken)
      connection.off("error", fail)
    }
    const finish = (): void => {
      unlisten()
      const computed = fields.flatMap((field, at) => (isComputedTiny(field) ? [at] : []))
      resolve({ columns: fields.map(columnOf), rows: sink.rows, truncated: sink.truncated, computed })
    }
    const fail = (error: unknown): void => {
      unlisten()
      reject(error)
    }
    const broken = (): void => fail(new DatabaseUnreachable({ message: brokenConnection }))
    const cut = (): void => {
      sink.truncated = true
      finish()
      stop()
    }
    const count = (part: Buffer): void => {
      bytes += part.length
      if (bytes > limits.maxBytes * 2 + socketSlackBytes) cut()
    }
    socket?.on("data", count)
    socket?.once("close", broken)
    connection.once("error", fail)
    const command = connection.execute({ sql: text, rowsAsArray: true }, values.map(toParameter))
    command.on("fields", (given: ReadonlyArray<Field>) => {
      fields = given ?? []
    })
    let rows = 0
    command.on("result", (row: unknown) => {
      if (!Array.isArray(row)) return
      rows += 1
      if (sink.add(row.map((cell, at) => toCell(cell, fields[at])))) return
      // The server sends one row more than fits, unless the statement has a limit of its own or the bytes are too many.
      if (rows > limits.rowCap + 1 || sink.rows.length < limits.rowCap) cut()
    })
    command.on("end", finish)
    command.on("error", fail)
  })
}

const brokenConnection = "The connection broke while the query ran."

const binaryCharset = 63

const typeNames: ReadonlyMap<number, string> = new Map(
  Object.entries(mysql.Types).flatMap(([name, number]) =>
    typeof number === "number" ? [[number, name.toLowerCase()] as const] : []
  )
)

const typeOf = (field: Field | undefined): number => field?.columnType ?? field?.type ?? -1

const columnOf = (field: Field): ColumnInfo => {
  const type = typeNames.get(typeOf(field)) ?? "unknown"
  const isText = field.characterSet !== binaryCharset
  const words: Readonly<Record<string, string>> = {
    newdecimal: "decimal",
    tiny: "tinyint",
    short: "smallint",
    int24: "mediumint",
    long: "int",
    longlong: "bigint",
    var_string: isText ? "varchar" : "varbinary",
    string: isText ? "char" : "binary",
    blob: isText ? "text" : "blob",
    newdate: "date"
  }
  return {
    name: field.name,
    type: words[type] ?? type,
    table: field.orgTable === undefined || field.orgTable === "" ? null : field.orgTable,
    column: field.orgName === undefined || field.orgName === "" ? null : field.orgName
  }
}

const toCell = (cell: unknown, field: Field | undefined): unknown => {
  if (cell === null || cell === undefined) return null
  if (cell instanceof Uint8Array && typeNames.get(typeOf(field)) === "bit") return bitsOf(cell, field)
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString("base64")
  if (typeof cell === "number" && isTruthValue(cell, field)) return cell === 1
  if (typeof cell === "number")
    return jsonNumber(typeNames.get(typeOf(field)) === "float" ? singlePrecision(cell) : cell)
  if (typeof cell === "bigint") return String(cell)
  if (typeof cell === "boolean") return cell
  const text = typeof cell === "string" ? cell : JSON.stringify(cell)
  const type = typeNames.get(typeOf(field))
  // MySQL keeps dates that are none ("0000-00-00", "2024-00-00"): they stay as they are written.
  if (/^0000|-00/u.test(text)) return text
  // The session is in UTC.
  if (type === "timestamp") return `${text.replace(" ", "T")}Z`
  return type === "datetime" ? text.replace(" ", "T") : text
}

/** BOOLEAN is a name for TINYINT(1), which can also hold other numbers: these stay what they are. */
const isTruthValue = (cell: number, field: Field | undefined): boolean =>
  typeNames.get(typeOf(field)) === "tiny" && field?.columnLength === 1 && (cell === 0 || cell === 1)

/** A column of the statement's own that holds a TINYINT of any width. */
const isComputedTiny = (field: Field): boolean =>
  typeNames.get(typeOf(field)) === "tiny" && field.columnLength !== 1 && (field.orgTable ?? "") === ""

/** One bit is a truth value, more of them are a number. */
const bitsOf = (bits: Uint8Array, field: Field | undefined): boolean | number | string => {
  const number = bits.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return field?.columnLength === 1 ? number === 1n : exactInteger(String(number))
}

/** The shortest number that is the same in 32 bits, as it was written: 0.1 and not 0.10000000149011612. */
const singlePrecision = (value: number): number => {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

const timeouts = new Set([
  "ER_STATEMENT_TIMEOUT",
  "ER_QUERY_TIMEOUT",
  "ER_QUERY_INTERRUPTED",
  "ER_LOCK_WAIT_TIMEOUT"
])

/** Converts an error of the server or the driver to a fault. */
const faultOf = (error: unknown): unknown => {
  if (!(error instanceof Error) || "_tag" in error) return error
  const code = "code" in error && typeof error.code === "string" ? error.code : null
  const number = "errno" in error && typeof error.errno === "number" ? error.errno : 0
  if ((code !== null && timeouts.has(code)) || number === 1969 || number === 3024)
    return new StatementTimedOut()
  if ("sqlState" in error && number > 0) return new StatementFailed({ detail: error.message })
  return new DatabaseUnreachable({ message: brokenConnection })
}
