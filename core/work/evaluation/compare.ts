import * as Effect from "effect/Effect"
import { comparePaired, holm, randomisationTest } from "../../answers/measures/index.js"
import { Caller, Conflict, type EvalId, invalid, traced } from "../../platform/kernel/index.js"
import type { EvalResult, EvalView, Suite } from "./model.js"
import { allResults, findEval } from "./read.js"
import { EvalStore, type RunTopic } from "./store.js"

export interface CompareOptions {
  readonly metric?: string | undefined
  readonly permutations: number
  readonly seed: number
  readonly clusters: "topic" | "conversation" | "document"
}

/** The metric that is compared when none is named. */
const mainMetric: Readonly<Record<Suite, string>> = {
  retrieval: "ndcg@10",
  answer: "f1",
  abstention: "right"
}

/** Metrics whose p values are corrected together. */
const families: Readonly<Record<Suite, ReadonlyArray<string>>> = {
  retrieval: ["ndcg@10", "ap", "rr", "p@10", "recall@100"],
  answer: ["f1", "exactMatch", "right", "groundedness", "citationPrecision", "citationRecall"],
  abstention: ["right", "answered"]
}

/**
 * Compares a run (B) with a baseline (A) topic by topic. Conflict when either is unfinished or the topics differ;
 * InvalidInput for a metric that the runs do not have.
 */
export const compareEvals = traced("evaluation.compare")(function* (
  id: EvalId,
  baseline: EvalId,
  options: CompareOptions
) {
  // Both must be there before either is refused for its state.
  for (const one of [id, baseline]) yield* findEval(one)
  const [a, b] = [yield* allResults(baseline), yield* allResults(id)]
  const { permutations: draws, seed } = options
  const metric = options.metric ?? mainMetric[b.run.suite]
  if (!haveSameTopics(a.results, b.results))
    return yield* new Conflict({ message: "The two runs asked different topics, so they cannot be paired." })
  const pairs = pairsOf(metric, a.results, b.results)
  if (pairs.length === 0)
    return yield* invalid(["metric"], "unknown", `Both runs have no value of ${metric}.`)
  const clusters = yield* clustersOf(b.run, pairs, options.clusters)
  const compared = comparePaired(
    pairs.map((pair) => pair.a),
    pairs.map((pair) => pair.b),
    { seed, draws, ...(clusters === null ? {} : { clusters }) }
  )
  const meanA = mean(pairs.map((pair) => pair.a))
  return {
    metric,
    n: compared.n,
    meanA,
    meanB: mean(pairs.map((pair) => pair.b)),
    delta: compared.meanDiff,
    ci95: [...compared.bootstrap],
    pValue: compared.randomisation.p,
    test: compared.randomisation.exact ? ("randomisation_exact" as const) : ("randomisation" as const),
    adjusted: adjustedP(metric, compared.randomisation.p, b.run.suite, a.results, b.results, { draws, seed }),
    wins: compared.wins,
    losses: compared.losses,
    ties: compared.ties,
    effectSize: compared.dz,
    mde: compared.mde,
    units: compared.units,
    regressions: pairs
      .map((pair) => ({ ...pair, delta: pair.b - pair.a }))
      .filter(({ delta }) => delta < 0)
      .sort((x, y) => x.delta - y.delta || (x.queryId < y.queryId ? -1 : 1))
      .slice(0, regressionsMax)
  }
})

/** Most regressions that are named. */
const regressionsMax = 200

interface Pair {
  readonly queryId: string
  readonly a: number
  readonly b: number
}

const haveSameTopics = (a: ReadonlyArray<EvalResult>, b: ReadonlyArray<EvalResult>): boolean => {
  const topics = new Map(a.map(({ queryId, query }) => [queryId, query]))
  return topics.size === b.length && b.every(({ query, queryId }) => topics.get(queryId) === query)
}

/** Values of the topics for which both runs have one; a share of claims needs an answer in both. */
const pairsOf = (
  metric: string,
  a: ReadonlyArray<EvalResult>,
  b: ReadonlyArray<EvalResult>
): ReadonlyArray<Pair> => {
  const values = new Map(a.map(({ metrics, queryId }) => [queryId, metrics[metric]]))
  return b.flatMap(({ metrics, queryId }) => {
    const [before, after] = [values.get(queryId), metrics[metric]]
    return before === undefined || after === undefined ? [] : [{ queryId, a: before, b: after }]
  })
}

/** p after Holm's correction over the main metrics of the suite. */
const adjustedP = (
  metric: string,
  p: number,
  suite: Suite,
  a: ReadonlyArray<EvalResult>,
  b: ReadonlyArray<EvalResult>,
  draws: { readonly draws: number; readonly seed: number }
): number => {
  const others = families[suite].filter((name) => name !== metric)
  const all = [
    p,
    ...others.flatMap((name) => {
      const pairs = pairsOf(name, a, b)
      return pairs.length === 0
        ? []
        : [
            randomisationTest(
              pairs.map((pair) => rounded(pair.b - pair.a)),
              draws
            ).p
          ]
    })
  ]
  return holm(all)[0] ?? p
}

const rounded = (value: number): number => Math.round(value * 1e12) / 1e12
const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** The cluster of each pair's topic: the part of its id before the turn, or the document judged best. */
const clustersOf = (run: EvalView, pairs: ReadonlyArray<Pair>, by: CompareOptions["clusters"]) =>
  Effect.gen(function* () {
    if (by === "topic") return null
    if (by === "conversation") return pairs.map(({ queryId }) => conversationOf(queryId))
    const [store, { workspace }] = [yield* EvalStore, yield* Caller]
    const topics: ReadonlyArray<RunTopic> = yield* store.topics(workspace, run.id, 0, run.topics)
    const best = new Map(
      topics.map(({ topic: { judgments, queryId } }) => [
        queryId,
        [...judgments].sort((x, y) => y.grade - x.grade || (x.docId < y.docId ? -1 : 1))[0]?.docId ?? queryId
      ])
    )
    return pairs.map(({ queryId }) => best.get(queryId) ?? queryId)
  })

/** `conversation<::>turn`, `conversation::turn`, `conversation/turn` or `conversation:turn`; else the id itself. */
const conversationOf = (queryId: string): string =>
  queryId.replace(/(?:<::>|::|\/|:|_)[^:/_<>]*$/u, "") || queryId

/** Result of a non-inferiority test of one metric. */
export interface GateVerdict {
  readonly metric: string
  readonly margin: number
  readonly delta: number
  /** 95 % interval of the difference. */
  readonly interval: readonly [number, number]
  /** The interval excludes a loss larger than the margin. */
  readonly passed: boolean
}

/** Passes when the lower end of the interval is not below the margin, such as -0.02. */
export const nonInferiority = (
  {
    ci95: [low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY],
    delta,
    metric
  }: { readonly ci95: ReadonlyArray<number>; readonly delta: number; readonly metric: string },
  margin: number
): GateVerdict => ({ metric, margin, delta, interval: [low, high], passed: low >= margin })
