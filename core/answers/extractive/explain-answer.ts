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
  "number+": "it holds a number, as asked",
  "number-": "it does not hold a number, as asked",
  "date+": "it holds a date, as asked",
  "date-": "it does not hold a date, as asked",
  "person+": "it holds a person, as asked",
  "person-": "it does not hold a person, as asked",
  "place+": "it holds a place, as asked",
  "place-": "it does not hold a place, as asked",
  "reason+": "it holds a reason, as asked",
  "reason-": "it does not hold a reason, as asked",
  "procedure+": "it holds steps, as asked",
  "procedure-": "it does not hold steps, as asked",
  "list+": "it holds a list, as asked",
  "list-": "it does not hold a list, as asked",
  "definition+": "it holds a definition, as asked",
  "definition-": "it does not hold a definition, as asked",
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
  firstThree: "score of the best three",
  nearBest: "most of the question's words that any statement has",
  passageBest: "most of them that any passage has",
  cosineBest: "nearness of the nearest passage by vectors",
  lexicalBest: "best score of a passage by words",
  namesPassageBest: "names of the question in any passage",
  missingPassageLeast: "rarest word that every passage lacks",
  defines: "it defines what is asked about",
  opensSubject: "it opens the page of what is asked about",
  otherState: "the opposite state of what is asked",
  reasonAbove: "it stands below a heading for reasons",
  labelled: "it has a label",
  nearest: "share of the question's words in its label or heading",
  row: "it is a row of a table",
  item: "it is an item of a list",
  listAsked: "it is a list, and a list is asked for",
  listUnasked: "it is a list, and no list is asked for",
  code: "it is a block of code",
  field: "it is a field of front matter",
  words: "its length",
  short: "it is very short",
  first: "it is the first of its passage",
  place: "its place in the passage",
  leadIn: "it introduces something",
  question: "it is a question",
  hasNames: "the question has a name",
  hasCodes: "the question has a code, number or date",
  otherKind: "no kind of answer is known",
  deniedWord: "it has a word that the question denies by a prefix",
  ownGap: "words of the question that the best statement has and it lacks",
  headGap: "the same with title and headings",
  nearGap: "the same with its neighbour",
  passageGap: "words that the best passage has and its own lacks",
  titleGap: "words that the best title has and its own lacks"
}
