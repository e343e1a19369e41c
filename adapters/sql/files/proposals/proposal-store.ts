import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type ProposalStore, ProposedDocument } from "../../../../core/files/documents/index.js"
import { pathKey } from "../../../../core/files/markdown/index.js"

import { columnsOf, number, shaped, text } from "../../columns.js"
import { done, readFirst, readPage } from "../../rows.js"

/** Columns of the table `proposal`. */
const columns = columnsOf<ProposedDocument>({
  id: text(),
  change: text(),
  topic: text(),
  path: text(),
  title: text(),
  content: text(),
  baseVersion: number(),
  docId: text(),
  sources: shaped(ProposedDocument.shape.sources, "the sources of a proposed document"),
  dropped: number(),
  status: text(),
  proposedBy: text(),
  note: text(),
  createdAt: text(),
  reviewedBy: text(),
  reviewNote: text(),
  reviewedAt: text()
})

export const proposalFromRow = columns.read
export const proposalToRow = (one: ProposedDocument) => ({
  ...columns.write(one),
  path_key: pathKey(one.path)
})

export const proposals: Effect.Effect<ProposalStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    find: (workspace, id) =>
      sql`select * from proposal where workspace_id = ${workspace} and id = ${id}`.pipe(
        readFirst(proposalFromRow)
      ),
    list: (workspace, { docId, path, statuses }, page) =>
      readPage(sql, page, {
        from: sql`proposal where workspace_id = ${workspace} and
            ${statuses === undefined ? sql`1 = 1` : sql.in("status", statuses)} and
            ${docId === undefined ? sql`1 = 1` : sql`doc_id = ${docId}`} and
            ${path === undefined ? sql`1 = 1` : sql`path_key = ${pathKey(path)}`}`,
        order: sql`created_at desc, id desc`,
        read: proposalFromRow
      }),
    add: (workspace, proposals) =>
      Effect.forEach(
        proposals,
        (one) =>
          done(sql`insert into proposal ${sql.insert({ workspace_id: workspace, ...proposalToRow(one) })}`),
        { discard: true }
      ),
    decide: (workspace, before, after) =>
      sql`update proposal set ${sql.update({
        status: after.status,
        doc_id: after.docId,
        reviewed_by: after.reviewedBy,
        review_note: after.reviewNote,
        reviewed_at: after.reviewedAt
      })} where workspace_id = ${workspace} and id = ${before.id} and status = ${before.status}
          returning id`.pipe(
        Effect.map((rows) => rows.length === 1),
        Effect.orDie
      )
  }
})
