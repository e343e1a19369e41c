import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Verification } from "../../core/documents/index.js"
import { Authority, Lifecycle, Origin } from "../../core/entities/index.js"
import type { Storage, WorkspaceScope } from "../../core/kernel/index.js"
import { dialect } from "./dialect.js"

const findingsMax = 100

/** What finds values that are no JSON, or none of the words that there are, and empties those that are kept elsewhere too. */
export const structuredColumns = (
  sql: SqlClient.SqlClient
): Pick<Storage["Type"], "unreadable" | "emptyUnreadable"> => {
  const isNone = ({ column, words }: Structured) =>
    words === undefined
      ? dialect(sql).isNoJson(column)
      : sql`(${sql(column)} is null or ${sql(column)} not in ${sql.in(words)})`
  return {
    unreadable: (workspace: WorkspaceScope) =>
      Effect.forEach(structured, (one) => {
        const { empty, key, table, what } = one
        return Effect.map(
          sql<{ key: string }>`select ${sql.literal(key)} as key from ${sql(table)}
            where workspace_id = ${workspace} and ${isNone(one)} limit ${findingsMax}`,
          (rows) => rows.map((row) => ({ subject: `${what} ${row.key}`, isKeptElsewhere: empty !== null }))
        )
      }).pipe(
        Effect.map((found) => found.flat()),
        Effect.orDie
      ),
    emptyUnreadable: (workspace: WorkspaceScope) =>
      Effect.forEach(
        structured,
        (one) =>
          one.empty === null
            ? Effect.void
            : sql`update ${sql(one.table)} set ${sql(one.column)} = ${one.empty}
                where workspace_id = ${workspace} and ${isNone(one)}`,
        { discard: true }
      ).pipe(Effect.orDie)
  }
}

/** A column that holds JSON, or one of some words. */
interface Structured {
  readonly table: string
  readonly column: string
  readonly words?: ReadonlyArray<string>
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
  // What nobody can have said: until somebody says something, it is worth what a new document is.
  {
    table: "document",
    column: "verification",
    ...ofDocument,
    words: Verification.options,
    empty: "unverified"
  },
  { table: "chunk", column: "heading_path", what: "passage", key: "id", empty: "[]" },
  { ...ofEntity, column: "steward_ids" },
  { ...ofEntity, column: "person_fields" },
  { ...ofEntity, column: "merged_ids" },
  // Any will do: what stands in the history takes its place.
  { ...ofEntity, column: "authority", words: Authority.options, empty: "machine_extracted" },
  { ...ofEntity, column: "lifecycle", words: Lifecycle.options, empty: "draft" },
  { ...ofEntity, column: "origin", words: Origin.options, empty: "extraction" },
  { ...ofReading, column: "aliases", empty: "[]" },
  { ...ofReading, column: "facts", empty: '{"references":[],"tags":[],"hidden":[]}' },
  { ...ofReading, column: "targets", empty: "[]" },
  { ...ofRevision, column: "snapshot" },
  { ...ofRevision, column: "diff" },
  { table: "answer_cache_entry", column: "kept", what: "cached answer", key: "id", empty: noAnswer },
  { table: "answer", column: "answer", what: "answer", key: "id", empty: null },
  { table: "policy_decision", column: "detail", what: "decision", key: "id", empty: null },
  { table: "change_request", column: "payload", what: "change request", key: "id", empty: null },
  { table: "concept", column: "details", what: "concept of", key: "entity_id", empty: noDetails },
  { table: "audit", column: "details", what: "audit event", key: "id", empty: null }
]
