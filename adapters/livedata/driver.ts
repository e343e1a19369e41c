import {
  type CompiledStatement,
  type ConnectorProbe,
  type DataLimits,
  type DataResult,
  type DataTarget,
  type StatementDescription,
  StatementRefused,
  StatementTimedOut
} from "../../core/connected/livedata/index.js"

/** The layers of protection. Tests switch single ones off; nothing else does. */
export interface Layers {
  /** The statement is read before it is sent. */
  readonly guard: boolean
  /** The session is read-only and has time limits. */
  readonly session: boolean
}
export const allLayers: Layers = { guard: true, session: true }

/**
 * Driver of one kind of database. Methods throw the faults of `LiveDatabases`; when the signal is aborted the statement
 * is cancelled at the database, so that nothing continues in the background.
 */
export interface Driver {
  /** Why the guard refuses the statement; null where it does not. Opens no connection. */
  readonly inspect: (
    target: Pick<DataTarget, "settings">,
    statement: CompiledStatement
  ) => Promise<string | null>
  readonly probe: (target: DataTarget, signal: AbortSignal) => Promise<ConnectorProbe>
  readonly describe: (
    target: DataTarget,
    statement: CompiledStatement,
    limits: DataLimits,
    signal: AbortSignal
  ) => Promise<StatementDescription>
  readonly run: (
    target: DataTarget,
    statement: CompiledStatement,
    limits: DataLimits,
    signal: AbortSignal
  ) => Promise<DataResult>
  /** Closes the connections of a connector, or of all of them. */
  readonly close: (id: string | null) => Promise<void>
}

/** Room for what a server says beside rows, and for a row that passes the limit. */
export const socketSlackBytes = 1024 * 1024
/** A server that does not keep its own time limit is given up so much later. */
export const graceMs = 1_000
/** A connection that takes longer does not come about. */
export const connectTimeoutMs = 5_000
/** Connections of one connector at most. */
export const connectionsMax = 4
/** A connection that nobody uses is closed after this time. */
export const idleMs = 30_000

/**
 * Runs work under a time limit. When it is over, or the signal is aborted, `stop` ends the work at the database.
 */
export const withDeadline = async <A>(
  timeoutMs: number,
  signal: AbortSignal,
  stop: () => void,
  work: () => Promise<A>
): Promise<A> => {
  let isOver = false
  let giveUp: (() => void) | undefined
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => {
      if (isOver) return
      isOver = true
      stop()
      reject(new StatementTimedOut())
    }
  })
  const timer = setTimeout(() => giveUp?.(), timeoutMs)
  const abort = () => giveUp?.()
  signal.addEventListener("abort", abort, { once: true })
  if (signal.aborted) abort()
  try {
    const running = work()
    // The work's own failure is ignored once it was given up, because no caller waits for it.
    running.catch(() => {})
    return await Promise.race([running, givenUp])
  } finally {
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener("abort", abort)
  }
}

/** Adds rows while they fit; tells when there is no room for another. */
export class RowSink {
  readonly rows: Array<ReadonlyArray<unknown>> = []
  truncated = false
  private bytes = 0

  constructor(private readonly limits: Pick<DataLimits, "rowCap" | "maxBytes">) {}

  /** Takes a row; false when it did not fit, after which no other does. */
  add(row: ReadonlyArray<unknown>): boolean {
    if (this.truncated) return false
    this.bytes += row.reduce<number>((sum, cell) => sum + sizeOf(cell), 2)
    if (this.rows.length >= this.limits.rowCap || this.bytes > this.limits.maxBytes) {
      this.truncated = true
      return false
    }
    this.rows.push(row)
    return true
  }
}

/** Bytes of a value as JSON, nearly: what is no text is short. */
const sizeOf = (cell: unknown): number => {
  if (typeof cell === "string") return Buffer.byteLength(cell) + 3
  return typeof cell === "object" && cell !== null ? Buffer.byteLength(JSON.stringify(cell)) + 1 : 8
}

/** An integer as JSON holds it: a number where that is exact, else its digits. */
export const exactInteger = (digits: string): number | string => {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : digits
}

/** A floating-point number as JSON holds it; what is none of its numbers, as a word. */
export const jsonNumber = (value: number): number | string => (Number.isFinite(value) ? value : String(value))

/**
 * JSON as it is, but as text where one of its numbers is not exact as one of ours. Each number is compared with what is
 * written for its parsed value, so a string of digits does no harm.
 */
export const jsonCell = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  for (const [token] of text.matchAll(stringOrNumber))
    if (!token.startsWith('"') && decimalOf(token) !== decimalOf(String(Number(token)))) return text
  return value
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gsu

/** One spelling for each decimal number: its sign and significant digits, and the power of ten behind them. */
const decimalOf = (token: string): string => {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^([-+]?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/u.exec(token) ?? []
  const digits = (whole + fraction).replace(/^0+/u, "")
  const significant = digits.replace(/0+$/u, "")
  return significant === ""
    ? whole === ""
      ? token
      : "0"
    : `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`
}

/** A moment as databases without zones write it, in UTC: without milliseconds where it has none. */
export const utcText = (text: string): string => {
  const iso = new Date(text).toISOString()
  return iso.slice(0, iso.endsWith(".000Z") ? 19 : 23).replace("T", " ")
}

/** Throws when the guard refuses a statement. */
export const refuse = async (
  inspect: Driver["inspect"],
  target: DataTarget,
  statement: CompiledStatement
): Promise<void> => {
  const refusal = await inspect(target, statement)
  if (refusal !== null) throw new StatementRefused({ message: refusal })
}
