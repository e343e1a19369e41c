import * as Arr from "effect/Array"
import { opensWithPronoun, wordwise } from "../../language/languages/index.js"
import type { Question } from "../../language/questions/index.js"
import type { ReadUnit } from "../../language/text-analysis/index.js"
import { findValues, valueEntails } from "../../language/values/index.js"
import { answerFloor, confidenceOf, shippedCalibration } from "../calibration/index.js"
import {
  type Claim,
  type Evidence,
  type EvidencePassage,
  headingOf,
  isQuestion,
  labelOf,
  withLabel
} from "../evidence/index.js"
import {
  amendmentsOf,
  answersOnPage,
  asksVersion,
  datedLabelOf,
  datedPagesOf,
  furtherMargin,
  introducedBy,
  isRefused,
  lacksSubject,
  type ScoredStatement,
  scoredAnswer
} from "../selection/index.js"
import { dataClaims, proseOfClaims } from "./data-claims.js"
import {
  continuationBehind,
  extremeRowOf,
  factBesideProposal,
  isProposal,
  neighbouringStepOf,
  newestOf,
  presentStatementOf,
  valueOfItem,
  verdictAbove,
  wholeListOf
} from "./whole-answer.js"

/** Name and version of the built-in model; the version changes whenever answers can. */
export const extractiveModelId = "builtin/extractive-5"

/** Reply of the built-in model. */
export interface ExtractiveReply {
  readonly answerable: boolean
  /** Empty when not answerable. */
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
}

/** Statements that say the same with another value are shown up to this distance of their scores. */
const contraryMargin = 2.5
/** Statements with a higher Jaccard similarity of terms concern the same thing. */
const sameStatement = 0.5
/** Statements with a higher Jaccard similarity of terms repeat each other. */
const repetition = 0.8
/** Further rows of a table match as well as the best one up to this difference of coverage. */
const rowTolerance = 0.01
/** Maximum number of listed rows, and of claims of any other answer. */
const [rowsMax, claimsMax] = [8, 6]

/**
 * Answers with statements of the evidence, literal except for markup: the one that scores best, and a second one if it
 * scores nearly as well or says the same with another value. Not answerable when the probability that the best one is
 * right is too low. Pure.
 */
export const extractAnswer = (evidence: Evidence): ExtractiveReply => {
  // Rows come first: they were queried for the entities in the question, and are current.
  const data = dataClaims(evidence)
  const claims = [...data, ...quotes(evidence, data.length === 0 ? 0 : besideDataMin)]
  return { answerable: claims.length > 0, answer: proseOfClaims(claims), claims }
}

/** The estimated probability that the best statements answer the question; 0 when there is none. */
export const probabilityOf = (evidence: Evidence): number => {
  const { features } = scoredAnswer(evidence)
  return features === null ? 0 : confidenceOf(shippedCalibration.artefact, features)
}

/** A statement beside rows has at least this share of the question's words in it or above it. */
const besideDataMin = 0.75

const quotes = (evidence: Evidence, headMin: number): ReadonlyArray<Claim> => {
  const { question } = evidence
  const onPage = evidence.question.parts.length > 0 ? [] : answersOnPage(evidence)
  if (onPage.length > 0)
    return onPage.map(({ asked, source, unit: { text } }, at) => ({
      // "No." is understood with its question only, a definition with its term.
      text:
        at === 0 && asked !== undefined && (saysOnlyWhether().test(text) || !isQuestion(asked))
          ? withLabel(asked, text)
          : text,
      citations: [source.id]
    }))
  const chosen = chosenFor(evidence).filter(({ head }) => head >= headMin)
  const listed = new Map(chosen.map(({ source, unit }) => [unit, introducedBy(source, unit)]))
  const quoted = chosen.flatMap((statement) => {
    const { before, hasType, source, unit } = statement
    const behind = continuationBehind(evidence, statement)
    const label = labelOf(unit) ?? headingWith(question, source, unit)
    // "She covers for Ida": whoever is meant stands in the sentence before.
    const isOfBefore = before !== undefined && before.block === unit.block && opensWithPronoun(unit.text)
    const named = isOfBefore && question.answerType === "person" && !hasType ? [before] : []
    const introduced = listed.get(unit) ?? []
    return [
      ...named.map(({ text }) => ({ source, text })),
      // A list as a whole begins with its introduction.
      ...(introduced[0]?.kind === "list"
        ? []
        : [{ source, text: label === undefined ? unit.text : withLabel(label, unit.text) }]),
      ...introduced.map((one) => ({ source, text: one.text })),
      ...(behind === undefined ? [] : [{ source, text: behind.text }]),
      ...amendmentsOf(evidence.sources, unit).map((one) => ({ source: one.source, text: one.unit.text }))
    ]
  })
  // What a statement introduces has a bound of its own.
  const introducedCount = [...listed.values()].flat().length
  const max = (question.answerType === "list" ? rowsMax : claimsMax) + introducedCount
  return Arr.dedupeWith(quoted, (one, other) => one.text === other.text)
    .slice(0, max)
    .map(({ source, text }) => ({
      text,
      citations: evidence.sources.filter((other) => other === source || says(other, text)).map(({ id }) => id)
    }))
}

