import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import {
  forEachYielding,
  isCausedByFullData,
  Storage,
  serviceLayer
} from "../../core/platform/kernel/index.js"
import { unreadablePrincipals } from "../sql/platform/identity/principal-inspection.js"
import { structuredColumns } from "../sql/upkeep/integrity/structured-columns.js"

const findingsMax = 100
/** Below this, the next write of a document may not fit. */
const bytesMin = 4 * 1024 * 1024
const fullDisk = "The disk of the data folder is full: writes fail until there is space."

/** Bytes that this user may still write to the disk of a folder; no limit where the platform does not tell. */
const bytesLeft = (folder: string): Effect.Effect<number> =>
  Effect.promise(() =>
    statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => Number.POSITIVE_INFINITY
    )
  )

/** Runs SQLite's integrity check table by table, so that other work runs in between. */
export const sqliteStorage = serviceLayer(
  Storage,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    /** Converts an error of the check to a finding, because an unreadable page ends the check. */
    const asFinding = <A>(check: Effect.Effect<ReadonlyArray<string>, A>) =>
      check.pipe(
        Effect.catchAll((error) => Effect.succeed([messageOf(error)])),
        Effect.catchAllDefect((defect) => Effect.succeed([messageOf(defect)]))
      )
    const checkTable = (name: string) =>
      Effect.map(
        sql<{ integrity_check: string }>`pragma integrity_check(${sql.literal(`"${name}"`)})`,
        (rows) => rows.map((row) => row.integrity_check).filter((line) => line !== "ok")
      )
    const tables = Effect.map(
      sql<{ name: string }>`select name from sqlite_schema where type = 'table' order by name`,
      (rows) => rows.map(({ name }) => name)
    )
    const foreignKeys = Effect.map(sql<{ table: string; parent: string }>`pragma foreign_key_check`, (rows) =>
      rows.map(({ parent, table }) => `a row of ${table} names one of ${parent} that is not there`)
    )
    // Rewrites an unused header field with its value, to test whether the file is writable.
    const writable = Effect.orDie(Effect.asVoid(sql`pragma user_version = 0`))
    return {
      integrity: Effect.gen(function* () {
        const found = [...(yield* asFinding(foreignKeys))]
        const names = yield* tables.pipe(Effect.orElseSucceed(() => []))
        found.push(...(yield* forEachYielding(names, (name) => asFinding(checkTable(name)))).flat())
        return [...new Set(found)].slice(0, findingsMax)
      }),
      ...structuredColumns(sql),
      unreadablePrincipals: unreadablePrincipals(sql),
      remarks: Effect.succeed([]),
      writable,
      // A small write may still fit into the WAL where the next one does not.
      shortage: Effect.gen(function* () {
        const written = yield* Effect.exit(writable)
        if (Exit.isFailure(written)) return isCausedByFullData(written.cause) ? fullDisk : null
        const [main] = yield* sql<{ file: string }>`select file from pragma_database_list where name = 'main'`
        return main === undefined || main.file === "" || (yield* bytesLeft(dirname(main.file))) >= bytesMin
          ? null
          : fullDisk
      }).pipe(Effect.orDie),
      rebuildIndexes: Effect.orDie(Effect.asVoid(sql`reindex`))
    }
  })
)

const messageOf = (error: unknown): string => {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
