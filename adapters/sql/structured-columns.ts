import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { Storage, WorkspaceScope } from "../../core/kernel/index.js"
import { dialect } from "./dialect.js"

const findingsMax = 100

/** What finds values that are no JSON, and empties those that are kept elsewhere too. */
export const structuredColumns = (
  sql: SqlClient.SqlClient
): Pick<Storage["Type"], "unreadable" | "emptyUnreadable"> => {
  const isNone = (column: string) => dialect(sql).isNoJson(column)
  return {
    unreadable: (workspace: WorkspaceScope) =>
      Effect.forEach(structured, ({ column, empty, key, table, what }) =>
        Effect.map(
          sql<{ key: string }>`select ${sql.literal(key)} as key from ${sql(table)}
            where workspace_id = ${workspace} and ${isNone(column)} limit ${findingsMax}`,
          (rows) => rows.map((row) => ({ subject: `${what} ${row.key}`, isKeptElsewhere: empty !== null }))
        )
      ).pipe(
        Effect.map((found) => found.flat()),
        Effect.orDie
      ),
    emptyUnreadable: (workspace: WorkspaceScope) =>
      Effect.forEach(
        structured,
        ({ column, empty, table }) =>
          empty === null
            ? Effect.void
            : sql`update ${sql(table)} set ${sql(column)} = ${empty}
                where workspace_id = ${workspace} and ${isNone(column)}`,
        { discard: true }
      ).pipe(Effect.orDie)
  }
}

/** A column that holds JSON. */
interface Structured {
  readonly table: string
  readonly column: string
  readonly what: string
  /** The id of the row, in SQL. */
  readonly key: string
  /** A value that says nothing, where what the column says is kept elsewhere too. */
  readonly empty: string | null
}

const ofDocument = { what: "document", key: "id" }
const ofEntity = { table: "entity", what: "entity", key: "id", empty: "[]" }
const ofReading = { table: "graph_document", what: "reading of", key: "document_id" }
const ofRevision = {
  table: "entity_revision",
  what: "revision",
  key: "version || ' of ' || entity_id",
  empty: null
}
const noFrontMatter = '{"title":null,"aliases":[],"tags":[],"type":null,"other":{}}'

/** Without a claim it is never given again. */
const noAnswer = '{"answer":"","claims":[],"checks":[],"sources":[],"entityIds":[],"verdict":null}'
const noDetails = '{"schemes":[],"topOf":[],"nameLanguage":null,"described":null,"texts":[]}'

/** All of them. */
const structured: ReadonlyArray<Structured> = [
  { table: "document", column: "front_matter", ...ofDocument, empty: noFrontMatter },
  { table: "chunk", column: "heading_path", what: "passage", key: "id", empty: "[]" },
  { ...ofEntity, column: "steward_ids" },
  { ...ofEntity, column: "person_fields" },
  { ...ofEntity, column: "merged_ids" },
  { ...ofReading, column: "aliases", empty: "[]" },
  { ...ofReading, column: "facts", empty: '{"references":[],"tags":[],"hidden":[]}' },
  { ...ofReading, column: "targets", empty: "[]" },
  { ...ofRevision, column: "snapshot" },
  { ...ofRevision, column: "diff" },
  { table: "answer_cache_entry", column: "kept", what: "cached answer", key: "id", empty: noAnswer },
  { table: "answer", column: "answer", what: "answer", key: "id", empty: null },
  { table: "change_request", column: "payload", what: "change request", key: "id", empty: null },
  { table: "concept", column: "details", what: "concept of", key: "entity_id", empty: noDetails },
  { table: "audit", column: "details", what: "audit event", key: "id", empty: null }
]
