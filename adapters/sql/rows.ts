import type * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Array"
import * as Effect from "effect/Effect"

type Cell = string | number | null | Uint8Array
type Row = Readonly<Record<string, Cell>>

/** Most bound values of one statement: SQLite allows 32,766 and Postgres 65,535; shorter statements prepare faster. */
const boundValuesMax = 4000

/** Inserts rows of one shape, several a statement. */
export const insertRows = (
  sql: SqlClient.SqlClient,
  table: string,
  rows: ReadonlyArray<Row>
): Effect.Effect<void> => {
  const [first] = rows
  if (first === undefined) return Effect.void
  const size = Math.max(1, Math.floor(boundValuesMax / Object.keys(first).length))
  return Effect.forEach(
    Chunk.chunksOf(rows, size),
    (batch) => sql`insert into ${sql(table)} ${sql.insert([...batch])}`,
    { discard: true }
  ).pipe(Effect.orDie)
}

/** Runs a statement for a long list of values in batches and joins the rows. */
export const inBatches = <Value, Found, E, R>(
  values: ReadonlyArray<Value>,
  query: (batch: ReadonlyArray<Value>) => Effect.Effect<ReadonlyArray<Found>, E, R>
): Effect.Effect<ReadonlyArray<Found>, E, R> =>
  values.length === 0
    ? Effect.succeed([])
    : Effect.map(Effect.forEach(Chunk.chunksOf(values, boundValuesMax), query), (pages) => pages.flat())
