import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { median, quantile } from "../../../../bench/statistics.js"
import {
  abstentionScores,
  answerF1,
  bestPerDocument,
  citationScores,
  exactMatch,
  metricNamed,
  ndcg,
  rank,
  type Scored,
  scoreRun
} from "../../../../core/answers/measures/index.js"
import { naiveMetric, naiveOrder } from "../../../support/naive-metrics.js"
import { runs } from "../../../support/runs.js"

type Values = Readonly<Record<string, number>>

interface RetrievalCase {
  readonly name: string
  readonly relevanceLevel: number
  readonly qrels: Readonly<Record<string, Values>>
  readonly run: Readonly<Record<string, ReadonlyArray<{ readonly docId: string; readonly score: number }>>>
  readonly expectedOrder: Readonly<Record<string, ReadonlyArray<string>>>
  readonly perQuery: Readonly<Record<string, Values>>
  readonly meanComplete: Values
  readonly meanObserved: Values
}

interface AbstentionCase {
  readonly name: string
  readonly rows: ReadonlyArray<{
    readonly answerable: boolean
    readonly verdict: string
    readonly correct: boolean
  }>
  readonly answered: number
  readonly coverage: number
  readonly selectiveAccuracy: number | null
  readonly harm: number
  readonly abstentionPrecision: number
  readonly abstentionRecall: number
  readonly abstentionF1: number
  readonly overAbstention: number
  readonly effectiveReliability: { readonly "1": number; readonly "3": number }
}

const golden: {
  readonly tolerance: number
  readonly retrieval: ReadonlyArray<RetrievalCase>
  readonly abstention: ReadonlyArray<AbstentionCase>
  readonly answers: ReadonlyArray<{
    readonly prediction: string
    readonly golds: ReadonlyArray<string>
    readonly em: number
    readonly f1: number
  }>
  readonly citations: ReadonlyArray<{
    readonly name: string
    readonly statements: Parameters<typeof citationScores>[0]
    readonly citationRecall: number
    readonly citationPrecision: number
    readonly citationF1: number
  }>
} = JSON.parse(readFileSync(new URL("../../../fixtures/golden/evaluation.json", import.meta.url), "utf8"))

const near = (value: number, expected: number, what = ""): void =>
  expect(Math.abs(value - expected), what).toBeLessThan(golden.tolerance)

const maps = (qrels: RetrievalCase["qrels"]) =>
  new Map(Object.entries(qrels).map(([topic, grades]) => [topic, new Map(Object.entries(grades))]))
const runOf = ({ run }: RetrievalCase) =>
  new Map(
    Object.entries(run).map(([topic, found]) => [
      topic,
      found.map(({ docId, score }) => ({ id: docId, score }))
    ])
  )

const names = [
  ...[
    "ndcg",
    "ndcg@3",
    "ndcg_exp",
    "ndcg_exp@3",
    "p@3",
    "recall@3",
    "success@3",
    "judged@3",
    "ap",
    "ap@3",
    "rr"
  ],
  ...["rr@3", "rprec", "bpref", "err", "err@3", "rbp(p=0.8)", "rbp_residual(p=0.8)"]
]

const documentId = fc.string({ unit: "binary", minLength: 1, maxLength: 2 }).map((id) => id.toWellFormed())
const anyFound: fc.Arbitrary<ReadonlyArray<Scored>> = fc.uniqueArray(
  fc.record({ id: documentId, score: fc.nat(4) }),
  { selector: ({ id }) => id, maxLength: 12 }
)
const anyTopic = anyFound.chain((found) =>
  fc.record({
    found: fc.constant(found),
    judged: fc.array(
      fc.tuple(
        found.length === 0 ? documentId : fc.oneof(fc.constantFrom(...found.map(({ id }) => id)), documentId),
        fc.nat(4)
      ),
      { maxLength: 12 }
    )
  })
)

