import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Chunk from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { forEachYielding, type Page, type PageRequest } from "../../core/platform/kernel/index.js"
import { readableOf, toNumber } from "./codec.js"
import type { Cell } from "./columns.js"
import { dialect } from "./dialect.js"

type Row = Readonly<Record<string, Cell>>

/**
 * Maximum number of bound values per statement: SQLite allows 32,766 and Postgres 65,535; shorter statements prepare
 * faster.
 */
const boundValuesMax = 4000

/** Returns the number `n` that a query counts. */
export const readCount = <E, R>(query: Effect.Effect<ReadonlyArray<{ readonly n: unknown }>, E, R>) =>
  Effect.orDie(Effect.map(query, ([row]) => toNumber(row?.n)))

/** Runs a statement whose rows do not matter. */
export const done = <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.orDie(Effect.asVoid(statement))

/** Returns whether a query finds rows, or a change with `returning` has changed some. */
export const hasRows = <E, R>(query: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.orDie(Effect.map(query, (rows) => rows.length > 0))

/** Returns the first row of a query, converted. */
export const readFirst =
  <FromDatabase, Value>(convert: (row: FromDatabase) => Value) =>
  <E, R>(query: Effect.Effect<ReadonlyArray<FromDatabase>, E, R>) =>
    Effect.orDie(
      Effect.map(query, ([row]) => (row === undefined ? Option.none() : Option.some(convert(row))))
    )

/** Returns all rows of a query, converted. */
export const readAll =
  <FromDatabase, Value>(convert: (row: FromDatabase) => Value) =>
  <E, R>(query: Effect.Effect<ReadonlyArray<FromDatabase>, E, R>) =>
    Effect.orDie(Effect.map(query, (rows) => rows.map((row) => convert(row))))

/** The same for rows that may be damaged: unreadable ones are left out (see `readableOf`). */
export const readReadable =
  <FromDatabase, Value>(what: string, convert: (row: FromDatabase) => Value) =>
  <E, R>(query: Effect.Effect<ReadonlyArray<FromDatabase>, E, R>) =>
    Effect.orDie(Effect.flatMap(query, (rows) => readableOf(rows, what, convert)))

/** Inserts rows of one shape in batches of few different sizes, because every size is a statement to prepare. */
export const insertRows = (
  sql: SqlClient.SqlClient,
  table: string,
  rows: ReadonlyArray<Row>
): Effect.Effect<void> => {
  const [first] = rows
  if (first === undefined) return Effect.void
  const batches = inSizes(rows, Math.max(1, Math.floor(boundValuesMax / Object.keys(first).length)))
  const put = (batch: ReadonlyArray<Row>) => insertOf(sql, table, batch)
  const [only] = batches
  // Fast path for the usual single batch.
  const all = batches.length === 1 && only !== undefined ? put(only) : forEachYielding(batches, put)
  return Effect.orDie(Effect.asVoid(all))
}

/** A table with rows of one shape. */
interface Insertion {
  readonly table: string
  readonly rows: ReadonlyArray<Row>
}

/** Inserts rows into several tables without references between them, in one statement if the database supports it. */
export const insertTogether = (
  sql: SqlClient.SqlClient,
  insertions: ReadonlyArray<Insertion>
): Effect.Effect<void> => {
  const some = insertions.filter(({ rows }) => rows.length > 0)
  const values = some.reduce((sum, { rows }) => sum + rows.length * Object.keys(rows[0] ?? {}).length, 0)
  if (some.length > 1 && values <= boundValuesMax && dialect(sql).insertsTogether)
    return Effect.orDie(Effect.asVoid(insertionOf(sql, some)))
  return Effect.forEach(some, ({ rows, table }) => insertRows(sql, table, rows), { discard: true })
}

const insertionOf = (sql: SqlClient.SqlClient, insertions: ReadonlyArray<Insertion>) => {
  const parts = insertions.map(({ rows, table }) => sql`insert into ${sql(table)} ${sql.insert([...rows])}`)
  const [last, ...others] = parts.reverse()
  const named = others.map((part, at) => sql`${sql(`part_${at}`)} as (${part})`)
  return sql`with ${sql.csv(named)} ${last ?? sql``}`
}

/** Returns the insert statement; its text is cached per shape and number of rows. */
const insertOf = (sql: SqlClient.SqlClient, table: string, rows: ReadonlyArray<Row>) => {
  const columns = Object.keys(rows[0] ?? {})
  const shape = `${table} ${columns.join()} ${rows.length}`
  const known = texts.get(sql) ?? new Map<string, string>()
  texts.set(sql, known)
  const text = known.get(shape) ?? sql`insert into ${sql(table)} ${sql.insert([...rows])}`.compile()[0]
  known.set(shape, text)
  const values: Array<Cell> = []
  for (const row of rows) for (const column of columns) values.push(row[column] ?? null)
  return sql.unsafe(text, values)
}

const texts = new WeakMap<SqlClient.SqlClient, Map<string, string>>()

/** Up to this number, rows are inserted in one statement. */
const fewRows = 8

/** Splits a longer list into runs whose lengths are powers of two, at most `most`. */
const inSizes = <Value>(values: ReadonlyArray<Value>, most: number): ReadonlyArray<ReadonlyArray<Value>> => {
  if (values.length <= Math.min(fewRows, most)) return [values]
  const runs: Array<ReadonlyArray<Value>> = []
  for (let from = 0; from < values.length; ) {
    const size = 2 ** (31 - Math.clz32(Math.min(most, values.length - from)))
    runs.push(values.slice(from, from + size))
    from += size
  }
  return runs
}

/**
 * Returns a page with a total that is consistent with it, although concurrent writes may happen between both
 * statements: a page that is not full determines the total, and the total is never less than the page.
 */
export const pageOf = <Item, E, R, CountE, CountR>(
  { limit, offset }: PageRequest,
  page: Effect.Effect<ReadonlyArray<Item>, E, R>,
  count: Effect.Effect<number, CountE, CountR>
): Effect.Effect<Page<Item>, E | CountE, R | CountR> =>
  Effect.gen(function* () {
    const items = yield* page
    const end = offset + items.length
    if (items.length < limit && (items.length > 0 || offset === 0)) return { items, total: end }
    const total = yield* count
    return { items, total: items.length > 0 ? Math.max(total, end) : Math.min(total, offset) }
  })

/** Selection of a page of rows. */
interface PageQuery<FromDatabase, Item> {
  /** Selected columns; all by default. */
  readonly select?: Fragment
  /** Tables and conditions, as they follow `from`. */
  readonly from: Fragment
  readonly order: Fragment
  readonly read: (row: FromDatabase) => Item
  /**
   * Noun for the rows in warnings, for rows that may be damaged. An unreadable row then leaves its place empty:
   * `offset` and `total` include it, so pages neither skip nor repeat others.
   */
  readonly what?: string
}

/** Reads a page of rows and their number. */
export const readPage = <FromDatabase extends object, Item>(
  sql: SqlClient.SqlClient,
  { limit, offset }: PageRequest,
  { from, order, read, select = sql.literal("*"), what }: PageQuery<FromDatabase, Item>
): Effect.Effect<Page<Item>> =>
  pageOf(
    { limit, offset },
    sql<FromDatabase>`select ${select} from ${from} order by ${order} limit ${limit} offset ${offset}`,
    readCount(sql<{ n: unknown }>`select count(*) as n from ${from}`)
  ).pipe(
    Effect.flatMap(({ items, total }) =>
      Effect.map(
        what === undefined ? Effect.sync(() => items.map(read)) : readableOf(items, what, read),
        (page) => ({ items: page, total })
      )
    ),
    Effect.orDie
  )

/** Runs a statement for a long list of values in batches and joins the rows. */
export const inBatches = <Value, Found, E, R>(
  values: ReadonlyArray<Value>,
  query: (batch: ReadonlyArray<Value>) => Effect.Effect<ReadonlyArray<Found>, E, R>
): Effect.Effect<ReadonlyArray<Found>, E, R> =>
  values.length === 0
    ? Effect.succeed([])
    : values.length <= boundValuesMax
      ? query(values)
      : Effect.map(forEachYielding(Chunk.chunksOf(values, boundValuesMax), query), (pages) => pages.flat())
