import type { Passage } from "../../files/documents/index.js"
import type { Row, TermSet } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import { type Evidence, prepareQuestion } from "../evidence/index.js"

/** Coverage of the question by the sources, term by term; computed once for all features that use it. */
interface QuestionCoverage {
  /** Weight of each term of the question, in its order; a repeated term is listed again. */
  readonly weights: ReadonlyArray<number>
  /** The most that a source carries of each, 0 to 1. */
  readonly most: ReadonlyArray<number>
  /**
   * Per source, the share of the distinct terms that it contains, by weight, 0 to 1; null when the question has no
   * terms.
   */
  readonly shares: ReadonlyArray<number | null>
}

/** Memoized by identity, because another question or another choice of sources is another evidence object. */
const questionCoverage = memoize((evidence: Evidence): QuestionCoverage => {
  const { question, sources } = evidence
  const prepared = prepareQuestion(evidence)
  const seen = new Set<string>()
  const terms = question.terms.map(({ term }) => {
    const isFirst = !seen.has(term)
    seen.add(term)
    return { term, weight: prepared.weigh(term), place: prepared.sought.placeOf(term), isFirst }
  })
  const most = terms.map(() => 0)
  const shares = sources.map(({ read: { set }, units }) => {
    const row = prepared.withImpliedTerms(prepared.sought.rowOf(set), units)
    let total = 0
    let sum = 0
    let at = 0
    for (const { isFirst, place, term, weight } of terms) {
      const match = place === null ? prepared.match(set, term) : (row[place] ?? 0)
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

/** Title, headings and path of a passage, which count as words of it. */
export const headOf = ({ docPath, docTitle, headingPath }: Passage): string =>
  [docTitle, ...headingPath, docPath].join(" | ")

/** Share of the question's terms, by rarity, that the sources hold between them with what stands above them, 0 to 1. */
export const coverageOfSources = (evidence: Evidence): number => {
  const { sought } = prepareQuestion(evidence)
  const { most } = questionCoverage(evidence)
  let headed: ReadonlyArray<Headed> | undefined
  return coverageOf(evidence, evidence.sources.length, (term, at) => {
    // A source that contains the word itself already has the maximum.
    if (most[at] === 1) return 1
    headed ??= evidence.sources.map((source) => {
      const sets = [source.read.set, evidence.texts.read(headOf(source.passage)).set] as const
      return { sets, own: sought.rowOf(sets[0]), above: sought.rowOf(sets[1]) }
    })
    const place = sought.placeOf(term)
    let best = 0
    for (const { above, own, sets } of headed) {
      const [inOwn, inHead] = place === null ? bothUnknown : [own[place] ?? 0, above[place] ?? 0]
      // The sets themselves combine partial matches in both.
      const isOfBoth = inOwn > 0 && inHead > 0 && inOwn < 1 && inHead < 1
      best = Math.max(best, isOfBoth ? sought.matchIn(sets, term) : Math.max(inOwn, inHead))
      if (best === 1) break
    }
    return best
  })
}

/** A source with what stands above it. */
interface Headed {
  readonly sets: readonly [own: TermSet, above: TermSet]
  readonly own: Row
  readonly above: Row
}

/** Placeholder for a term without a place in the rows: values between 0 and 1 make the sets decide. */
const bothUnknown = [0.5, 0.5] as const

const coverageOf = (
  evidence: Evidence,
  textCount: number,
  carry: (term: string, at: number) => number
): number => {
  const { weights } = questionCoverage(evidence)
  let total = 0
  let covered = 0
  for (let at = 0; at < weights.length; at += 1) {
    const weight = weights[at] ?? 0
    total += weight
    covered += weight * carry(evidence.question.terms[at]?.term ?? "", at)
  }
  return total === 0 ? (textCount === 0 ? 0 : 1) : Math.min(1, covered / total)
}
