import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sqlDocumentStore } from "../../../../adapters/sql/files/documents/document-store.js"
import { sqlPostingStore } from "../../../../adapters/sql/search/lexical/posting-store.js"
import { directoryVault } from "../../../../adapters/vault/directory.js"
import {
  completedFileOperations,
  DocumentStore,
  documentOperations,
  type Passage
} from "../../../../core/files/documents/index.js"
import { fileSync } from "../../../../core/files/vault-sync/index.js"
import { isStorableText, runOperation, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { ModelFailed, Models, type Reranker } from "../../../../core/platform/models/index.js"
import { changeSettings, Settings } from "../../../../core/platform/workspace/index.js"
import {
  chunkIndex,
  PostingStore,
  repairLexicalIndex,
  segmentReader
} from "../../../../core/search/lexical/index.js"
import { retrievalOperations, retrieve, searchCache } from "../../../../core/search/retrieval/index.js"
import { type ScoredLabel, VectorChannel } from "../../../../core/search/vectors/index.js"
import { withFolder } from "../../../support/documents.js"
import { jobsLayer } from "../../../support/jobs.js"
import { asCaller, baseLayer, makeWorkspace, runEffect } from "../../../support/run.js"

interface Given {
  readonly reranker?: Reranker["Type"]
  /** Returns the hits of the vector channel, from the labels of all passages by title. */
  readonly vectors?: (labels: ReadonlyMap<string, number>) => ReadonlyArray<ScoredLabel>
  readonly builtIn?: boolean
  /** How far an embedding model was measured to be trusted; by default one that is not built in fully is. */
  readonly trust?: number | "unmeasured"
  /** The documents that have no vector yet, by title. */
  readonly pending?: ReadonlyArray<string>
}

/** Runs a proof over an engine with the given documents (path to content). */
const withDocuments = <A, E>(
  contents: Readonly<Record<string, string>>,
  given: Given,
  proof: (workspace: WorkspaceScope) => Effect.Effect<A, E, Needs>
) =>
  withFolder((root) => {
    const labels = new Map<string, number>()
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        for (const [path, content] of Object.entries(contents))
          yield* asCaller(workspace)(runOperation(documentOperations.createDocument, { path, content }))
        for (const passage of yield* allPassages(workspace)) labels.set(passage.docTitle, passage.label)
        return yield* proof(workspace)
      }).pipe(Effect.provide(searchLayer(root, given, labels)), Logger.withMinimumLogLevel(LogLevel.None))
    )
  })

type Needs = Layer.Layer.Success<ReturnType<typeof searchLayer>>

const searchLayer = (root: string, given: Given, labels: ReadonlyMap<string, number>) =>
  fileSync.pipe(
    Layer.provideMerge(Layer.mergeAll(chunkIndex, completedFileOperations)),
    Layer.provideMerge(Layer.merge(segmentReader(), searchCache())),
    Layer.provideMerge(Layer.mergeAll(sqlPostingStore, sqlDocumentStore)),
    Layer.provideMerge(Layer.mergeAll(jobsLayer, directoryVault(root))),
    Layer.provideMerge(baseLayer()),
    Layer.provideMerge(
      Layer.succeed(VectorChannel, {
        search: () =>
          Effect.sync(() => ({
            hits: given.vectors?.(labels) ?? [],
            builtIn: given.builtIn ?? true,
            ...(given.builtIn === false && given.trust !== "unmeasured" ? { trust: given.trust ?? 1 } : {}),
            pending: (given.pending ?? []).map((title) => labels.get(title) ?? 0)
          }))
      })
    ),
    Layer.provideMerge(
      Layer.succeed(Models, {
        chat: Option.none(),
        embedder: Option.none(),
        reranker: Option.fromNullable(given.reranker)
      })
    )
  )

const allPassages = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    return yield* documents.passages(workspace, yield* documents.labels(workspace, {}))
  })

const search = (workspace: WorkspaceScope, input: Record<string, unknown>) =>
  asCaller(workspace)(runOperation(retrievalOperations.search, input))

