/** A document that a system found, with the score it gave. */
export interface Scored {
  readonly id: string
  readonly score: number
}

/** Document ids, best first; no id occurs twice. */
export type Ranking = ReadonlyArray<string>

/** Grade of each judged document of a topic; 0 was judged and is not relevant. */
export type Judgments = ReadonlyMap<string, number>

/** Options of the ranking metrics. */
export interface Options {
  /** Ranks that count; all of the ranking when left out. */
  readonly depth?: number
  /** Least grade of a relevant document in binary metrics; 1 when left out. */
  readonly level?: number
}

/**
 * Orders results as trec_eval does: by score descending, equal scores by document id descending in UTF-8 byte order.
 *
 * @throws RangeError when a document occurs twice or a score is not finite.
 */
export const rank = (found: ReadonlyArray<Scored>): Ranking => {
  const seen = new Set<string>()
  for (const { id, score } of found) {
    if (!Number.isFinite(score)) throw new RangeError(`The score of ${id} is not a finite number.`)
    if (seen.has(id)) throw new RangeError(`The document ${id} occurs twice in one ranking.`)
    seen.add(id)
  }
  return [...found].sort((a, b) => b.score - a.score || compareUtf8(b.id, a.id)).map(({ id }) => id)
}

/** Compares two strings by their UTF-8 bytes, which is the order of code points. */
const compareUtf8 = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (left !== right) return codePointOrder(left) - codePointOrder(right)
  }
  return a.length - b.length
}

/** Surrogates encode code points above U+FFFF, so they sort behind the units from U+E000. */
const codePointOrder = (unit: number): number =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit

/** Collapses passages to their documents, each at its best score, in the order in which documents first occur. */
export const bestPerDocument = <Id extends string>(
  passages: ReadonlyArray<{ readonly id: Id; readonly score: number }>
): ReadonlyArray<{ readonly id: Id; readonly score: number }> => {
  const best = new Map<Id, number>()
  for (const { id, score } of passages) {
    if (score > (best.get(id) ?? Number.NEGATIVE_INFINITY)) best.set(id, score)
  }
  return [...best].map(([id, score]) => ({ id, score }))
}

/**
 * Normalised discounted cumulative gain, 0 to 1: discount log2(rank + 1), ideal order from all judged documents, both
 * cut at `depth`. The gain is the grade (`linear`, as in trec_eval's `ndcg_cut`) or 2^grade - 1 (`exponential`, Burges
 * et al., ICML 2005). 0 when no document has a positive grade.
 *
 * Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002.
 */
export const ndcg = (
  ranking: Ranking,
  judgments: Judgments,
  { depth, gain = "linear" }: Options & { readonly gain?: "linear" | "exponential" } = {}
): number => {
  const gainOf = gain === "linear" ? (grade: number) => grade : (grade: number) => 2 ** grade - 1
  const grades = [...judgments.values()].filter((grade) => grade > 0).sort((a, b) => b - a)
  const ideal = discounted(grades.slice(0, depth).map(gainOf))
  if (ideal === 0) return 0
  return discounted(ranking.slice(0, depth).map((id) => gainOf(Math.max(0, judgments.get(id) ?? 0)))) / ideal
}

const discounted = (gains: ReadonlyArray<number>): number =>
  gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0)

/** Share of relevant documents among the first `depth` ranks, which are always the divisor (trec_eval's `P`). */
export const precision = (ranking: Ranking, judgments: Judgments, options: Options = {}): number => {
  const depth = options.depth ?? ranking.length
  return depth === 0 ? 0 : relevantIn(ranking, judgments, options) / depth
}

/** Share of all relevant documents found in the first `depth` ranks (trec_eval's `recall`); 0 without relevant ones. */
export const recall = (ranking: Ranking, judgments: Judgments, options: Options = {}): number => {
  const all = relevantCount(judgments, options.level)
  return all === 0 ? 0 : relevantIn(ranking, judgments, options) / all
}

/** 1 when a relevant document is in the first `depth` ranks, else 0 (trec_eval's `success`). */
export const success = (ranking: Ranking, judgments: Judgments, options: Options = {}): number =>
  relevantIn(ranking, judgments, options) > 0 ? 1 : 0

/** Share of the first `depth` ranks whose document was judged; ranks that hold nothing count as unjudged. */
export const judgedShare = (ranking: Ranking, judgments: Judgments, { depth }: Options = {}): number => {
  const divisor = depth ?? ranking.length
  if (divisor === 0) return 0
  return ranking.slice(0, depth).filter((id) => judgments.has(id)).length / divisor
}

