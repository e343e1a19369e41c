import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { ReadReplicas, Storage, type StorageRemark, serviceLayer } from "../../core/platform/kernel/index.js"
import { unreadablePrincipals } from "../sql/platform/identity/principal-inspection.js"
import { structuredColumns } from "../sql/upkeep/integrity/structured-columns.js"
import { nearestState, withoutNearest } from "./nearest-schema.js"
import { createPolicies, tenantTables } from "./row-level-security.js"
import { isRowLevelSecurityActive } from "./row-level-security-client.js"

const findingsMax = 100

const wallDown =
  "the role of this URL owns the tables or is a superuser, so Postgres does not keep workspaces apart for it; servers may have a role of their own (https://github.com/kanon-engine/kanon/blob/main/docs/postgres.md)"

/**
 * Inspects Postgres tables. Postgres enforces references and constraints itself; this reports indexes that were left
 * invalid, or that the `amcheck` extension, if installed, finds damaged.
 */
export const postgresStorage = serviceLayer(
  Storage,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const halfBuilt = Effect.map(
      sql<{ name: string }>`select c.relname as name from pg_index i
        join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and not (i.indisvalid and i.indisready)`,
      (rows) => rows.map(({ name }) => `the index ${name} was never finished`)
    )
    const indexes = sql<{ id: number; name: string }>`select i.indexrelid::bigint as id, c.relname as name
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
        join pg_am a on a.oid = c.relam
      where n.nspname = current_schema() and a.amname = 'btree' and i.indisvalid order by c.relname`
    const damaged = Effect.gen(function* () {
      const [installed] = yield* sql`select 1 from pg_extension e join pg_depend d on d.refobjid = e.oid
        join pg_proc f on f.oid = d.objid
        where e.extname = 'amcheck' and f.proname = 'bt_index_check' and f.pronargs = 1
          and has_function_privilege(f.oid, 'EXECUTE')`
      if (installed === undefined) return []
      return yield* Effect.forEach(yield* indexes, ({ id, name }) =>
        sql`select bt_index_check(${id}::oid::regclass)`.pipe(
          Effect.as(null),
          Effect.catchAll(({ cause }) =>
            Effect.succeed(`the index ${name} is damaged: ${cause instanceof Error ? cause.message : cause}`)
          )
        )
      ).pipe(Effect.map((found) => found.filter((line) => line !== null)))
    })
    const unwalled = Effect.map(tenantTables(sql), (tables) =>
      tables
        .filter(({ hasPolicy }) => !hasPolicy)
        .map(({ name }) => `workspaces are not isolated: the policy of ${name} is missing`)
    )
    const remarks = Effect.gen(function* (): Effect.fn.Return<ReadonlyArray<StorageRemark>, SqlError> {
      const wall = (yield* isRowLevelSecurityActive(sql))
        ? []
        : [{ code: "second_wall_down", message: wallDown } as const]
      const nearest = withoutNearest[yield* nearestState(sql)]
      const replicas = (yield* ReadReplicas)
        .states()
        .flatMap(({ name, reason }) =>
          reason === null
            ? []
            : [{ code: "replica_left_out", message: `the replica ${name} is not read: ${reason}` } as const]
        )
      const vectors = nearest === null ? [] : [{ code: "vectors_in_process", message: nearest } as const]
      return [...wall, ...vectors, ...replicas]
    })
    return {
      remarks: Effect.orDie(remarks),
      // A server without space for its WAL stops, which waiting callers notice.
      writable: Effect.void,
      // The disk is that of the server.
      shortage: Effect.succeed(null),
      integrity: Effect.all([unwalled, halfBuilt, damaged]).pipe(
        Effect.map((found) => found.flat().slice(0, findingsMax)),
        Effect.orDie
      ),
      rebuildIndexes: Effect.orDie(
        Effect.gen(function* () {
          const tables = yield* sql<{ name: string }>`select tablename as name from pg_tables
            where schemaname = current_schema() order by tablename`
          for (const { name } of tables) yield* sql`reindex table ${sql(name)}`
          yield* createPolicies(sql)
        })
      ),
      ...structuredColumns(sql),
      unreadablePrincipals: unreadablePrincipals(sql)
    }
  })
)
