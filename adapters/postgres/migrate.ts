import * as Effect from "effect/Effect"
import { settle } from "../../core/engine/index.js"
import type { MigrationReport } from "../sql/migration-state.js"
import { pooled } from "./client.js"
import { migrateSchema } from "./schema.js"

/** What to migrate, and for whom. */
export interface MigrateOptions {
  /** The URL of the role that owns the tables, or of one that may make them in an empty database. */
  readonly database: string
  /** Only tells what would be applied. */
  readonly dryRun?: boolean
  /** A role that servers connect as: it is granted what they need, and no more. */
  readonly serverRole?: string
}

/**
 * Brings the schema of a database to what this program knows, as opening it does, and grants servers their rights.
 * Rejected with a KanonError `data_too_new` or `data_unreadable` where the database is not for this program, and
 * `invalid_body` where the role would pass by the walls between workspaces; nothing is changed then.
 */
export const migrateDatabase = ({
  database,
  dryRun = false,
  serverRole
}: MigrateOptions): Promise<MigrationReport> =>
  settle(
    Effect.runPromiseExit(
      Effect.provide(migrateSchema({ dryRun, serverRole }), pooled({ url: database, connectionsMax: 1 }))
    )
  )
