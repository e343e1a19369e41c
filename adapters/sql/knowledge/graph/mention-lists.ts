import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { GraphStore, Mention } from "../../../../core/knowledge/graph/index.js"
import type { DocumentId, EntityId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { idNo, idNos } from "../../id-numbers.js"
import { pageOf } from "../../rows.js"
import { runColumn } from "../extraction/extraction-record-rows.js"
import { mentionFields } from "./graph-rows.js"

/**
 * Returns mentions in the order of labels, positions and ids, which is the same in every copy of a workspace, unlike
 * the numbers of this database. One position under two names of one head is one mention; for a document, all entities
 * are returned.
 */
export const mentionsOf =
  (sql: SqlClient.SqlClient): GraphStore["Type"]["mentions"] =>
  (workspace, { documentId, entityIds }, page) =>
    Effect.gen(function* () {
      const ofEntities = entityIds === undefined ? [] : [isOneOf(sql, workspace, entityIds)]
      const where = sql.and([
        sql`workspace_id = ${workspace}`,
        ...ofEntities,
        ...(documentId === undefined ? [] : [sql`document_no = ${idNo(sql, workspace, documentId)}`])
      ])
      const slice = sql`limit ${page.limit} offset ${page.offset}`
      const columns = sql`d.id as document_id, m.label, m.start_offset, m.end_offset, e.id as entity_id, m.key,
        m.confidence, ${runColumn(sql, workspace)}`
      const named = sql`d.workspace_id = ${workspace} and d.number = m.document_no
        and e.workspace_id = ${workspace} and e.number = m.entity_no`
      const inOrder = sql`order by m.label, m.start_offset, e.id`
      if (entityIds === undefined)
        return yield* pageOf(
          page,
          Effect.map(
            sql<MentionRow>`select ${columns} from (select * from mention where ${where}) as m
              cross join id_number d cross join id_number e where ${named} ${inOrder} ${slice}`,
            (rows) => rows.map(mentionFromRow)
          ),
          Effect.map(sql<{ n: unknown }>`select count(*) as n from mention where ${where}`, ([count]) =>
            toNumber(count?.n)
          )
        )
      // For a single entity each position occurs once, so `distinct` is not needed.
      const each = sql.literal(entityIds.length === 1 ? "" : "distinct")
      const places = sql`select ${each} label, start_offset, document_no, workspace_id from mention where ${where}`
      return yield* pageOf(
        page,
        Effect.map(
          sql<MentionRow>`select ${columns} from (${places} order by label, start_offset ${slice}) as p
            cross join mention m cross join id_number d cross join id_number e
            where m.workspace_id = ${workspace} and m.document_no = p.document_no and m.label = p.label
              and m.start_offset = p.start_offset and ${sql.and(ofEntities)} and ${named} ${inOrder}`,
          (rows) => onePerPlace(rows.map(mentionFromRow))
        ),
        Effect.map(sql<{ n: unknown }>`select count(*) as n from (${places}) as places`, ([count]) =>
          toNumber(count?.n)
        )
      )
    }).pipe(Effect.orDie)

/** Returns the condition for mentions of these entities; an index covers a single one, but not a list. */
const isOneOf = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, ids: ReadonlyArray<EntityId>) => {
  const [only] = ids
  return ids.length === 1 && only !== undefined
    ? sql`entity_no = ${idNo(sql, workspace, only)}`
    : sql`entity_no in ${idNos(sql, workspace, ids)}`
}

/** Keeps the first mention at each position, with the highest confidence. */
const onePerPlace = (mentions: ReadonlyArray<Mention>): ReadonlyArray<Mention> => {
  const places: Array<Mention> = []
  for (const mention of mentions) {
    const last = places.at(-1)
    if (last?.label !== mention.label || last.start !== mention.start) places.push(mention)
    else if (last.confidence < mention.confidence)
      places[places.length - 1] = { ...last, confidence: mention.confidence }
  }
  return places
}

interface MentionRow {
  readonly document_id: DocumentId
}

const mentionFromRow = (row: MentionRow): Mention => ({
  documentId: row.document_id,
  ...mentionFields(row)
})