describe("ranking metrics", () => {
  it.each(golden.retrieval)("equal the golden values: $name", (one) => {
    const metrics = Object.keys(one.meanComplete)
    expect(metrics.length).toBeGreaterThan(30)
    const scores = scoreRun(runOf(one), maps(one.qrels), { metrics, level: one.relevanceLevel })
    expect([...scores.perTopic.keys()].sort()).toEqual(Object.keys(one.perQuery).sort())
    for (const [topic, found] of runOf(one)) expect(rank(found)).toEqual(one.expectedOrder[topic])
    for (const [topic, expected] of Object.entries(one.perQuery))
      for (const [name, value] of Object.entries(expected))
        near(scores.perTopic.get(topic)?.[name] ?? Number.NaN, value, `${topic} ${name}`)
    for (const name of metrics) {
      near(scores.mean[name] ?? Number.NaN, one.meanComplete[name] ?? 0, name)
      near(scores.meanObserved[name] ?? Number.NaN, one.meanObserved[name] ?? 0, `observed ${name}`)
    }
  })

  it("equal an independent implementation from the definitions", () => {
    fc.assert(
      fc.property(anyTopic, fc.integer({ min: 1, max: 3 }), ({ found, judged }, level) => {
        const judgments = new Map(judged)
        const topic = { found, grades: Object.fromEntries(judgments) }
        expect(rank(found)).toEqual(naiveOrder(found))
        for (const name of names) {
          const metric = metricNamed(name)
          near(metric?.(rank(found), judgments, level) ?? Number.NaN, naiveMetric(name, topic, level), name)
        }
      }),
      { numRuns: runs(300) }
    )
  })

  it("take negative grades for unjudged in bpref, as trec_eval does", () => {
    const judgments = new Map([
      ["a", 1],
      ["b", -1],
      ["c", 0],
      ["d", -2]
    ])
    const bpref = metricNamed("bpref")
    // Values of trec_eval 10.0-rc3.
    expect(bpref?.(["b", "a", "c"], judgments)).toBe(1)
    expect(bpref?.(["d", "c", "a"], judgments)).toBe(0)
    const graded = fc.array(fc.tuple(documentId, fc.integer({ min: -2, max: 4 })), { maxLength: 12 })
    fc.assert(
      fc.property(anyFound, graded, (found, judged) => {
        const grades = new Map(judged)
        const positive = new Map(judged.filter(([id]) => (grades.get(id) ?? 0) >= 0))
        near(bpref?.(rank(found), grades) ?? Number.NaN, bpref?.(rank(found), positive) ?? Number.NaN)
        near(
          bpref?.(rank(found), grades) ?? 0,
          naiveMetric("bpref", { found, grades: Object.fromEntries(grades) }, 1)
        )
      }),
      { numRuns: runs(100) }
    )
  })

  it("stay between 0 and 1 whatever the order of the input, and their mean is the mean over the topics", () => {
    fc.assert(
      fc.property(fc.array(anyTopic, { minLength: 1, maxLength: 4 }), fc.nat(), (topics, turn) => {
        const run = new Map(topics.map(({ found }, at) => [`t${at}`, found]))
        const turned = new Map(
          [...run].map(([topic, found]) => {
            const from = found.length === 0 ? 0 : turn % found.length
            return [topic, [...found.slice(from), ...found.slice(0, from)]]
          })
        )
        const qrels = new Map(topics.map(({ judged }, at) => [`t${at}`, new Map(judged)]))
        const scores = scoreRun(run, qrels, { metrics: names })
        expect(scoreRun(turned, qrels, { metrics: names })).toEqual(scores)
        for (const name of names) {
          const values = [...scores.perTopic.values()].map((one) => one[name] ?? Number.NaN)
          for (const value of values) expect(value >= 0 && value <= 1 + 1e-12, name).toBe(true)
          near(scores.mean[name] ?? Number.NaN, values.reduce((a, b) => a + b, 0) / values.length)
        }
      }),
      { numRuns: runs(100) }
    )
  })

  it("give a perfect ranking 1, and never more after a swap that puts a worse document first", () => {
    fc.assert(
      fc.property(anyTopic, fc.nat(), ({ judged }, place) => {
        const judgments = new Map(judged)
        const ideal = [...judgments].sort(([, a], [, b]) => b - a).map(([id]) => id)
        const hasRelevant = [...judgments.values()].some((grade) => grade > 0)
        for (const name of ["ndcg", "ndcg@10", "ndcg_exp@10", "ap", "rr", "rprec", "bpref"])
          near(metricNamed(name)?.(ideal, judgments) ?? Number.NaN, hasRelevant ? 1 : 0, name)
        if (ideal.length < 2) return
        const worse = [...ideal]
        const at = place % (worse.length - 1)
        worse.splice(at, 2, ideal[at + 1] ?? "", ideal[at] ?? "")
        for (const name of names.filter((one) => !/judged|residual/.test(one))) {
          const metric = metricNamed(name)
          const [before, after] = [metric?.(ideal, judgments) ?? 0, metric?.(worse, judgments) ?? 0]
          expect(after, name).toBeLessThanOrEqual(before + 1e-12)
        }
      }),
      { numRuns: runs(100) }
    )
  })

  it("refuse duplicates, scores that are no numbers, unknown names and grades above the scale", () => {
    const twice = [
      { id: "a", score: 1 },
      { id: "a", score: 2 }
    ]
    expect(() => rank(twice)).toThrow(/twice/)
    expect(() => rank([{ id: "a", score: Number.NaN }])).toThrow(/finite/)
    for (const name of ["p", "ndcg@0", "bpref@3", "nope", "constructor@3", "rbp(p=2)"])
      expect(metricNamed(name), name).toBeNull()
    expect(() => scoreRun(new Map(), new Map(), { metrics: ["nope"] })).toThrow(/nope/)
    expect(() => metricNamed("err")?.(["a"], new Map([["a", 5]]))).toThrow(/above/)
  })

  it("count a document once, at its best passage", () => {
    const passages = [
      { id: "a", score: 1 },
      { id: "b", score: 2 },
      { id: "a", score: 3 }
    ]
    expect(bestPerDocument(passages)).toEqual([
      { id: "a", score: 3 },
      { id: "b", score: 2 }
    ])
    expect(ndcg(["a"], new Map([["a", 1]]))).toBe(1)
  })
})

