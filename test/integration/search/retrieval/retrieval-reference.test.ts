import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { analyseForIndex, analyseQuery } from "../../../../core/language/tokenization/index.js"
import { byScore, rankBm25 } from "../../../../core/search/lexical/bm25.js"
import { mergeSegments } from "../../../../core/search/lexical/index.js"
import { lexicalSearch } from "../../../../core/search/lexical/search.js"
import { noneDead, withDead } from "../../../../core/search/segments/dead-set.js"
import { indexChunk } from "../../../../core/search/segments/index-chunk.js"
import { openList } from "../../../../core/search/segments/positions.js"
import { encodeSegment } from "../../../../core/search/segments/segment.js"
import { blockOf, decodeDirectory, findPostings } from "../../../../core/search/segments/segment-read.js"
import { changeIndex, lexicalLayer, placesOf, type Text } from "../../../support/retrieval.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

/** Words as texts have them: a few in most of the texts, many in a few, some of them with rules of their own. */
const words = fc.oneof(
  { weight: 9, arbitrary: fc.nat(999).map((n) => `w${Math.floor(40 * (n / 1000) ** 3)}x`) },
  { weight: 1, arbitrary: fc.constantFrom("the", "東京都", "KX-2041", "boundary") }
)
const texts = fc.array(
  fc.record({
    title: fc.array(words, { maxLength: 2 }).map((list) => list.join(" ")),
    text: fc.array(words, { minLength: 1, maxLength: 30 }).map((list) => list.join(" "))
  }),
  { minLength: 1, maxLength: 140 }
)
const question = fc.array(words, { minLength: 1, maxLength: 8 }).map((list) => list.join(" "))

/** The recipe for words as docs/retrieval-quality.md has it, computed for one text at a time in the plainest way. */
const reference = (held: ReadonlyArray<Text>, asked: string, limit: number) => {
  const chunks = held.map((item) => indexChunk({ headingPath: [], ...item }))
  const places = chunks.map(placesOf)
  const wordsOf = (text: string) => analyseForIndex(text).filter(({ kind }) => kind === "word").length
  const lengths = held.map(({ text, title }) => wordsOf(text) + 2 * wordsOf(title))
  const average = lengths.reduce((sum, length) => sum + length, 0) / chunks.length
  const idf = (term: string) => {
    const holding = places.filter((of) => of.has(term)).length
    return Math.log(1 + (chunks.length - holding + 0.5) / (holding + 0.5))
  }
  const { sequence, terms } = analyseQuery(asked)
  const plain = chunks.map(({ label, tieKey }, i) => {
    let score = 0
    for (const { count, term } of terms) {
      const often = places[i]?.get(term)?.length ?? 0
      score += (count * idf(term) * often) / (often + 1.2 * (0.25 + (0.75 * (lengths[i] ?? 0)) / average))
    }
    return { label, tieKey, places: places[i], plainScore: score }
  })
  const order = <A extends { readonly tieKey: number; readonly label: number }>(
    list: ReadonlyArray<A>,
    of: (one: A) => number
  ) => [...list].sort((a, b) => of(b) - of(a) || a.tieKey - b.tieKey || a.label - b.label)
  const ranked = order(
    plain.filter(({ plainScore }) => plainScore > 0),
    ({ plainScore }) => plainScore
  ).slice(0, limit)
  const scored = ranked.map((one, rank) => ({
    ...one,
    score: one.plainScore + (rank < 100 ? bonusOf(one) : 0)
  }))
  function bonusOf({ places: of }: (typeof ranked)[number]): number {
    let bonus = 0
    for (let i = 1; i < sequence.length; i++) {
      const [x = "", y = ""] = [sequence[i - 1], sequence[i]]
      if (x === y) continue
      let [following, near] = [0, 0]
      for (const a of of?.get(x) ?? [])
        for (const b of of?.get(y) ?? []) {
          if (b === a + 1) following += 1
          if (Math.abs(a - b) <= 8) near += 1
        }
      bonus += 0.18 * Math.min(idf(x), idf(y)) * ((2 * following) / (following + 1.2) + near / (near + 1.2))
    }
    return bonus * Math.min(1, average / 40)
  }
  return [...order(scored.slice(0, 100), ({ score }) => score), ...scored.slice(100)]
}

