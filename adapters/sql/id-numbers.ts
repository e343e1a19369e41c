import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { DocumentId, EntityId, WorkspaceScope } from "../../core/kernel/index.js"
import type { WorkspaceStore } from "../../core/workspace/index.js"
import { toNumber } from "./codec.js"
import { inBatches, insertRows } from "./rows.js"

/** What has a number where its id would be most of a row. */
type NumberedId = DocumentId | EntityId

/** The name of the counter behind the numbers: none is given twice. */
export const idNumberCounter = "id_number"

/** Tables that name their workspace by its number. */
const numberedTables: ReadonlySet<string> = new Set([
  "edge",
  "edge_type",
  "graph_claim",
  "id_number",
  "mention",
  "vector"
])

/** The number of a workspace, in a statement. */
export const workspaceNo = (sql: SqlClient.SqlClient, workspace: WorkspaceScope): Fragment =>
  sql`(select number from workspace where id = ${workspace})`

/** The number of an id, in a statement; null where it has none. */
export const idNo = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, id: NumberedId): Fragment =>
  sql`(select number from id_number where workspace_no = ${workspaceNo(sql, workspace)} and id = ${id})`

/** The numbers of ids, in a statement: a list to be in. Those that have none are left out. */
export const idNos = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  ids: ReadonlyArray<NumberedId>
): Fragment =>
  sql`(select number from id_number where workspace_no = ${workspaceNo(sql, workspace)} and ${sql.in("id", ids)})`

/** What holds of the rows of a table that belong to the workspace, whichever way it names it. */
export const ofWorkspace = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, table: string): Fragment =>
  numberedTables.has(table)
    ? sql`workspace_no = ${workspaceNo(sql, workspace)}`
    : sql`workspace_id = ${workspace}`

/** What holds of the mentions of a document; the statement calls them `m`. */
export const ofDocument = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, id: DocumentId): Fragment =>
  sql`m.workspace_no = ${workspaceNo(sql, workspace)} and m.document_no = ${idNo(sql, workspace, id)}`

/** Numbers for rows that are about to be written. */
export interface IdNumbers {
  readonly workspaceNo: number
  readonly of: (id: NumberedId) => number
}

/** The numbers of a workspace and of ids, given to those that have none yet, in the caller's unit of work. */
export const numbersFor = (
  sql: SqlClient.SqlClient,
  { advance }: Pick<WorkspaceStore["Type"], "advance">,
  workspace: WorkspaceScope,
  ids: Iterable<NumberedId>
): Effect.Effect<IdNumbers, SqlError> =>
  Effect.gen(function* () {
    const wanted = [...new Set(ids)]
    const known = yield* inBatches(
      wanted,
      (batch) => sql<{ workspace_no: unknown; id: NumberedId | null; number: unknown }>`
        select w.number as workspace_no, n.id, n.number from workspace w
        left join id_number n on n.workspace_no = w.number and ${sql.in("n.id", batch)} where w.id = ${workspace}`
    )
    const [first] = known
    if (first === undefined) return yield* Effect.dieMessage("A scope without a workspace.")
    const own = toNumber(first.workspace_no)
    const numbers = new Map(known.flatMap(({ id, number }) => (id === null ? [] : [[id, toNumber(number)]])))
    const fresh = wanted.filter((id) => !numbers.has(id))
    if (fresh.length > 0) {
      const last = yield* advance(workspace, idNumberCounter, fresh.length)
      for (const [place, id] of fresh.entries()) numbers.set(id, last - fresh.length + 1 + place)
      const row = (id: NumberedId) => ({ workspace_no: own, id, number: numbers.get(id) ?? 0 })
      yield* insertRows(sql, "id_number", fresh.map(row))
    }
    return { workspaceNo: own, of: (id) => numbers.get(id) ?? 0 }
  })