/** Mean of the precision at each relevant document, over all relevant documents (trec_eval's `map`, `map_cut`). */
export const averagePrecision = (ranking: Ranking, judgments: Judgments, options: Options = {}): number => {
  const all = relevantCount(judgments, options.level)
  if (all === 0) return 0
  let [found, sum] = [0, 0]
  for (const [place, id] of ranking.slice(0, options.depth).entries()) {
    if (!isRelevant(judgments, id, options.level)) continue
    found += 1
    sum += found / (place + 1)
  }
  return sum / all
}

/** 1 / rank of the first relevant document within `depth` (trec_eval's `recip_rank`); 0 when there is none. */
export const reciprocalRank = (ranking: Ranking, judgments: Judgments, options: Options = {}): number => {
  const place = ranking.slice(0, options.depth).findIndex((id) => isRelevant(judgments, id, options.level))
  return place < 0 ? 0 : 1 / (place + 1)
}

/** Precision at rank R, where R is the number of relevant documents (trec_eval's `Rprec`). */
export const rPrecision = (ranking: Ranking, judgments: Judgments, { level }: Options = {}): number => {
  const depth = relevantCount(judgments, level)
  return depth === 0 ? 0 : precision(ranking, judgments, { depth, ...(level === undefined ? {} : { level }) })
}

/**
 * Binary preference: how rarely a document judged not relevant stands before a relevant one. Unjudged documents and
 * those with a negative grade are skipped. Each of the R relevant documents found adds 1 - min(n, R) / min(N, R), with n judged non-relevant documents
 * before it and N in all; the sum is divided by R. As in trec_eval.
 *
 * Source: Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.
 */
export const bpref = (ranking: Ranking, judgments: Judgments, { level }: Options = {}): number => {
  const relevant = relevantCount(judgments, level)
  if (relevant === 0) return 0
  const unjudged = [...judgments.values()].filter((grade) => grade < 0).length
  const bound = Math.min(judgments.size - unjudged - relevant, relevant)
  let [before, sum] = [0, 0]
  for (const id of ranking) {
    if ((judgments.get(id) ?? -1) < 0) continue
    if (!isRelevant(judgments, id, level)) before += 1
    else sum += before === 0 ? 1 : 1 - Math.min(before, relevant) / bound
  }
  return sum / relevant
}

/**
 * Expected reciprocal rank: the reader stops at rank r with probability (2^grade - 1) / 2^maxGrade.
 *
 * Source: Chapelle, Metzler, Zhang and Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009.
 *
 * @throws RangeError when a grade of the ranking exceeds `maxGrade`.
 */
export const err = (
  ranking: Ranking,
  judgments: Judgments,
  { depth, maxGrade = 4 }: Options & { readonly maxGrade?: number } = {}
): number => {
  let [reading, sum] = [1, 0]
  for (const [place, id] of ranking.slice(0, depth).entries()) {
    const grade = Math.max(0, judgments.get(id) ?? 0)
    if (grade > maxGrade) throw new RangeError(`The grade ${grade} of ${id} is above ${maxGrade}.`)
    const stops = (2 ** grade - 1) / 2 ** maxGrade
    sum += (reading * stops) / (place + 1)
    reading *= 1 - stops
  }
  return sum
}

/**
 * Rank-biased precision with binary relevance: (1 - p) times the sum of p^(rank - 1) over relevant ranks. `residual` is
 * what unjudged and unseen ranks could add at most.
 *
 * Source: Moffat and Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 27(1), 2008.
 */
export const rbp = (
  ranking: Ranking,
  judgments: Judgments,
  { level, p = 0.8 }: { readonly p?: number; readonly level?: number } = {}
): { readonly value: number; readonly residual: number } => {
  let [weight, value, unjudged] = [1 - p, 0, 0]
  for (const id of ranking) {
    if (!judgments.has(id)) unjudged += weight
    else if (isRelevant(judgments, id, level)) value += weight
    weight *= p
  }
  return { value, residual: unjudged + p ** ranking.length }
}

const defaultLevel = 1

const isRelevant = (judgments: Judgments, id: string, level = defaultLevel): boolean => {
  const grade = judgments.get(id)
  return grade !== undefined && grade >= level
}

const relevantCount = (judgments: Judgments, level = defaultLevel): number => {
  let count = 0
  for (const grade of judgments.values()) if (grade >= level) count += 1
  return count
}

const relevantIn = (ranking: Ranking, judgments: Judgments, { depth, level }: Options): number =>
  ranking.slice(0, depth).filter((id) => isRelevant(judgments, id, level)).length
