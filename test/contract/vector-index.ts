import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { type VectorChange, VectorIndex, type VectorIndexKey } from "../../core/search/vectors/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { vectorIndexInspectionLaws } from "./index-inspections.js"
import { dimensions, feedOf, keyOf, vectorNear, vectorOf } from "./vector-feed.js"

const home = keyOf("a")

const puts = (labels: ReadonlyArray<number>, from = 0): ReadonlyArray<VectorChange> =>
  labels.map((label, place) => ({ seq: from + place + 1, label, vector: vectorOf(label) }))

/** Supports whatever an index holds. */
const anyFeed = { floor: 0, head: Number.MAX_SAFE_INTEGER }

const range = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i)

/** The true order: inner products of all, best first, equal ones by label. */
const oracle = (labels: ReadonlyArray<number>, query: Float32Array, limit: number) =>
  labels
    .map((label) => ({
      label,
      score: vectorOf(label).reduce((sum, value, place) => sum + value * (query[place] ?? 0), 0)
    }))
    .sort((a, b) => b.score - a.score || a.label - b.label)
    .slice(0, limit)

/** The share of the true neighbours that were found. */
const recall = (
  found: ReadonlyArray<{ readonly label: number }>,
  wanted: ReadonlyArray<{ readonly label: number }>
) => {
  const labels = new Set(found.map(({ label }) => label))
  return wanted.filter(({ label }) => labels.has(label)).length / wanted.length
}

/**
 * The laws of `VectorIndex`. `layer` gives an empty index each time; `recallMin` is 1 for an exact one. `holdsCopies` is
 * false for an index whose graph is another program's and bounds neither recall nor hits among equal vectors.
 * `harm` changes the bytes of what the index keeps on disk, and returns false when it keeps nothing; with it the suite
 * tests the inspection, too.
 */
