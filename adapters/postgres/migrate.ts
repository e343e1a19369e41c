import * as Effect from "effect/Effect"
import { unwrapExit } from "../../core/engine/index.js"
import type { MigrationReport } from "../sql/migration-state.js"
import { pooled } from "./client.js"
import { migrateSchema } from "./schema.js"

/** Options of a migration. */
export interface MigrateOptions {
  /** The URL of the role that owns the tables, or of one that may create them in an empty database. */
  readonly database: string
  /** Only lists the pending migrations. */
  readonly dryRun?: boolean
  /** A role that servers connect as; it is granted exactly the needed rights. */
  readonly serverRole?: string
}

/**
 * Migrates the schema of a database as opening it does, and grants servers their rights. Rejected with a KanonError
 * `data_too_new` or `data_unreadable` if the database is not for this program, and `invalid_body` if the role would
 * bypass row-level security; nothing is changed then.
 */
export const migrateDatabase = ({
  database,
  dryRun = false,
  serverRole
}: MigrateOptions): Promise<MigrationReport> =>
  unwrapExit(
    Effect.runPromiseExit(
      Effect.provide(migrateSchema({ dryRun, serverRole }), pooled({ url: database, connectionsMax: 1 }))
    )
  )
