import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type ContentConnectorId, nameNorm, type SecretId, serviceLayer } from "../../../core/kernel/index.js"
import {
  type Checkpoint,
  ContentConnector,
  ContentConnectorStore,
  type StoredContentConnector
} from "../../../core/sources/index.js"
import { fromJson, objectIn, ofShape, readableOf, toJson } from "../codec.js"
import { hasRows, readAll, readFirst } from "../rows.js"

interface ConnectorRow {
  readonly id: ContentConnectorId
  readonly name: string
  readonly kind: string
  readonly enabled: number
  readonly config: string
  readonly secret_id: SecretId | null
  readonly schedule: string | null
  readonly path_prefix: string
  readonly next_checkpoint: string | null
  readonly next_sync_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

const Stored = ContentConnector.omit({ hasCredential: true, lastSync: true })

const fromRow = (row: ConnectorRow): StoredContentConnector => ({
  ...ofShape(Stored, `the content connector ${row.id}`, {
    id: row.id,
    name: row.name,
    kind: row.kind,
    enabled: row.enabled === 1,
    config: fromJson(row.config),
    schedule: row.schedule,
    pathPrefix: row.path_prefix,
    createdAt: row.created_at,
    updatedAt: row.updated_at
  }),
  secret: row.secret_id,
  checkpoint: row.next_checkpoint === null ? null : objectIn<Checkpoint>(row.next_checkpoint),
  nextSyncAt: row.next_sync_at
})

const definitionOf = (connector: StoredContentConnector) => ({
  name: connector.name,
  name_norm: nameNorm(connector.name),
  kind: connector.kind,
  enabled: connector.enabled ? 1 : 0,
  config: toJson(connector.config),
  secret_id: connector.secret,
  schedule: connector.schedule,
  path_prefix: connector.pathPrefix,
  updated_at: connector.updatedAt
})

const checkpointText = (checkpoint: Checkpoint | null) => (checkpoint === null ? null : toJson(checkpoint))

export const sqlContentConnectorStore = serviceLayer(
  ContentConnectorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const named: ContentConnectorStore["Type"]["named"] = (workspace, name) =>
      sql<{ id: ContentConnectorId }>`select id from content_connector
        where workspace_id = ${workspace} and name_norm = ${nameNorm(name)} and deleted_at is null`.pipe(
        Effect.map(([row]) => Option.fromNullable(row?.id)),
        Effect.orDie
      )
    return {
      list: (workspace) =>
        sql<ConnectorRow>`select * from content_connector
          where workspace_id = ${workspace} and deleted_at is null order by name_norm`.pipe(
          Effect.flatMap((rows) => readableOf(rows, "content connectors", fromRow)),
          Effect.orDie
        ),
      find: (workspace, id) =>
        sql<ConnectorRow>`select * from content_connector
          where workspace_id = ${workspace} and id = ${id} and deleted_at is null`.pipe(readFirst(fromRow)),
      named,
      insert: (workspace, connector) =>
        sql`insert into content_connector ${sql.insert({
          workspace_id: workspace,
          id: connector.id,
          ...definitionOf(connector),
          next_checkpoint: checkpointText(connector.checkpoint),
          next_sync_at: connector.nextSyncAt,
          created_at: connector.createdAt,
          deleted_at: null,
          trashes: 0
        })} on conflict do nothing returning id`.pipe(hasRows),
      replace: (workspace, connector, before) =>
        Effect.gen(function* () {
          const holder = Option.getOrNull(yield* named(workspace, connector.name))
          if (holder !== null && holder !== connector.id) return "name_taken" as const
          const rows = yield* sql`update content_connector set ${sql.update(definitionOf(connector))}
            where workspace_id = ${workspace} and id = ${connector.id} and updated_at = ${before}
              and deleted_at is null returning id`
          return rows.length > 0 ? ("done" as const) : ("changed" as const)
        }).pipe(Effect.orDie),
      setProgress: (workspace, id, { checkpoint, nextSyncAt }) =>
        sql`update content_connector set ${sql.update({
          ...(checkpoint === undefined ? {} : { next_checkpoint: checkpointText(checkpoint) }),
          ...(nextSyncAt === undefined ? {} : { next_sync_at: nextSyncAt })
        })} where workspace_id = ${workspace} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
      lock: (workspace, id) =>
        sql`update content_connector set enabled = enabled
          where workspace_id = ${workspace} and id = ${id} and deleted_at is null returning id`.pipe(hasRows),
      remove: (workspace, id, at, trashes) =>
        sql`update content_connector set deleted_at = ${at}, secret_id = null, enabled = 0,
            next_sync_at = null, trashes = ${trashes ? 1 : 0}
          where workspace_id = ${workspace} and id = ${id} and deleted_at is null returning id`.pipe(hasRows),
      trashing: (workspace) =>
        sql<{ id: ContentConnectorId }>`select id from content_connector
          where workspace_id = ${workspace} and trashes = 1 order by id`.pipe(readAll(({ id }) => id)),
      trashed: (workspace, id) =>
        sql`update content_connector set trashes = 0 where workspace_id = ${workspace} and id = ${id}`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
    }
  })
)
