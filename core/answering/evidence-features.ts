import { type Evidence, namesOf, type PreparedQuestion, prepareQuestion } from "../evidence/index.js"
import { bestUnit, type Candidate } from "../extractive/index.js"
import { type Candidate as AnswerCandidate, type GateEvidence, questionCoverage } from "../gathering/index.js"
import { negationCount } from "../languages/index.js"
import type { FeatureName, FeatureValues } from "../policy/index.js"
import { questionFit } from "../questions/index.js"
import { AnchorField, alignedPlaces, isOpposed, type TermSet, type Token } from "../text-analysis/index.js"

/** Scores of units are about 0 to 1.3. */
const scoreMax = 1.3
/** A question of so many words is as long as it counts. */
const wordsMax = 25
/** Neighbours in the question that stand further apart than this in the unit are not said of each other there. */
const nearby = 2

/** Features as they are noted one after the other: dozens put together out of many objects take longer to copy. */
export type Noted = { -readonly [Name in FeatureName]?: number | null }

/**
 * How well the best unit of the evidence fits what is asked, and in what way it does not: known before an answer is
 * written. They tell a passage that answers from one that shares its words (docs/answers.md says what each is worth).
 * Pure.
 */
export const evidenceValues = (
  evidence: Evidence,
  found: Pick<GateEvidence, "candidates" | "embedded">
): FeatureValues => {
  // Of several questions at once the one that is carried least counts: an answer has to answer all.
  const parts = evidence.question.parts.map((question) => valuesFor({ ...evidence, question }, found))
  const [weakest] = parts.sort((a, b) => (a.unitScore ?? 0) - (b.unitScore ?? 0))
  return weakest ?? valuesFor(evidence, found)
}

const valuesFor = (
  evidence: Evidence,
  found: Pick<GateEvidence, "candidates" | "embedded">
): FeatureValues => {
  const { question } = evidence
  const asking = prepareQuestion(evidence)
  const { shares } = questionCoverage(evidence)
  const values: Noted = {}
  values.questionNegated = negationCount(question.text) > 0 ? 1 : 0
  values.questionDated = question.read.values.length > 0 ? 1 : 0
  values.questionLength = Math.min(1, (question.text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) / wordsMax)
  values.questionYesNo = question.answerType === "yes-no" ? 1 : 0
  // Of the passages, the one that holds most.
  values.bestCoverage = shares.length === 0 ? null : Math.max(...shares.map((share) => share ?? 0))
  const best = bestUnit(evidence)
  if (best === null) return values
  const { source, unit } = best
  const around = [...namesOf(evidence, source.passage.docTitle), ...source.passage.headingPath]
  values.unitScore = Math.min(1, best.score / scoreMax)
  values.unitCoverage = Math.min(1, best.coverage)
  values.unitTypeMatch = typed.has(question.answerType) ? (best.hasType ? 1 : 0) : null
  values.passageCoverage = shares[source.rank - 1] ?? null
  values.titleCoverage = weighted(asking, evidence.texts.read(around.join(" ")).set)
  values.missingWeight = missingWeight(evidence)
  values.missingName = missesName(evidence, best, around) ? 1 : 0
  values.opposed = isOpposed(question.read, unit) ? 1 : 0
  const said = unit.tokensIn(question.language)
  notePairs(values, asking, unit.set, said)
  const { bareTopic, countedThing, deniedWord } = questionFit(question, unit)
  values.deniedWord = deniedWord
  values.bareTopic = bareTopic
  values.countedThing = countedThing
  noteOrder(values, asking, said)
  notePlace(values, best, found)
  return values
}

/** How its passage came up. */
const notePlace = (
  values: Noted,
  { isNamed, source }: Candidate,
  { candidates = [], embedded }: Pick<GateEvidence, "candidates" | "embedded">
): void => {
  const place = candidates.find(({ chunkId }) => chunkId === source.passage.id)
  const isSearched = candidates.some(({ ranks }) => ranks.vector !== null)
  // Cosines of an embedding model are of another scale.
  const cosine = embedded === true ? null : (place?.vectorScore ?? null)
  values.unitVectorScore = cosine === null ? null : Math.min(1, Math.max(0, cosine))
  values.unitLexicalRank = ofRank(place?.ranks.fts)
  values.unitVectorRank = isSearched ? ofRank(place?.ranks.vector) : null
  // Who names a document found it by its name: what it is near to by meaning says nothing then.
  if (isNamed) [values.vectorScore, values.unitVectorScore] = [null, null]
}

const ofRank = (rank: AnswerCandidate["ranks"]["fts"] | undefined) =>
  rank === null || rank === undefined ? 0 : 1 / rank

