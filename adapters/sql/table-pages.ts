import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { WorkspaceScope } from "../../core/platform/kernel/index.js"
import { isSqlError } from "./errors.js"

/** Pages of rows, each asked for by the last row of the one before. */
const inPages = <Row, Item, E>(
  size: number,
  query: (after: Row | undefined) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  items: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Item>, E | SqlError>
): Stream.Stream<Item, Exclude<E, SqlError>> => {
  const page = (after: Row | undefined) =>
    Effect.gen(function* () {
      const rows = yield* query(after)
      const found = yield* items(rows)
      const last = rows.at(-1)
      const next = last === undefined || rows.length < size ? Option.none() : Option.some(last)
      return [Chunk.unsafeFromArray(found), next] as const
    }).pipe(
      // Broken storage is a defect.
      Effect.catchAll((error) =>
        isSqlError(error) ? Effect.die(error) : Effect.fail(error as Exclude<E, SqlError>)
      )
    )
  return Stream.paginateChunkEffect(undefined as Row | undefined, page)
}

/** The rows to read. */
export interface RowsOptions {
  readonly table: string
  /** Columns that order the rows of a workspace and are unique together; by default `id`. */
  readonly key?: ReadonlyArray<string>
  /** Selected columns of the table `t`; all by default. */
  readonly select?: string
  readonly where?: Fragment
  /** Rows that one statement reads. */
  readonly size?: number
}

/** Pages of a table's rows in the order of its key. */
export const tablePages = <Row extends object, Item, E = never>(
  { sql, workspace }: { readonly sql: SqlClient.SqlClient; readonly workspace: WorkspaceScope },
  { key = ["id"], select = "t.*", size = 500, table, where = sql`1 = 1` }: RowsOptions,
  items: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Item>, E | SqlError>
): Stream.Stream<Item, Exclude<E, SqlError>> => {
  const columns = sql.literal(key.map((column) => `t.${column}`).join(", "))
  const behind = (last: object) => {
    const cells = new Map<string, unknown>(Object.entries(last))
    return sql`(${columns}) > (${sql.csv(key.map((column) => sql`${cells.get(column)}`))})`
  }
  return inPages(
    size,
    (last: Row | undefined) => sql<Row>`select ${sql.literal(select)} from ${sql(table)} t
      where t.workspace_id = ${workspace} and ${last === undefined ? sql`1 = 1` : behind(last)} and ${where}
      order by ${columns} limit ${size}`,
    items
  )
}