const note = (title: string, text: string, matter = "") => `---\ntitle: ${title}\n${matter}---\n\n${text}\n`

const pumps = {
  "ops/pump.md": note("Pump manual", "The pump KX-2041 must be **primed** before start.", "tags: [ops]\n"),
  "ops/valve.md": note("Valve manual", "The valve closes when the pump stops."),
  "travel/kyoto.md": note("Kyoto", "東京都から京都まで新幹線で行く。")
}
const titles = (response: { readonly results: ReadonlyArray<{ readonly docTitle: string }> }) =>
  response.results.map(({ docTitle }) => docTitle)
/** The documents that were found, whatever their order and into how many chunks they are cut. */
const found = (response: Parameters<typeof titles>[0]) => [...new Set(titles(response))].sort()

describe("search", () => {
  it("finds by text alone, with all that a result shows", () =>
    withDocuments(pumps, {}, (workspace) =>
      Effect.gen(function* () {
        const response = yield* search(workspace, { q: "KX2041 primed" })
        expect(response).toMatchObject({ query: "KX2041 primed", total: 1 })
        expect(response.results[0]).toMatchObject({
          docTitle: "Pump manual",
          docPath: "ops/pump.md",
          channels: ["fts"],
          verification: "unverified",
          snippet: "The pump KX-2041 must be primed before start."
        })
        expect(response.results[0]).not.toHaveProperty("rerankScore")
        expect(titles(yield* search(workspace, { q: "京都" }))).toEqual(["Kyoto"])
        expect(titles(yield* search(workspace, { q: "pump", limit: 1 }))).toHaveLength(1)
        const all = yield* search(workspace, { q: "pump", limit: 50 })
        expect((yield* search(workspace, { q: "pump", limit: 1 })).total).toBe(all.results.length)
        expect(found(all)).toEqual(["Pump manual", "Valve manual"])
        expect(yield* search(workspace, { q: "  " })).toEqual({ query: "  ", results: [], total: 0 })
        expect(yield* search(workspace, {})).toEqual({ query: "", results: [], total: 0 })
        for (const limit of [0, 51, 1.5])
          expect((yield* Effect.flip(search(workspace, { q: "pump", limit })))._tag).toBe("InvalidInput")
      })
    ))

  it("takes any text as a query", () =>
    withDocuments(pumps, {}, (workspace) =>
      Effect.promise(() => Promise.resolve()).pipe(
        Effect.zipRight(
          Effect.forEach(
            [
              ...fc.sample(fc.string({ unit: "binary", maxLength: 200 }), 200).filter(isStorableText),
              '"',
              "*",
              "NEAR(a, b)",
              "a AND OR NOT",
              "-pump",
              "title:pump",
              "((((",
              "😀",
              "pump ".repeat(800)
            ],
            (q) => Effect.map(search(workspace, { q }), ({ query }) => expect(query).toBe(q))
          )
        )
      )
    ))

  it("narrows by path, tag and verification before anything is cut off", () =>
    withDocuments(pumps, {}, (workspace) =>
      Effect.gen(function* () {
        expect(titles(yield* search(workspace, { q: "pump", pathPrefix: "travel/" }))).toEqual([])
        expect(found(yield* search(workspace, { q: "pump", pathPrefix: "ops/" }))).toEqual([
          "Pump manual",
          "Valve manual"
        ])
        expect(found(yield* search(workspace, { q: "pump", tag: "ops" }))).toEqual(["Pump manual"])
        expect(titles(yield* search(workspace, { q: "pump", verification: "certified" }))).toEqual([])
      })
    ))

  it("never shows what was deleted, though vectors still point there", () =>
    withDocuments(
      pumps,
      { vectors: (labels) => [...labels.values()].map((label) => ({ label, score: 0.9 })) },
      (workspace) =>
        Effect.gen(function* () {
          const before = yield* search(workspace, { q: "pump" })
          expect(found(before)).toEqual(["Kyoto", "Pump manual", "Valve manual"])
          const gone = before.results.find(({ docTitle }) => docTitle === "Pump manual")
          yield* asCaller(workspace)(runOperation(documentOperations.deleteDocument, { id: gone?.docId }))
          const after = yield* search(workspace, { q: "pump" })
          expect(found(after)).toEqual(["Kyoto", "Valve manual"])
          expect(after.total).toBe(after.results.length)
        })
    ))

  it("fuses both channels and tells who found what", () =>
    withDocuments(
      pumps,
      { vectors: (labels) => [{ label: labels.get("Kyoto") ?? 0, score: 0.8 }], builtIn: false },
      (workspace) =>
        Effect.gen(function* () {
          const { passages, saturation, vectorWeight } = yield* retrieve(workspace, {
            query: "primed pump",
            limit: 10,
            rerank: false
          })
          expect(vectorWeight).toBe(1)
          expect(saturation).toBeGreaterThan(0)
          const told = passages.map(({ channels, passage, ranks }) => [passage.docTitle, channels, ranks])
          expect(told).toContainEqual(["Pump manual", ["fts"], { fts: 1 }])
          expect(told).toContainEqual(["Kyoto", ["vector"], { vector: 1 }])
          expect(passages.find(({ passage }) => passage.docTitle === "Kyoto")).toMatchObject({
            lexicalScore: null,
            vectorScore: 0.8,
            fusedScore: 1 / 61
          })
        })
    ))

  it.each([
    { pending: ["Pump manual"], first: "Pump manual", score: 2 / 61 },
    { pending: [], first: "Valve manual", score: 1 / 61 + 1 / 63 }
  ])("ranks what has no vector yet by its words alone: $pending", ({ first, pending, score }) =>
    withDocuments(
      pumps,
      {
        vectors: (labels) => [{ label: labels.get("Valve manual") ?? 0, score: 0.8 }],
        builtIn: false,
        pending
      },
      (workspace) =>
        Effect.gen(function* () {
          const [best] = (yield* retrieve(workspace, { query: "primed pump", limit: 1, rerank: false }))
            .passages
          expect(best).toMatchObject({ passage: { docTitle: first } })
          expect(best?.fusedScore).toBeCloseTo(score, 12)
          expect(best?.channels).toEqual(pending.length === 0 ? ["fts", "vector"] : ["fts"])
        })
    )
  )

  it("gives the built-in vectors the less weight, the better words alone answer", () =>
    withDocuments(
      pumps,
      { vectors: (labels) => [{ label: labels.get("Kyoto") ?? 0, score: 0.8 }] },
      (workspace) =>
        Effect.gen(function* () {
          for (const query of ["pump", "primed pump KX-2041", "pump unicorn dragon", "unicorn"]) {
            const { saturation, vectorWeight } = yield* retrieve(workspace, {
              query,
              limit: 5,
              rerank: false
            })
            expect(vectorWeight).toBeCloseTo(Math.min(1, Math.max(0.2, 1.2 - saturation)), 12)
          }
        })
    ))

  it("gives an embedding model that was not measured the weight of the built-in vectors", () => {
    const weightWith = (given: Given) =>
      withDocuments(
        pumps,
        { ...given, vectors: (labels) => [{ label: labels.get("Kyoto") ?? 0, score: 0.8 }] },
        (workspace) =>
          Effect.map(
            retrieve(workspace, { query: "primed pump", limit: 5, rerank: false }),
            ({ vectorWeight }) => vectorWeight
          )
      )
    return Promise.all([weightWith({}), weightWith({ builtIn: false, trust: "unmeasured" })]).then(
      ([builtIn, unmeasured]) => {
        expect(builtIn).toBeLessThan(1)
        expect(unmeasured).toBe(builtIn)
      }
    )
  })

  it("sinks what is deprecated and lifts what is certified", () =>
    withDocuments(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [`n${i}.md`, note(`Note ${i}`, `pump ${"word ".repeat(i)}`)])
      ),
      {},
      (workspace) =>
        Effect.gen(function* () {
          const store = yield* DocumentStore
          const verify = (title: string, verification: Passage["docVerification"]) =>
            Effect.gen(function* () {
              const { items } = yield* store.list(workspace, { limit: 100, offset: 0 }, {})
              const found = items.find((item) => item.title === title)
              if (found === undefined) throw new Error("It was there.")
              const before = yield* Effect.flatten(store.find(workspace, found.id))
              const after = {
                ...before,
                verification,
                nextVerifyAt: "2999-01-01T00:00:00.000Z",
                version: before.version + 1
              }
              yield* store.save(workspace, [{ before, after }])
            })
          const governance = { ...Settings.parse({}).retrieval.governance, certified: 1.1 }
          yield* asCaller(workspace)(changeSettings({ retrieval: { governance } }))
          const plain = titles(yield* search(workspace, { q: "pump", limit: 20 }))
          const [first = "", second = ""] = plain
          const tenth = plain[9] ?? ""
          // Far enough down that it rises only if the search looks beyond twice what is wanted: 1.1 / 71 > 1 / 65.
          const eleventh = plain[10] ?? ""
          yield* verify(eleventh, "certified")
          expect(titles(yield* search(workspace, { q: "pump", limit: 5 }))).toContain(eleventh)
          yield* verify(first, "deprecated")
          yield* verify(tenth, "certified")
          const governed = titles(yield* search(workspace, { q: "pump", limit: 5 }))
          expect(governed).not.toContain(first)
          expect(governed).toContain(second)
          expect(titles(yield* search(workspace, { q: "pump", limit: 20 })).indexOf(tenth)).toBeLessThan(9)
          // Ten ranks is all that a deprecated document loses.
          expect(titles(yield* search(workspace, { q: "pump", limit: 50 })).indexOf(first)).toBe(10)
        })
    ))

  const copies = {
    "a.md": note("Original", `pump ${"the same words again and again in one order ".repeat(5)}`),
    "b.md": note("Copy", `pump ${"the same words again and again in one order ".repeat(5)}`),
    "c.md": note("Other", "pump of another kind altogether")
  }
  const byLength: Reranker["Type"] = {
    modelId: "length",
    rerank: (_, passages) => Effect.succeed(passages.map((passage) => -passage.length))
  }

  it("lets the reranker order a pool without near-duplicates, when asked to", () =>
    withDocuments(copies, { reranker: byLength }, (workspace) =>
      Effect.gen(function* () {
        const reranked = yield* search(workspace, { q: "pump", rerank: true, limit: 50 })
        expect(titles(reranked)[0]).toBe("Other")
        expect(reranked.results).toHaveLength(2)
        expect(reranked.results.every(({ rerankScore }) => rerankScore !== undefined)).toBe(true)
        expect(reranked.total).toBe(3)
        expect((yield* search(workspace, { q: "pump" })).results).toHaveLength(3)
      })
    ))

  it.each<[string, Reranker["Type"]["rerank"]]>([
    ["fails", () => Effect.fail(new ModelFailed({ modelId: "x", message: "down", retryable: true }))],
    ["breaks", () => Effect.dieMessage("bug")],
    ["gives too few scores", () => Effect.succeed([1])],
    ["gives scores that are no numbers", (_, passages) => Effect.succeed(passages.map(() => Number.NaN))],
    ["does not answer in time", () => Effect.never]
  ])("keeps its order when the reranker %s", (_, rerank) =>
    withDocuments(copies, { reranker: { modelId: "x", rerank } }, (workspace) =>
      Effect.gen(function* () {
        const plain = yield* search(workspace, { q: "pump" })
        expect(yield* search(workspace, { q: "pump", rerank: true })).toEqual(plain)
      })
    )
  )

  it("is made anew when it does not hold what the documents hold", () =>
    withDocuments(pumps, {}, (workspace) =>
      Effect.gen(function* () {
        const before = yield* search(workspace, { q: "pump" })
        expect(yield* repairLexicalIndex(workspace)).toBe(false)
        yield* (yield* PostingStore).clear(workspace)
        expect((yield* search(workspace, { q: "pump" })).total).toBe(0)
        expect(yield* repairLexicalIndex(workspace)).toBe(true)
        expect(yield* search(workspace, { q: "pump" })).toEqual(before)
        expect(yield* repairLexicalIndex(workspace)).toBe(false)
      })
    ))
})
