import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Verification } from "../../../core/documents/index.js"
import { Authority, Lifecycle, Origin } from "../../../core/entities/index.js"
import type { Storage, WorkspaceScope } from "../../../core/kernel/index.js"
import { dialect, type JsonShape } from "../dialect.js"
import { factsToBytes, isFacts } from "../extraction/extraction-record-rows.js"

const findingsMax = 100

/** What finds values that are no JSON, or none of the words that there are, and empties those that are kept elsewhere too. */
export const structuredColumns = (
  sql: SqlClient.SqlClient
): Pick<Storage["Type"], "unreadable" | "emptyUnreadable"> => {
  const isNone = ({ column, shape = "any", words }: Structured) =>
    words === undefined
      ? dialect(sql).isNoJson(column, shape)
      : sql`(${sql(column)} is null or ${sql(column)} not in ${sql.in(words)})`
  /** Readings whose facts cannot be unpacked; which they are no statement can tell. */
  const unreadableFacts = (workspace: WorkspaceScope) =>
    Effect.gen(function* () {
      const found: Array<string> = []
      for (let after = ""; found.length < findingsMax; ) {
        const rows = yield* sql<{ document_id: string; facts: unknown }>`select document_id, facts
          from graph_document where workspace_id = ${workspace} and document_id > ${after}
          order by document_id limit ${readingsPerPage}`
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
        const found = yield* Effect.forEach(structured, (one) => {
          const { empty, key, table, what } = one
          return Effect.map(
            sql<{ key: string }>`select ${sql.literal(key)} as key from ${sql(table)}
              where workspace_id = ${workspace} and ${isNone(one)} limit ${findingsMax}`,
            (rows) =>
              rows.map((row) => ({
                subject: `${what} ${row.key}`,
                isKeptElsewhere: empty !== null,
                advice: one.advice ?? null
              }))
          )
        })
        const facts = (yield* unreadableFacts(workspace)).map((id) => ({
          subject: `${ofReading.what} ${id}`,
          isKeptElsewhere: true,
          advice: null
        }))
        const numberless = yield* sql`select 1 from workspace where id = ${workspace} and number is null`
        const workspaces = numberless.map(() => ({
          subject: "the number of the workspace",
          isKeptElsewhere: true,
          advice: null
        }))
        return [...workspaces, ...found.flat(), ...facts]
      }).pipe(Effect.orDie),
    emptyUnreadable: (workspace: WorkspaceScope) =>
      Effect.gen(function* () {
        yield* numberAgain(sql, workspace)
        for (const one of structured)
          if (one.empty !== null)
            yield* sql`update ${sql(one.table)} set ${sql(one.column)} = ${one.empty}
              where workspace_id = ${workspace} and ${isNone(one)}`
        for (
          let ids = yield* unreadableFacts(workspace);
          ids.length > 0;
          ids = yield* unreadableFacts(workspace)
        )
          yield* sql`update graph_document set facts = ${noFacts}
            where workspace_id = ${workspace} and ${sql.in("document_id", ids)}`
      }).pipe(Effect.orDie)
  }
}

/** Where rows are left of a number that is no workspace's and stands for ids of this one, they are its own. */
const numberAgain = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const [left] = yield* sql<{ number: number }>`select n.workspace_no as number from id_number n
      where n.workspace_no not in (select number from workspace where number is not null)
        and (exists (select 1 from document o where o.workspace_id = ${workspace} and o.id = n.id)
          or exists (select 1 from entity o where o.workspace_id = ${workspace} and o.id = n.id))
      order by n.workspace_no limit 1`
    yield* sql`update workspace set number = ${left?.number ?? dialect(sql).nextWorkspaceNumber}
      where id = ${workspace} and number is null`
  })

const readingsPerPage = 500
const noFacts = factsToBytes({ references: [], tags: [], hidden: [] })