/** Returns the heading that has what is asked for and the statement lacks: a date, a version, a subject. */
const headingWith = (question: Question, source: EvidencePassage, unit: ReadUnit): string | undefined => {
  const heading = headingOf(source, unit)
  if (unit.kind !== "sentence" && unit.kind !== "item") return undefined
  if (asksVersion(question) && version().test(heading)) return heading
  // "On which day …?" below "Day 4".
  const [, sort] = whichOne().exec(question.text) ?? []
  if (
    sort !== undefined &&
    heading.length <= subjectMaxChars &&
    saysWord(heading, sort) &&
    !saysWord(unit.text, sort)
  )
    return heading
  const dated = datedLabel(question, { source, unit })
  if (dated !== undefined) return dated
  const isSubject = heading !== "" && heading.length <= subjectMaxChars && lacksSubject(unit)
  return isSubject && (question.answerType === "person" || whichOne().test(question.text))
    ? heading
    : undefined
}
const subjectMaxChars = 60

/** Returns the heading with the date that is asked for where the statement has none. */
const datedLabel = (
  { answerType }: Question,
  { source, unit }: Pick<ScoredStatement, "source" | "unit">
): string | undefined =>
  answerType === "date" && !unit.values.some(({ kind }) => kind === "date")
    ? datedLabelOf(source, unit)
    : undefined
const saysOnlyWhether = wordwise(() => /^(?:yes|no|ja|nein|oui|non|sí|да|нет)(?!\p{L}).{0,20}$/iu)
const version = wordwise(() => /(?<![\p{L}\p{N}.])v?\d{1,4}\.\d{1,4}(?:\.\d{1,6})*(?![\p{L}\p{N}])/iu)
const whichOne = wordwise(
  () => /^(?:(?:on|in|at|by|for|to|from|under|an|auf|zu|für) )?(?:which|what|welche[rsmn]?) (\p{L}+) /iu
)
const saysWord = (text: string, word: string): boolean =>
  text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .includes(word.toLowerCase())

/** Whether a source contains exactly these words. */
const says = (source: EvidencePassage, text: string): boolean =>
  source.units.some((unit) => unit.text === text)

const hasSome = ({ length }: ReadonlyArray<ScoredStatement>): boolean => length > 0

/** The statements of a simple question; of a compound one those of all parts, if each has an answer. */
const chosenFor = (evidence: Evidence): ReadonlyArray<ScoredStatement> => {
  const { compared, parts } = evidence.question
  const subquestions = parts.length > 0 ? parts : compared
  const stated = (parts.length > 0 ? parts : [evidence.question]).map((question) =>
    scoredAnswer({ ...evidence, question }).statements.filter(({ isStated }) => isStated)
  )
  if (evidence.stated.said.length > 0 && stated.every(hasSome)) return stated.flat()
  const each = subquestions.map((question) => chosenOf({ ...evidence, question }).slice(0, 1))
  return each.length > 0 && each.every(hasSome)
    ? Arr.dedupeWith(each.flat(), (one, other) => one.unit === other.unit)
    : chosenOf(evidence)
}