/** How far the unit follows the words of the question: in their order, and side by side. */
const noteOrder = (values: Noted, asking: PreparedQuestion, tokens: ReadonlyArray<Token>): void => {
  const [asked, said] = [contentOf(asking.tokens), contentOf(tokens)]
  const weigh = (terms: ReadonlyArray<string>) => terms.reduce((sum, term) => sum + asking.weigh(term), 0)
  const kept = asked.length === 0 ? [] : alignedPlaces(asked, said).flatMap(([at]) => asked[at] ?? [])
  values.orderedShare = asked.length === 0 ? null : Math.min(1, weigh(kept) / weigh(asked))
  let neighbours = 0
  for (let at = 1; at < asked.length; at += 1)
    if (areNeighbours(said, asked[at - 1] ?? "", asked[at] ?? "")) neighbours += 1
  values.adjacentShare = asked.length < 2 ? null : neighbours / (asked.length - 1)
}

const contentOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> => {
  const terms: Array<string> = []
  for (const { isContent, term } of tokens) if (isContent) terms.push(term)
  return terms
}

const areNeighbours = (said: ReadonlyArray<string>, left: string, right: string): boolean => {
  for (let at = said.indexOf(left); at >= 0; at = said.indexOf(left, at + 1))
    if (said[at + 1] === right) return true
  return false
}

/** Kinds of answers that can be told from a text. */
export const typed: ReadonlySet<string> = new Set(["number", "date", "person", "place", "yes-no"])

/** A share of the question's terms, by rarity. */
const weighted = (asking: PreparedQuestion, set: TermSet): number | null => {
  let total = 0
  let sum = 0
  for (const term of asking.termsOfQuestion) {
    const weight = asking.weigh(term)
    total += weight
    sum += weight * asking.match(set, term)
  }
  return total === 0 ? null : Math.min(1, sum / total)
}

/** The rarest term that no source holds, against the rarest of all. */
const missingWeight = (evidence: Evidence): number => {
  const { question, sources, texts } = evidence
  const asking = prepareQuestion(evidence)
  const { most, weights } = questionCoverage(evidence)
  let heaviest = 0.05
  let missing = 0
  for (let at = 0; at < weights.length; at += 1) {
    const weight = weights[at] ?? 0
    const term = question.terms[at]?.term ?? ""
    heaviest = Math.max(heaviest, weight)
    const isHeld =
      weight <= missing ||
      (most[at] ?? 0) > 0 ||
      sources.some(({ passage }) => asking.match(texts.read(passage.docTitle).set, term) > 0)
    if (!isHeld) missing = weight
  }
  return missing / heaviest
}

/** Some name of the question stands neither in the unit nor in what is above it. */
const missesName = ({ question }: Evidence, { unit }: Candidate, around: ReadonlyArray<string>): boolean => {
  if (question.anchors.length === 0) return false
  const field = new AnchorField([...around, unit.lead, unit.text].join(" | "))
  return question.anchors.some((anchor) => field.share(anchor) < 1)
}

/**
 * What becomes of words that stand side by side in the question ("medieval Europe"): said of each other in the unit,
 * apart from each other there, or with another word in the place of one ("modern Europe").
 */
const notePairs = (
  values: Noted,
  asking: PreparedQuestion,
  terms: TermSet,
  said: ReadonlyArray<Token>
): void => {
  const asked = asking.tokens
  const isOther = (token: Token | undefined) =>
    token?.isContent === true && !asked.some(({ term }) => term === token.term)
  let swapped = false
  let both = 0
  let far = 0
  let left: Token | undefined
  let hasLeft = false
  for (const right of asked) {
    const hasRight = right.isContent && asking.match(terms, right.term) > 0
    if (left?.isContent === true && right.isContent) {
      const [before, behind] = [left.term, right.term]
      if (hasLeft && hasRight) {
        both += 1
        if (areApart(said, before, behind)) far += 1
      } else if (hasRight)
        swapped ||= said.some(({ term }, place) => term === behind && isOther(said[place - 1]))
      else if (hasLeft)
        swapped ||= said.some(({ term }, place) => term === before && isOther(said[place + 1]))
    }
    left = right
    hasLeft = hasRight
  }
  values.swappedWord = swapped ? 1 : 0
  values.scattered = both === 0 ? null : far / both
}

/** Both stand there, and nowhere near each other. */
const areApart = (said: ReadonlyArray<Token>, left: string, right: string): boolean => {
  let ofLeft = -1
  let ofRight = -1
  for (let at = 0; at < said.length; at += 1) {
    const term = said[at]?.term
    if (term === left) ofLeft = at
    if (term === right) ofRight = at
    if (ofLeft >= 0 && ofRight >= 0 && Math.abs(ofLeft - ofRight) <= nearby) return false
  }
  return ofLeft >= 0 && ofRight >= 0
}
