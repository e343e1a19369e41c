import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { analyseForIndex, analyseQuery } from "../../../../core/language/tokenization/index.js"
import { atomically, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import {
  mergeSegments,
  PostingStore,
  phraseLabels,
  termWeights
} from "../../../../core/search/lexical/index.js"
import { lexicalSearch } from "../../../../core/search/lexical/search.js"
import { indexChunk } from "../../../../core/search/segments/index-chunk.js"
import { encodeSegment } from "../../../../core/search/segments/segment.js"
import { decodeDirectory } from "../../../../core/search/segments/segment-read.js"
import { changeIndex, lexicalLayer, type Text } from "../../../support/retrieval.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"

const vocabulary = ["wing", "lift", "drag", "flow", "heat", "the", "東京都", "KX-2041", "boundary", "layer"]
const text = fc
  .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 25 })
  .map((words) => words.join(" "))
const query = fc
  .array(fc.constantFrom(...vocabulary, "unicorn"), { maxLength: 6 })
  .map((words) => words.join(" "))

/** A change adds texts, removes some that are there, and is undone or kept; then segments are merged or not. */
const change = fc.record({
  added: fc.array(fc.record({ title: text, text }), { maxLength: 6 }),
  removed: fc.array(fc.nat(), { maxLength: 4 }),
  undone: fc.boolean(),
  merged: fc.boolean()
})

const search = (workspace: WorkspaceScope, asked: string, allow?: ReadonlySet<number>) =>
  lexicalSearch(workspace, analyseQuery(asked), { limit: 100, ...(allow === undefined ? {} : { allow }) })

const compared = (workspace: WorkspaceScope, asked: string) =>
  Effect.map(search(workspace, asked), ({ hits, saturation, weights }) => ({
    hits: hits.map(({ label, plainScore, score }) => ({ label, plainScore, score })),
    saturation,
    weights
  }))

