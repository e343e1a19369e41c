import * as Statement from "@effect/sql/Statement"
import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import { knownMigrations, migrationChecksum } from "../adapters/sql/migration-checksums.js"

/** The source of `adapters/sql/migrations/checksums.ts`: what every migration says, on each database. */
export const migrationChecksumsSource = (): string => {
  const compilers = { sqlite: Statement.makeCompilerSqlite(), pg: PgClient.makeCompiler() }
  const lines = Object.entries(compilers).map(([database, compiler]) => {
    const rows = knownMigrations.map(
      (migration) => `    ${migration.id}: "${Effect.runSync(migrationChecksum(migration, compiler))}"`
    )
    return `  ${database}: {\n${rows.join(",\n")}\n  }`
  })
  return `// Made by \`npm run generate\`. A line that changes is a migration that was changed after it was applied somewhere.

/** What the migrations say, by database and number: SHA-256 of their statements. */
export const migrationChecksums: {
  readonly [database in "sqlite" | "pg"]: Readonly<Record<number, string>>
} = {
${lines.join(",\n")}
}
`
}
