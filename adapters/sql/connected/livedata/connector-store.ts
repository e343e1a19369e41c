import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  DataConnector,
  type DataConnectorStore,
  type StoredConnector
} from "../../../../core/connected/livedata/index.js"

import { ofShape } from "../../codec.js"
import { columnsOf, flag, json, text } from "../../columns.js"
import { connectorMethods } from "../../connectors.js"
import { hasRows } from "../../rows.js"

/** Columns of the table of live-data connectors; a credential is named by the id of its secret. */
export const connectorColumns = columnsOf<StoredConnector>({
  id: text(),
  name: text(),
  kind: text(),
  enabled: flag(),
  settings: json(),
  limits: json(),
  secret: text("secret_id"),
  createdAt: text(),
  updatedAt: text()
})

export const connectorFromRow = (row: object): StoredConnector => {
  const { secret, ...stored } = connectorColumns.read(row)
  const { hasCredential: _, ...connector } = ofShape(DataConnector, `the connector ${stored.id}`, {
    ...stored,
    hasCredential: secret !== null
  })
  return { ...connector, secret }
}

export const dataConnectors: Effect.Effect<DataConnectorStore, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  (sql) => ({
    ...connectorMethods(sql, "data_connector", {
      what: "connectors",
      read: connectorFromRow,
      write: connectorColumns.write
    }),
    remove: (workspace, id, at) =>
      sql`update data_connector set deleted_at = ${at}, secret_id = null, enabled = 0
        where workspace_id = ${workspace} and id = ${id} and deleted_at is null returning id`.pipe(hasRows)
  })
)
