import { type Evidence, prepareQuestion } from "../evidence/index.js"
import { memoize } from "../text-analysis/index.js"

/** What the sources hold of the question, word by word: looked up once for every feature that is made of it. */
export interface QuestionCoverage {
  /** Of each term of the question, in its order; a word that stands there twice is there twice. */
  readonly weights: ReadonlyArray<number>
  /** The most that a source carries of each, 0 to 1. */
  readonly most: ReadonlyArray<number>
  /** Of each source the share of the distinct terms, by weight, 0 to 1; null of a question without any. */
  readonly shares: ReadonlyArray<number | null>
}

/** Of the evidence as it is: of another choice, or another question, it is another one. */
export const questionCoverage = memoize((evidence: Evidence): QuestionCoverage => {
  const { question, sources } = evidence
  const asking = prepareQuestion(evidence)
  const terms = question.terms.map(({ term }, at, all) => ({
    term,
    weight: asking.weigh(term),
    place: asking.sought.placeOf(term),
    isFirst: all.findIndex((one) => one.term === term) === at
  }))
  const most = terms.map(() => 0)
  const shares = sources.map(({ read: { set } }) => {
    const row = asking.sought.rowOf(set)
    let total = 0
    let sum = 0
    let at = 0
    for (const { isFirst, place, term, weight } of terms) {
      const match = place === null ? asking.match(set, term) : (row[place] ?? 0)
      if (match > (most[at] ?? 0)) most[at] = match
      at += 1
      if (!isFirst) continue
      total += weight
      sum += weight * match
    }
    return total === 0 ? null : Math.min(1, sum / total)
  })
  return { weights: terms.map(({ weight }) => weight), most, shares }
})
