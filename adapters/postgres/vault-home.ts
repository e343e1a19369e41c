import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { settle } from "../../core/engine/index.js"
import { migrationsTable } from "../sql/migration-state.js"
import { hostReach } from "../sql/workspace-in-force.js"
import { pooled } from "./client.js"
import { isRowLevelSecurityActive, rowLevelSecurityClient } from "./row-level-security-client.js"

/** Whose a database is. */
export interface DatabaseHome {
  /** The first workspace of it; null where there is none, in an empty database for one. */
  readonly workspace: string | null
  /** The place of files that it was begun for; null where nobody has said so. */
  readonly vault: string | null
}

/**
 * Tells whose a database is, and changes nothing in it: each host may have a data folder of its own, so it has to know.
 * Null where it is another program's.
 */
export const databaseHome = (database: string): Promise<DatabaseHome | null> =>
  onDatabase(database, (sql) =>
    Effect.gen(function* () {
      const [there] = yield* sql<{ ours: boolean; filled: boolean }>`select
        to_regclass(${migrationsTable}) is not null as ours,
        exists (select 1 from pg_tables where schemaname = current_schema()) as filled`
      if (there?.ours !== true) return there?.filled === true ? null : { workspace: null, vault: null }
      const client = (yield* isRowLevelSecurityActive(sql))
        ? yield* rowLevelSecurityClient(sql, hostReach)
        : sql
      const [found] = yield* client<{ id: string; place: string | null }>`select w.id, h.place
        from workspace w left join vault_home h on h.workspace_id = w.id order by w.created_at, w.id limit 1`
      return { workspace: found?.id ?? null, vault: found?.place ?? null }
    })
  )

/** Has a database with the newest schema know for which place of files it is from now on. */
export const keepDatabaseHome = (database: string, place: string): Promise<void> =>
  onDatabase(database, (sql) =>
    Effect.gen(function* () {
      const client = (yield* isRowLevelSecurityActive(sql))
        ? yield* rowLevelSecurityClient(sql, hostReach)
        : sql
      yield* client`insert into vault_home (workspace_id, place)
        select id, ${place} from (select id from workspace order by created_at, id limit 1) as w
        on conflict (workspace_id) do update set place = excluded.place`
    })
  )

const onDatabase = <A, E>(url: string, work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>): Promise<A> =>
  settle(
    Effect.runPromiseExit(
      Effect.provide(
        Effect.orDie(Effect.flatMap(SqlClient.SqlClient, work)),
        pooled({ url, connectionsMax: 1 })
      )
    )
  )
