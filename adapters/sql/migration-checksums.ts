import { hash } from "node:crypto"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { Compiler } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { migrations } from "./migrations/index.js"

/** A migration of this program, in the order of their numbers. */
export interface KnownMigration {
  readonly id: number
  readonly name: string
  readonly run: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
}

/** Every migration that this program knows. */
export const knownMigrations: ReadonlyArray<KnownMigration> = Object.entries(migrations)
  .map(([name, run]) => ({ id: Number.parseInt(name, 10), name: name.slice(name.indexOf("_") + 1), run }))
  .sort((a, b) => a.id - b.id)

/** The number of the newest of them. */
export const newestMigration: number = knownMigrations.at(-1)?.id ?? 0

/**
 * SHA-256 (hex) of the statements that a migration issues over an empty database, with the values in them and without
 * their white space: of what it says, not of how its source is written or bundled. No database is asked.
 */
export const migrationChecksum = (
  { run }: Pick<KnownMigration, "run">,
  compiler: Compiler
): Effect.Effect<string> =>
  Effect.gen(function* () {
    const said: Array<readonly [string, ReadonlyArray<unknown>]> = []
    const sql = yield* SqlClient.make({
      acquirer: Effect.succeed(recorder(said)),
      compiler,
      spanAttributes: []
    })
    yield* Effect.provideService(run, SqlClient.SqlClient, sql)
    return hash("sha256", JSON.stringify(said), "hex")
  }).pipe(Effect.provide(Reactivity.layer), Effect.orDie)

/** Writes down what it is asked and answers with no rows. */
const recorder = (said: Array<readonly [string, ReadonlyArray<unknown>]>): Connection => {
  const execute: Connection["execute"] = (statement, values) =>
    Effect.sync(() => {
      said.push([statement.replace(/\s+/g, " ").trim(), values])
      return []
    })
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (statement, values) => execute(statement, values, undefined),
    executeValues: (statement, values) => Effect.as(execute(statement, values, undefined), []),
    executeStream: () => Stream.empty
  }
}
