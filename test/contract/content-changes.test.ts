import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { contentStamp } from "../../adapters/sql/content-changes.js"
import { sqlDocumentStore } from "../../adapters/sql/files/documents/document-store.js"
import { sqlPostingStore } from "../../adapters/sql/search/lexical/posting-store.js"
import { sqlVectorStore } from "../../adapters/sql/search/vectors/vector-store.js"
import { DocumentStore } from "../../core/files/documents/index.js"
import { atomically, type Ids, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"
import { PostingStore } from "../../core/search/lexical/index.js"
import { storedVector, VectorStore } from "../../core/search/vectors/index.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer, makeWorkspace, runEffect } from "../support/run.js"
import { chunk, document } from "./document-store-world.js"
import { lawsAt as at } from "./workspace.js"

const bytes = Uint8Array.from([1])
const segment = {
  id: "1-1",
  chunkCount: 2,
  liveLength: 30,
  firstLabel: 1,
  lastLabel: 2,
  sizeBytes: 1,
  directory: bytes,
  blocks: [bytes]
}
const oneDead = { deadId: "first", deadCount: 1, liveLength: 10, dead: bytes }
const model = {
  dimensions: 2,
  cursor: 7,
  fittedChunks: 3,
  drift: { chunks: 0, terms: 0, unknownTerms: 0 },
  createdAt: at
}

type Write = readonly [method: string, write: Effect.Effect<unknown, unknown>]

/** Methods and parts of each port that write nothing that searches read; the rebuilds of `inspection` are apart. */
const others: Readonly<Record<string, ReadonlyArray<string>>> = {
  PostingStore: ["inspection", "stamp", "segments", "directory", "dead", "blocks", "visibleLabels"],
  VectorStore: ["inspection", "models", "artefact", "ofDocuments", "since", "count", "feed", "vectors"],
  WorkspaceStore: [
    "secrets",
    "usage",
    "get",
    "first",
    "list",
    "readable",
    "vault",
    "setVault",
    "chunker",
    "setChunker",
    "revision",
    "advance"
  ],
  // Reads; and writes of contents, versions, tags and file operations, which searches do not remember.
  DocumentStore: [
    "find findMany sizes findByPath list folders hasVerified stamps trashStamps counts changesSince trashed",
    "trashedBefore pruneVersions takeLabels chunks firstLabels passages passageById labels allPassages",
    "keepContent content contents openIntent openIntents closeIntent lastIntent addVersions versions version",
    "noteIndexing indexing inspection proposals"
  ].flatMap((names) => names.split(" "))
}

/** Every writing method of the ports whose tables searches read, in an order in which each of them writes. */
const writesOf = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const [postings, vectors, documents, workspaces] = [
      yield* PostingStore,
      yield* VectorStore,
      yield* DocumentStore,
      yield* WorkspaceStore
    ]
    const one = yield* document("one.md")
    const gone = { ...one, seq: 1, deletedAt: at }
    const passage = yield* chunk(one, 1, 0, "text")
    const vector = {
      label: 1,
      documentId: one.id,
      textHash: "h",
      vector: storedVector(Float32Array.of(1, 0))
    }
    const settings = Settings.parse({ general: {} })
    const named = (port: string, all: object, writes: ReadonlyArray<Write>) => {
      const known = new Set([...writes.map(([method]) => method), ...(others[port] ?? [])])
      expect([port, Object.keys(all).filter((method) => !known.has(method))]).toEqual([port, []])
      return writes.map(([method, write]): Write => [`${port}.${method}`, write])
    }
    return [
      ...named("WorkspaceStore", workspaces, [
        ["update", workspaces.update({ id: workspace, name: "other", settings }, at)],
        ["insert", Effect.void]
      ]).slice(0, 1),
      ...named("PostingStore", postings, [
        ["add", postings.add(workspace, segment)],
        ["remove", postings.remove(workspace, "1-1", { deadId: "" }, oneDead)],
        ["replace", postings.replace(workspace, [{ id: "1-1", deadId: "first" }], { ...segment, id: "1-2" })],
        ["clear", postings.clear(workspace)]
      ]),
      ...named("DocumentStore", documents, [
        ["save", documents.save(workspace, [{ before: null, after: one }])],
        ["touch", documents.touch(workspace, [{ ...one, sizeBytes: 11 }])],
        ["changeChunks", documents.changeChunks(workspace, { added: [passage], kept: [], removed: [] })],
        ["changeChunks", documents.changeChunks(workspace, { added: [], kept: [passage], removed: [] })],
        ["changeChunks", documents.changeChunks(workspace, { added: [], kept: [], removed: [passage] })],
        ["save", documents.save(workspace, [{ before: { ...one, seq: 1 }, after: gone }])],
        ["purge", documents.purge(workspace, [one.id], "2027-01-01T00:00:00.000Z")]
      ]),
      ...named("VectorStore", vectors, [
        ["begin", vectors.begin(workspace, { id: "a", ...model }, bytes)],
        ["activate", vectors.activate(workspace, "a")],
        ["setTrust", vectors.setTrust(workspace, "a", 0.5)],
        ["put", vectors.put(workspace, "a", [vector])],
        ["advance", vectors.advance(workspace, "a", { cursor: 9, drift: model.drift })],
        ["remove", vectors.remove(workspace, "a", [1])],
        ["drop", vectors.drop(workspace, "a")],
        ["sweep", vectors.sweep(workspace, 10)]
      ])
    ]
  })

const stores = <E>(
  base: Layer.Layer<
    SqlClient.SqlClient | Ids | WorkspaceStore | Layer.Layer.Success<ReturnType<typeof baseLayer>>,
    E
  >
) => Layer.provideMerge(Layer.mergeAll(sqlPostingStore, sqlVectorStore, sqlDocumentStore), base)

const databases = { SQLite: () => stores(baseLayer()), Postgres: () => stores(postgresBase()) }

describe.each(Object.entries(databases))("the stamp of searchable content on %s", (_, layer) => {
  const run = <A, E>(proof: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof layer>>>): Promise<A> =>
    runEffect(Effect.scoped(Effect.provide(proof, layer())))

  it.each([
    ["by itself", <A, E, R>(write: Effect.Effect<A, E, R>) => write],
    ["within a unit of work", atomically]
  ])("is another one after every writing method of a port, %s", (_how, within) =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [workspace, other] = [yield* makeWorkspace(), yield* makeWorkspace("other")]
        const elsewhere = yield* contentStamp(sql, other)
        expect(elsewhere).not.toBeNull()
        for (const [method, write] of yield* writesOf(workspace)) {
          const before = yield* contentStamp(sql, workspace)
          yield* within(write)
          expect([method, yield* contentStamp(sql, workspace)]).not.toEqual([method, before])
        }
        expect(yield* contentStamp(sql, other)).toBe(elsewhere)
      })
    )
  )

  it("stays the same where the write is undone", () =>
    run(
      Effect.gen(function* () {
        const [sql, postings] = [yield* SqlClient.SqlClient, yield* PostingStore]
        const workspace = yield* makeWorkspace()
        const before = yield* contentStamp(sql, workspace)
        yield* Effect.flip(atomically(Effect.zipRight(postings.add(workspace, segment), Effect.fail("no"))))
        expect(yield* contentStamp(sql, workspace)).toBe(before)
      })
    ))
})
