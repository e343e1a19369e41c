/** A document that a system has found, with the score that it gave. */
export interface Scored {
  readonly docId: string
  readonly score: number
}

/** Grade of each judged document of a query; 0 was judged and is not relevant. */
export type Judgments = ReadonlyMap<string, number>

/** Least grade of a relevant document, for the metrics that know only yes and no. */
const relevantGrade = 1

/** As trec_eval ranks: by score descending, equal scores by document id descending in UTF-8 byte order. */
export const ranking = (found: ReadonlyArray<Scored>): ReadonlyArray<string> =>
  [...found].sort((a, b) => b.score - a.score || byBytes(b.docId, a.docId)).map(({ docId }) => docId)

/** UTF-8 order is the order of code points, which that of JavaScript's strings is not above U+FFFF. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/**
 * Normalised discounted cumulative gain with linear gain (the grade), discount log2(rank + 1) and the ideal order
 * of all judged documents, both cut at `depth`. 0 when nothing is relevant.
 */
export const ndcg = (ranked: ReadonlyArray<string>, judged: Judgments, depth: number): number => {
  const ideal = gain([...judged.values()].sort((a, b) => b - a).slice(0, depth))
  if (ideal === 0) return 0
  return gain(ranked.slice(0, depth).map((docId) => judged.get(docId) ?? 0)) / ideal
}

const gain = (grades: ReadonlyArray<number>): number =>
  grades.reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0)

/** Share of all relevant documents among the first `depth`; 0 when nothing is relevant. */
export const recall = (
  ranked: ReadonlyArray<string>,
  judged: Judgments,
  depth: number,
  level = relevantGrade
): number => {
  const relevant = [...judged.values()].filter((grade) => grade >= level).length
  if (relevant === 0) return 0
  return ranked.slice(0, depth).filter((docId) => (judged.get(docId) ?? 0) >= level).length / relevant
}

/** 1 / rank of the first relevant document; 0 when there is none. */
export const reciprocalRank = (
  ranked: ReadonlyArray<string>,
  judged: Judgments,
  level = relevantGrade
): number => {
  const place = ranked.findIndex((docId) => (judged.get(docId) ?? 0) >= level)
  return place < 0 ? 0 : 1 / (place + 1)
}

/** Passages collapsed to their documents, each at its best score. */
export const bestPerDocument = (passages: ReadonlyArray<Scored>): ReadonlyArray<Scored> => {
  const best = new Map<string, number>()
  for (const { docId, score } of passages) {
    if (score > (best.get(docId) ?? Number.NEGATIVE_INFINITY)) best.set(docId, score)
  }
  return [...best].map(([docId, score]) => ({ docId, score }))
}
