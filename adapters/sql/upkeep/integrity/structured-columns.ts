import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Verification } from "../../../../core/files/documents/index.js"
import { Authority, Lifecycle, Origin } from "../../../../core/knowledge/entities/index.js"
import type { Storage, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { slotStates } from "../../../../core/search/vectors/index.js"
import { changingContent } from "../../content-changes.js"
import { dialect, type JsonShape } from "../../dialect.js"
import { factsToBytes, isFacts } from "../../knowledge/extraction/extraction-record-rows.js"

const findingsMax = 100

/** Finds values of structured columns that cannot be parsed, and empties those of derived columns. */
export const structuredColumns = (
  sql: SqlClient.SqlClient
): Pick<Storage["Type"], "unreadable" | "emptyUnreadable"> => {
  const isUnreadable = ({ column, shape = "any", values }: StructuredColumn) =>
    values === undefined
      ? dialect(sql).isNoJson(column, shape)
      : sql`(${sql(column)} is null or ${sql(column)} not in ${sql.in(values)})`
  /** Returns extraction records whose compressed facts cannot be decoded, which SQL cannot detect. */
  const unreadableFacts = (workspace: WorkspaceScope) =>
    Effect.gen(function* () {
      const found: Array<string> = []
      for (let after = ""; found.length < findingsMax; ) {
        const rows = yield* sql<{ document_id: string; facts: unknown }>`select document_id, facts
          from graph_document where workspace_id = ${workspace} and document_id > ${after}
          order by document_id limit ${recordsPerPage}`
        for (const { document_id, facts } of rows) if (!isFacts(facts)) found.push(document_id)
        const last = rows.at(-1)
        if (last === undefined) break
        after = last.document_id
      }
      return found
    })
  return {
    unreadable: (workspace: WorkspaceScope) =>
      Effect.gen(function* () {
        const found = yield* Effect.forEach(structuredColumnsOf, (one) =>
          Effect.map(
            sql<{ key: string }>`select ${sql.literal(one.key)} as key from ${sql(one.table)}
              where workspace_id = ${workspace} and ${isUnreadable(one)} limit ${findingsMax}`,
            (rows) =>
              rows.map(({ key }) => ({
                subject: `${one.table}.${one.column} ${key}`,
                isDerived: one.empty !== undefined
              }))
          )
        )
        const facts = (yield* unreadableFacts(workspace)).map((id) => ({
          subject: `graph_document.facts ${id}`,
          isDerived: true
        }))
        return [...found.flat(), ...facts]
      }).pipe(Effect.orDie),
    emptyUnreadable: (workspace: WorkspaceScope) =>
      Effect.gen(function* () {
        for (const one of structuredColumnsOf)
          if (one.empty !== undefined)
            yield* sql`update ${sql(one.table)} set ${sql(one.column)} = ${one.empty}
              where workspace_id = ${workspace} and ${isUnreadable(one)}`
        for (
          let ids = yield* unreadableFacts(workspace);
          ids.length > 0;
          ids = yield* unreadableFacts(workspace)
        )
          yield* sql`update graph_document set facts = ${noFacts}
            where workspace_id = ${workspace} and ${sql.in("document_id", ids)}`
      }).pipe(changingContent(sql, workspace), Effect.orDie)
  }
}

const recordsPerPage = 500
const noFacts = factsToBytes({ references: [], tags: [], hidden: [], stated: [] })

/** A column that holds JSON, or one of some values. */
interface StructuredColumn {
  readonly table: string
  readonly column: string
  readonly values?: ReadonlyArray<string>
  /** The shape of the JSON: any by default. */
  readonly shape?: JsonShape
  /** The key of the row, in SQL. */
  readonly key: string
  /** The empty value of a derived column; absent for primary data, which is left untouched. */
  readonly empty?: string
}

const byId = { key: "id" }
const ofEntity = { table: "entity", key: "id" }
const ofExtraction = { table: "graph_document", key: "document_id" }
const ofRevision = { table: "entity_revision", key: "entity_id || ' version ' || version" }
const noFrontMatter = '{"title":null,"aliases":[],"tags":[],"type":null,"other":{}}'

/** A cached answer without claims is never used. */
const noAnswer = '{"answer":"","claims":[],"checks":[],"sources":[],"entityIds":[],"verdict":null}'

const structuredColumnsOf: ReadonlyArray<StructuredColumn> = [
  { table: "document", column: "front_matter", shape: "object", ...byId, empty: noFrontMatter },
  { table: "document", column: "verification", values: Verification.options, ...byId },
  { table: "chunk", column: "heading_path", shape: "array", ...byId, empty: "[]" },
  { ...ofEntity, column: "steward_ids", shape: "array" },
  { ...ofEntity, column: "person_fields", shape: "array" },
  { ...ofEntity, column: "merged_ids", shape: "array" },
  { ...ofEntity, column: "authority", values: Authority.options },
  { ...ofEntity, column: "lifecycle", values: Lifecycle.options },
  { ...ofEntity, column: "origin", values: Origin.options },
  { ...ofExtraction, column: "aliases", shape: "array", empty: "[]" },
  { ...ofExtraction, column: "targets", shape: "array", empty: "[]" },
  { ...ofRevision, column: "snapshot", shape: "revision" },
  { ...ofRevision, column: "diff", shape: "object" },
  { table: "answer_cache_entry", column: "kept", shape: "object", ...byId, empty: noAnswer },
  { table: "answer", column: "answer", shape: "object", ...byId },
  { table: "policy_decision", column: "detail", shape: "object", ...byId },
  { table: "calibration", column: "artefact", shape: "object", key: "version" },
  { table: "change_request", column: "payload", shape: "object", ...byId },
  { table: "concept", column: "details", shape: "object", key: "entity_id" },
  // A model of unknown state is built again.
  {
    table: "vector_model",
    column: "state",
    values: [...Object.values(slotStates).flatMap(({ active, building }) => [active, building]), "dropped"],
    ...byId,
    empty: "dropped"
  },
  { table: "vocabulary_grouping", column: "details", shape: "object", key: "iri" },
  { table: "vocabulary_import", column: "options", ...byId },
  { table: "vocabulary_import", column: "report", ...byId, empty: "{}" },
  { table: "job", column: "payload", ...byId, empty: "{}" },
  { table: "job", column: "progress", ...byId, empty: "null" },
  { table: "audit", column: "details", shape: "object", ...byId }
]
