import type { FeatureValues } from "../policy/index.js"
import { alignedPlaces } from "./alignment.js"
import { AnchorField } from "./anchors.js"
import { type Asking, askingOf } from "./asking.js"
import type { Candidate as AnswerCandidate } from "./candidate.js"
import type { Evidence } from "./evidence.js"
import type { Gathered } from "./evidence-source.js"
import { negationCount } from "./language.js"
import { holdsAntonym, opposes } from "./oppositions.js"
import { questionFit } from "./question-features.js"
import { type Candidate, scoreUnits } from "./score.js"
import { namesOf } from "./surroundings.js"
import type { TermSet, Token } from "./terms.js"

/** Scores of units are about 0 to 1.3. */
const scoreMax = 1.3
/** A question of so many words is as long as it counts. */
const wordsMax = 25
/** Neighbours in the question that stand further apart than this in the unit are not said of each other there. */
const nearby = 2

/**
 * How well the best unit of the evidence fits what is asked, and in what way it does not: known before an answer is
 * written. They tell a passage that answers from one that shares its words (docs/answers.md says what each is worth).
 * Pure.
 */
export const evidenceValues = (
  evidence: Evidence,
  { candidates = [], embedded }: Pick<Gathered, "candidates" | "embedded">
): FeatureValues => {
  // Cosines of an embedding model are of another scale.
  const places = new Map(
    candidates.map(({ chunkId, ranks, vectorScore }) => [
      chunkId,
      { ranks, vectorScore: embedded === true ? null : vectorScore }
    ])
  )
  // Of several questions at once the one that is carried least counts: an answer has to answer all.
  const parts = evidence.question.parts.map((question) => valuesFor({ ...evidence, question }, places))
  const [weakest] = parts.sort((a, b) => (a.unitScore ?? 0) - (b.unitScore ?? 0))
  return weakest ?? valuesFor(evidence, places)
}

type Places = ReadonlyMap<string, Pick<AnswerCandidate, "ranks" | "vectorScore">>

const valuesFor = (evidence: Evidence, places: Places): FeatureValues => {
  const { question } = evidence
  const asking = askingOf(evidence)
  const best = scoreUnits(evidence).reduce<Candidate | null>(
    (held, one) => (held === null || one.score > held.score ? one : held),
    null
  )
  const common = {
    questionNegated: negationCount(question.text) > 0 ? 1 : 0,
    questionDated: asking.read.values.length > 0 ? 1 : 0,
    questionLength: Math.min(1, (question.text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) / wordsMax),
    questionYesNo: question.answerType === "yes-no" ? 1 : 0,
    bestCoverage: bestCoverage(evidence)
  }
  if (best === null) return common
  const passage = best.source.read.set
  const title = evidence.texts.read(
    [...namesOf(evidence, best.source.passage.docTitle), ...best.source.passage.headingPath].join(" ")
  ).set
  const said = best.unit.tokensIn(question.language)
  return {
    ...common,
    unitScore: Math.min(1, best.score / scoreMax),
    unitCoverage: Math.min(1, best.coverage),
    unitTypeMatch: typed.has(question.answerType) ? (best.hasType ? 1 : 0) : null,
    passageCoverage: weighted(asking, passage),
    titleCoverage: weighted(asking, title),
    missingWeight: missingWeight(evidence),
    missingName: missesName(evidence, best) ? 1 : 0,
    opposed: opposes(question.text, best.unit.text) || holdsAntonym(question.text, best.unit.text) ? 1 : 0,
    ...pairsOf(asking, best, said),
    ...questionFit(question, best.unit.text, evidence.analyse),
    ...orderOf(asking, said),
    ...placeOf(places, best),
    // Who names a document found it by its name: what it is near to by meaning says nothing then.
    ...(best.isNamed ? { vectorScore: null, unitVectorScore: null } : {})
  }
}

/** How its passage came up. */
const placeOf = (places: Places, { source }: Candidate): FeatureValues => {
  const place = places.get(source.passage.id)
  const isSearched = [...places.values()].some(({ ranks }) => ranks.vector !== null)
  const ofRank = (rank: number | null | undefined) => (rank === null || rank === undefined ? 0 : 1 / rank)
  const cosine = place?.vectorScore ?? null
  return {
    unitVectorScore: cosine === null ? null : Math.min(1, Math.max(0, cosine)),
    unitLexicalRank: ofRank(place?.ranks.fts),
    unitVectorRank: isSearched ? ofRank(place?.ranks.vector) : null
  }
}

