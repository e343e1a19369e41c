import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type ContentConnectorId, type DocumentId, serviceLayer } from "../../../core/kernel/index.js"
import { type ExternalItem, ExternalItemStore, type ItemFailureCode } from "../../../core/sources/index.js"
import { inBatches, readCount } from "../rows.js"

interface ItemRow {
  readonly connector_id: ContentConnectorId
  readonly external_id: string
  readonly parent_id: string | null
  readonly path: string | null
  readonly version: string | null
  readonly content_hash: string | null
  readonly document_id: DocumentId | null
  readonly url: string | null
  readonly is_removed: number
  readonly is_missing: number
  readonly failure_code: ItemFailureCode | null
  readonly failure: string | null
  /** One a line; null for none. */
  readonly warnings: string | null
  readonly synced_at: string
}

const fromRow = (row: ItemRow): ExternalItem => ({
  connectorId: row.connector_id,
  externalId: row.external_id,
  parentId: row.parent_id,
  path: row.path,
  version: row.version,
  contentHash: row.content_hash,
  documentId: row.document_id,
  url: row.url,
  isRemoved: row.is_removed === 1,
  isMissing: row.is_missing === 1,
  failure: row.failure_code === null ? null : { code: row.failure_code, reason: row.failure ?? "" },
  warnings: row.warnings === null ? [] : row.warnings.split("\n"),
  syncedAt: row.synced_at
})

const stateOf = (item: ExternalItem) => ({
  parent_id: item.parentId,
  path: item.path,
  version: item.version,
  content_hash: item.contentHash,
  document_id: item.documentId,
  url: item.url,
  is_removed: item.isRemoved ? 1 : 0,
  is_missing: item.isMissing ? 1 : 0,
  failure_code: item.failure?.code ?? null,
  failure: item.failure?.reason ?? null,
  warnings: item.warnings.length === 0 ? null : item.warnings.join("\n"),
  synced_at: item.syncedAt
})

export const sqlExternalItemStore = serviceLayer(
  ExternalItemStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const items = (query: Effect.Effect<ReadonlyArray<ItemRow>, SqlError>) =>
      Effect.orDie(Effect.map(query, (rows) => rows.map(fromRow)))
    const ids = (query: Effect.Effect<ReadonlyArray<{ readonly external_id: string }>, SqlError>) =>
      Effect.orDie(Effect.map(query, (rows) => rows.map(({ external_id }) => external_id)))
    const later = (after: string | null) => (after === null ? sql`1 = 1` : sql`external_id > ${after}`)
    return {
      find: (workspace, connector, externalIds) =>
        items(
          inBatches(
            externalIds,
            (batch) => sql<ItemRow>`select * from external_item
              where workspace_id = ${workspace} and connector_id = ${connector}
                and ${sql.in("external_id", batch)}`
          )
        ),
      put: (workspace, item) =>
        sql`insert into external_item ${sql.insert({
          workspace_id: workspace,
          connector_id: item.connectorId,
          external_id: item.externalId,
          ...stateOf(item)
        })} on conflict (workspace_id, connector_id, external_id) do update set ${sql.update(stateOf(item))}`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      remove: (workspace, connector, externalId) =>
        sql`delete from external_item where workspace_id = ${workspace} and connector_id = ${connector}
          and external_id = ${externalId}`.pipe(Effect.asVoid, Effect.orDie),
      markMissing: (workspace, connector, externalIds) =>
        inBatches(
          externalIds,
          (batch) => sql`update external_item set is_missing = 1
            where workspace_id = ${workspace} and connector_id = ${connector}
              and ${sql.in("external_id", batch)} and is_removed = 0 and parent_id is null`
        ).pipe(Effect.asVoid, Effect.orDie),
      clearMissing: (workspace, connector) =>
        sql`update external_item set is_missing = 0 where workspace_id = ${workspace}
          and connector_id = ${connector} and is_missing = 1`.pipe(Effect.asVoid, Effect.orDie),
      attached: (workspace, connector, parentId) =>
        items(sql<ItemRow>`select * from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and parent_id = ${parentId} order by external_id`),
      failing: (workspace, connector) =>
        items(sql<ItemRow>`select * from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and failure_code is not null order by external_id`),
      ids: (workspace, connector, after, limit) =>
        ids(sql`select external_id from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and is_removed = 0 and parent_id is null and ${later(after)}
          order by external_id limit ${limit}`),
      missing: (workspace, connector) =>
        ids(sql`select external_id from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and is_missing = 1 order by external_id`),
      count: (workspace, connector) =>
        sql<{ n: unknown }>`select count(*) as n from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and is_removed = 0 and parent_id is null
          and document_id is not null`.pipe(readCount),
      ofDocument: (workspace, document) =>
        Effect.map(
          items(sql<ItemRow>`select * from external_item where workspace_id = ${workspace}
            and document_id = ${document} order by synced_at desc limit 1`),
          ([item]) => Option.fromNullable(item)
        ),
      withDocument: (workspace, connector, after, limit) =>
        items(sql<ItemRow>`select * from external_item where workspace_id = ${workspace}
          and connector_id = ${connector} and document_id is not null and ${later(after)}
          order by external_id limit ${limit}`)
    }
  })
)
