import * as Arr from "effect/Array"
import { behindLabel, type Claim, type Evidence, type EvidencePassage, namesOf } from "../evidence/index.js"
import {
  AnchorField,
  asksForOther,
  asksNewest,
  asksWho,
  findValues,
  type Question,
  valueEntails
} from "../text-analysis/index.js"
import { dataClaims, proseOfClaims } from "./data-claims.js"
import { type Candidate, scoreUnits } from "./score.js"

/** The built-in model by name and version: another number, other answers. */
export const extractiveModelId = "builtin/extractive-1"

/** What the built-in model makes of the evidence. */
export interface ExtractiveReply {
  readonly answerable: boolean
  /** Empty when not answerable. */
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
}

/** Least values of a unit that may be quoted as an answer. Measured: docs/answers-quality.md. */
const least = { coverage: 0.55, ownCoverage: 0.2, score: 0.45 }
const sentencesMax = 3
/** Units more alike than this speak of the same thing (Jaccard over terms). */
const sameStatement = 0.5
/** A further sentence must be nearly as good as the best one, or it is noise in a direct answer. */
const furtherShare = 0.88
/** Who asks for a number or a date wants one. */
const furtherValueShare = 0.95
/** One that says the same thing may say it with another number, and must then be seen. */
const contraryShare = 0.75
/** Maximal marginal relevance: relevance against repetition. */
const lambda = 0.7
/** Units more alike than this say the same thing twice (Jaccard over terms). */
const repetition = 0.8

/**
 * Answers with units of the evidence, letter for letter but for markup, each followed by its marker: the best one
 * first, then at most two more in the order of the sources. Not answerable when nothing bears on the question.
 * Pure.
 */
export const extract = (evidence: Evidence): ExtractiveReply => {
  // Rows were read for what the question names, and are of this moment.
  const claims = [...dataClaims(evidence), ...quotes(evidence)]
  return { answerable: claims.length > 0, answer: proseOfClaims(claims), claims }
}

const quotes = (evidence: Evidence): ReadonlyArray<Claim> => {
  const chosen = inParts(evidence) ?? chosenFor(evidence)
  const most = isListing(evidence.question, chosen) ? rowsMax : sentencesMax
  const quoted = chosen.flatMap(({ hasType, label, namedBy, source, unit }) => [
    ...(hasType || namedBy === undefined ? [] : [{ source, text: namedBy.text }]),
    { source, text: label === undefined ? unit.text : behindLabel(label, unit.text) }
  ])
  const distinct = Arr.dedupeWith(quoted, (one, other) => one.text === other.text)
  return distinct.slice(0, most).map(({ source, text }) => ({
    text,
    citations: evidence.sources.filter((other) => other === source || says(other, text)).map(({ id }) => id)
  }))
}

const chosenFor = (evidence: Evidence): ReadonlyArray<Candidate> => {
  const candidates = carrying(evidence)
  const rows = listed(evidence.question, candidates)
  return rows.length > 1
    ? rows
    : choose(
        evidence.question,
        candidates,
        wantsOneValue(evidence.question) ? furtherValueShare : furtherShare
      )
}

