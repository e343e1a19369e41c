import { rmSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { temporaryFolder } from "../host/temporary-folder.js"
import { sqliteClient } from "./client.js"

/**
 * Opens a snapshot reader: its own connection with an open transaction, which sees one moment, does not wait for
 * writers and does not block them. An in-memory database is copied to a temporary file instead.
 */
export const snapshotOf = (filename: string) => (sql: SqlClient.SqlClient) =>
  filename === ":memory:" ? Effect.flatMap(copyOf(sql), momentOf) : momentOf(filename)

const momentOf = (filename: string) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(sqliteClient({ filename, readonly: true }))
    const sql = Context.get(context, SqlClient.SqlClient)
    yield* sql`begin`
    // The snapshot begins with the first read.
    yield* sql`select count(*) from workspace`
    return sql
  }).pipe(Effect.orDie)

const copyOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => temporaryFolder("export")),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const file = join(folder, "copy.sqlite")
    yield* Effect.orDie(sql`vacuum into ${file}`)
    return file
  })