describe("ranking by words", () => {
  it("gives what the recipe says, computed in the plainest way", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(texts, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.array(fc.tuple(question, fc.constantFrom(3, 20, 120, 200)), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (batches, removals, questions, merged) =>
          runEffect(
            Effect.gen(function* () {
              const workspace = yield* makeWorkspace()
              const held = new Map<number, Text>()
              for (const batch of batches) {
                const added = batch.map((item, i) => ({ ...item, label: held.size + i + 1 }))
                for (const item of added) held.set(item.label, item)
                yield* changeIndex(workspace, added)
              }
              const gone = new Set(removals.map((n) => (n % held.size) + 1))
              yield* changeIndex(workspace, [], [...gone])
              for (const label of gone) held.delete(label)
              if (merged) yield* mergeSegments(workspace)
              for (const [asked, limit] of held.size === 0 ? [] : questions) {
                const { hits } = yield* lexicalSearch(workspace, analyseQuery(asked), { limit })
                const expected = reference([...held.values()], asked, limit)
                expect(hits).toHaveLength(expected.length)
                hits.forEach(({ plainScore, score }, i) => {
                  expect(score).toBeCloseTo(expected[i]?.score ?? -1, 9)
                  // Documents with equal scores may come in either order through rounding, but each must have its own
                  // score.
                  const own = expected.find(({ label }) => label === hits[i]?.label)
                  if (own !== undefined)
                    expect([plainScore, score]).toEqual(closeTo([own.plainScore, own.score]))
                })
                const missed = hits.filter(({ label }) => !expected.some((one) => one.label === label))
                const last = Math.min(...expected.map(({ plainScore }) => plainScore))
                for (const { plainScore } of missed) expect(plainScore).toBeCloseTo(last, 9)
              }
            }).pipe(Effect.provide(lexicalLayer()))
          )
      ),
      { numRuns: runs(40) }
    ))

  it("finds the same best chunks, to the last bit, whether or not it reads every posting", () =>
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(words, fc.constantFrom(0.5, 1, 2)), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(139), { maxLength: 30 }),
        fc.option(fc.integer({ min: 2, max: 5 })),
        (batches, questions, limit, removals, only) => {
          const counts = new Map(questions)
          const terms = [...counts].map(([term, count]) => ({ term, count }))
          const weights = terms.map((_, i) => 0.1 + ((i * 7) % 5))
          let label = 0
          const views = batches.map((batch) => {
            const chunks = batch.map((item) => indexChunk({ headingPath: [], ...item, label: ++label }))
            const { blocks, directory } = encodeSegment(chunks)
            const decoded = decodeDirectory(directory)
            const dead = withDead(
              noneDead,
              removals.filter((ordinal) => ordinal < chunks.length),
              chunks.length
            )
            const lists = terms.map(({ term }) => {
              const block = blocks[blockOf(decoded, term)]
              const list = block === undefined ? null : findPostings(block, term)
              return list === null ? null : openList(list)
            })
            return { directory: decoded, dead, lists }
          })
          const statistics = { chunkCount: label, averageLength: 12 }
          const allow = only === null ? undefined : new Set(Array.from({ length: label }, (_, i) => i * only))
          const rank = (most: number) =>
            rankBm25(views, terms, weights, statistics, {
              limit: most,
              ...(allow === undefined ? {} : { allow })
            })
          // With room for all of them nothing can be left out.
          const all = rank(label + 1)
          expect(all).toEqual([...all].sort(byScore))
          expect(rank(limit)).toEqual(all.slice(0, limit))
        }
      ),
      { numRuns: runs(300) }
    ))
})

const closeTo = (numbers: ReadonlyArray<number>) => numbers.map((number) => expect.closeTo(number, 9))
