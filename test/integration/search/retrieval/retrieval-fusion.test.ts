import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Settings } from "../../../../core/platform/workspace/index.js"
import { demote } from "../../../../core/search/retrieval/demote.js"
import { fuse, type RankedList } from "../../../../core/search/retrieval/fuse.js"
import { factorMax, governanceFactor } from "../../../../core/search/retrieval/governance-factor.js"
import {
  resemblance,
  shingles,
  withoutNearDuplicates
} from "../../../../core/search/retrieval/near-duplicate.js"

interface GoldenCase {
  readonly name: string
  readonly channels: Readonly<Record<string, ReadonlyArray<string>>>
  readonly k: number
  readonly weights: Readonly<Record<string, number>> | null
  readonly expected: ReadonlyArray<{
    readonly id: string
    readonly score: number
    readonly bestRank: number
    readonly channels: ReadonlyArray<string>
  }>
}

const golden: { readonly tolerance: number; readonly rrf: ReadonlyArray<GoldenCase> } = JSON.parse(
  readFileSync(new URL("../../../fixtures/golden/retrieval.json", import.meta.url), "utf8")
)

const ids = fc.uniqueArray(fc.nat(30), { maxLength: 20 })
const lists = fc
  .array(fc.record({ ids, weight: fc.double({ min: 0.01, max: 3, noNaN: true }) }), { maxLength: 4 })
  .map((all): ReadonlyArray<RankedList<string, number>> => all.map((list, i) => ({ ...list, name: `c${i}` })))

describe("fusion", () => {
  it.each(golden.rrf)("gives the computed list: $name", ({ channels, expected, k, weights }) => {
    const fused = fuse(
      Object.entries(channels).map(([name, list]) => ({ name, ids: list, weight: weights?.[name] ?? 1 })),
      { k }
    )
    expect(
      fused.map(({ bestRank, id, ranks }) => ({ id, bestRank, channels: Object.keys(ranks).sort() }))
    ).toEqual(
      expected.map(({ bestRank, channels: names, id }) => ({ id, bestRank, channels: [...names].sort() }))
    )
    fused.forEach(({ score }, i) => {
      expect(Math.abs(score - (expected[i]?.score ?? -1))).toBeLessThan(golden.tolerance)
    })
  })

  it("does not depend on the order of the lists", () => {
    fc.assert(
      fc.property(
        lists.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length }))
        ),
        ([all, shuffled]) => {
          expect(fuse(shuffled)).toEqual(fuse(all))
        }
      )
    )
  })

  it("never lowers what moves up in one list", () => {
    fc.assert(
      fc.property(lists, fc.nat(), fc.nat(), (all, a, b) => {
        const list = all[a % Math.max(1, all.length)]
        if (list === undefined || list.ids.length < 2) return
        const from = 1 + (b % (list.ids.length - 1))
        const moved = list.ids[from] ?? -1
        const risen = list.ids.filter((id) => id !== moved)
        risen.splice(from - 1, 0, moved)
        const placeIn = (given: typeof all) => fuse(given).findIndex(({ id }) => id === moved)
        expect(
          placeIn(all.map((each) => (each === list ? { ...list, ids: risen } : each)))
        ).toBeLessThanOrEqual(placeIn(all))
      })
    )
  })

  it("puts first what every list puts first", () => {
    fc.assert(
      fc.property(lists, (all) => {
        if (all.length === 0) return
        const agreed = all.map((list) => ({ ...list, ids: [99, ...list.ids] }))
        expect(fuse(agreed)[0]?.id).toBe(99)
      })
    )
  })

  it("holds each item of each list once, best first, and keeps one list as it is", () => {
    fc.assert(
      fc.property(lists, ids, (all, alone) => {
        const fused = fuse(all)
        expect(new Set(fused.map(({ id }) => id))).toEqual(new Set(all.flatMap((list) => list.ids)))
        expect(fused.length).toBe(new Set(fused.map(({ id }) => id)).size)
        expect(fused.map(({ score }) => score)).toEqual(fused.map(({ score }) => score).sort((a, b) => b - a))
        expect(
          fuse([
            { name: "fts", ids: alone },
            { name: "vector", ids: [] }
          ]).map(({ id }) => id)
        ).toEqual(alone)
      })
    )
  })
})