describe("the lexical index", () => {
  it("equals, to the last bit, one made afresh from what is left", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 12 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        (changes, asked) =>
          runEffect(
            Effect.gen(function* () {
              const workspace = yield* makeWorkspace()
              const model = new Map<number, Text>()
              let label = 0
              for (const { added, merged, removed, undone } of changes) {
                const texts = added.map((item) => ({ ...item, label: ++label }))
                const held = [...model.keys()]
                const gone = held.length === 0 ? [] : removed.map((n) => held[n % held.length] ?? 0)
                const work = Effect.zipRight(
                  changeIndex(workspace, texts, gone),
                  // Reading what is undone afterwards must leave no trace in the cache.
                  Effect.zipRight(
                    search(workspace, vocabulary.join(" ")),
                    undone ? Effect.fail("undone") : Effect.void
                  )
                )
                yield* Effect.either(atomically(work))
                if (!undone) {
                  for (const item of gone) model.delete(item)
                  for (const item of texts) model.set(item.label, item)
                }
                if (merged) yield* mergeSegments(workspace)
              }
              const fresh = yield* makeWorkspace("fresh")
              if (model.size > 0) yield* changeIndex(fresh, [...model.values()].reverse())
              for (const words of asked) {
                expect(yield* compared(workspace, words)).toEqual(yield* compared(fresh, words))
                const tokens = analyseForIndex(words)
                expect(yield* phraseLabels(workspace, tokens)).toEqual(yield* phraseLabels(fresh, tokens))
              }
            }).pipe(Effect.provide(lexicalLayer(20_000)))
          )
      ),
      { numRuns: 60 }
    ))

  it("merges into exactly the segment that encoding afresh would give", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ title: text, text }), { minLength: 8, maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (items, removals) =>
          runEffect(
            Effect.gen(function* () {
              const workspace = yield* makeWorkspace()
              const store = yield* PostingStore
              const texts = items.map((item, i) => ({ ...item, label: i + 1 }))
              // Every second one first, so that the labels of the segments lie in each other.
              for (const rest of [0, 1])
                for (const item of texts.filter(({ label }) => label % 2 === rest))
                  yield* changeIndex(workspace, [item])
              const gone = new Set(removals.map((n) => (n % texts.length) + 1))
              yield* changeIndex(workspace, [], [...gone])
              for (let i = 0; i < 10; i++) {
                const merged = yield* mergeSegments(workspace)
                if (merged === 0) break
              }
              for (const { deadCount, firstLabel, id, lastLabel } of yield* store.segments(workspace)) {
                if (deadCount > 0) continue
                const bytes = yield* store.directory(workspace, id)
                const { firstTerms, labels } = decodeDirectory(bytes)
                const own = texts.filter(({ label }) => labels.includes(label))
                const afresh = encodeSegment(own.map((item) => indexChunk({ headingPath: [], ...item })))
                expect(afresh.directory).toEqual(bytes)
                expect(afresh.blocks).toEqual(
                  yield* store.blocks(
                    workspace,
                    id,
                    firstTerms.map((_, i) => i)
                  )
                )
                expect([labels[0], labels[labels.length - 1]]).toEqual([firstLabel, lastLabel])
              }
            }).pipe(Effect.provide(lexicalLayer()))
          )
      ),
      { numRuns: 25 }
    ))

  it("filters before it cuts the list", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const items = Array.from({ length: 300 }, (_, i) => ({
          label: i + 1,
          title: "",
          text: i < 200 ? "wing wing wing" : "a long text about one wing among other things"
        }))
        yield* changeIndex(workspace, items)
        const allow = new Set([250, 260, 999])
        const { hits } = yield* search(workspace, "wing", allow)
        expect(hits.map(({ label }) => label).sort()).toEqual([250, 260])
        const all = yield* search(workspace, "wing")
        expect(all.hits).toHaveLength(100)
        const [scored] = hits
        const { weights } = yield* termWeights(workspace, ["wing"])
        expect(scored?.plainScore).toBeLessThan(weights.get("wing") ?? 0)
      }).pipe(Effect.provide(lexicalLayer()))
    ))

  it("says how nearly one chunk answers the whole query, between 0 and 1", () =>
    fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 10 }), query, (texts, asked) =>
        runEffect(
          Effect.gen(function* () {
            const workspace = yield* makeWorkspace()
            yield* changeIndex(
              workspace,
              texts.map((item, i) => ({ label: i + 1, title: "", text: item }))
            )
            const { hits, saturation } = yield* search(workspace, asked)
            expect(saturation).toBeGreaterThanOrEqual(0)
            expect(saturation).toBeLessThanOrEqual(1)
            expect(saturation > 0).toBe(hits.length > 0)
          }).pipe(Effect.provide(lexicalLayer()))
        )
      ),
      { numRuns: 40 }
    ))

  it("lifts a chunk where the words stand together, less among short ones", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const apart = `boundary ${"filler ".repeat(20)} layer`
        const together = `filler boundary layer ${"filler ".repeat(19)}`
        yield* changeIndex(workspace, [
          { label: 1, title: "", text: apart },
          { label: 2, title: "", text: together },
          { label: 3, title: "", text: "something else" }
        ])
        const { hits } = yield* search(workspace, "boundary layer")
        expect(hits.map(({ label }) => label)).toEqual([2, 1])
        const [first, second] = hits
        expect(first?.plainScore).toBe(second?.plainScore)
        const weights = (yield* search(workspace, "boundary layer")).weights
        // One place where they follow each other, which is also one pair within the window; below a mean length of 40
        // words the bonus is smaller.
        const share = (22 + 22 + 2) / 3 / 40
        const bonus = 0.18 * Math.min(...weights) * (2 / 2.2 + 1 / 2.2) * share
        expect((first?.score ?? 0) - (first?.plainScore ?? 0)).toBeCloseTo(bonus, 12)
        expect(second?.score).toBe(second?.plainScore)
      }).pipe(Effect.provide(lexicalLayer()))
    ))

  it("finds phrases where they stand, and nowhere else", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 15 }),
        fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 3 }),
        (texts, words) =>
          runEffect(
            Effect.gen(function* () {
              const workspace = yield* makeWorkspace()
              yield* changeIndex(
                workspace,
                texts.map((item, i) => ({ label: i + 1, title: "", text: item }))
              )
              const phrase = words.join(" ")
              const expected = texts.flatMap((item, i) =>
                ` ${item} `.includes(` ${phrase} `) ? [i + 1] : []
              )
              expect(yield* phraseLabels(workspace, analyseForIndex(phrase))).toEqual(expected)
              expect(yield* phraseLabels(workspace, [])).toEqual([])
            }).pipe(Effect.provide(lexicalLayer()))
          )
      ),
      { numRuns: 60 }
    ))

  it("shows nothing to another workspace and stays small under many single changes", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const other = yield* makeWorkspace("other")
        for (let label = 1; label <= 200; label++)
          yield* changeIndex(workspace, [{ label, title: "", text: `wing number ${label}` }])
        const store = yield* PostingStore
        expect((yield* store.segments(workspace)).length).toBeLessThanOrEqual(21)
        expect((yield* search(workspace, "wing")).hits).toHaveLength(100)
        expect((yield* search(workspace, "number 137")).hits[0]?.label).toBe(137)
        expect((yield* search(other, "wing")).hits).toEqual([])
        yield* changeIndex(
          workspace,
          [],
          Array.from({ length: 200 }, (_, i) => i + 1)
        )
        expect(yield* store.segments(workspace)).toEqual([])
      }).pipe(Effect.provide(lexicalLayer()))
    ))

  it("keeps searching while segments are merged under it", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* changeIndex(workspace, [{ label: 1, title: "", text: "wing" }])
        const worker = Effect.forEach(
          Array.from({ length: 60 }, (_, i) => i + 2),
          (label) => changeIndex(workspace, [{ label, title: "", text: "wing and lift" }]),
          { discard: true }
        )
        const reader = Effect.forEach(
          Array.from({ length: 60 }),
          () => Effect.map(search(workspace, "wing"), ({ hits }) => expect(hits.length).toBeGreaterThan(0)),
          { discard: true }
        )
        const merger = Effect.forEach(Array.from({ length: 20 }), () => mergeSegments(workspace), {
          discard: true
        })
        yield* Effect.all([worker, reader, merger, merger, reader], { concurrency: "unbounded" })
        expect((yield* search(workspace, "wing")).hits).toHaveLength(61)
      }).pipe(Effect.provide(lexicalLayer(0)))
    ))
})
