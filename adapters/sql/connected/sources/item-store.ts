import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type {
  ExternalItem,
  ExternalItemStore,
  ItemFailureCode
} from "../../../../core/connected/sources/index.js"

import { columnsOf, flag, text } from "../../columns.js"
import { done, inBatches, readAll, readCount, readFirst } from "../../rows.js"

/** A failure takes two columns; see `itemFromRow`. */
const columns = columnsOf<Omit<ExternalItem, "failure"> & FailureCells>({
  connectorId: text(),
  externalId: text(),
  parentId: text(),
  path: text(),
  version: text(),
  contentHash: text(),
  documentId: text(),
  url: text(),
  isRemoved: flag(),
  isMissing: flag(),
  failureCode: text(),
  reason: text("failure"),
  // One a line; null for none.
  warnings: {
    read: (cell) => (cell === null ? [] : String(cell).split("\n")),
    write: (warnings) => (warnings.length === 0 ? null : warnings.join("\n"))
  },
  runId: text(),
  syncedAt: text()
})

interface FailureCells {
  readonly failureCode: ItemFailureCode | null
  readonly reason: string | null
}

const itemFromRow = (row: object): ExternalItem => {
  const { failureCode: code, reason, ...item } = columns.read(row)
  return { ...item, failure: code === null ? null : { code, reason: reason ?? "" } }
}

const itemToRow = ({ failure, ...item }: ExternalItem) =>
  columns.write({ ...item, failureCode: failure?.code ?? null, reason: failure?.reason ?? null })

export const externalItems: Effect.Effect<ExternalItemStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const items = readAll(itemFromRow)
    const ids = readAll(({ external_id }: { readonly external_id: string }) => external_id)
    const later = (after: string | null) => (after === null ? sql`1 = 1` : sql`external_id > ${after}`)
    return {
      find: (workspace, connector, externalIds) =>
        items(
          inBatches(
            externalIds,
            (batch) => sql`select * from external_item
              where workspace_id = ${workspace} and connector_id = ${connector}
                and ${sql.in("external_id", batch)}`
          )
        ),
      put: (workspace, item) => {
        const row = itemToRow(item)
        return done(sql`insert into external_item ${sql.insert({ workspace_id: workspace, ...row })}
          on conflict (workspace_id, connector_id, external_id)
          do update set ${sql.update(row, ["connector_id", "external_id"])}`)
      },
      remove: (workspace, connector, externalId) =>
        done(sql`delete from external_item where workspace_id = ${workspace} and connector_id = ${connector}
          and external_id = ${externalId}`),
      markSettled: (workspace, connector, externalIds, run) =>
        done(
          inBatches(
            externalIds,
            (batch) => sql`update external_item set run_id = ${run}
              where workspace_id = ${workspace} and connector_id = ${connector}
                and ${sql.in("external_id", batch)}`
          )
        ),
      markMissing: (workspace, connector, externalIds) =>
        done(
          inBatches(
            externalIds,
            (batch) => sql`update external_item set is_missing = 1
              where workspace_id = ${workspace} and connector_id = ${connector}
                and ${sql.in("external_id", batch)} and is_removed = 0 and parent_id is null`
          )
        ),
      clearMissing: (workspace, connector) =>
        done(sql`update external_item set is_missing = 0 where workspace_id = ${workspace}
          and connector_id = ${connector} and is_missing = 1`),
      attached: (workspace, connector, parentId) =>
        items(sql`select * from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and parent_id = ${parentId} order by external_id`),
      failing: (workspace, connector) =>
        items(sql`select * from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and failure_code is not null order by external_id`),
      ids: (workspace, connector, after, limit) =>
        ids(sql<{
          readonly external_id: string
        }>`select external_id from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and is_removed = 0 and parent_id is null and ${later(after)}
          order by external_id limit ${limit}`),
      missing: (workspace, connector) =>
        ids(sql<{
          readonly external_id: string
        }>`select external_id from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and is_missing = 1 order by external_id`),
      count: (workspace, connector) =>
        sql<{ n: unknown }>`select count(*) as n from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and is_removed = 0 and parent_id is null
          and document_id is not null`.pipe(readCount),
      ofDocument: (workspace, document) =>
        sql`select * from external_item where workspace_id = ${workspace}
          and document_id = ${document} order by synced_at desc limit 1`.pipe(readFirst(itemFromRow)),
      withDocument: (workspace, connector, after, limit) =>
        items(sql`select * from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and document_id is not null and ${later(after)}
          order by external_id limit ${limit}`)
    }
  }
)
