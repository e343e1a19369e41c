import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { type AstrayRows, forEachYielding, type WorkspaceScope } from "../../../core/kernel/index.js"
import { withoutGuard } from "../audit/append-only.js"
import { toNumber } from "../codec.js"
import { dialect } from "../dialect.js"
import { isUniqueViolation } from "../errors.js"

/** A table whose rows belong to a workspace, and the column that names it. */
interface TenantTable {
  readonly name: string
  readonly column: string
}

/** Rows that are brought home in one go. */
const rowsPerTable = 10_000
const byNumber = "workspace_no"

/** What is made from something else: rows that others stand in the place of are not missed. */
const derived: ReadonlySet<string> = new Set([
  "answer_cache_count",
  "answer_cache_entry",
  "chunk",
  "content_change",
  "counter",
  "document_tag",
  "edge",
  "edge_type",
  "entity_alias",
  "graph_document",
  "graph_state",
  "graph_surface",
  "graph_target",
  "graph_undecided",
  "job_cron",
  "posting_block",
  "posting_dead",
  "posting_directory",
  "posting_segment",
  "relation_evidence",
  "vector_artefact",
  "vector_model",
  "vocabulary_staged"
])

/** The trail, which nobody mends, and what says who may reach a workspace and where its files are: nobody gets that so. */
const stays: ReadonlySet<string> = new Set([
  "audit",
  "audit_head",
  "key_grant",
  "membership",
  "vault_home",
  "workspace_vault"
])

/**
 * What finds rows of workspaces that there are not, and brings them home. Only where there is no doubt whose they are:
 * the database has one workspace, and no other has left a trail; what another one left is somebody's, who may take its
 * row back. No row is removed that is not made from something else, and none takes the place of another.
 */
export const astrayRows = (sql: SqlClient.SqlClient) => {
  const strangersIn = ({ column, name }: TenantTable) => {
    const known =
      column === byNumber
        ? sql`select number from workspace where number is not null`
        : sql`select id from workspace`
    return sql<{ workspace: string | number; n: unknown }>`select ${sql(column)} as workspace, count(*) as n
      from ${sql(name)} where ${sql(column)} not in (${known}) group by ${sql(column)} order by 1`
  }

  const found = Effect.gen(function* () {
    const all: Array<AstrayRows & TenantTable> = []
    yield* forEachYielding(yield* dialect(sql).tenantTables, (table) =>
      Effect.map(strangersIn(table), (strangers) => {
        for (const { n, workspace } of strangers)
          all.push({ ...table, table: table.name, workspace, count: toNumber(n) })
      })
    )
    return all
  })

  /** Row by row: one that another stands in the place of stays, or is not missed. */
  const bring = (own: WorkspaceScope, { column, name, workspace }: AstrayRows & TenantTable) =>
    Effect.gen(function* () {
      const keys = yield* dialect(sql).keyOf(name)
      const rest = keys.filter((key) => key !== column)
      const rows = yield* sql<
        Readonly<Record<string, string | number>>
      >`select ${sql.csv(keys.map((key) => sql`${sql(key)}`))}
        from ${sql(name)} where ${sql(column)} = ${workspace} limit ${rowsPerTable}`
      for (const row of rows) {
        const isRow = sql.and([
          sql`${sql(column)} = ${workspace}`,
          ...rest.map((key) => sql`${sql(key)} = ${row[key] ?? null}`)
        ])
        yield* sql`update ${sql(name)} set ${sql(column)} = ${own} where ${isRow}`.pipe(
          sql.withTransaction,
          Effect.catchIf(isUniqueViolation, () =>
            derived.has(name) ? sql`delete from ${sql(name)} where ${isRow}` : Effect.void
          )
        )
      }
    })

  return {
    astray: Effect.orDie(
      Effect.map(found, (all) => all.map(({ count, table, workspace }) => ({ table, workspace, count })))
    ),
    bringHome: (own: WorkspaceScope): Effect.Effect<void> =>
      Effect.gen(function* () {
        const others = yield* sql`select 1 from workspace where id <> ${own} limit 1`
        const left =
          yield* sql`select 1 from audit_head where workspace_id not in (select id from workspace) limit 1`
        if (others.length + left.length > 0) return
        for (const one of yield* found) {
          if (stays.has(one.name)) continue
          // By numbers stands only what is made from something else.
          if (one.column === byNumber)
            yield* sql`delete from ${sql(one.name)} where ${sql(one.column)} = ${one.workspace}`
          else if (one.name === "entity_revision") yield* withoutGuard(sql, one.name, bring(own, one))
          else yield* bring(own, one)
        }
      }).pipe(Effect.catchAll((error: SqlError) => Effect.die(error)))
  }
}
