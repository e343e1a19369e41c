import { memoize } from "../../platform/caching/index.js"
import { type Logistic, statementScorer } from "../calibration/index.js"
import type { Evidence } from "../evidence/index.js"
import { definesSubject } from "./defining.js"
import { type Statement, statementsOf } from "./features.js"
import { unitsKnownToGraph } from "./stated.js"
import { type StatementFeature, statementFeatures } from "./statement-features.js"
import { asksBeforeName, isOfAskedTime, timeFit } from "./valid-time.js"

/** A statement with its score as an answer: a logit without a zero point; higher is better. */
export interface ScoredStatement extends Statement {
  readonly document: string
  /** Its document is retired, and the question does not ask for it by its title. */
  readonly isRetired: boolean
  /** It holds at another time than the question is about. */
  readonly isOfOtherTime: boolean
  /** The graph tells that it answers. */
  readonly isStated: boolean
  readonly score: number
}

/** Features that compare the best statement with the other ones, beside its own features. */
const contestFeatures = [
  "score",
  "margin",
  "otherMargin",
  "entropy",
  "nearBest",
  "passageBest",
  "cosineBest",
  "noVectors"
] as const

/** Features from which the probability that the best statement answers is estimated; each is 0 to 1. */
export const answerFeatures: ReadonlyArray<string> = [...statementFeatures, ...contestFeatures]

/** The statements for a question, best first, and the features of the best; null when there is no statement. */
export interface ScoredAnswer {
  readonly statements: ReadonlyArray<ScoredStatement>
  readonly features: Readonly<Record<string, number>> | null
}

/** Scores the statements of the evidence. */
export const scoredAnswer = memoize((evidence: Evidence): ScoredAnswer => {
  const { isOther, isSaid } = unitsKnownToGraph(evidence)
  const statements = statementsOf(evidence)
    .filter(({ unit }) => !isOther(unit))
    .map((one): ScoredStatement => {
      const isRetired = isOutOfUse(evidence, one) && !isOfAskedTime(evidence, one.source)
      const fit = timeFit(evidence, one.source, one.unit)
      const score =
        scoreOf(one.features) -
        (isRetired ? retiredPenalty : 0) +
        fit +
        definingBonus * definesSubject(evidence, one.source, one.unit)
      return {
        ...one,
        // "Before Tore Lind" is answered by a statement that does not name him.
        ...(fit > 0 && asksBeforeName(evidence)
          ? { isRuledOut: false, isWhole: false, lacksKind: false }
          : {}),
        document: one.source.passage.documentId,
        isRetired,
        isOfOtherTime: fit < 0,
        isStated: !isRetired && isSaid(one.unit),
        score
      }
    })
    .sort((a, b) => Number(b.isStated) - Number(a.isStated) || byRank(a, b))
  return { statements, features: featuresOf(statements) }
})

/** Orders statements, best first: those without what is asked for come last. */
export const byRank = (
  a: Pick<ScoredStatement, "lacksKind" | "score">,
  b: Pick<ScoredStatement, "lacksKind" | "score">
): number => Number(a.lacksKind) - Number(b.lacksKind) || b.score - a.score

/** What says what a thing is ranks before what mentions it. */
const definingBonus = 1.5

/** A document that was retired ranks behind a current one, unless the question asks for it by its title. */
const retiredPenalty = 4
const isOutOfUse = ({ retired }: Evidence, { source: { passage }, title }: Statement): boolean =>
  title < 1 && (passage.docVerification === "deprecated" || retired.has(passage.documentId))

/**
 * Whether a statement is not given as the answer although it scores best: something in it rules it out, or another one
 * holds much more of the question, so that it speaks of a sibling ("the paint budget" for "the sail budget").
 */
export const isRefused = <
  One extends Pick<Statement, "head" | "isRuledOut" | "isWhole" | "lacksKind" | "own">
>(
  statement: One,
  statements: ReadonlyArray<One>
): boolean =>
  statement.isRuledOut ||
  statement.lacksKind ||
  (statement.isWhole &&
    statements.some(({ own }) => own >= statement.own + lackedMin) &&
    // Words in a title or heading above it count: another statement that has them itself says no more.
    statements.some(({ head }) => head >= statement.head + lackedMin))
const lackedMin = 0.3

/** A linear score folded into one factor for each feature and a constant. */
const folded = ({ deviations, means, names, weights }: Omit<Logistic, "intercept">) => {
  const known: ReadonlyArray<string> = statementFeatures
  const places = names.map((name) => known.indexOf(name))
  const factors = statementFeatures.map(() => 0)
  let constant = 0
  for (const [at, place] of places.entries()) {
    const factor = (weights[at] ?? 0) / (deviations[at] ?? 1)
    factors[place] = factor
    constant -= factor * (means[at] ?? 0)
  }
  return { factors, constant }
}
const scorer = folded(statementScorer)

const scoreOf = (features: ReadonlyArray<number>): number => {
  let sum = scorer.constant
  for (let at = 0; at < features.length; at += 1) sum += (scorer.factors[at] ?? 0) * (features[at] ?? 0)
  return sum
}

/** Maps a difference of scores, 0 and up, to 0 to 1. */
const squashed = (difference: number): number => 1 - Math.exp(-Math.max(0, difference) / 2)

const within = (value: number): number => Math.min(1, Math.max(0, value))

/** A statement in the form in which it is compared with others. */
interface Contestant {
  readonly document: string
  readonly features: ReadonlyArray<number>
  readonly score: number
}

/** A runner-up that scores less than this below the best statement is shown beside it. */
export const furtherMargin = 1

/** Returns the features of the best of statements in the order of their scores; null of none. */
export const featuresOf = (
  statements: ReadonlyArray<Contestant>
): Readonly<Record<string, number>> | null => {
  const [best, second] = statements
  if (best === undefined) return null
  const other = statements.find(({ document }) => document !== best.document)
  const weights = statements.map(({ score }) => Math.exp(score - best.score))
  const total = weights.reduce((sum, one) => sum + one, 0)
  let entropy = 0
  for (const weight of weights) {
    const share = weight / total
    if (share > 0) entropy -= share * Math.log(share)
  }
  const values: Record<string, number> = {}
  for (const [at, name] of statementFeatures.entries()) values[name] = within(best.features[at] ?? 0)
  values["score"] = within(0.5 + best.score / 20)
  values["margin"] = second === undefined ? 1 : squashed(best.score - second.score)
  values["otherMargin"] = other === undefined ? 1 : squashed(best.score - other.score)
  values["entropy"] = within(entropy / Math.log(30))
  for (const [name, of] of bests) {
    let most = 0
    for (const one of statements) most = Math.max(most, one.features[of] ?? 0)
    values[name] = within(most)
  }
  values["noVectors"] = values["cosineBest"] === 0 ? 1 : 0
  return values
}

const placeOf = (name: StatementFeature): number => statementFeatures.indexOf(name)
const bests = [
  ["nearBest", placeOf("near")],
  ["passageBest", placeOf("passage")],
  ["cosineBest", placeOf("cosine")]
] as const
