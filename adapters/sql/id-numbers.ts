import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { DocumentId, EntityId, WorkspaceScope } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { toNumber } from "./codec.js"
import { inBatches, insertRows } from "./rows.js"

/** Ids that are stored as numbers, because an id would be most of a row. */
type NumberedId = DocumentId | EntityId

/** Name of the counter for these numbers; none is assigned twice. */
export const idNumberCounter = "id_number"

/** Returns the number of an id as an SQL expression; null without one. */
export const idNo = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, id: NumberedId): Fragment =>
  sql`(select number from id_number where workspace_id = ${workspace} and id = ${id})`

/** Returns the numbers of ids as an SQL list; ids without a number are left out. */
export const idNos = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  ids: ReadonlyArray<NumberedId>
): Fragment => sql`(select number from id_number where workspace_id = ${workspace} and ${sql.in("id", ids)})`

/** Returns the condition for mentions `m` of a document. */
export const ofDocument = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, id: DocumentId): Fragment =>
  sql`m.workspace_id = ${workspace} and m.document_no = ${idNo(sql, workspace, id)}`

/** Returns numbers of ids, assigning missing ones in the caller's unit of work. */
export const numbersFor = (
  sql: SqlClient.SqlClient,
  { advance }: Pick<WorkspaceStore["Type"], "advance">,
  workspace: WorkspaceScope,
  ids: Iterable<NumberedId>
): Effect.Effect<(id: NumberedId) => number, SqlError> =>
  Effect.gen(function* () {
    const distinctIds = [...new Set(ids)]
    const known = yield* inBatches(
      distinctIds,
      (batch) => sql<{ id: NumberedId; number: unknown }>`select id, number from id_number
        where workspace_id = ${workspace} and ${sql.in("id", batch)}`
    )
    const numbers = new Map(known.map(({ id, number }) => [id, toNumber(number)]))
    const newIds = distinctIds.filter((id) => !numbers.has(id))
    if (newIds.length > 0) {
      const last = yield* advance(workspace, idNumberCounter, newIds.length)
      for (const [place, id] of newIds.entries()) numbers.set(id, last - newIds.length + 1 + place)
      const row = (id: NumberedId) => ({ workspace_id: workspace, id, number: numbers.get(id) ?? 0 })
      yield* insertRows(sql, "id_number", newIds.map(row))
    }
    return (id) => numbers.get(id) ?? 0
  })