describe("governance", () => {
  it("ranks what was vouched for above; what was retired is demoted afterwards", () => {
    const weights = Settings.parse({}).retrieval.governance
    const factor = (
      verification: Parameters<typeof governanceFactor>[0]["verification"],
      reviewOverdue = false
    ) => governanceFactor({ verification, reviewOverdue }, weights)
    expect([factor("deprecated"), factor("unverified"), factor("verified"), factor("certified")]).toEqual([
      1, 1, 1.01, 1.02
    ])
    expect(factor("certified", true)).toBeCloseTo(1.02 * 0.99, 12)
    expect(factorMax(weights)).toBe(1.02)
    expect(factorMax({ ...weights, verified: 0.9, certified: 0.8 })).toBe(1)
  })
})

describe("demotion", () => {
  const list = fc
    .array(fc.record({ gap: fc.double({ min: 0, max: 0.1, noNaN: true }), low: fc.boolean() }), {
      maxLength: 200
    })
    .map((items) => {
      let score = 20
      return items.map(({ gap, low }, id) => {
        score -= gap
        return { id, low, score }
      })
    })

  it("costs at most ten ranks, keeps the order among equals, and loses nothing", () => {
    fc.assert(
      fc.property(list, fc.double({ min: 0.01, max: 1, noNaN: true }), (ranked, factor) => {
        const result = demote(ranked, factor, ({ low }) => low)
        expect(result.map(({ id }) => id).sort((a, b) => a - b)).toEqual(ranked.map(({ id }) => id))
        for (const [place, { id, low }] of result.entries()) {
          expect(place - id).toBeLessThanOrEqual(low ? 10 : 0)
          expect(id - place).toBeLessThanOrEqual(10)
        }
        for (const low of [true, false]) {
          const ids = result.filter((one) => one.low === low).map(({ id }) => id)
          expect(ids).toEqual([...ids].sort((a, b) => a - b))
        }
        const scores = result.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
      })
    )
  })

  it("goes by the score where that costs less", () => {
    const ranked = [10, 8, 6, 4, 2].map((score, id) => ({ id, score }))
    const ids = (factor: number) => demote(ranked, factor, ({ id }) => id === 0).map(({ id }) => id)
    expect(ids(1)).toEqual([0, 1, 2, 3, 4])
    expect(ids(0.7)).toEqual([1, 0, 2, 3, 4])
    expect(ids(0.01)).toEqual([1, 2, 3, 4, 0])
  })
})

describe("near-duplicates", () => {
  const words = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 30 })

  it("resemble each other evenly, from 0 to 1, and themselves wholly", () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const [x, y] = [shingles(a), shingles(b)]
        expect(resemblance(x, y)).toBe(resemblance(y, x))
        expect(resemblance(x, y)).toBeGreaterThanOrEqual(0)
        expect(resemblance(x, y)).toBeLessThanOrEqual(1)
        expect(resemblance(x, x)).toBe(1)
      })
    )
  })

  it("are dropped behind the first of them, and nothing else is", () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), (texts) => {
        const kept = withoutNearDuplicates(texts, (text) => text)
        for (const [i, text] of texts.entries()) {
          const isKept = kept.includes(text)
          const earlier = kept.filter((other) => texts.indexOf(other) < i)
          const repeats = earlier.some((other) => resemblance(shingles(other), shingles(text)) >= 0.9)
          expect(isKept).toBe(!repeats)
        }
      })
    )
  })

  it("are texts that differ in a word or two of many", () => {
    const text = Array.from({ length: 200 }, (_, i) => `w${i}`)
    const changed = [...text.slice(0, 199), "other"]
    expect(withoutNearDuplicates([text, changed], (each) => each)).toEqual([text])
    const half = [...text.slice(0, 100), ...text.slice(0, 100).reverse()]
    expect(withoutNearDuplicates([text, half], (each) => each)).toHaveLength(2)
  })
})
