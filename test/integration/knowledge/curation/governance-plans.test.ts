import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { sqlDocumentStore } from "../../../../adapters/sql/files/documents/document-store.js"
import { sqlEntityStore } from "../../../../adapters/sql/knowledge/entities/entity-store.js"
import { sqlOverviewStore } from "../../../../adapters/sql/upkeep/overview/overview-store.js"
import { DocumentStore } from "../../../../core/files/documents/index.js"
import { EntityStore } from "../../../../core/knowledge/entities/index.js"
import { ChunkId, DocumentId, EntityId, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { OverviewStore } from "../../../../core/upkeep/overview/index.js"
import { baseLayer, makeWorkspace, runEffect } from "../../../support/run.js"

const document = DocumentId.parse("doc_00000000000000000000000000")
const entity = EntityId.parse("ent_00000000000000000000000000")
const passage = ChunkId.parse("chk_00000000000000000000000000")
/** As many as a search may want at once. */
const passagesFound = Array.from({ length: 100 }, (_, at) => at)
const page = { limit: 50, offset: 0 }
const at = "2026-11-21T00:00:00.000Z"
const everybody = { at, ownerId: undefined }
const ada = { at, ownerId: "ada" }

type Reads = (
  overview: OverviewStore["Type"],
  workspace: WorkspaceScope,
  entities: EntityStore["Type"],
  documents: DocumentStore["Type"]
) => Effect.Effect<unknown>

/** How the database would go about every statement of a read, line by line. */
const plansOf = (read: Reads) =>
  runEffect(
    Effect.gen(function* () {
      const [sql, overview, entities] = [yield* SqlClient.SqlClient, yield* OverviewStore, yield* EntityStore]
      const documents = yield* DocumentStore
      const workspace = yield* makeWorkspace()
      const said: Array<readonly [string, ReadonlyArray<unknown>]> = []
      yield* read(overview, workspace, entities, documents).pipe(
        Statement.withTransformer((statement) => {
          said.push(statement.compile())
          return Effect.succeed(statement)
        })
      )
      const tables = yield* sql<{ name: string }>`select name from sqlite_schema where type = 'table'`
      const known = new Set(tables.map(({ name }) => name))
      return yield* Effect.forEach(said, ([text, values]) =>
        Effect.map(sql.unsafe<{ detail: string }>(`explain query plan ${text}`, values), (rows) => ({
          text,
          lines: rows.map(({ detail }) => detail),
          tables: tablesIn(text, known)
        }))
      )
    }).pipe(
      Effect.provide(
        Layer.provideMerge(Layer.mergeAll(sqlOverviewStore, sqlEntityStore, sqlDocumentStore), baseLayer())
      )
    )
  )

/** Returns the names of tables in a statement, and their aliases. */
const tablesIn = (text: string, known: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/\b(?:from|join)\s+(\w+)(?:\s+(\w+))?/g)].flatMap(([, table = "", alias]) =>
      known.has(table) && !ofFewRows.has(table) ? [table, ...(alias === undefined ? [] : [alias])] : []
    )
  )

/** A workspace has three models of vectors at most. */
const ofFewRows = new Set(["vector_model"])

/** A look at every row, or at every row of the workspace in the order of their keys. */
const wholeTable = /^(?:SCAN|SEARCH) (\w+)(?: USING PRIMARY KEY \(workspace_id=\?\))?$/

const reads: ReadonlyArray<readonly [string, Reads, ReadonlyArray<string>]> = [
  [
    "the manifest's counts",
    (store, workspace) => store.counts(workspace, at),
    ["entity_counts", "document_counts", "edge_in"]
  ],
  ["the manifest's hubs", (store, workspace) => store.hubs(workspace, 25), ["edge_", "entity_head"]],
  [
    "a list of entities",
    (_store, workspace, entities) => entities.list(workspace, page, {}),
    ["entity_rank"]
  ],
  [
    "a list of entities of a type",
    (_store, workspace, entities) => entities.list(workspace, page, { type: "person" }),
    ["entity_type_rank"]
  ],
  [
    "the cards of some entities",
    (_store, workspace, entities) => entities.briefs(workspace, [entity]),
    ["entity_members"]
  ],
  [
    "how much there is to do",
    (store, workspace) => store.tendCounts(workspace, everybody),
    ["entity_due", "entity_counts", "entity_ownerless", "change_request_open", "document_due"]
  ],
  [
    "what somebody has to do",
    (store, workspace) => store.tendCounts(workspace, ada),
    ["entity_owner", "change_request_open", "document_due"]
  ],
  [
    "what is overdue",
    (store, workspace) => store.entitiesToTend(workspace, "overdue", everybody, page),
    ["entity_due"]
  ],
  [
    "what was never reviewed",
    (store, workspace) => store.entitiesToTend(workspace, "never_reviewed", everybody, page),
    ["entity_"]
  ],
  [
    "what has no owner",
    (store, workspace) => store.entitiesToTend(workspace, "ownerless", everybody, page),
    ["entity_"]
  ],
  [
    "what is contested",
    (store, workspace) => store.entitiesToTend(workspace, "contested", everybody, page),
    ["change_request_open"]
  ],
  [
    "which documents are due",
    (store, workspace) => store.documentsDue(workspace, everybody, page),
    ["document_due"]
  ],
  ["the lineage of a document", (store, workspace) => store.lineage(workspace, document), ["chunk_document"]],
  ["what hangs on an entity", (store, workspace) => store.impact(workspace, entity), ["entity_head"]],
  [
    "the passages that a search found",
    (_store, workspace, _entities, documents) => documents.passages(workspace, passagesFound),
    ["sqlite_autoindex_chunk_1"]
  ],
  ["a passage", (store, workspace) => store.chunk(workspace, passage, 2), ["chunk_id"]],
  ["the edges of some entities", (store, workspace) => store.edgesOf(workspace, [entity]), ["edge_in"]],
  [
    "what is written of some entities",
    (store, workspace) => store.passagesAbout(workspace, [entity], 16),
    ["entity_head", "mention_entity"]
  ]
]

describe("the plans of the database", () => {
  it.each(reads)("reach %s by indexes, never by a look at a whole table", async (_what, read, indexes) => {
    const plans = await plansOf(read)
    expect(plans.length).toBeGreaterThan(0)
    for (const { lines, tables, text } of plans) {
      const scanned = lines.filter((line) => {
        const name = wholeTable.exec(line)?.[1]
        return name !== undefined && tables.has(name)
      })
      expect(scanned, `${text}\n${lines.join("\n")}`).toEqual([])
    }
    const used = plans.flatMap(({ lines }) => lines).join("\n")
    for (const index of indexes) expect(used).toContain(`INDEX ${index}`)
  })

  it("would show a look at a whole table", async () => {
    const plans = await plansOf(() => Effect.void)
    expect(plans).toEqual([])
    const scan = await runEffect(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ detail: string }>`explain query plan select * from entity e where e.name = 'a'`
      ).pipe(Effect.provide(baseLayer()))
    )
    expect(scan.map(({ detail }) => detail)).toEqual(["SCAN e"])
    expect([...tablesIn("select * from entity e where 1", new Set(["entity"]))]).toEqual(["entity", "e"])
  })
})
