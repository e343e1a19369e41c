import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { CarriedEvidence, GraphInspection } from "../../../../core/knowledge/graph/index.js"
import type { DocumentId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import { inBatches, readAll } from "../../rows.js"
import { smallFromBytes, wordsFromBytes } from "../extraction/extraction-record-rows.js"
import { differingEdges, rebuildAllEdges } from "./edges.js"

const evidenceColumns = columnsOf<CarriedEvidence>({
  srcId: text(),
  type: text(),
  dstId: text(),
  label: number(),
  quote: text()
})

/** Queries of the graph for inspection and rebuild, over SQL. */
export const graphInspection: Effect.Effect<GraphInspection, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient

    const count = (query: ReturnType<typeof sql<{ n: unknown }>>) =>
      Effect.orDie(Effect.map(query, ([row]) => toNumber(row?.n)))

    return {
      words: (workspace, ids) =>
        inBatches(
          ids,
          (batch) => sql<{ document_id: DocumentId; words: unknown; small: unknown }>`
            select document_id, words, small from graph_document
            where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
        ).pipe(
          Effect.map(
            (rows) =>
              new Map(
                rows.map(({ document_id, small, words }) => {
                  const all = wordsFromBytes(words)
                  return [document_id, { words: all, small: smallFromBytes(all, small) }]
                })
              )
          ),
          Effect.orDie
        ),
      evidence: (workspace, id) =>
        sql`
          select r.src_id, r.type, r.dst_id, e.label, e.quote from relation_evidence e
          join relation r on r.workspace_id = ${workspace} and r.id = e.relation_id
          where e.workspace_id = ${workspace} and e.document_id = ${id} order by e.relation_id, e.ordinal`.pipe(
          readAll(evidenceColumns.read)
        ),
      keysAfter: (workspace, after, limit) =>
        sql<{ key: string }>`
          select key from (
            select distinct key from graph_claim
              where workspace_id = ${workspace} and key > ${after}
            union
            select distinct claim_key as key from entity
              where workspace_id = ${workspace} and claim_key > ${after}
          ) as keys order by key limit ${limit}`.pipe(readAll(({ key }) => key)),
      orphanCount: (workspace) =>
        Effect.map(
          Effect.forEach(conditions(sql, workspace).orphans, ({ table, where }) =>
            count(sql`select count(*) as n from ${sql(table)}
              where workspace_id = ${workspace} and ${where}`)
          ),
          (counts) => counts.reduce((sum, n) => sum + n, 0)
        ),
      removeOrphans: (workspace) =>
        Effect.gen(function* () {
          const keys: Array<string> = []
          for (const { table, where } of conditions(sql, workspace).orphans) {
            const own = sql`workspace_id = ${workspace} and ${where}`
            if (table === "graph_claim") {
              const claims = yield* sql<{ key: string; subject: string }>`
                select distinct key, subject from graph_claim where ${own}`
              keys.push(...claims.flatMap(({ key, subject }) => (subject === "" ? [key] : [key, subject])))
            }
            yield* sql`delete from ${sql(table)} where ${own}`
          }
          return keys
        }).pipe(Effect.orDie),
      miscounted: (workspace) =>
        count(sql`select count(*) as n from relation
          where workspace_id = ${workspace} and ${conditions(sql, workspace).isMiscounted}`),
      misheaded: (workspace) =>
        count(sql`select count(*) as n from relation
          where workspace_id = ${workspace} and ${conditions(sql, workspace).isMisheaded}`),
      misdrawnEdges: (workspace) => Effect.orDie(differingEdges(sql, workspace)),
      rebuildRelations: (workspace) =>
        Effect.gen(function* () {
          const { heads, isMiscounted, isMisheaded } = conditions(sql, workspace)
          yield* sql`update relation set ${heads} where workspace_id = ${workspace} and ${isMisheaded}`
          yield* sql`update relation set evidence_count = (select count(*) from relation_evidence e
            where e.workspace_id = ${workspace} and e.relation_id = relation.id)
            where workspace_id = ${workspace} and ${isMiscounted}`
          yield* sql`delete from relation where workspace_id = ${workspace} and evidence_count = 0
            and origin = 'extraction' and deleted_at is null`
          yield* rebuildAllEdges(sql, workspace)
        }).pipe(sql.withTransaction, Effect.orDie)
    }
  }
)

const conditions = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) => {
  /** Returns the head of an end; null if it or its entity is missing. */
  const headOf = (end: "src_id" | "dst_id") =>
    sql`(select h.id from entity e join entity h on h.workspace_id = ${workspace} and h.id = e.head_id
      where e.workspace_id = ${workspace} and e.id = ${sql(`relation.${end}`)}
        and e.deleted_at is null and h.deleted_at is null)`
  const reading = (table: string) =>
    sql`not exists (select 1 from graph_document g where g.workspace_id = ${workspace}
      and g.document_id = ${sql(`${table}.document_id`)})`
  const entity = (table: string) =>
    sql`not exists (select 1 from entity e where e.workspace_id = ${workspace}
      and e.id = ${sql(`${table}.entity_id`)})`
  /** Returns a condition for numbers that no row of `target` has. */
  const isMissing = (number: string, target: string, id: string) =>
    sql`not exists (select 1 from id_number n cross join ${sql(target)} o
      where n.workspace_id = ${workspace} and n.number = ${sql(number)}
        and o.workspace_id = ${workspace} and ${sql(`o.${id}`)} = n.id)`
  return {
    heads: sql`src_head = ${headOf("src_id")}, dst_head = ${headOf("dst_id")}`,
    isMisheaded: sql`(src_head is distinct from ${headOf("src_id")} or dst_head is distinct from ${headOf("dst_id")})`,
    isMiscounted: sql`(evidence_count <> (select count(*) from relation_evidence e
        where e.workspace_id = ${workspace} and e.relation_id = relation.id)
      or (evidence_count = 0 and origin = 'extraction' and deleted_at is null))`,
    /** In order of removal: rows that refer to an extraction record come after it. */
    orphans: [
      {
        table: "graph_document",
        where: sql`not exists (select 1 from document d where d.workspace_id = ${workspace}
          and d.id = graph_document.document_id and d.deleted_at is null)`
      },
      {
        table: "graph_claim",
        where: isMissing("graph_claim.document_no", "graph_document", "document_id")
      },
      { table: "graph_target", where: reading("graph_target") },
      { table: "graph_surface", where: entity("graph_surface") },
      {
        table: "mention",
        where: sql`(${isMissing("mention.document_no", "graph_document", "document_id")}
          or ${isMissing("mention.entity_no", "entity", "id")})`
      },
      {
        table: "relation_evidence",
        where: sql`(${reading("relation_evidence")} or not exists (select 1 from relation r
          where r.workspace_id = ${workspace} and r.id = relation_evidence.relation_id))`
      }
    ]
  }
}
