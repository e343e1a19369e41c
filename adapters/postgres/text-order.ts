import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"

/** A table with text columns in the database's default collation. */
interface UnorderedTable {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Statements that drop its policies, which reference the columns. */
  readonly policies: ReadonlyArray<string>
}

/** Returns tables with text columns not yet in byte order. `prepareNearest` creates vector partitions with theirs. */
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
 * Changes every text column to byte order, as in SQLite, whatever the database's default collation. Lists, keyset
 * pages and exports then have the same order everywhere, and no index depends on a system collation that may change.
 * Policies on such tables are dropped; `createPolicies` creates them again.
 */
export const orderText = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (const { columns, name, policies } of yield* unorderedTables(sql)) {
      // Postgres cannot change a column that a policy references.
      for (const policy of policies) yield* sql.unsafe(policy)
      const changes = columns.map((column) => sql`alter column ${sql(column)} type text collate "C"`)
      yield* sql`alter table ${sql(name)} ${sql.csv(changes)}`
    }
  })
