import { memoize } from "../caching/index.js"
import {
  type Evidence,
  type EvidencePassage,
  labelOf,
  type PreparedQuestion,
  prepareQuestion
} from "../evidence/index.js"
import { type Row, saysPast, type TermSet } from "../text-analysis/index.js"
import { type Draft, type Place, placeOf } from "./drafts.js"

/** A unit with its score as an answer. */
export interface Candidate extends Omit<Draft, "bonus" | "dated" | "factor" | "held" | "kind"> {
  readonly source: EvidencePassage
  /** The label of its paragraph, or the heading with the requested value; quoted before the unit. */
  readonly label: string | undefined
  readonly terms: TermSet
  /** Whether title or path of its document contains an anchor of the question. */
  readonly isNamed: boolean
  /** About 0 to 1.5; no unit. */
  readonly score: number
}

/** Factor for statements in other documents about the document that the question names. */
const elsewhereFactor = 0.6
/** Factor for outdated statements when a current one covers the same. */
const replacedFactor = 0.6
/** Minimum weighted coverage of such a current statement. */
const coveredMin = 0.6

/**
 * Scores every unit of the evidence, in order of source and position: (0.5 coverage + 0.2 own coverage + 0.2 BM25 /
 * best BM25 + 0.1 / source rank + bonuses) × factors. Bonuses: the expected kind of answer, a section for such
 * answers, a definition of the subject, a document that the question names. Factors: missing anchors, units with
 * little content.
 */
export const scoreUnits = memoize(
  (evidence: Evidence): ReadonlyArray<Candidate> =>
    scored(evidence).flatMap((one) => one.place.drafts.map((draft, at) => candidateOf(one, draft, at)))
)

/** Returns the best unit, the first among equals; null when there is none. */
export const bestUnit = (evidence: Evidence): Candidate | null => {
  let best: {
    readonly one: Scored
    readonly draft: Draft
    readonly at: number
    readonly score: number
  } | null = null
  for (const one of scored(evidence))
    for (const [at, draft] of one.place.drafts.entries()) {
      const score = one.scores[at] ?? 0
      if (best === null || score > best.score) best = { one, draft, at, score }
    }
  return best === null ? null : candidateOf(best.one, best.draft, best.at)
}

const candidateOf = ({ place, scores, source }: Scored, draft: Draft, at: number): Candidate => ({
  source,
  unit: draft.unit,
  namedBy: draft.namedBy,
  label: draft.dated ?? labelOf(draft.unit),
  isAskedAbove: draft.isAskedAbove,
  terms: draft.unit.set,
  hasType: draft.hasType,
  isReasoned: draft.isReasoned,
  isNamed: place.isNamed,
  coverage: draft.coverage,
  said: draft.said,
  ownCoverage: draft.ownCoverage,
  score: scores[at] ?? 0
})

/**
 * Returns the score of the best unit of each source; 0 for one without units. Cheaper than scoring all units of a wide
 * pool.
 */
export const bestScores = (evidence: Evidence): ReadonlyArray<number> =>
  scored(evidence).map(({ scores }) => scores.reduce((best, one) => Math.max(best, one), 0))

interface Scored {
  readonly source: EvidencePassage
  readonly place: Place
  /** Scores of its units, in order. */
  readonly scores: ReadonlyArray<number>
}

const scored = memoize((evidence: Evidence): ReadonlyArray<Scored> => {
  const asking = prepareQuestion(evidence)
  const places = evidence.sources.map((source) => ({ source, place: placeOf(asking, evidence, source) }))
  let [units, size] = [0, 0]
  for (const { place } of places) {
    units += place.drafts.length
    for (const { unit } of place.drafts) size += unit.set.size
  }
  const meanSize = Math.max(1, size / Math.max(1, units))
  const someNamed = places.some(({ place }) => place.isNamed)
  let bestBm25 = 1e-9
  const bm25s = places.map(({ place }) =>
    place.drafts.map(({ held, unit }) => {
      const bm25 = bm25Of(asking, held, unit.set.size / meanSize)
      bestBm25 = Math.max(bestBm25, bm25)
      return bm25
    })
  )
  const isCurrentKnown =
    places.some(({ source }) => isOutOfUse(evidence, source)) &&
    !saysPast(asking.question) &&
    places.some(
      ({ place, source }) =>
        !isOutOfUse(evidence, source) && place.drafts.some((draft) => isTold(asking, draft))
    )
  return places.map(({ place, source }, at) => {
    const isOld = isOutOfUse(evidence, source)
    const givesWay = isCurrentKnown && isOld && !place.isNamed && !isAskedAbout(evidence, asking, source)
    const late = (isOld ? 0.9 : 1) * (givesWay ? replacedFactor : 1)
    const elsewhere = (someNamed && !place.isNamed ? elsewhereFactor : 1) * late
    const scores = place.drafts.map(({ bonus, coverage, factor, kind, ownCoverage }, index) => {
      const bm25 = (0.2 * (bm25s[at]?.[index] ?? 0)) / bestBm25
      const worth = 0.5 * coverage + 0.2 * ownCoverage + bm25 + 0.1 / source.rank + bonus
      return factor * elsewhere * kind * worth
    })
    return { source, place, scores }
  })
})

/** Whether the title is the subject of the question, so that a retired document was asked for by name. */
const isAskedAbout = (
  evidence: Evidence,
  { question, subject }: PreparedQuestion,
  { passage }: EvidencePassage
) => {
  const title = evidence.texts.read(passage.docTitle).set
  return subject.length > 0 && subject.every(({ term }) => title.match(term, question.language) >= 0.7)
}

/** Whether it is retired, by the workspace or by its own front matter. */
const isOutOfUse = ({ retired }: Evidence, { passage }: EvidencePassage): boolean =>
  passage.docVerification === "deprecated" || retired.has(passage.documentId)

const isTold = ({ question: { answerType } }: PreparedQuestion, { coverage, hasType }: Draft): boolean =>
  coverage >= coveredMin && (hasType || (answerType !== "number" && answerType !== "date"))

/** Returns the BM25 score (k1 1.2, b 0.75, over units) of one unit. */
const bm25Of = ({ asked }: PreparedQuestion, held: Row, relativeSize: number): number => {
  const length = 1.2 * (0.25 + 0.75 * relativeSize)
  let sum = 0
  for (let at = 0; at < asked.length; at += 1) {
    const inUnit = held[at] ?? 0
    if (inUnit > 0) sum += ((asked[at]?.weight ?? 0) * inUnit * 2.2) / (inUnit + length)
  }
  return sum
}
