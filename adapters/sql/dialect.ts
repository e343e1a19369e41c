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
  /** Texts of a group with commas between them. */
  joinedTexts: (text: string) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(`group_concat(${text})`),
      orElse: () => sql.literal(`string_agg(${text}, ',')`)
    }),
  /** Order of text by its UTF-8 bytes. */
  byBytes: sql.onDialectOrElse({
    sqlite: () => sql.literal("collate binary"),
    orElse: () => sql.literal('collate "C"')
  }),
  /**
   * Tells, outside a unit of work, whether anything was written since it was last asked: by others, and through this
   * connection. Null where the database has no such thing.
   */
  changeStamp: sql.onDialectOrElse({
    sqlite: () =>
      Effect.map(
        sql<{ others: number; own: number }>`select data_version as others, total_changes() as own
          from pragma_data_version`,
        ([row]) => (row === undefined ? null : `${row.others}/${row.own}`)
      ),
    orElse: () => Effect.succeed(null)
  }),
  /** Lets concurrent takers pass by each other's rows. */
  skipLocked: sql.onDialectOrElse({
    sqlite: () => sql.literal(""), // One writer at a time: nobody to skip.
    orElse: () => sql.literal("for update skip locked")
  })
})
