import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type DataConnectorId, nameNorm, type SecretId, serviceLayer } from "../../../core/kernel/index.js"
import { DataConnector, DataConnectorStore, type StoredConnector } from "../../../core/livedata/index.js"
import { fromJson, ofShape, readableOf, toJson } from "../codec.js"
import { hasRows, readFirst } from "../rows.js"

export interface ConnectorRow {
  readonly id: DataConnectorId
  readonly name: string
  readonly kind: string
  readonly enabled: number
  readonly settings: string
  readonly limits: string
  readonly secret_id: SecretId | null
  readonly created_at: string
  readonly updated_at: string
}

export const connectorFromRow = (row: ConnectorRow): StoredConnector => {
  const { hasCredential: _, ...connector } = ofShape(DataConnector, `the connector ${row.id}`, {
    id: row.id,
    name: row.name,
    kind: row.kind,
    enabled: row.enabled === 1,
    hasCredential: row.secret_id !== null,
    settings: fromJson(row.settings),
    limits: fromJson(row.limits),
    createdAt: row.created_at,
    updatedAt: row.updated_at
  })
  return { ...connector, secret: row.secret_id }
}

export const connectorToRow = (connector: StoredConnector) => ({
  name: connector.name,
  name_norm: nameNorm(connector.name),
  kind: connector.kind,
  enabled: connector.enabled ? 1 : 0,
  settings: toJson(connector.settings),
  limits: toJson(connector.limits),
  secret_id: connector.secret,
  created_at: connector.createdAt,
  updated_at: connector.updatedAt
})

export const sqlDataConnectorStore = serviceLayer(
  DataConnectorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const named: DataConnectorStore["Type"]["named"] = (workspace, name) =>
      sql<{ id: DataConnectorId }>`select id from data_connector
        where workspace_id = ${workspace} and name_norm = ${nameNorm(name)} and deleted_at is null`.pipe(
        Effect.map(([row]) => Option.fromNullable(row?.id)),
        Effect.orDie
      )
    return {
      list: (workspace) =>
        sql<ConnectorRow>`select * from data_connector
          where workspace_id = ${workspace} and deleted_at is null order by name_norm`.pipe(
          Effect.flatMap((rows) => readableOf(rows, "connectors", connectorFromRow)),
          Effect.orDie
        ),
      find: (workspace, id) =>
        sql<ConnectorRow>`select * from data_connector
          where workspace_id = ${workspace} and id = ${id} and deleted_at is null`.pipe(
          readFirst(connectorFromRow)
        ),
      named,
      insert: (workspace, connector) =>
        sql`insert into data_connector
          ${sql.insert({ workspace_id: workspace, id: connector.id, ...connectorToRow(connector) })}
          on conflict do nothing returning id`.pipe(hasRows),
      replace: (workspace, connector, before) =>
        Effect.gen(function* () {
          const holder = Option.getOrNull(yield* named(workspace, connector.name))
          if (holder !== null && holder !== connector.id) return "name_taken" as const
          const rows = yield* sql`update data_connector set ${sql.update(connectorToRow(connector))}
            where workspace_id = ${workspace} and id = ${connector.id} and updated_at = ${before}
              and deleted_at is null returning id`
          return rows.length > 0 ? ("done" as const) : ("changed" as const)
        }).pipe(Effect.orDie),
      remove: (workspace, id, at) =>
        sql`update data_connector set deleted_at = ${at}, secret_id = null, enabled = 0
          where workspace_id = ${workspace} and id = ${id} and deleted_at is null returning id`.pipe(hasRows)
    }
  })
)