/** "Which services are of tier 1?" is answered by every row that says so, where the best answer is one. */
const listed = (question: Question, candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => {
  const best = candidates.reduce<Candidate | undefined>(
    (top, one) => (top === undefined || one.score > top.score ? one : top),
    undefined
  )
  if (best?.unit.kind !== "row" || question.answerType !== "list") return []
  const alike = candidates.filter(
    ({ ownCoverage, source, unit }) =>
      source === best.source && unit.block === best.unit.block && ownCoverage >= best.ownCoverage
  )
  return best.ownCoverage >= rowCoverage && alike.length <= rowsMax ? alike : []
}

/** Rows that leave out more are all alike. */
const rowCoverage = 0.8
/** A longer list is for the reader to look up. */
const rowsMax = 8

const isListing = ({ answerType }: Question, chosen: ReadonlyArray<Candidate>): boolean =>
  answerType === "list" && chosen.every(({ unit }) => unit.kind === "row")

const carrying = (evidence: Evidence): ReadonlyArray<Candidate> =>
  scoreUnits(evidence).filter((candidate) => carries(evidence, candidate))

/** What answers a question best, of all that names everything it names; undefined where nothing does. */
export const answererOf = (evidence: Evidence): Candidate | undefined =>
  choose(
    evidence.question,
    carrying(evidence).filter((one) => speaksOf(evidence.question, one, aroundOf(evidence, one))),
    Number.POSITIVE_INFINITY
  )[0]

/** A unit that covers so much of a question that puts several at once answers all of them. */
const wholeCoverage = 0.85
/** What of that may stand around it. */
const nearbyShare = 0.05

/**
 * What answers each of the questions that one puts at once, in their order; null where it puts one, where one unit
 * answers all of them, and where one of them stays without an answer.
 */
const inParts = (evidence: Evidence): ReadonlyArray<Candidate> | null => {
  const { compared } = evidence.question
  const parts = evidence.question.parts.length > 0 ? evidence.question.parts : compared
  if (parts.length === 0) return null
  const answersAll = carrying(evidence).some(
    (one) =>
      Math.min(one.coverage, one.ownCoverage + nearbyShare) >= wholeCoverage &&
      one.unit.kind !== "list" &&
      speaksOf(evidence.question, one, "")
  )
  if (answersAll) return null
  const chosen = parts.map((question) => {
    const candidates = carrying({ ...evidence, question }).filter((one) =>
      speaksOf(question, one, aroundOf({ ...evidence, question }, one))
    )
    return choose(question, candidates, Number.POSITIVE_INFINITY)
  })
  const distinct = [...new Set(chosen.flat())]
  // One that answers all of them may not be all that there is.
  return chosen.some(({ length }) => length === 0) || distinct.length === 1 ? null : distinct
}

const aroundOf = (evidence: Evidence, { source: { passage }, unit }: Candidate): string =>
  [
    ...namesOf(evidence, passage.docTitle),
    passage.docPath,
    ...passage.headingPath,
    unit.heading,
    unit.lead
  ].join(" | ")

/** Whether all that the question names stands in the unit or in what is around it. */
const speaksOf = ({ anchors }: Question, { unit }: Candidate, around: string): boolean => {
  const field = new AnchorField(`${around} | ${unit.text}`)
  return anchors.every((anchor) => field.has(anchor))
}

/** Whether the very same words stand in a source, too. */
const says = (source: EvidencePassage, text: string): boolean =>
  source.units.some((unit) => unit.text === text)

/** "Who is Finch?", "What is Finch's number?", where there are a Jonas Finch and a Leopold Finch. */
const areNamesakes = (question: Question, one: Candidate, other: Candidate): boolean => {
  const name = surnameOf(question)
  if (name === null) return false
  const before = new RegExp(`(\\p{Lu}\\p{Ll}[\\p{L}-]*|\\p{Lu}\\.) ${name}(?![\\p{L}-])`, "u")
  const [first, second] = [before.exec(one.unit.text)?.[1], before.exec(other.unit.text)?.[1]]
  if (first === undefined || second === undefined) return false
  // "K. Finch" may be Karl.
  return first.endsWith(".") || second.endsWith(".") ? first[0] !== second[0] : first !== second
}

/** The one word by which somebody is called: of a question that names no more than that. */
const surnameOf = ({ anchors, subject, text }: Question): string | null => {
  const names = anchors.flatMap(({ kind, text: name }) => (kind === "name" ? [name] : []))
  const name = /^(?:who|wer|qui|quién)/iu.test(text) && subject !== null ? subject : names[0]
  return name !== undefined && names.length <= 1 && /^\p{Lu}[\p{L}-]+$/u.test(name) ? name : null
}

const choose = (
  question: Question,
  candidates: ReadonlyArray<Candidate>,
  share: number
): ReadonlyArray<Candidate> => {
  const ordered = [...candidates].sort((a, b) => b.score - a.score)
  const best = newestOf(question, ordered) ?? ordered[0]
  if (best === undefined) return []
  const others = ordered.filter((one) => one !== best)
  const chosen = [best]
  const pool = others.filter((one) => {
    if (areNamesakes(question, one, best)) return one.score >= contraryShare * best.score
    if (one.terms.overlap(best.terms) >= sameStatement) return one.score >= contraryShare * best.score
    // Who names a document wants its words.
    return (one.isNamed || !best.isNamed) && one.score >= share * best.score
  })
  while (chosen.length < sentencesMax) {
    const next = pool
      .filter((one) => !chosen.some((other) => overlaps(one, other)))
      .map((one) => ({ one, likeness: Math.max(...chosen.map((other) => one.terms.overlap(other.terms))) }))
      .filter(
        ({ likeness, one }) => likeness <= repetition || !chosen.some((other) => sameValues(one, other))
      )
      .sort((a, b) => gain(b) - gain(a))[0]
    if (next === undefined) break
    chosen.push(next.one)
  }
  const rest = chosen.slice(1)
  return [best, ...rest.sort((a, b) => a.source.rank - b.source.rank || a.unit.start - b.unit.start)]
}

/** "When is the next meeting?" is answered by the latest of the dates that are told of meetings; undefined elsewhere. */
const newestOf = (question: Question, ordered: ReadonlyArray<Candidate>): Candidate | undefined => {
  const [best] = ordered
  if (best === undefined || question.answerType !== "date" || !asksNewest(question)) return undefined
  const dated = ordered.filter((one) => one.score >= contraryShare * best.score && dayOf(one) !== null)
  return dated.reduce<Candidate | undefined>(
    (newest, one) => (newest === undefined || (dayOf(one) ?? 0) > (dayOf(newest) ?? 0) ? one : newest),
    undefined
  )
}

/** Days, nearly: they are only put in order. */
const dayOf = ({ unit }: Candidate): number | null => {
  const days = unit.values.flatMap((value) => {
    const date = value.kind === "date" ? value.readings[0] : undefined
    return date?.year === undefined || date.year === null
      ? []
      : [date.year * 372 + (date.month ?? 1) * 31 + (date.day ?? 1)]
  })
  return days.length === 0 ? null : Math.max(...days)
}

/** Two sentences that differ in a number or a date are no repetition: the reader must see both. */
const sameValues = (a: Candidate, b: Candidate): boolean => {
  const [left, right] = [findValues(a.unit.text), findValues(b.unit.text)]
  return (
    left.length === right.length && left.every((value) => right.some((other) => valueEntails(other, value)))
  )
}

const gain = ({ likeness, one }: { readonly one: Candidate; readonly likeness: number }): number =>
  lambda * one.score - (1 - lambda) * likeness

/** With two words, one that is missing is half the question. */
const coverageMin = (question: Question): number => {
  const { anchors, terms } = question
  const codes = anchors.filter(({ kind }) => kind === "code").length
  // "The chief security officer" is not the chief executive officer.
  return terms.length + codes <= 2 || asksWho(question) ? 0.7 : least.coverage
}

const wantsOneValue = ({ answerType }: Question): boolean => answerType === "number" || answerType === "date"

const carries = ({ question }: Evidence, candidate: Candidate): boolean =>
  candidate.score >= least.score &&
  candidate.coverage >= coverageMin(question) &&
  (candidate.ownCoverage >= least.ownCoverage || question.subject !== null || candidate.isAskedAbove) &&
  // Nobody who asks how many, or when, is served by a sentence without a number or a date.
  ((!wantsOneValue(question) && !asksForOther(question)) || candidate.hasType) &&
  (question.answerType !== "reason" || candidate.hasType || candidate.isReasoned || candidate.isAskedAbove)

const overlaps = (a: Candidate, b: Candidate): boolean =>
  a.unit.text === b.unit.text ||
  (a.source === b.source && a.unit.start < b.unit.end && b.unit.start < a.unit.end)
