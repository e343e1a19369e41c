import { statSync } from "node:fs"
import Sqlite from "better-sqlite3"
import { type BoundValue, type ColumnInfo, StatementRefused } from "../../../core/connected/livedata/index.js"
import { exactInteger, jsonNumber, RowSink, utcText } from "../driver.js"
import type { SqliteReply, SqliteRequest } from "./children.js"
import { sqliteRefusal } from "./guard.js"
import { unreadable } from "./unreadable.js"

/** A process that asks SQLite files, so that a statement which cannot be interrupted can be killed. */
const send = (reply: SqliteReply): void => {
  process.send?.(reply)
}

let open: { readonly path: string; readonly file: string; readonly database: Sqlite.Database } | null = null

/** Identity of the file at a path: another one when it is replaced. */
const fileAt = (path: string): string => {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev} ${ino}`
}

const opened = (path: string): Sqlite.Database => {
  // Read before it is opened: a file that is replaced in between is opened once more for the next request.
  const file = fileAt(path)
  if (open?.path === path && open.file === file) return open.database
  open?.database.close()
  open = null
  const database = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 1_000 })
  for (const pragma of ["query_only = on", "trusted_schema = off", "mmap_size = 0", "temp_store = memory"])
    database.pragma(pragma)
  database.defaultSafeIntegers(false)
  open = { path, file, database }
  return database
}

const answer = (request: SqliteRequest): SqliteReply => {
  let database: Sqlite.Database
  try {
    database = opened(request.path)
    database.prepare("select count(*) from main.sqlite_schema").get()
  } catch (error) {
    const code = error instanceof Sqlite.SqliteError ? error.code : "unknown reason"
    return { say: "unreachable", message: unreadable(request.path, code) }
  }
  if (request.ask === "probe")
    return {
      say: "probe",
      probe: {
        ok: true,
        readOnlyProven: true,
        serverVersion: String(database.prepare("select sqlite_version()").pluck().get()),
        message: null
      }
    }
  try {
    return runRequest(database, request)
  } catch (error) {
    if (error instanceof StatementRefused) return { say: "refused", message: error.message }
    const detail = error instanceof Error ? error.message : String(error)
    const isAway =
      error instanceof Sqlite.SqliteError && /^SQLITE_(?:CORRUPT|IOERR|CANTOPEN|NOTADB)/u.test(error.code)
    return isAway
      ? { say: "unreachable", message: `The file cannot be read as a SQLite database (${error.code}).` }
      : { say: "failed", message: detail }
  }
}

const runRequest = (
  database: Sqlite.Database,
  {
    ask,
    functions,
    guard,
    limits,
    relations,
    text,
    values
  }: Exclude<SqliteRequest, { readonly ask: "probe" }>
): SqliteReply => {
  const bound = values.map(toValue)
  if (guard) {
    const refusal = sqliteRefusal(database, text, bound, {
      functions: functions ?? undefined,
      relations: relations ?? undefined
    })
    if (refusal !== null) throw new StatementRefused({ message: refusal })
  }
  const statement = database.prepare(text)
  if (!statement.reader) {
    // Only with the guard switched off: the engine itself refuses what writes.
    statement.run(...bound)
    return { say: "result", result: { columns: [], rows: [], truncated: false } }
  }
  const columns: ReadonlyArray<ColumnInfo> = statement.columns().map(({ column, name, table, type }) => ({
    name,
    type: (type ?? "").toLowerCase() || "any",
    table,
    column
  }))
  if (ask === "describe") {
    const plan = database.prepare(`explain query plan ${text}`).all(...bound) as ReadonlyArray<{
      id: number
      parent: number
      detail: string
    }>
    const depths = new Map<number, number>()
    const lines = plan.map(({ detail, id, parent }) => {
      const depth = (depths.get(parent) ?? -1) + 1
      depths.set(id, depth)
      return `${"  ".repeat(depth)}${detail}`
    })
    return { say: "description", columns, plan: lines.join("\n") }
  }
  const sink = new RowSink(limits)
  statement.raw(true).safeIntegers(true)
  for (const row of statement.iterate(...bound) as Iterable<ReadonlyArray<unknown>>)
    if (!sink.add(row.map((cell, at) => toCell(cell, columns[at]?.type)))) break
  return { say: "result", result: { columns, rows: sink.rows, truncated: sink.truncated } }
}

const toValue = ({ type, value }: BoundValue): string | number | bigint | null => {
  if (value === null) return null
  if (type === "integer") return BigInt(String(value))
  if (type === "number") return numberOf(String(value))
  if (type === "boolean") return value === true ? 1n : 0n
  if (type === "timestamp") return utcText(String(value))
  return typeof value === "boolean" ? Number(value) : value
}

/** Whole numbers beyond 2^53 keep their digits; decimals are of double precision here. */
const numberOf = (text: string): number | bigint =>
  /^-?\d{16,19}$/u.test(text) ? BigInt(text) : Number(text)

const toCell = (cell: unknown, type: string | undefined): unknown => {
  // SQLite has no truth values: a column that is declared as one holds 0 and 1.
  if ((type === "boolean" || type === "bool" || type === "bit") && (cell === 0n || cell === 1n))
    return cell === 1n
  if (typeof cell === "bigint") return exactInteger(String(cell))
  if (typeof cell === "number") return jsonNumber(cell)
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString("base64")
  return cell ?? null
}

process.on("message", (request: SqliteRequest) => send(answer(request)))
process.on("disconnect", () => process.exit(0))
send({ say: "ready" })
