import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  ContentConnector,
  type ContentConnectorStore,
  type StoredContentConnector
} from "../../../../core/connected/sources/index.js"
import type { ContentConnectorId } from "../../../../core/platform/kernel/index.js"
import { ofShape } from "../../codec.js"
import { columnsOf, flag, json, jsonObject, orNull, text } from "../../columns.js"
import { connectorMethods } from "../../connectors.js"
import { done, hasRows, readAll } from "../../rows.js"

/** Shape of a stored content connector; the other fields of the model are computed when it is read. */
const Stored = ContentConnector.omit({ hasCredential: true, lastSync: true })

const columns = columnsOf<StoredContentConnector>({
  id: text(),
  name: text(),
  kind: text(),
  enabled: flag(),
  config: json(),
  schedule: text(),
  pathPrefix: text(),
  createdAt: text(),
  updatedAt: text(),
  secret: text("secret_id"),
  checkpoint: orNull(jsonObject("next_checkpoint")),
  nextSyncAt: text()
})

const fromRow = (row: object): StoredContentConnector => {
  const { checkpoint, nextSyncAt, secret, ...stored } = columns.read(row)
  return { ...ofShape(Stored, `the content connector ${stored.id}`, stored), secret, checkpoint, nextSyncAt }
}

export const contentConnectors: Effect.Effect<ContentConnectorStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      ...connectorMethods(sql, "content_connector", {
        what: "content connectors",
        read: fromRow,
        write: (connector: StoredContentConnector) => ({ ...columns.write(connector), trashes: 0 })
      }),
      setProgress: (workspace, id, progress) =>
        done(sql`update content_connector set ${sql.update(columns.write(progress))}
          where workspace_id = ${workspace} and id = ${id}`),
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
        done(sql`update content_connector set trashes = 0 where workspace_id = ${workspace} and id = ${id}`)
    }
  }
)
