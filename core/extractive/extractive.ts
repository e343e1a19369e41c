import * as Arr from "effect/Array"
import { behindLabel, type Claim, type Evidence, type EvidencePassage, namesOf } from "../evidence/index.js"
import { asksNewest, type Question } from "../questions/index.js"
import { AnchorField } from "../text-analysis/index.js"
import { findValues, valueEntails } from "../values/index.js"
import { amendmentsOf } from "./amendments.js"
import { dataClaims, proseOfClaims } from "./data-claims.js"
import { type Candidate, scoreUnits } from "./score.js"
import { carries, current, itemsInsteadOfLists, undominated, wantsOneValue } from "./suitability.js"

/** Name and version of the built-in model; the version changes whenever answers can. */
export const extractiveModelId = "builtin/extractive-2"

/** Reply of the built-in model. */
export interface ExtractiveReply {
  readonly answerable: boolean
  /** Empty when not answerable. */
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
}

const sentencesMax = 3
/** Units with a higher Jaccard similarity of terms concern the same thing. */
const sameStatement = 0.5
/** A further sentence must score at least this share of the best one. */
const furtherShare = 0.88
/** The same share when the question asks for a number or a date. */
const furtherValueShare = 0.95
/** Lower share for a sentence that may state the same with another number, which must be shown. */
const contraryShare = 0.75
/** Maximal marginal relevance: weight of relevance against repetition. */
const lambda = 0.7
/** Units with a higher Jaccard similarity of terms repeat each other. */
const repetition = 0.8

/**
 * Answers with units of the evidence, literal except for markup, each followed by its marker: the best one first, then
 * at most two more in source order. Not answerable when nothing is relevant to the question. Pure.
 */
export const extract = (evidence: Evidence): ExtractiveReply => {
  // Rows come first: they were queried for the entities in the question, and are current.
  const claims = [...dataClaims(evidence), ...quotes(evidence)]
  return { answerable: claims.length > 0, answer: proseOfClaims(claims), claims }
}

const quotes = (evidence: Evidence): ReadonlyArray<Claim> => {
  const chosen = inParts(evidence) ?? chosenFor(evidence)
  const most = isListing(evidence.question, chosen) ? rowsMax : sentencesMax
  const quoted = chosen.flatMap(({ hasType, label, namedBy, source, unit }) => [
    ...(hasType || namedBy === undefined ? [] : [{ source, text: namedBy.text }]),
    { source, text: label === undefined ? unit.text : behindLabel(label, unit.text) },
    ...amendmentsOf(evidence.sources, unit).map((one) => ({ source: one.source, text: one.unit.text }))
  ])
  const distinct = Arr.dedupeWith(quoted, (one, other) => one.text === other.text)
  return distinct.slice(0, most).map(({ source, text }) => ({
    text,
    citations: evidence.sources.filter((other) => other === source || says(other, text)).map(({ id }) => id)
  }))
}

const chosenFor = (evidence: Evidence): ReadonlyArray<Candidate> => {
  const { question } = evidence
  const candidates = undominated(
    question,
    itemsInsteadOfLists(question, current(question, carrying(evidence)))
  )
  const rows = listed(evidence.question, candidates)
  return rows.length > 1
    ? rows
    : choose(
        evidence.question,
        candidates,
        wantsOneValue(evidence.question) ? furtherValueShare : furtherShare
      )
}

/** Returns every matching row when the best answer is a row: "Which services are of tier 1?". */
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

/** Minimum coverage of further rows; below it, rows do not match. */
const rowCoverage = 0.8
/** Maximum number of listed rows. */
const rowsMax = 8

const isListing = ({ answerType }: Question, chosen: ReadonlyArray<Candidate>): boolean =>
  answerType === "list" && chosen.every(({ unit }) => unit.kind === "row")

const carrying = (evidence: Evidence): ReadonlyArray<Candidate> =>
  scoreUnits(evidence).filter((candidate) => carries(evidence, candidate))

