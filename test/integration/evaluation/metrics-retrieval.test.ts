import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  bestPerDocument,
  ndcg,
  ranking,
  recall,
  reciprocalRank,
  type Scored
} from "../../../bench/metrics.js"
import { median, quantile, randomisationP } from "../../../bench/statistics.js"

interface RetrievalCase {
  readonly name: string
  readonly relevanceLevel: number
  readonly qrels: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly run: Readonly<Record<string, ReadonlyArray<Scored>>>
  readonly expectedOrder: Readonly<Record<string, ReadonlyArray<string>>>
  readonly perQuery: Readonly<Record<string, Readonly<Record<string, number>>>>
}

interface SignificanceCase {
  readonly name: string
  readonly a: ReadonlyArray<number>
  readonly b: ReadonlyArray<number>
  readonly pRandomizationExact: number
}

const golden: {
  readonly tolerance: number
  readonly retrieval: ReadonlyArray<RetrievalCase>
  readonly significance: ReadonlyArray<SignificanceCase>
} = JSON.parse(readFileSync(new URL("../../fixtures/golden/evaluation.json", import.meta.url), "utf8"))

/** The figure that a name of the golden file stands for: `ndcg@10`, `recall@5`, `rr`. */
const figure = (
  name: string,
  ranked: ReadonlyArray<string>,
  judged: ReadonlyMap<string, number>,
  level: number
) => {
  const [metric, cut] = name.split("@")
  const depth = cut === undefined ? Number.MAX_SAFE_INTEGER : Number(cut)
  if (metric === "ndcg") return ndcg(ranked, judged, depth)
  if (metric === "recall") return recall(ranked, judged, depth, level)
  return reciprocalRank(ranked.slice(0, depth), judged, level)
}

const anyRun = fc.uniqueArray(
  fc.record({ docId: fc.string({ unit: "binary", maxLength: 3 }), score: fc.nat(4) }),
  {
    selector: ({ docId }) => docId,
    maxLength: 12
  }
)
const anyJudgments = fc
  .array(fc.tuple(fc.string({ unit: "binary", maxLength: 3 }), fc.nat(4)), { maxLength: 12 })
  .map((pairs) => new Map(pairs))

describe("retrieval metrics", () => {
  it.each(golden.retrieval)("are as trec_eval computes them: $name", (one) => {
    for (const [query, expected] of Object.entries(one.perQuery)) {
      const ranked = ranking(one.run[query] ?? [])
      const judged = new Map(Object.entries(one.qrels[query] ?? {}))
      expect(ranked).toEqual(one.expectedOrder[query] ?? [])
      expect(Object.keys(expected).length).toBeGreaterThan(3)
      for (const [name, value] of Object.entries(expected)) {
        expect(Math.abs(figure(name, ranked, judged, one.relevanceLevel) - value), name).toBeLessThan(
          golden.tolerance
        )
      }
    }
  })

  it("stay between 0 and 1 and do not depend on the order of the results", () => {
    fc.assert(
      fc.property(
        anyRun.chain((run) =>
          fc.tuple(fc.constant(run), fc.shuffledSubarray(run, { minLength: run.length }))
        ),
        anyJudgments,
        fc.integer({ min: 1, max: 12 }),
        ([run, shuffled], judged, depth) => {
          const ranked = ranking(run)
          expect(ranking(shuffled)).toEqual(ranked)
          for (const value of [
            ndcg(ranked, judged, depth),
            recall(ranked, judged, depth),
            reciprocalRank(ranked, judged)
          ]) {
            expect(value).toBeGreaterThanOrEqual(0)
            expect(value).toBeLessThanOrEqual(1 + 1e-12)
          }
        }
      )
    )
  })

  it("give the ideal order everything, and a swap towards it never less", () => {
    fc.assert(
      fc.property(anyJudgments, fc.nat(), (judged, place) => {
        const ideal = [...judged].sort(([, a], [, b]) => b - a).map(([docId]) => docId)
        const relevant = [...judged.values()].some((grade) => grade > 0)
        expect(ndcg(ideal, judged, 10)).toBe(relevant ? 1 : 0)
        if (ideal.length < 2) return
        const worse = [...ideal]
        const at = place % (worse.length - 1)
        worse.splice(at, 2, ideal[at + 1] ?? "", ideal[at] ?? "")
        expect(ndcg(worse, judged, 10)).toBeLessThanOrEqual(ndcg(ideal, judged, 10))
      })
    )
  })

  it("count a document once, at its best passage", () => {
    const passages = [
      { docId: "a", score: 1 },
      { docId: "b", score: 2 },
      { docId: "a", score: 3 }
    ]
    expect(bestPerDocument(passages)).toEqual([
      { docId: "a", score: 3 },
      { docId: "b", score: 2 }
    ])
  })
})

describe("statistics", () => {
  it.each(golden.significance)(
    "give the exact p of a randomisation test: $name",
    ({ a, b, pRandomizationExact }) => {
      expect(randomisationP(a, b, { draws: 1000, seed: 1 })).toBeCloseTo(pRandomizationExact, 9)
    }
  )

  it("draw a p near the exact one when there are too many pairs to try all", () => {
    // 20 equal differences: only the two outermost of 2^20 sign patterns reach the mean.
    const [a, b] = [Array.from({ length: 20 }, () => 0), Array.from({ length: 20 }, () => 1)]
    expect(randomisationP(a, b, { draws: 1000, seed: 1 })).toBe(1 / 1001)
    const swinging = a.map((_, i) => (i % 2 === 0 ? 1 : -1))
    expect(randomisationP(a, swinging, { draws: 1000, seed: 1 })).toBe(1)
  })

  it("interpolate quantiles between neighbours", () => {
    expect(median([3, 1, 2, 10])).toBe(2.5)
    expect(quantile([0, 10], 0.95)).toBe(9.5)
    expect(median([])).toBeNaN()
  })
})
