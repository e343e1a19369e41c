import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type Atomic, atomically, Ids, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { storedVector, type VectorModel, VectorStore } from "../../core/search/vectors/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { vectorInspectionLaws } from "./index-inspections.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

const model = (id: string): Omit<VectorModel, "state"> => ({
  id,
  dimensions: 2,
  cursor: 7,
  fittedChunks: 3,
  drift: { chunks: 0, terms: 0, unknownTerms: 0 },
  createdAt: at
})

const artefact = Uint8Array.from([1, 2, 3])
const vectorOf = (label: number) => storedVector(Float32Array.from([Math.cos(label), Math.sin(label)]))

/** Begins and activates a model. */
const activeModel = (scope: WorkspaceScope, id: string) =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    yield* store.begin(scope, model(id), artefact)
    expect(yield* store.activate(scope, id)).toBe(true)
  })

const put = (scope: WorkspaceScope, id: string, labels: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const documentId = ids.derive("document", "one")
    return yield* (yield* VectorStore).put(
      scope,
      id,
      labels.map((label) => ({ label, documentId, textHash: `h${label}`, vector: vectorOf(label) }))
    )
  })

/** The laws of `VectorStore`. `layer` gives an empty store each time. */
export const vectorStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<VectorStore | WorkspaceStore | Ids | Atomic, E>
): void => {
  vectorInspectionLaws(name, layer)
  describe(`VectorStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("keeps models and artefacts, and lets one model build beside the active one", function* () {
      const store = yield* VectorStore
      const scope = yield* makeWorkspace
      yield* activeModel(scope, "a")
      yield* store.begin(scope, model("b"), artefact)
      yield* store.begin(scope, model("c"), new Uint8Array())
      const models = yield* store.models(scope)
      expect(models.map(({ id, state }) => [id, state])).toEqual([
        ["a", "active"],
        ["c", "building"]
      ])
      expect(models[0]).toEqual({ ...model("a"), state: "active" })
      expect(Option.getOrNull(yield* store.artefact(scope, "a"))).toEqual(artefact)
      expect(Option.getOrNull(yield* store.artefact(scope, "c"))).toEqual(new Uint8Array())
      expect(Option.isNone(yield* store.artefact(scope, "b"))).toBe(true)
      expect(yield* store.activate(scope, "b")).toBe(false)
      expect(yield* store.activate(scope, "c")).toBe(true)
      expect((yield* store.models(scope)).map(({ id }) => id)).toEqual(["c"])
    })

    law("keeps a model beside the main one, which replaces only those of its own place", function* () {
      const store = yield* VectorStore
      const scope = yield* makeWorkspace
      yield* activeModel(scope, "a")
      yield* store.begin(scope, model("b"), artefact)
      yield* store.begin(scope, model("c"), artefact, "beside")
      expect(yield* store.activate(scope, "c")).toBe(true)
      yield* store.begin(scope, model("d"), artefact, "beside")
      yield* store.setTrust(scope, "a", 0.25)
      const models = yield* store.models(scope)
      expect(models.map(({ id, state, trust }) => [id, state, trust])).toEqual([
        ["a", "active", 0.25],
        ["b", "building", undefined],
        ["c", "beside", undefined],
        ["d", "beside_building", undefined]
      ])
      expect(yield* store.activate(scope, "d")).toBe(true)
      expect(yield* store.activate(scope, "b")).toBe(true)
      expect((yield* store.models(scope)).map(({ id, state }) => [id, state])).toEqual([
        ["b", "active"],
        ["d", "beside"]
      ])
    })

    law("drops the former model with its vectors in the step that activates the next", function* () {
      const store = yield* VectorStore
      const scope = yield* makeWorkspace
      yield* activeModel(scope, "a")
      yield* put(scope, "a", [1, 2, 3])
      yield* activeModel(scope, "b")
      expect(yield* store.since(scope, "a", 0, 10)).toEqual([])
      expect(yield* store.vectors(scope, "a", [1, 2, 3])).toEqual([])
      expect(yield* put(scope, "a", [4])).toBe(false)
      expect(yield* store.sweep(scope, 2)).toBe(2)
      expect(yield* store.sweep(scope, 2)).toBe(1)
      expect(yield* store.sweep(scope, 2)).toBe(0)
    })

    law(
      "begins a dropped model anew without its old vectors, above every old number of the feed",
      function* () {
        const store = yield* VectorStore
        const scope = yield* makeWorkspace
        yield* activeModel(scope, "a")
        yield* put(scope, "a", [1, 2, 3])
        const { head } = yield* store.feed(scope, "a")
        yield* store.drop(scope, "a")
        expect(yield* store.feed(scope, "a")).toEqual({ head: 0, floor: 0 })
        yield* store.begin(scope, model("a"), artefact)
        expect(yield* store.since(scope, "a", 0, 10)).toEqual([])
        expect((yield* store.feed(scope, "a")).floor).toBeGreaterThan(head)
      }
    )

    law("tells puts, replacements and removals in order, and to a newcomer only what still is", function* () {
      const store = yield* VectorStore
      const scope = yield* makeWorkspace
      yield* activeModel(scope, "a")
      yield* put(scope, "a", [1, 2, 3])
      const { head } = yield* store.feed(scope, "a")
      yield* put(scope, "a", [2])
      yield* store.remove(scope, "a", [3, 99])
      const news = yield* store.since(scope, "a", head, 10)
      expect(yield* store.count(scope, "a", head)).toBe(news.length)
      expect(news.map(({ label, vector }) => [label, vector === null])).toEqual([
        [2, false],
        [3, true]
      ])
      expect(news.every(({ seq }, place) => seq > (news[place - 1]?.seq ?? head))).toBe(true)
      expect((yield* store.feed(scope, "a")).head).toBe(news[1]?.seq)
      const all = yield* store.since(scope, "a", 0, 10)
      expect(yield* store.count(scope, "a", 0)).toBe(all.length)
      expect(all.map(({ label }) => label)).toEqual([1, 2])
      expect(all[1]?.vector).toEqual(vectorOf(2))
      expect((yield* store.since(scope, "a", 0, 1)).map(({ label }) => label)).toEqual([1])
    })

    law("forgets old removals in time and says up to where", function* () {
      const store = yield* VectorStore
      const scope = yield* makeWorkspace
      yield* activeModel(scope, "a")
      const before = yield* store.feed(scope, "a")
      const labels = Array.from({ length: 2500 }, (_, i) => i + 1)
      yield* put(scope, "a", labels)
      yield* store.remove(scope, "a", labels.slice(0, 2400))
      const { floor, head } = yield* store.feed(scope, "a")
      expect(floor).toBeGreaterThan(before.floor)
      const kept = yield* store.since(scope, "a", floor, 5000)
      expect(kept.length).toBe(head - floor)
      expect((yield* store.since(scope, "a", 0, 5000)).length).toBe(100)
    })

    law("keeps progress, and vectors by document with the digest of their text", function* () {
      const store = yield* VectorStore
      const scope = yield* makeWorkspace
      const document = (yield* Ids).derive("document", "one")
      yield* activeModel(scope, "a")
      yield* put(scope, "a", [5, 4])
      yield* store.remove(scope, "a", [5])
      expect(yield* store.ofDocuments(scope, "a", [document])).toEqual([
        { label: 4, documentId: document, textHash: "h4" }
      ])
      const drift = { chunks: 2, terms: 30, unknownTerms: 4 }
      yield* store.advance(scope, "a", { cursor: 11, drift })
      expect((yield* store.models(scope))[0]).toMatchObject({ cursor: 11, drift })
      expect(yield* store.vectors(scope, "a", [4, 5, 6])).toEqual([{ label: 4, vector: vectorOf(4) }])
    })

    law("stores nothing of a unit of work that fails", function* () {
      const store = yield* VectorStore
      const scope = yield* makeWorkspace
      yield* activeModel(scope, "a")
      const before = yield* store.feed(scope, "a")
      const broken = atomically(Effect.zipRight(put(scope, "a", [1]), Effect.fail("no" as const)))
      expect(yield* Effect.flip(broken)).toBe("no")
      expect(yield* store.feed(scope, "a")).toEqual(before)
      expect(yield* store.vectors(scope, "a", [1])).toEqual([])
    })

    law("gives every one of many writers numbers of their own", function* () {
      const store = yield* VectorStore
      const scope = yield* makeWorkspace
      yield* activeModel(scope, "a")
      yield* Effect.forEach(
        Array.from({ length: 8 }, (_, i) => i * 10),
        (from) => put(scope, "a", [from + 1, from + 2]),
        { concurrency: 8 }
      )
      const all = yield* store.since(scope, "a", 0, 100)
      expect(new Set(all.map(({ seq }) => seq)).size).toBe(16)
    })

    law("shows nothing to another workspace", function* () {
      const store = yield* VectorStore
      const [own, foreign] = [yield* makeWorkspace, yield* makeWorkspace]
      yield* activeModel(own, "a")
      yield* put(own, "a", [1])
      yield* store.remove(foreign, "a", [1])
      yield* store.drop(foreign, "a")
      expect(yield* store.models(foreign)).toEqual([])
      expect(yield* store.vectors(foreign, "a", [1])).toEqual([])
      expect(yield* store.since(foreign, "a", 0, 10)).toEqual([])
      expect(yield* store.count(foreign, "a", 0)).toBe(0)
      expect((yield* store.vectors(own, "a", [1])).length).toBe(1)
    })
  })
}
