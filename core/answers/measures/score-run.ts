import {
  averagePrecision,
  bpref,
  err,
  type Judgments,
  judgedShare,
  ndcg,
  precision,
  type Ranking,
  rank,
  rbp,
  recall,
  reciprocalRank,
  rPrecision,
  type Scored,
  success
} from "./ranking.js"

/** A metric of one topic. */
export type Metric = (ranking: Ranking, judgments: Judgments, level?: number) => number

type Bounded = (ranking: Ranking, judgments: Judgments, options: Bounds) => number
interface Bounds {
  readonly depth?: number
  readonly level?: number
}

/** Metrics by name, and whether a cut-off (`name@k`) is given with it. */
const families: Readonly<
  Record<string, { readonly cut: "optional" | "required" | "none"; readonly of: Bounded }>
> = {
  ndcg: { cut: "optional", of: ndcg },
  ndcg_exp: { cut: "optional", of: (r, j, o) => ndcg(r, j, { ...o, gain: "exponential" }) },
  p: { cut: "required", of: precision },
  recall: { cut: "required", of: recall },
  success: { cut: "required", of: success },
  judged: { cut: "required", of: judgedShare },
  ap: { cut: "optional", of: averagePrecision },
  rr: { cut: "optional", of: reciprocalRank },
  err: { cut: "optional", of: err },
  rprec: { cut: "none", of: rPrecision },
  bpref: { cut: "none", of: bpref }
}

const cutForm = /^([a-z_]+)(?:@([1-9][0-9]*))?$/
const rbpForm = /^(rbp|rbp_residual)\(p=(0(?:\.[0-9]+)?)\)$/

/**
 * Returns the metric of a name: `ndcg@10`, `ndcg_exp@10`, `p@10`, `recall@100`, `success@10`, `judged@10`, `ap`, `rr`,
 * `rprec`, `bpref`, `err@20`, `rbp(p=0.8)`, `rbp_residual(p=0.8)`; null when there is none of that name.
 */
export const metricNamed = (name: string): Metric | null => {
  const biased = rbpForm.exec(name)
  if (biased !== null) {
    const p = Number(biased[2])
    const part = biased[1] === "rbp" ? "value" : "residual"
    return (ranking, judgments, level) => rbp(ranking, judgments, { p, ...levelOf(level) })[part]
  }
  const [, family = "", cut] = cutForm.exec(name) ?? []
  const found = Object.hasOwn(families, family) ? families[family] : undefined
  if (found === undefined) return null
  if (cut === undefined ? found.cut === "required" : found.cut === "none") return null
  const depth = cut === undefined ? {} : { depth: Number(cut) }
  return (ranking, judgments, level) => found.of(ranking, judgments, { ...depth, ...levelOf(level) })
}

const levelOf = (level: number | undefined) => (level === undefined ? {} : { level })

/** Values by metric name. */
export type Scores = Record<string, number>

/** The scores of a run: the values of each topic, and their means. */
export interface RunScores {
  /** Every judged topic, in the order of the judgments. */
  readonly perTopic: ReadonlyMap<string, Scores>
  /** Over all judged topics; one without results counts as 0 (trec_eval's `-c`). */
  readonly mean: Scores
  /** Over the judged topics that have results (trec_eval's default). */
  readonly meanObserved: Scores
}

/**
 * Scores a run against judgments. Topics without judgments are ignored; means of no topic are 0.
 *
 * @throws RangeError for an unknown metric, a document that occurs twice in a topic, or a score that is not finite.
 */
export const scoreRun = (
  run: ReadonlyMap<string, ReadonlyArray<Scored>>,
  qrels: ReadonlyMap<string, Judgments>,
  { level, metrics }: { readonly metrics: ReadonlyArray<string>; readonly level?: number }
): RunScores => {
  const chosen = metrics.map((name) => {
    const metric = metricNamed(name)
    if (metric === null) throw new RangeError(`There is no metric ${name}.`)
    return { name, metric }
  })
  const perTopic = new Map<string, Scores>()
  const observed: Array<Scores> = []
  for (const [topic, judgments] of qrels) {
    const found = run.get(topic) ?? []
    const ranking = rank(found)
    const scores = Object.fromEntries(
      chosen.map(({ metric, name }) => [name, metric(ranking, judgments, level)])
    )
    perTopic.set(topic, scores)
    if (found.length > 0) observed.push(scores)
  }
  return {
    perTopic,
    mean: meanScores(metrics, [...perTopic.values()]),
    meanObserved: meanScores(metrics, observed)
  }
}

const meanScores = (metrics: ReadonlyArray<string>, all: ReadonlyArray<Scores>): Scores =>
  Object.fromEntries(
    metrics.map((name) => [
      name,
      all.reduce((sum, scores) => sum + (scores[name] ?? 0), 0) / Math.max(1, all.length)
    ])
  )