const chosenOf = (evidence: Evidence): ReadonlyArray<ScoredStatement> => {
  const { question } = evidence
  const { statements } = scoredAnswer(evidence)
  if (probabilityOf(evidence) < answerFloor) return []
  const content = contentOf(evidence, statements)
  if (content.length > 0) return content
  const newest = newestOf(evidence, statements)
  const first = itemOf(question, statements) ?? statements[0]
  if (newest !== undefined) return [newest]
  if (first === undefined) return []
  const whole =
    neighbouringStepOf(evidence, first) ??
    (datedLabel(question, first) === undefined ? wholeListOf(first) : undefined) ??
    extremeRowOf(evidence, first) ??
    presentStatementOf(evidence, first, statements) ??
    factBesideProposal(evidence, first, statements) ??
    valueOfItem(evidence, first, statements)
  if (whole !== undefined) return [whole]
  if (isRefused(first, statements)) return []
  const best = first
  const verdict = verdictAbove(evidence, best)
  if (verdict !== undefined) return [{ ...best, unit: verdict }, best]
  const rows = rowsLike(question, best, statements)
  if (rows.length > 1) return rows
  const further = statements.find((one) => {
    const distance = best.score - one.score
    if (one === best || overlaps(one, best) || one.isRetired || one.isOfOtherTime) return false
    if (lacksNames(question, best, one)) return false
    if (isRefused(one, statements)) return false
    // A key of another record: the port of "metrics" for that of "smtp".
    if (best.unit.kind === "setting" && one.unit.kind === "setting" && one.head < best.head - rowTolerance)
      return false
    if (isProposal(one.unit.text) && !isProposal(question.text)) return false
    const likeness = one.unit.set.overlap(best.unit.set)
    if (likeness > repetition && sameValues(one.unit, best.unit)) return false
    // A statement of the same meaning that covers less of the question is about another subject.
    if (likeness >= sameStatement) return one.own >= best.own && distance < contraryMargin
    return distance < furtherMargin
  })
  return further === undefined
    ? [best]
    : [best, further].sort((a, b) => a.source.rank - b.source.rank || a.unit.start - b.unit.start)
}

/** Returns the item that says as much as the list that scores best, unless the question asks for several things. */
const itemOf = (
  { answerType }: Question,
  [best, ...others]: ReadonlyArray<ScoredStatement>
): ScoredStatement | undefined =>
  best?.unit.kind !== "list" || answerType === "list" || answerType === "procedure"
    ? undefined
    : others.find(
        ({ head, score, source, unit }) =>
          unit.kind === "item" &&
          source === best.source &&
          unit.start >= best.unit.start &&
          unit.end <= best.unit.end &&
          head >= best.head &&
          best.score - score < itemMargin
      )
const itemMargin = 0.5

/** The statements of the pages for whose content the question asks, in their order. */
const contentOf = (
  evidence: Evidence,
  statements: ReadonlyArray<ScoredStatement>
): ReadonlyArray<ScoredStatement> => {
  const pages = datedPagesOf(evidence)
  return statements
    .filter(({ document, unit: { kind } }) => pages.has(document) && (kind === "sentence" || kind === "item"))
    .sort((a, b) => a.source.rank - b.source.rank || a.unit.start - b.unit.start)
}

/** Whether a statement lacks a name of the question that the best one has. */
const lacksNames = ({ anchors }: Question, best: ScoredStatement, one: ScoredStatement): boolean =>
  anchors.some((name) => best.unit.field.has(name) && !one.unit.field.has(name))

/** Every row that matches as well as the best one when the question asks for several: "Which services are of tier 1?" */
const rowsLike = (
  { answerType }: Question,
  best: ScoredStatement,
  statements: ReadonlyArray<ScoredStatement>
): ReadonlyArray<ScoredStatement> => {
  if (best.unit.kind !== "row" || answerType !== "list") return []
  const alike = statements.filter(
    ({ own, source, unit }) =>
      source === best.source && unit.block === best.unit.block && own >= best.own - rowTolerance
  )
  return alike.length <= rowsMax ? alike.sort((a, b) => a.unit.start - b.unit.start) : []
}

/** Whether two sentences have equal values; with different numbers or dates, both must be shown. */
const sameValues = (a: ReadUnit, b: ReadUnit): boolean => {
  const [left, right] = [findValues(a.text), findValues(b.text)]
  return (
    left.length === right.length && left.every((value) => right.some((other) => valueEntails(other, value)))
  )
}

const overlaps = (a: ScoredStatement, b: ScoredStatement): boolean =>
  a.unit.text === b.unit.text ||
  (a.source === b.source && a.unit.start < b.unit.end && b.unit.start < a.unit.end)