export const vectorIndexContract = <E>(
  name: string,
  layer: () => Layer.Layer<VectorIndex, E>,
  {
    recallMin,
    holdsCopies = true,
    harm
  }: { readonly recallMin: number; readonly holdsCopies?: boolean; readonly harm?: () => boolean }
): void => {
  if (harm !== undefined) vectorIndexInspectionLaws(name, layer, harm)
  describe(`VectorIndex: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("is empty at first and stands at 0", function* () {
      const index = yield* VectorIndex
      expect(yield* index.position(home, anyFeed)).toBe(0)
      expect(yield* index.search(home, vectorOf(1), 10)).toEqual([])
    })

    law("finds the nearest, best first, with cosines as scores", function* () {
      const index = yield* VectorIndex
      const labels = range(1200)
      const feed = feedOf(home)
      yield* feed.add(puts(labels))
      yield* feed.build
      expect(yield* index.position(home, anyFeed)).toBe(1200)
      let sum = 0
      for (const number of [1, 250, 777, 1199, 5000]) {
        const found = yield* index.search(home, vectorOf(number), 20)
        const wanted = oracle(labels, vectorOf(number), 20)
        sum += recall(found, wanted)
        expect(found).toEqual(found.toSorted((a, b) => b.score - a.score || a.label - b.label))
        if (number <= 1200) expect(found[0]?.label).toBe(number)
        if (number <= 1200) expect(found[0]?.score).toBeCloseTo(1, 5)
      }
      expect(sum / 5).toBeGreaterThanOrEqual(recallMin)
    })

    law("gives all there is when asked for more, and nothing when asked for none", function* () {
      const index = yield* VectorIndex
      yield* index.apply(home, { after: 0, changes: puts([3, 1, 2]), position: 3 })
      expect((yield* index.search(home, vectorOf(1), 50)).length).toBe(3)
      expect(yield* index.search(home, vectorOf(1), 0)).toEqual([])
    })

    law("orders equal scores by label", function* () {
      const index = yield* VectorIndex
      const same = [9, 4, 7, 2].map((label, place) => ({ seq: place + 1, label, vector: vectorOf(1) }))
      yield* index.apply(home, { after: 0, changes: same, position: 4 })
      expect((yield* index.search(home, vectorOf(1), 4)).map(({ label }) => label)).toEqual([2, 4, 7, 9])
    })

    law("replaces, removes and takes a removed label up again", function* () {
      const index = yield* VectorIndex
      yield* index.apply(home, { after: 0, changes: puts(range(50)), position: 50 })
      yield* index.apply(home, {
        after: 50,
        changes: [
          { seq: 51, label: 7, vector: null },
          { seq: 52, label: 8, vector: vectorOf(900) },
          { seq: 53, label: 99, vector: null }
        ],
        position: 53
      })
      const hits = yield* index.search(home, vectorOf(900), 50)
      expect(hits.length).toBe(49)
      expect(hits[0]?.label).toBe(8)
      expect(hits.some(({ label }) => label === 7)).toBe(false)
      yield* index.apply(home, {
        after: 53,
        changes: [{ seq: 54, label: 7, vector: vectorOf(901) }],
        position: 54
      })
      expect((yield* index.search(home, vectorOf(901), 1))[0]?.label).toBe(7)
      expect((yield* index.search(home, vectorOf(1), 99)).length).toBe(50)
    })

    law(
      "does nothing with a stretch of the feed that does not follow, so twice is the same as once",
      function* () {
        const index = yield* VectorIndex
        const first = { after: 0, changes: puts([1, 2]), position: 2 }
        yield* index.apply(home, first)
        yield* index.apply(home, { after: 2, changes: [{ seq: 3, label: 1, vector: null }], position: 3 })
        yield* index.apply(home, first)
        yield* index.apply(home, { after: 9, changes: puts([5], 9), position: 10 })
        expect(yield* index.position(home, anyFeed)).toBe(3)
        expect((yield* index.search(home, vectorOf(1), 9)).map(({ label }) => label)).toEqual([2])
      }
    )

    law("lets through allowed labels alone, be they few, many or all", function* () {
      const index = yield* VectorIndex
      const labels = range(600)
      const feed = feedOf(home)
      yield* feed.add(puts(labels))
      yield* feed.build
      for (const every of [1, 2, 3, 60, 1000]) {
        const allowed = labels.filter((label) => label % every === 0)
        const allow = new Set([...allowed, 5000])
        const found = yield* index.search(home, vectorOf(120), 10, allow)
        expect(found.every(({ label }) => allow.has(label))).toBe(true)
        expect(found.length).toBe(Math.min(10, allowed.length))
        if (allowed.length > 0) {
          const wanted = oracle(allowed, vectorOf(120), 10)
          expect(recall(found, wanted)).toBeGreaterThanOrEqual(recallMin - 0.1)
        }
      }
    })

    const lawOfCopies: typeof law = holdsCopies ? law : () => undefined
    lawOfCopies(
      "finds what lies near many equal vectors, also filtered, changed, removed and added again",
      function* () {
        const index = yield* VectorIndex
        const feed = feedOf(home)
        /** Copies of one vector, as form letters are; as slots of their own they halve the recall beside them. */
        const form = vectorOf(1_100)
        const copy = (label: number): VectorChange => ({ seq: 0, label, vector: form })
        const beside = (label: number): VectorChange => ({
          seq: 0,
          label,
          vector: vectorNear(form, label - 20_000)
        })
        const copies = range(600, 10_001)
        const vectors = new Map<number, Float32Array>()
        const add = function* (changes: ReadonlyArray<VectorChange>) {
          for (const { label, vector } of changes)
            if (vector === null) vectors.delete(label)
            else vectors.set(label, vector)
          yield* feed.add(changes)
        }
        const check = function* (allow?: ReadonlySet<number>) {
          let sum = 0
          const queries = range(8).map((number) => vectorNear(form, number + 5, 0.96))
          for (const query of queries) {
            const scores = [...vectors]
              .filter(([label]) => allow?.has(label) !== false)
              .map(([, vector]) => vector.reduce((sum, value, place) => sum + value * (query[place] ?? 0), 0))
              .sort((a, b) => b - a)
            const found = yield* index.search(home, query, 100, allow)
            expect(found.length).toBe(Math.min(100, scores.length))
            expect(new Set(found.map(({ label }) => label)).size).toBe(found.length)
            expect(found).toEqual(found.toSorted((a, b) => b.score - a.score || a.label - b.label))
            for (const { label } of found)
              expect(vectors.has(label) && allow?.has(label) !== false).toBe(true)
            const bar = (scores[99] ?? scores.at(-1) ?? 0) - 1e-6
            sum += found.filter(({ score }) => score >= bar).length / found.length
          }
          expect(sum / queries.length).toBeGreaterThanOrEqual(recallMin)
        }
        yield* add(puts(range(1000)))
        yield* add(copies.map(copy))
        yield* add(range(300, 20_001).map(beside))
        yield* add(puts(range(300, 5001)))
        yield* feed.build
        yield* check()
        yield* check(new Set([...vectors.keys()].filter((label) => label < 10_001 || label > 10_300)))
        // Some copies go, some take other vectors, others become copies; the graph is extended.
        yield* add([
          ...copies.slice(0, 100).map((label) => ({ seq: 0, label, vector: null })),
          ...copies.slice(100, 200).map((label) => ({ seq: 0, label, vector: vectorOf(label) })),
          ...range(200, 1).map(copy)
        ])
        yield* check()
        yield* feed.build
        yield* check()
        // All of them go, and come back.
        const all = [...copies.slice(200), ...range(200, 1)]
        yield* add(all.map((label) => ({ seq: 0, label, vector: null })))
        yield* feed.build
        yield* check()
        yield* add(all.map(copy))
        yield* feed.build
        yield* check()
      }
    )

    law("keeps workspaces and models apart", function* () {
      const index = yield* VectorIndex
      yield* index.apply(home, { after: 0, changes: puts([1]), position: 1 })
      yield* index.apply(keyOf("a", "other"), { after: 0, changes: puts([2]), position: 1 })
      yield* index.apply(keyOf("b"), { after: 0, changes: puts([3]), position: 1 })
      const labels = (key: VectorIndexKey) =>
        Effect.map(index.search(key, vectorOf(1), 9), (hits) => hits.map(({ label }) => label))
      expect(yield* labels(home)).toEqual([1])
      expect(yield* labels(keyOf("a", "other"))).toEqual([2])
      yield* index.drop(keyOf("b"))
      expect(yield* labels(keyOf("b"))).toEqual([])
      expect(yield* index.position(keyOf("b"), anyFeed)).toBe(0)
      expect(yield* labels(home)).toEqual([1])
    })

    law("refuses what is no unit vector, and keeps what it held", function* () {
      const index = yield* VectorIndex
      yield* index.apply(home, { after: 0, changes: puts([1]), position: 1 })
      const broken = vectorOf(2)
      broken[3] = Number.NaN
      const wrong = [
        broken,
        new Float32Array(dimensions),
        vectorOf(2, 8),
        vectorOf(2).map((value) => value * 1e30)
      ]
      for (const vector of wrong) {
        const changes = [...puts([5], 1), { seq: 3, label: 6, vector }]
        expect(
          Exit.isFailure(yield* Effect.exit(index.apply(home, { after: 1, changes, position: 3 })))
        ).toBe(true)
        expect(Exit.isFailure(yield* Effect.exit(index.search(home, vector, 3)))).toBe(true)
      }
      expect(yield* index.position(home, anyFeed)).toBe(1)
      expect((yield* index.search(home, vectorOf(1), 9)).map(({ label }) => label)).toEqual([1])
    })

    law("answers rightly while it is fed and after a long life of changes", function* () {
      const index = yield* VectorIndex
      const feed = feedOf(home)
      const live = new Set<number>()
      for (let round = 0; round < 12; round += 1) {
        const changes: Array<VectorChange> = []
        for (let i = 0; i < 300; i += 1) {
          const label = 1 + ((round * 131 + i * 17) % 700)
          const remove = live.has(label) && (round + i) % 3 !== 0
          if (remove) live.delete(label)
          else live.add(label)
          changes.push({ seq: 0, label, vector: remove ? null : vectorOf(label) })
        }
        yield* feed.add(changes)
        if (round % 3 === 1) yield* feed.build
        yield* feed.catchUp
        const found = yield* index.search(home, vectorOf(round * 50), 10)
        expect(found.every(({ label }) => live.has(label))).toBe(true)
      }
      yield* feed.build
      yield* feed.catchUp
      const found = yield* index.search(home, vectorOf(350), 10)
      expect(recall(found, oracle([...live], vectorOf(350), 10))).toBeGreaterThanOrEqual(recallMin - 0.1)
    })

    law(
      "begins anew, or from what was built, when the feed no longer tells what it has missed",
      function* () {
        const index = yield* VectorIndex
        const feed = feedOf(home)
        yield* feed.add(puts(range(400)))
        yield* feed.build
        yield* feed.add([{ seq: 0, label: 7, vector: null }], false)
        feed.cut()
        expect(yield* index.position(home, feed.reader())).toBe(0)
        yield* feed.catchUp
        const found = yield* index.search(home, vectorOf(7), 500)
        expect(found.length).toBe(399)
        expect(found.some(({ label }) => label === 7)).toBe(false)
      }
    )

    law("finds after a build what changed since it, and owes nothing", function* () {
      const index = yield* VectorIndex
      const feed = feedOf(home)
      yield* feed.add(puts(range(400)))
      yield* feed.build
      yield* feed.add([
        { seq: 0, label: 7, vector: null },
        { seq: 0, label: 8, vector: vectorOf(900) },
        { seq: 0, label: 500, vector: vectorOf(901) }
      ])
      yield* feed.catchUp
      expect(yield* index.isBuildDue(home)).toBe(false)
      const found = yield* index.search(home, vectorOf(901), 500)
      expect(found.length).toBe(400)
      expect(found[0]?.label).toBe(500)
      expect(found.some(({ label }) => label === 7)).toBe(false)
      expect((yield* index.search(home, vectorOf(900), 1))[0]?.label).toBe(8)
      const rare = yield* index.search(home, vectorOf(901), 5, new Set([7, 8, 9, 500]))
      expect(rare.map(({ label }) => label).sort((a, b) => a - b)).toEqual([8, 9, 500])
    })

    law("comes back when it was let go, and is empty when it was dropped", function* () {
      const index = yield* VectorIndex
      const feed = feedOf(home)
      yield* feed.add(puts(range(400)))
      yield* feed.build
      yield* index.forget(home)
      yield* feed.catchUp
      expect((yield* index.search(home, vectorOf(42), 1))[0]?.label).toBe(42)
      yield* index.drop(home)
      expect(yield* index.position(home, feed.reader())).toBe(0)
      expect(yield* index.search(home, vectorOf(42), 1)).toEqual([])
    })
  })
}
