import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Every place where the databases need different words. The only file that asks which database it is. */
export const dialect = (sql: SqlClient.SqlClient) => ({
  /** Bytes as a column type. */
  blob: sql.onDialectOrElse({ sqlite: () => sql.literal("blob"), orElse: () => sql.literal("bytea") }),
  /** A table that is stored in the order of its primary key, where the database has such a thing. */
  clustered: sql.onDialectOrElse({
    sqlite: () => sql.literal("without rowid"),
    orElse: () => sql.literal("")
  }),
  /** Order of text by its UTF-8 bytes. */
  byBytes: sql.onDialectOrElse({
    sqlite: () => sql.literal("collate binary"),
    orElse: () => sql.literal('collate "C"')
  }),
  /**
   * The first statement of a unit of work. On SQLite a transaction that reads before it writes fails as soon as
   * another process writes in between; one that begins with a write, of whatever, waits its turn.
   */
  claimWriter: sql.onDialectOrElse({
    sqlite: () => sql`update counter set value = value where workspace_id = '' and name = ''`,
    orElse: () => Effect.void
  }),
  /** Lets concurrent takers pass by each other's rows. */
  skipLocked: sql.onDialectOrElse({
    sqlite: () => sql.literal(""), // One writer at a time: nobody to skip.
    orElse: () => sql.literal("for update skip locked")
  })
})