/** Returns the best answer among units with all names of the question; undefined when there is none. */
export const answererOf = (evidence: Evidence): Candidate | undefined =>
  choose(
    evidence.question,
    carrying(evidence).filter((one) => speaksOf(evidence.question, one, aroundOf(evidence, one))),
    Number.POSITIVE_INFINITY
  )[0]

/** A unit with this coverage answers all parts of a compound question. */
const wholeCoverage = 0.85
/** Share of that coverage that may come from the context. */
const nearbyShare = 0.05

/**
 * Returns an answer to each part of a compound question, in order; null for a simple question, when one unit answers
 * all parts, and when a part has no answer.
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
  // A unit that answers all parts may not be complete.
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

/** Whether the unit or its context contains every name of the question. */
const speaksOf = ({ anchors }: Question, { unit }: Candidate, around: string): boolean => {
  const field = new AnchorField(`${around} | ${unit.text}`)
  return anchors.every((anchor) => field.has(anchor))
}

/** Whether a source contains exactly these words. */
const says = (source: EvidencePassage, text: string): boolean =>
  source.units.some((unit) => unit.text === text)

/**
 * Whether two candidates concern different people with the same surname: "Who is Finch?" with a Jonas Finch and a
 * Leopold Finch.
 */
const areNamesakes = (question: Question, one: Candidate, other: Candidate): boolean => {
  const name = surnameOf(question)
  if (name === null) return false
  const before = new RegExp(`(\\p{Lu}\\p{Ll}[\\p{L}-]*|\\p{Lu}\\.) ${name}(?![\\p{L}-])`, "u")
  const [first, second] = [before.exec(one.unit.text)?.[1], before.exec(other.unit.text)?.[1]]
  if (first === undefined || second === undefined) return false
  // "K. Finch" may be Karl Finch.
  return first.endsWith(".") || second.endsWith(".") ? first[0] !== second[0] : first !== second
}

/** Returns the surname when the question names a person by nothing else. */
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
    // When the question names a document, its own words are preferred.
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

/**
 * Returns the candidate with the latest date for questions such as "When is the next meeting?"; undefined for others.
 */
const newestOf = (question: Question, ordered: ReadonlyArray<Candidate>): Candidate | undefined => {
  const [best] = ordered
  if (best === undefined || question.answerType !== "date" || !asksNewest(question)) return undefined
  const dated = ordered.filter((one) => one.score >= contraryShare * best.score && dayOf(one) !== null)
  return dated.reduce<Candidate | undefined>(
    (newest, one) => (newest === undefined || (dayOf(one) ?? 0) > (dayOf(newest) ?? 0) ? one : newest),
    undefined
  )
}

/** Returns an approximate day number, used for ordering only. */
const dayOf = ({ unit }: Candidate): number | null => {
  const days = unit.values.flatMap((value) => {
    const date = value.kind === "date" ? value.readings[0] : undefined
    return date?.year === undefined || date.year === null
      ? []
      : [date.year * 372 + (date.month ?? 1) * 31 + (date.day ?? 1)]
  })
  return days.length === 0 ? null : Math.max(...days)
}

/** Whether two sentences have equal values; with different numbers or dates, both must be shown. */
const sameValues = (a: Candidate, b: Candidate): boolean => {
  const [left, right] = [findValues(a.unit.text), findValues(b.unit.text)]
  return (
    left.length === right.length && left.every((value) => right.some((other) => valueEntails(other, value)))
  )
}

const gain = ({ likeness, one }: { readonly one: Candidate; readonly likeness: number }): number =>
  lambda * one.score - (1 - lambda) * likeness

const overlaps = (a: Candidate, b: Candidate): boolean =>
  a.unit.text === b.unit.text ||
  (a.source === b.source && a.unit.start < b.unit.end && b.unit.start < a.unit.end)
