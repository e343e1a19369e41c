import { existsSync, mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { unwrapExit } from "../../core/engine/index.js"
import { knownMigrations, type MigrationReport, newestMigration } from "../sql/migration-state.js"
import { sqliteClient } from "./client.js"
import { databaseFile } from "./options.js"
import { pendingSchema } from "./schema.js"

/** Options of a migration. */
export interface MigrateOptions {
  /** The folder of the database. */
  readonly data: string
  /** Only lists the pending migrations. */
  readonly dryRun?: boolean
}

/**
 * Migrates the schema of a database as opening it does. Rejected with a KanonError `data_too_new`, `data_unreadable`
 * or `data_read_only`, without changes.
 */
export const migrateDatabase = async ({ data, dryRun = false }: MigrateOptions): Promise<MigrationReport> => {
  const filename = join(resolve(data), databaseFile)
  const { pending, schema } = existsSync(filename)
    ? await unwrapExit(
        Effect.runPromiseExit(Effect.provide(pendingSchema, sqliteClient({ filename, readonly: true })))
      )
    : { schema: 0, pending: knownMigrations }
  if (!dryRun) {
    mkdirSync(resolve(data), { recursive: true })
    await unwrapExit(Effect.runPromiseExit(Effect.scoped(Layer.build(sqliteClient({ filename })))))
  }
  return { schema, newest: newestMigration, migrations: pending, repairs: [], dryRun }
}