describe("answer metrics", () => {
  it.each(golden.answers)("score an answer as SQuAD does: $prediction", ({ em, f1, golds, prediction }) => {
    near(exactMatch(prediction, golds), em)
    near(answerF1(prediction, golds), f1)
  })

  it.each(golden.citations)("score citations: $name", (one) => {
    const { f1, precision, recall } = citationScores(one.statements)
    near(recall, one.citationRecall)
    near(precision, one.citationPrecision)
    near(f1, one.citationF1)
  })

  it.each(golden.abstention)("score abstention: $name", (one) => {
    const scores = abstentionScores(one.rows.map(({ correct, ...row }) => ({ ...row, right: correct })))
    expect([scores.n, scores.answered]).toEqual([one.rows.length, one.answered])
    near(scores.coverage, one.coverage)
    if (one.selectiveAccuracy === null) expect(scores.selectiveAccuracy).toBeNull()
    else near(scores.selectiveAccuracy ?? Number.NaN, one.selectiveAccuracy)
    near(scores.harm, one.harm)
    near(scores.precision, one.abstentionPrecision)
    near(scores.recall, one.abstentionRecall)
    near(scores.f1, one.abstentionF1)
    near(scores.overAbstention, one.overAbstention)
    near(scores.effectiveReliability.cost1, one.effectiveReliability["1"])
    near(scores.effectiveReliability.cost3, one.effectiveReliability["3"])
  })
})

describe("statistics of the benches", () => {
  it("interpolate quantiles between neighbours", () => {
    expect(median([3, 1, 2, 10])).toBe(2.5)
    expect(quantile([0, 10], 0.95)).toBe(9.5)
    expect(median([])).toBeNaN()
  })
})
