import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, expect } from "vitest"
import { type Atomic, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { PostingStore } from "../../core/search/lexical/index.js"
import {
  storedVector,
  VectorIndex,
  VectorStore,
  vectorIndexInspection
} from "../../core/search/vectors/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { feedOf, keyOf, vectorOf } from "./vector-feed.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

type Base = Atomic | Ids | WorkspaceStore

/** The contract of `PostingStore.inspection`, beside the store of the same database. */
export const postingInspectionLaws = <E>(
  name: string,
  layer: () => Layer.Layer<PostingStore | Base, E>
): void => {
  describe(`PostingStore.inspection: ${name}`, () => {
    contractTestsFor(layer)(
      "gives the stored parts of segments, and finds no orphan in a sound index",
      function* () {
        const [postings, inspection, scope, other] = [
          yield* PostingStore,
          (yield* PostingStore).inspection,
          yield* makeWorkspace,
          yield* makeWorkspace
        ]
        const blocks = Array.from({ length: 70 }, (_, place) => Uint8Array.from([place, 1]))
        const sizes = { chunkCount: 1, liveLength: 1, firstLabel: 1, lastLabel: 1, sizeBytes: 9 }
        yield* postings.add(scope, { id: "s", directory: Uint8Array.from([9]), blocks, ...sizes })
        const parts = yield* Stream.runCollect(inspection.segmentParts(scope, "s"))
        expect(Chunk.toReadonlyArray(parts)).toEqual([Uint8Array.from([9]), ...blocks])
        expect(Chunk.size(yield* Stream.runCollect(inspection.segmentParts(other, "s")))).toBe(0)
        yield* inspection.removeOrphans(scope)
        expect(yield* inspection.orphanCount(scope)).toBe(0)
        expect(Chunk.size(yield* Stream.runCollect(inspection.segmentParts(scope, "s")))).toBe(71)
      }
    )
  })
}

/** The contract of `VectorStore.inspection`, beside the store of the same database. */
export const vectorInspectionLaws = <E>(
  name: string,
  layer: () => Layer.Layer<VectorStore | Base, E>
): void => {
  describe(`VectorStore.inspection: ${name}`, () => {
    contractTestsFor(layer)("gives the stored vectors, and finds no orphan in a sound store", function* () {
      const [vectors, inspection, ids, scope, other] = [
        yield* VectorStore,
        (yield* VectorStore).inspection,
        yield* Ids,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const drift = { chunks: 0, terms: 0, unknownTerms: 0 }
      const model = { id: "m", dimensions: 2, cursor: 0, fittedChunks: 0, drift, createdAt: at }
      yield* vectors.begin(scope, model, new Uint8Array())
      const documentId = ids.make("document")
      const vector = storedVector(Float32Array.from([0.6, 0.8]))
      yield* vectors.put(
        scope,
        "m",
        [4, 2, 7].map((label) => ({ label, documentId, textHash: `h${label}`, vector }))
      )
      yield* vectors.remove(scope, "m", [4])
      const rows = yield* inspection.vectorsAfter(scope, "m", -1, 9)
      expect(rows.map(({ label, textHash }) => [label, textHash])).toEqual([
        [2, "h2"],
        [7, "h7"]
      ])
      expect(rows[0]).toMatchObject({ documentId, vector })
      expect((yield* inspection.vectorsAfter(scope, "m", 2, 1)).map(({ label }) => label)).toEqual([7])
      expect(yield* inspection.vectorsAfter(other, "m", -1, 9)).toEqual([])
      yield* inspection.removeOrphans(scope)
      expect(yield* inspection.orphanCount(scope)).toBe(0)
      expect(yield* inspection.vectorsAfter(scope, "m", -1, 9)).toHaveLength(2)
    })
  })
}

/** The law of `VectorIndex.inspection`. */
export const vectorIndexInspectionLaws = <E>(
  name: string,
  layer: () => Layer.Layer<VectorIndex, E>,
  /** Changes the bytes of whatever is kept on disk; false when nothing is. */
  harm: () => boolean
): void => {
  describe(`VectorIndex.inspection: ${name}`, () => {
    contractTestsFor(layer)(
      "finds nothing wrong with what was written, says so when it was changed, and again nothing once it is dropped",
      function* () {
        const [inspection, index] = [yield* vectorIndexInspection, yield* VectorIndex]
        const key = keyOf("a")
        const feed = feedOf(key)
        const damage = (of = key, head = 200) => inspection.damage(of, Effect.succeed(head))
        expect(yield* damage()).toBeNull()
        yield* feed.add(Array.from({ length: 200 }, (_, at) => ({ seq: 0, label: at, vector: vectorOf(at) })))
        yield* feed.build
        expect(yield* damage()).toBeNull()
        const measured = yield* inspection.recall(key)
        if (measured !== null) expect(measured.recall).toBeGreaterThan(0.9)
        // State of a database that was restored to an earlier point.
        const later = yield* damage(key, 199)
        if (harm()) {
          expect(later).toMatch(/later state/)
          expect(measured).toMatchObject({ queries: 20 })
          expect(yield* damage()).toMatch(/\w/)
          expect(yield* inspection.recall(key)).toBeNull()
        } else expect(later).toBeNull()
        expect(yield* damage(keyOf("b"))).toBeNull()
        yield* index.drop(key)
        expect(yield* damage()).toBeNull()
      }
    )
  })
}