/** A column that holds JSON, or one of some words. */
interface Structured {
  readonly table: string
  readonly column: string
  readonly words?: ReadonlyArray<string>
  /** What the JSON is to be: anything when left out. */
  readonly shape?: JsonShape
  readonly what: string
  /** The id of the row, in SQL. */
  readonly key: string
  /** What there is to do about one that is kept nowhere else, where that is not to take back an export. */
  readonly advice?: string
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
  empty: null,
  advice:
    "a repair puts it together from the revisions beside it and from the entity; where it stays, take back an export or a copy of the data folder"
}
const noFrontMatter = '{"title":null,"aliases":[],"tags":[],"type":null,"other":{}}'

/** Without a claim it is never given again. */
const noAnswer = '{"answer":"","claims":[],"checks":[],"sources":[],"entityIds":[],"verdict":null}'
const noDetails = '{"schemes":[],"topOf":[],"nameLanguage":null,"described":null,"texts":[]}'

/** All of them. */
const structured: ReadonlyArray<Structured> = [
  { table: "document", column: "front_matter", shape: "object", ...ofDocument, empty: noFrontMatter },
  // What nobody can have said: it is worth what a new document is, until the trail is asked what somebody said.
  {
    table: "document",
    column: "verification",
    ...ofDocument,
    words: Verification.options,
    empty: "unverified"
  },
  { table: "chunk", column: "heading_path", shape: "array", what: "passage", key: "id", empty: "[]" },
  { ...ofEntity, column: "steward_ids", shape: "array" },
  { ...ofEntity, column: "person_fields", shape: "array" },
  { ...ofEntity, column: "merged_ids", shape: "array" },
  // Any will do: what stands in the history takes its place.
  { ...ofEntity, column: "authority", words: Authority.options, empty: "machine_extracted" },
  { ...ofEntity, column: "lifecycle", words: Lifecycle.options, empty: "draft" },
  { ...ofEntity, column: "origin", words: Origin.options, empty: "extraction" },
  { ...ofReading, column: "aliases", shape: "array", empty: "[]" },
  { ...ofReading, column: "targets", shape: "array", empty: "[]" },
  { ...ofRevision, column: "snapshot", shape: "revision" },
  { ...ofRevision, column: "diff", shape: "object" },
  {
    table: "answer_cache_entry",
    column: "kept",
    shape: "object",
    what: "cached answer",
    key: "id",
    empty: noAnswer
  },
  {
    table: "answer",
    column: "answer",
    shape: "object",
    what: "answer",
    key: "id",
    empty: null,
    advice:
      "nothing else is made from an answer: ask again, and remove the row by hand or take back an export"
  },
  {
    table: "policy_decision",
    column: "detail",
    shape: "object",
    what: "decision",
    key: "id",
    empty: null,
    advice: "nothing else is made from a decision: remove the row by hand, or take back an export"
  },
  {
    table: "calibration",
    column: "artefact",
    shape: "object",
    what: "calibration",
    key: "version",
    empty: null,
    advice: "calibrate again, and remove the row by hand or take back an export"
  },
  {
    table: "change_request",
    column: "payload",
    shape: "object",
    what: "change request",
    key: "id",
    empty: null,
    advice:
      "a repair takes what its approval did; where it stays, write by hand what was proposed, or take back an export"
  },
  {
    table: "concept",
    column: "details",
    shape: "object",
    what: "concept of",
    key: "entity_id",
    empty: noDetails
  },
  // A model of which nobody knows whether it counts is made anew.
  {
    table: "vector_model",
    column: "state",
    words: ["active", "building", "dropped"],
    what: "vector model",
    key: "id",
    empty: "dropped"
  },
  {
    table: "vocabulary_grouping",
    column: "details",
    shape: "object",
    what: "grouping",
    key: "iri",
    empty: null
  },
  { table: "vocabulary_import", column: "options", what: "import", key: "id", empty: null },
  { table: "vocabulary_import", column: "report", what: "import", key: "id", empty: "{}" },
  // Work that can be asked for again; how far it was, nobody asks any more.
  { table: "job", column: "payload", what: "job", key: "id", empty: "{}" },
  { table: "job", column: "progress", what: "job", key: "id", empty: "null" },
  { table: "audit", column: "details", shape: "object", what: "audit event", key: "id", empty: null }
]
