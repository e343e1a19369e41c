import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { unwrapExit } from "../../core/engine/engine/index.js"
import { migrationsTable } from "../sql/migration-tables.js"
import { firstWorkspace } from "../sql/platform/workspace/workspace-store.js"
import { pooled } from "./client.js"
import { isRowLevelSecurityActive, rowLevelSecurityClient } from "./row-level-security-client.js"

/** Owner of a database. */
export interface DatabaseHome {
  /** Its first workspace; null for an empty database. */
  readonly workspace: string | null
  /** The vault that it was created for; null if not recorded. */
  readonly vault: string | null
}

/**
 * Returns the owner recorded in a database, without changes; hosts need it because each may have its own data folder.
 * Null for a database of another program.
 */
export const databaseHome = (database: string): Promise<DatabaseHome | null> =>
  onDatabase(database, (sql) =>
    Effect.gen(function* () {
      const [there] = yield* sql<{ ours: boolean; filled: boolean }>`select
        to_regclass(${migrationsTable}) is not null as ours,
        exists (select 1 from pg_tables where schemaname = current_schema()) as filled`
      if (there?.ours !== true) return there?.filled === true ? null : { workspace: null, vault: null }
      const client = (yield* isRowLevelSecurityActive(sql)) ? yield* rowLevelSecurityClient(sql) : sql
      const [found] = yield* client<{ id: string; place: string | null }>`select w.id, h.place
        from ${firstWorkspace(client)} w left join vault_home h on h.workspace_id = w.id`
      return { workspace: found?.id ?? null, vault: found?.place ?? null }
    })
  )

/** Records the vault in a database with the newest schema. */
export const keepDatabaseHome = (database: string, place: string): Promise<void> =>
  onDatabase(database, (sql) =>
    Effect.gen(function* () {
      const client = (yield* isRowLevelSecurityActive(sql)) ? yield* rowLevelSecurityClient(sql) : sql
      yield* client`insert into vault_home (workspace_id, place)
        select id, ${place} from ${firstWorkspace(client)} as w
        on conflict (workspace_id) do update set place = excluded.place`
    })
  )

const onDatabase = <A, E>(url: string, work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>): Promise<A> =>
  unwrapExit(
    Effect.runPromiseExit(
      Effect.provide(
        Effect.orDie(Effect.flatMap(SqlClient.SqlClient, work)),
        pooled({ url, connectionsMax: 1 })
      )
    )
  )
