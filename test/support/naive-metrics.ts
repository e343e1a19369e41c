/**
 * A second implementation of the ranking and agreement metrics, written from the definitions in the papers and as
 * plainly as possible: by sums over all ranks and all pairs. Tests compare `core/answers/measures` with it.
 */
export interface NaiveTopic {
  readonly found: ReadonlyArray<{ readonly id: string; readonly score: number }>
  readonly grades: Readonly<Record<string, number>>
}

/** Orders results as trec_eval does. */
export const naiveOrder = (found: NaiveTopic["found"]): ReadonlyArray<string> =>
  [...found]
    .sort((a, b) =>
      a.score === b.score ? Buffer.compare(Buffer.from(b.id), Buffer.from(a.id)) : b.score - a.score
    )
    .map(({ id }) => id)

/** The value of a metric by its name in the golden files. */
export const naiveMetric = (name: string, { found, grades }: NaiveTopic, level = 1): number => {
  const order = naiveOrder(found)
  const [family = "", cutText] = name.split("@")
  const cut = cutText === undefined ? 1e9 : Number(cutText)
  const top = order.filter((_, i) => i < cut)
  const gradeOf = (id: string): number => (Object.hasOwn(grades, id) ? (grades[id] ?? 0) : 0)
  const isJudged = (id: string): boolean => Object.hasOwn(grades, id)
  const isRelevant = (id: string): boolean => isJudged(id) && gradeOf(id) >= level
  const relevant = Object.keys(grades).filter(isRelevant)
  const precisionAt = (k: number): number => order.filter((id, i) => i < k && isRelevant(id)).length / k
  const dcg = (values: ReadonlyArray<number>): number =>
    values.map((value, i) => value / (Math.log(i + 2) / Math.log(2))).reduce((a, b) => a + b, 0)
  const ndcgOf = (gain: (grade: number) => number): number => {
    const best = Object.values(grades)
      .sort((a, b) => b - a)
      .filter((_, i) => i < cut)
      .map(gain)
    return dcg(best) > 0 ? dcg(top.map((id) => gain(gradeOf(id)))) / dcg(best) : 0
  }
  switch (family) {
    case "ndcg":
      return ndcgOf((grade) => grade)
    case "ndcg_exp":
      return ndcgOf((grade) => 2 ** grade - 1)
    case "p":
      return precisionAt(cut)
    case "recall":
      return relevant.length === 0 ? 0 : top.filter(isRelevant).length / relevant.length
    case "success":
      return top.some(isRelevant) ? 1 : 0
    case "judged":
      return top.filter(isJudged).length / cut
    case "ap":
      return relevant.length === 0
        ? 0
        : top.map((id, i) => (isRelevant(id) ? precisionAt(i + 1) : 0)).reduce((a, b) => a + b, 0) /
            relevant.length
    case "rr":
      return Math.max(0, ...top.map((id, i) => (isRelevant(id) ? 1 / (i + 1) : 0)))
    case "rprec":
      return relevant.length === 0 ? 0 : precisionAt(relevant.length)
    case "bpref": {
      const notRelevant = Object.keys(grades).filter((id) => !isRelevant(id) && (grades[id] ?? 0) >= 0)
      const bound = Math.min(relevant.length, notRelevant.length)
      const part = (i: number): number => {
        const before = order.filter((other, j) => j < i && notRelevant.includes(other)).length
        return before === 0 ? 1 : 1 - Math.min(before, relevant.length) / bound
      }
      const parts = order.map((id, i) => (isRelevant(id) ? part(i) : 0))
      return relevant.length === 0 ? 0 : parts.reduce((a, b) => a + b, 0) / relevant.length
    }
    case "err": {
      const stops = (id: string): number => (2 ** gradeOf(id) - 1) / 16
      return top
        .map(
          (id, i) =>
            top.filter((_, j) => j < i).reduce((p, other) => p * (1 - stops(other)), stops(id)) / (i + 1)
        )
        .reduce((a, b) => a + b, 0)
    }
    case "rbp(p=0.8)":
      return order.map((id, i) => (isRelevant(id) ? 0.2 * 0.8 ** i : 0)).reduce((a, b) => a + b, 0)
    case "rbp_residual(p=0.8)":
      return 1 - order.map((id, i) => (isJudged(id) ? 0.2 * 0.8 ** i : 0)).reduce((a, b) => a + b, 0)
    default:
      throw new RangeError(`There is no metric ${name}.`)
  }
}

/** Krippendorff's alpha by its definition over all pairs of labels, for nominal and interval labels. */
export const naiveAlpha = (
  units: ReadonlyArray<ReadonlyArray<number | null>>,
  distance: (a: number, b: number) => number
): number => {
  const rated = units
    .map((unit) => unit.filter((label): label is number => label !== null))
    .filter((unit) => unit.length > 1)
  const all = rated.flat()
  const pairSum = (labels: ReadonlyArray<number>): number =>
    labels.flatMap((a, i) => labels.map((b, j) => (i === j ? 0 : distance(a, b)))).reduce((a, b) => a + b, 0)
  const observed =
    rated.map((unit) => pairSum(unit) / (unit.length - 1)).reduce((a, b) => a + b, 0) / all.length
  const expected = pairSum(all) / (all.length * (all.length - 1))
  return expected === 0 ? 1 : 1 - observed / expected
}
