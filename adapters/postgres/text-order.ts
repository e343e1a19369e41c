import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"

/** A table with columns of text that are ordered as the database was made to order text. */
interface UnorderedTable {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** The statements that drop the policies that name columns of it: its own, and those of tables that look it up. */
  readonly policies: ReadonlyArray<string>
  /** Triggers that name columns. */
  readonly triggers: ReadonlyArray<string>
  /** The statements that make them. */
  readonly definitions: ReadonlyArray<string>
}

/**
 * Tables whose text is not ordered by its bytes yet. Partitions of vectors are made with their order, by
 * `prepareNearest`.
 */
export const unorderedTables = (
  sql: SqlClient.SqlClient
): Effect.Effect<ReadonlyArray<UnorderedTable>, SqlError> =>
  sql<UnorderedTable>`select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      array(select format('drop policy if exists %I on %s', p.polname, p.polrelid::regclass) from pg_policy p
        where exists (select 1 from pg_depend d where d.classid = 'pg_policy'::regclass and d.objid = p.oid
          and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid)) as policies,
      array(select tgname::text from pg_trigger where ${namesColumns(sql)} order by oid) as triggers,
      array(select pg_get_triggerdef(oid) from pg_trigger where ${namesColumns(sql)} order by oid) as definitions
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = current_schema() and c.relkind = 'r' and not c.relispartition and a.attnum > 0
      and not a.attisdropped and a.atttypid = 'text'::regtype and a.attcollation <> 'pg_catalog."C"'::regcollation
    group by c.oid, c.relname order by c.relname`

const namesColumns = (sql: SqlClient.SqlClient) =>
  sql`tgrelid = c.oid and not tgisinternal and (tgqual is not null or cardinality(tgattr) > 0)`

/**
 * Has every column of text ordered by its bytes, as SQLite does, whatever the order of text of the database is. Lists,
 * pages that go on behind a text and exports so come in one order everywhere, and no index rests on an order that
 * changes with a library of the system. Policies that name such a table go: `buildWalls` makes them anew.
 */
export const orderText = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (const { columns, definitions, name, policies, triggers } of yield* unorderedTables(sql)) {
      // Postgres changes no column that a policy or a trigger names.
      for (const policy of policies) yield* sql.unsafe(policy)
      for (const trigger of triggers) yield* sql`drop trigger ${sql(trigger)} on ${sql(name)}`
      const changes = columns.map((column) => sql`alter column ${sql(column)} type text collate "C"`)
      yield* sql`alter table ${sql(name)} ${sql.csv(changes)}`
      for (const definition of definitions) yield* sql.unsafe(definition)
    }
  })
