import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  Contradiction,
  ContradictionStore,
  documentOfSide,
  type StoredContradiction
} from "../../../../core/answers/contradictions/index.js"
import { serviceLayer } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { columnsOf, shaped, text } from "../../columns.js"
import { done, inBatches, readAll, readFirst, readPage } from "../../rows.js"

/** Columns of the table `contradiction`; the documents of its sides are columns of their own beside them. */
const columns = columnsOf<StoredContradiction>({
  id: text(),
  pairKey: text(),
  kind: text(),
  subject: text(),
  attribute: text(),
  sides: shaped(Contradiction.shape.sides, "the sides of a contradiction"),
  status: text(),
  reason: text(),
  settledBy: text(),
  firstSeenAt: text()
})

export const contradictionFromRow = columns.read
export const contradictionToRow = (one: StoredContradiction) => ({
  ...columns.write(one),
  first_document: documentAt(one, 0),
  second_document: documentAt(one, 1)
})

/** Empty for a row, which is of no document. */
const documentAt = ({ sides }: StoredContradiction, place: number): string => {
  const side = sides[place]
  return side === undefined ? "" : (documentOfSide(side) ?? "")
}

export const sqlContradictionStore = serviceLayer(
  ContradictionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      position: (workspace) =>
        sql<{ position: unknown }>`select position from contradiction_state
          where workspace_id = ${workspace}`.pipe(
          Effect.map(([row]) => toNumber(row?.position)),
          Effect.orDie
        ),
      setPosition: (workspace, position) =>
        done(sql`insert into contradiction_state (workspace_id, position) values (${workspace}, ${position})
          on conflict (workspace_id) do update set position = excluded.position`),
      find: (workspace, id) =>
        sql`select * from contradiction where workspace_id = ${workspace} and id = ${id}`.pipe(
          readFirst(contradictionFromRow)
        ),
      list: (workspace, status, page) =>
        readPage(sql, page, {
          from: sql`contradiction where workspace_id = ${workspace} and
            ${status === undefined ? sql`1 = 1` : sql`status = ${status}`}`,
          order: sql`first_seen_at, id`,
          read: contradictionFromRow
        }),
      ofDocuments: (workspace, documents) =>
        inBatches(documents, (batch) =>
          sql`select * from contradiction where workspace_id = ${workspace} and
            (${sql.in("first_document", batch)} or ${sql.in("second_document", batch)})`.pipe(
            readAll(contradictionFromRow)
          )
        ),
      byKeys: (workspace, keys) =>
        inBatches(keys, (batch) =>
          sql`select * from contradiction where workspace_id = ${workspace} and
            ${sql.in("pair_key", batch)}`.pipe(readAll(contradictionFromRow))
        ),
      save: (workspace, contradictions) =>
        Effect.forEach(
          contradictions,
          (one) =>
            done(sql`insert into contradiction ${sql.insert({
              workspace_id: workspace,
              ...contradictionToRow(one)
            })} on conflict (workspace_id, pair_key) do update set sides = excluded.sides,
              status = excluded.status, reason = excluded.reason, settled_by = excluded.settled_by`),
          { discard: true }
        )
    }
  })
)
