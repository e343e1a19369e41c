import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"

/** A table with columns of text that are ordered as the database was made to order text. */
interface UnorderedTable {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** The statements that drop its policies, which name columns of it. */
  readonly policies: ReadonlyArray<string>
}

/**
 * Tables whose text is not ordered by its bytes yet. Partitions of vectors are made with their order, by
 * `prepareNearest`.
 */
export const unorderedTables = (
  sql: SqlClient.SqlClient
): Effect.Effect<ReadonlyArray<UnorderedTable>, SqlError> =>
  sql<UnorderedTable>`select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      array(select format('drop policy %I on %s', p.polname, p.polrelid::regclass) from pg_policy p
        where p.polrelid = c.oid) as policies
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = current_schema() and c.relkind = 'r' and not c.relispartition and a.attnum > 0
      and not a.attisdropped and a.atttypid = 'text'::regtype and a.attcollation <> 'pg_catalog."C"'::regcollation
    group by c.oid, c.relname order by c.relname`

/**
 * Has every column of text ordered by its bytes, as SQLite does, whatever the order of text of the database is. Lists,
 * pages that go on behind a text and exports so come in one order everywhere, and no index rests on an order that
 * changes with a library of the system. Policies that name such a table go: `buildWalls` makes them anew.
 */
export const orderText = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (const { columns, name, policies } of yield* unorderedTables(sql)) {
      // Postgres changes no column that a policy names.
      for (const policy of policies) yield* sql.unsafe(policy)
      const changes = columns.map((column) => sql`alter column ${sql(column)} type text collate "C"`)
      yield* sql`alter table ${sql(name)} ${sql.csv(changes)}`
    }
  })