/** Of the passages, the one that holds most. */
const bestCoverage = (evidence: Evidence): number | null => {
  const asking = askingOf(evidence)
  const shares = evidence.sources.map(({ read }) => weighted(asking, read.set) ?? 0)
  return shares.length === 0 ? null : Math.max(...shares)
}

/** How far the unit follows the words of the question: in their order, and side by side. */
const orderOf = (asking: Asking, tokens: ReadonlyArray<Token>): FeatureValues => {
  const contentOf = (of: ReadonlyArray<Token>) =>
    of.flatMap(({ isContent, term }) => (isContent ? [term] : []))
  const [asked, said] = [contentOf(asking.tokens), contentOf(tokens)]
  const weigh = (terms: ReadonlyArray<string>) => terms.reduce((sum, term) => sum + asking.weigh(term), 0)
  const kept = alignedPlaces(asked, said).flatMap(([at]) => asked[at] ?? [])
  const pairs = asked.slice(1).map((term, at) => `${asked[at] ?? ""} ${term}`)
  const neighbours = new Set(said.slice(1).map((term, at) => `${said[at] ?? ""} ${term}`))
  return {
    orderedShare: asked.length === 0 ? null : Math.min(1, weigh(kept) / weigh(asked)),
    adjacentShare:
      pairs.length === 0 ? null : pairs.filter((pair) => neighbours.has(pair)).length / pairs.length
  }
}

/** Kinds of answers that can be told from a text. */
const typed = new Set(["number", "date", "person", "place", "yes-no"])

/** A share of the question's terms, by rarity. */
const weighted = (asking: Asking, set: TermSet): number | null => {
  let [total, sum] = [0, 0]
  for (const term of asking.termsOfQuestion) {
    const weight = asking.weigh(term)
    total += weight
    sum += weight * asking.match(set, term)
  }
  return total === 0 ? null : Math.min(1, sum / total)
}

/** The rarest term that no source holds, against the rarest of all. */
const missingWeight = (evidence: Evidence): number => {
  const { question, sources } = evidence
  const asking = askingOf(evidence)
  const isHeld = (term: string) =>
    sources.some(({ read }) => asking.match(read.set, term) > 0) ||
    sources.some(({ passage }) => asking.match(evidence.texts.read(passage.docTitle).set, term) > 0)
  let [heaviest, missing] = [0.05, 0]
  for (const { term } of question.terms) {
    const weight = asking.weigh(term)
    heaviest = Math.max(heaviest, weight)
    if (!isHeld(term)) missing = Math.max(missing, weight)
  }
  return missing / heaviest
}

/** Some name of the question stands neither in the unit nor in what is above it. */
const missesName = (evidence: Evidence, { source, unit }: Candidate): boolean => {
  if (evidence.question.anchors.length === 0) return false
  const { docTitle, headingPath } = source.passage
  const around = [...namesOf(evidence, docTitle), ...headingPath]
  const field = new AnchorField([...around, unit.lead, unit.text].join(" | "))
  return evidence.question.anchors.some((anchor) => field.share(anchor) < 1)
}

/**
 * What becomes of words that stand side by side in the question ("medieval Europe"): said of each other in the unit,
 * apart from each other there, or with another word in the place of one ("modern Europe").
 */
const pairsOf = (
  { question: { language }, tokens: asked }: Asking,
  { terms }: Candidate,
  said: ReadonlyArray<Token>
): { readonly swappedWord: number; readonly scattered: number | null } => {
  const known = new Set(asked.map(({ term }) => term))
  const places = new Map<string, ReadonlyArray<number>>()
  for (const [at, { term }] of said.entries()) places.set(term, [...(places.get(term) ?? []), at])
  const isOther = (at: number) => said[at]?.isContent === true && !known.has(said[at]?.term ?? "")
  let [swapped, both, far] = [false, 0, 0]
  for (const [at, left] of asked.entries()) {
    const right = asked[at + 1]
    if (right === undefined || !left.isContent || !right.isContent) continue
    const [hasLeft, hasRight] = [left, right].map(({ term }) => terms.match(term, language) > 0)
    const [ofLeft, ofRight] = [places.get(left.term) ?? [], places.get(right.term) ?? []]
    if (hasLeft === true && hasRight === true) {
      both += 1
      const isNear = ofLeft.some((a) => ofRight.some((b) => Math.abs(a - b) <= nearby))
      if (!isNear && ofLeft.length > 0 && ofRight.length > 0) far += 1
    } else if (hasRight === true) swapped ||= ofRight.some((place) => isOther(place - 1))
    else if (hasLeft === true) swapped ||= ofLeft.some((place) => isOther(place + 1))
  }
  return { swappedWord: swapped ? 1 : 0, scattered: both === 0 ? null : far / both }
}
