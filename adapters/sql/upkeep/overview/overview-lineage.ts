import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { OverviewStore, TracedConcept } from "../../../../core/upkeep/overview/index.js"
import { toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import { ofDocument } from "../../id-numbers.js"

/** Columns of a concept that the lineage of a document lists. */
const conceptColumns = columnsOf<TracedConcept>({
  id: text(),
  name: text(),
  type: text(),
  authority: text(),
  lifecycleStatus: text("lifecycle"),
  mentionCount: number("mentions")
})

export const lineageMethods = (sql: SqlClient.SqlClient): Pick<OverviewStore["Type"], "lineage"> => {
  const liveRelation = sql.literal(
    "r.deleted_at is null and r.src_head is not null and r.dst_head is not null"
  )
  return {
    lineage: (workspace, document) =>
      Effect.gen(function* () {
        // Cross joins make the database start with the document instead of all entities. Rewriting links after a move
        // is not an origin.
        const [first] = yield* sql<{
          origin: "upload" | "vault" | "connector"
        }>`select origin from document_version
          where workspace_id = ${workspace} and document_id = ${document} and origin <> 'move'
          order by version limit 1`
        const [chunks] = yield* sql<{ n: unknown }>`select count(*) as n from chunk
          where workspace_id = ${workspace} and document_id = ${document}`
        // One position under two names of one head is one mention. What a document stands for needs no mention.
        const concepts = yield* sql`select h.id, h.name, h.type, h.authority, h.lifecycle,
            p.mentions from (
              select head_id, sum(place) as mentions from (
                select head_id, 1 as place from (
                  select distinct e.head_id, m.label, m.start_offset from mention m
                    cross join id_number n cross join entity e
                  where ${ofDocument(sql, workspace, document)}
                    and n.workspace_id = ${workspace} and n.number = m.entity_no
                    and e.workspace_id = ${workspace} and e.id = n.id and e.deleted_at is null
                ) as mentioned
                union all select e.head_id, 0 as place from graph_document g cross join entity e
                where g.workspace_id = ${workspace} and g.document_id = ${document}
                  and e.workspace_id = ${workspace} and e.id = g.entity_id and e.deleted_at is null
              ) as places group by head_id) p
            cross join entity h
          where h.workspace_id = ${workspace} and h.id = p.head_id and h.deleted_at is null order by p.mentions desc, h.name, h.id`
        const [relations] = yield* sql<{ n: unknown }>`select count(distinct v.relation_id) as n
          from relation_evidence v cross join relation r
          where r.workspace_id = ${workspace} and r.id = v.relation_id and v.workspace_id = ${workspace} and v.document_id = ${document} and ${liveRelation}`
        const [grounded] = yield* sql<{ n: unknown }>`select count(*) as n from (
            select e.head_id as id from mention m
              cross join id_number n cross join entity e
            where ${ofDocument(sql, workspace, document)}
              and n.workspace_id = ${workspace} and n.number = m.entity_no
              and e.workspace_id = ${workspace} and e.id = n.id and e.deleted_at is null
            union select r.src_head from relation_evidence v cross join relation r
            where r.workspace_id = ${workspace} and r.id = v.relation_id and v.workspace_id = ${workspace} and v.document_id = ${document} and ${liveRelation}
            union select r.dst_head from relation_evidence v cross join relation r
            where r.workspace_id = ${workspace} and r.id = v.relation_id and v.workspace_id = ${workspace} and v.document_id = ${document} and ${liveRelation}
            union select e.head_id from graph_document g cross join entity e
            where e.workspace_id = ${workspace} and e.id = g.entity_id and g.workspace_id = ${workspace} and g.document_id = ${document} and e.deleted_at is null
          ) as known cross join entity h
          where h.workspace_id = ${workspace} and h.id = known.id and h.deleted_at is null`
        return {
          origin: first?.origin ?? "vault",
          chunkCount: toNumber(chunks?.n),
          concepts: concepts.map(conceptColumns.read),
          relationCount: toNumber(relations?.n),
          groundedEntityCount: toNumber(grounded?.n)
        }
      }).pipe(Effect.orDie)
  }
}
