import { shippedCalibration } from "../calibration/index.js"
import { type Evidence, type EvidencePassage, labelOf } from "../evidence/index.js"
import { scoredAnswer } from "./answer.js"
import { probabilityOf } from "./extractive.js"

/** Why the best statement came first, and how sure that makes it. */
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
const textMaxChars = 240

/** Explains the choice of the built-in model in words; null when nothing bears on the question. */
export const explainAnswer = (evidence: Evidence): AnswerExplanation | null => {
  const { features, statements } = scoredAnswer(evidence)
  const [best, second] = statements
  if (features === null || best === undefined) return null
  const { deviations, means, names, weights } = shippedCalibration.artefact.model
  const effects = names.map((name, at) => ({
    feature: wordsFor[name] ?? name,
    effect: ((weights[at] ?? 0) * ((features[name] ?? 0) - (means[at] ?? 0))) / (deviations[at] ?? 1)
  }))
  return {
    probability: probabilityOf(evidence),
    best: explained(best),
    runnerUp: second === undefined ? null : explained(second),
    strongest: effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).slice(0, strongestMax)
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
  rank: "rank of its passage",
  lexical: "score of its passage by words",
  cosine: "nearness of its passage by vectors",
  ordered: "words in the question's order",
  adjacent: "words side by side as in the question",
  spread: "distance between the words found",
  missing: "rarest word that statement and title lack",
  missingNear: "rarest word that it and its neighbour lack",
  missingPassage: "rarest word that its passage lacks",
  missingPool: "words of the question that no passage has",
  missingWords: "number of words that it lacks",
  missingWordsNear: "number of words that it and its neighbour lack",
  namesHeld: "names of the question in the statement",
  namesNear: "names of the question in or above it",
  namesPassage: "names of the question in its passage",
  codesHeld: "codes, numbers and dates of the question in it",
  counted: "it counts the thing that is asked for",
  uncounted: "it does not count the thing that is asked for",
  newName: "a name that the question lacks",
  newNumber: "a number that the question lacks",
  newWords: "words that the question lacks",
  swapped: "another word beside a word of the question",
  opposed: "the opposite of a word of the question",
  denied: "denied differently from the question",
  askedDenied: "the question is negated",
  saysDenied: "it is negated",
  over: "something that has ended",
  past: "another tense than the question",
  nameClash: "another name than the question's",
  nameElsewhere: "the name stands elsewhere in the passage",
  verbMissing: "it lacks the last word of the question",
  placeName: "it names a place",
  personName: "it names a person",
  title: "share of the question's words in the title",
  pronoun: "it opens with a pronoun",
  score: "its score",
  margin: "distance to the runner-up",
  otherMargin: "distance to the best of another document",
  share: "its share of all scores",
  documentShare: "share of its document",
  entropy: "number of statements that compete",
  firstThree: "score of the best three"
}
