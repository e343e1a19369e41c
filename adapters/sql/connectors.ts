import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { nameNorm, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import type { Cell } from "./columns.js"
import { hasRows, readFirst, readReadable } from "./rows.js"

interface Named<Id> {
  readonly id: Id
  readonly name: string
}

/** Columns that a connector keeps when it is replaced. */
const keptColumns = ["id", "created_at", "next_checkpoint", "next_sync_at"]

/** Methods that the stores of connectors to live databases and to sources share. */
export const connectorMethods = <Id extends string, Connector extends Named<Id>>(
  sql: SqlClient.SqlClient,
  table: "data_connector" | "content_connector",
  conversions: {
    readonly what: string
    readonly read: (row: object) => Connector
    readonly write: (connector: Connector) => Record<string, Cell>
  }
) => {
  const { read, what } = conversions
  const write = (connector: Connector): Record<string, Cell> => ({
    ...conversions.write(connector),
    name_norm: nameNorm(connector.name)
  })
  const named = (workspace: WorkspaceScope, name: string) =>
    sql<{ id: Id }>`select id from ${sql(table)}
      where workspace_id = ${workspace} and name_norm = ${nameNorm(name)} and deleted_at is null`.pipe(
      readFirst(({ id }) => id)
    )
  return {
    list: (workspace: WorkspaceScope) =>
      sql`select * from ${sql(table)} where workspace_id = ${workspace} and deleted_at is null
        order by name_norm`.pipe(readReadable(what, read)),
    find: (workspace: WorkspaceScope, id: Id) =>
      sql`select * from ${sql(table)} where workspace_id = ${workspace} and id = ${id}
        and deleted_at is null`.pipe(readFirst(read)),
    named,
    insert: (workspace: WorkspaceScope, connector: Connector) =>
      sql`insert into ${sql(table)} ${sql.insert({ workspace_id: workspace, ...write(connector) })}
        on conflict do nothing returning id`.pipe(hasRows),
    replace: (workspace: WorkspaceScope, connector: Connector, before: string) =>
      Effect.gen(function* () {
        const holder = Option.getOrNull(yield* named(workspace, connector.name))
        if (holder !== null && holder !== connector.id) return "name_taken" as const
        const rows = yield* sql`update ${sql(table)} set ${sql.update(write(connector), keptColumns)}
          where workspace_id = ${workspace} and id = ${connector.id} and updated_at = ${before}
            and deleted_at is null returning id`
        return rows.length > 0 ? ("done" as const) : ("changed" as const)
      }).pipe(Effect.orDie)
  }
}
