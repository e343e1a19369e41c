import { shippedCalibration } from "../calibration/index.js"
import { type Evidence, type EvidencePassage, labelOf } from "../evidence/index.js"
import { scoredAnswer } from "../selection/index.js"
import { probabilityOf } from "./extractive.js"

/** Reason why the best statement came first, and the resulting confidence. */
export interface AnswerExplanation {
  /** Estimated probability that the best statement answers, 0 to 1. */
  readonly probability: number
  readonly best: ExplainedStatement
  /** Null when there is only one statement. */
  readonly runnerUp: ExplainedStatement | null
  /** The features that move the probability most; `effect` is their part of its logit. */
  readonly strongest: ReadonlyArray<{ readonly feature: string; readonly effect: number }>
}

export interface ExplainedStatement {
  readonly sourceId: string
  readonly text: string
  /** A logit without a zero point: only differences mean something. */
  readonly score: number
}

const strongestMax = 5
/** Says nothing by itself: with vectors it is the other half of their nearness, without them these say nothing. */
const ofVectors = new Set(["cosineBest", "cosine"])
const textMaxChars = 240

/** Explains the choice of the built-in model in words; null when nothing bears on the question. */
export const explainAnswer = (evidence: Evidence): AnswerExplanation | null => {
  const { features, statements } = scoredAnswer(evidence)
  const [best, second] = statements
  if (features === null || best === undefined) return null
  const { deviations, means, names, weights } = shippedCalibration.artefact.model
  const effects = names.map((name, at) => ({
    feature: name,
    effect: ((weights[at] ?? 0) * ((features[name] ?? 0) - (means[at] ?? 0))) / (deviations[at] ?? 1)
  }))
  return {
    probability: probabilityOf(evidence),
    best: explained(best),
    runnerUp: second === undefined ? null : explained(second),
    strongest: effects
      .filter(({ feature }) => feature !== "noVectors")
      .filter(({ feature }) => features["noVectors"] !== 1 || !ofVectors.has(feature))
      .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
      .slice(0, strongestMax)
      .map(({ effect, feature }) => ({ effect, feature: wordsFor[feature] ?? feature }))
  }
}

const explained = ({
  score,
  source,
  unit
}: {
  readonly score: number
  readonly source: EvidencePassage
  readonly unit: Parameters<typeof labelOf>[0]
}): ExplainedStatement => {
  const label = labelOf(unit)
  const text = label === undefined ? unit.text : `${label} ${unit.text}`
  return { sourceId: source.id, text: text.slice(0, textMaxChars).toWellFormed(), score }
}

/** Features in words. */
const wordsFor: Readonly<Record<string, string>> = {
  own: "share of the question's words in the statement",
  head: "the same with its title and headings",
  near: "the same with the sentence before it",
  passage: "the same in its passage",
  exact: "the same without synonyms",
  bm25: "score by words beside the best statement",
  cosine: "nearness of its passage by vectors",
  ordered: "words in the question's order",
  missing: "rarest word that statement and title lack",
  missingPool: "words of the question that no passage has",
  namesHeld: "names of the question in the statement",
  namesNear: "names of the question in or above it",
  namesPassage: "names of the question in its passage",
  codesHeld: "codes, numbers and dates of the question in it",
  kindHeld: "it holds what is asked for: a number, a date, a person, a place …",
  kindMissing: "it does not hold what is asked for",
  otherKind: "a question for no kind of value",
  hasNames: "the question has names",
  hasCodes: "the question has codes, numbers or dates",
  counted: "it counts the thing that is asked for",
  newName: "a name that the question lacks",
  denied: "denied differently from the question",
  askedDenied: "the question is negated",
  saysDenied: "it is negated",
  past: "another tense than the question",
  placeName: "it names a place",
  personName: "it names a person",
  score: "its score",
  margin: "distance to the runner-up",
  otherMargin: "distance to the best of another document",
  entropy: "number of statements that compete",
  nearBest: "most of the question's words that any statement has",
  passageBest: "most of them that any passage has",
  cosineBest: "nearness of the nearest passage by vectors"
}
