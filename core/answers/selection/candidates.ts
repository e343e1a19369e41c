import { wordwise } from "../../language/languages/index.js"
import type { Question } from "../../language/questions/index.js"
import type { ReadUnit, Row } from "../../language/text-analysis/index.js"
import {
  type Evidence,
  type EvidencePassage,
  headingOf,
  isQuestion,
  type PreparedQuestion
} from "../evidence/index.js"
import { sentenceBehind } from "./answered-question.js"
import { coveredShare, rowOf } from "./coverage.js"
import { datedPagesOf } from "./dated-page.js"
import { headTextOf } from "./head-text.js"
import {
  answersOtherKind,
  countsOthers,
  hasOtherValue,
  isConditionOnly,
  isGlossaryOnly,
  isOfOtherNumber,
  isOfOtherVersion,
  isOfOtherYear,
  lacksAgent,
  lacksAskedCell,
  lacksMeaning,
  lacksNumberedThing,
  lacksReason,
  lacksVersion,
  saysOnlySome
} from "./other-value.js"
import { isOfSibling } from "./sibling.js"
import { termsOfTime, timeFit } from "./valid-time.js"

/** A unit of a passage with how much of the question it holds. */
export interface Candidate {
  readonly source: EvidencePassage
  readonly unit: ReadUnit
  readonly before: ReadUnit | undefined
  readonly row: Row
  readonly headRow: Row
  readonly nearRow: Row
  readonly own: number
  readonly head: number
  readonly near: number
  readonly bm25: number
}

/** A listing or the output of a program answers how to do something, or a question about code; a line of code more. */
const isUnaskedListing = ({ anchors, answerType, text }: Question, unit: ReadUnit): boolean =>
  unit.kind === "code" &&
  answerType !== "procedure" &&
  (factual.has(answerType) || asksWhatIs.test(text) || unit.text.includes("\n")) &&
  !anchors.some(({ kind }) => kind === "code") &&
  !asksForCode().test(text)
const asksWhatIs = /^what(?:['’]s| is| are| was| were) /iu
/** Who, when, where, why, how many, what a thing is, and whether: a page says so in words. */
const factual: ReadonlySet<Question["answerType"]> = new Set([
  "date",
  "definition",
  "number",
  "person",
  "place",
  "reason",
  "yes-no"
])
const asksForCode = wordwise(
  () =>
    /(?<!\p{L})(?:how(?! (?:many|much|long|often|far|old|deep|high|big|large|tall|wide|fast|is|are|was|were)\b)|commands?|code|config\p{L}*|settings?|options?|flags?|examples?|syntax|quer(?:y|ies)|scripts?|snippets?|output|logs?|files?|functions?|class(?:es)?|api|json|yaml|sql|befehle?|beispiele?|einstellung\p{L}*|datei\p{L}*|commande|exemple|fichier|comando|ejemplo|archivo|wie|comment|cómo)(?!\p{L})/iu
)

/** A block of settings is told line by line. */
const isOfSettings = ({ units }: EvidencePassage, { end, kind, start }: ReadUnit): boolean =>
  kind === "code" && units.some((one) => one.kind === "setting" && one.start >= start && one.end <= end)

/** A code, version or key that the question gives stands neither in the passage nor above it. */
const lacksCode = ({ anchors }: Question, source: EvidencePassage): boolean => {
  const codes = anchors.filter(
    ({ kind, text }) => kind === "code" || (kind === "phrase" && /\p{N}|\p{L}[._]\p{L}/u.test(text))
  )
  if (codes.length === 0) return false
  const { field } = source.read.under(headTextOf(source))
  return !codes.some((code) => field.has(code))
}

/** A list of links to other pages, or a setting in whose name the question has no word, for a question what or why. */
const onlyRefers = ({ question }: PreparedQuestion, unit: ReadUnit): boolean =>
  unit.kind === "setting"
    ? asksPurpose.test(question.text) ||
      (explained.has(question.answerType) &&
        !question.read
          .termsIn(question.language)
          .some(({ term }) => keyOf(unit).match(term, question.language) > 0))
    : (unit.kind === "list" || unit.kind === "item") &&
      ofLinks.test(unit.heading) &&
      !asksForLinks.test(question.text)
const keyOf = (unit: ReadUnit) => unit.part(unit.text.slice(0, Math.max(0, unit.text.search(/[:=]/u)))).set
const asksPurpose = /^(?:what|was) .*(?: for| do| used| dient| macht)\W*$|^was macht /iu
const explained: ReadonlySet<Question["answerType"]> = new Set(["procedure", "reason", "yes-no"])
const ofLinks =
  /^(?:see also|related(?: (?:pages|topics|links|articles|reading))?|further reading|siehe auch|voir aussi|véase también)\W*$/iu
const asksForLinks = /(?<!\p{L})(?:see|related|links?|refer\p{L}*|read\p{L}*|siehe|voir|ver)(?!\p{L})/iu

/** A field of front matter that the question neither names nor asks for by its kind, such as a redirect or a title. */
const isUnaskedField = ({ texts }: Evidence, prepared: PreparedQuestion, unit: ReadUnit): boolean =>
  unit.kind === "field" &&
  (ofTools().test(unit.text) ||
    (!prepared.holdsType(unit) && rowOf(prepared, texts.read(unit.heading)).every((held) => held === 0)))
/** Fields that order or address pages, and times as a count of seconds or milliseconds. */
const ofTools = wordwise(
  () =>
    /^(?:weight|nav_order|order|sidebar_position|position|draft|layout|slug|id|uid|permalink)(?:: |$)|^\p{L}+: \d{10}(?:\d{3})?$/iu
)

/** Whether a unit lacks what the question asks for, whatever else it says of it. */
const saysNothingAsked = (prepared: PreparedQuestion, unit: ReadUnit): boolean =>
  prepared.lacksColour(unit.text) ||
  lacksMeaning(prepared.question, unit) ||
  saysOnlySome(prepared.question, unit) ||
  isConditionOnly(prepared.question, unit) ||
  countsOthers(prepared.question, unit)

const bareKey = /^["']?(?:value|default|content|text)["']?\s*[:=]/iu

const none: ReadonlySet<string> = new Set()
/** The share of the rest of the question that a statement of that time holds at least, in it or above it. */
const restMin = 0.5

/** Returns a row that counts the words of the time that is asked for, for a statement that holds then and says the rest. */
const withTime = ({ asked }: PreparedQuestion, time: ReadonlySet<string>, row: Row, headRow: Row): Row => {
  if (time.size === 0) return row
  let [said, total] = [0, 0]
  for (const [at, { term, weight }] of asked.entries()) {
    if (time.has(term)) continue
    total += weight
    said += weight * Math.max(row[at] ?? 0, headRow[at] ?? 0)
  }
  return said < restMin * total ? row : row.map((held, at) => (time.has(asked[at]?.term ?? "") ? 1 : held))
}

/** Returns the units that may answer, each with its coverage of the question. */
export const candidatesOf = (evidence: Evidence, prepared: PreparedQuestion): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  let [size, count] = [0, 0]
  const askedPages = datedPagesOf(evidence)
  for (const source of evidence.sources) {
    const isAskedPage = askedPages.has(source.passage.documentId)
    if (lacksCode(prepared.question, source) && !isAskedPage) continue
    const title = evidence.texts.read(headTextOf(source))
    if (lacksNumberedThing(prepared.question, [source.read, title])) continue
    const head = rowOf(prepared, title)
    const heads = new Map<string, Row>()
    let before: { readonly unit: ReadUnit; readonly row: Row } | undefined
    const rows = source.units.filter(({ kind }) => kind === "row")
    for (const unit of source.units) {
      const key = `${unit.heading} | ${unit.lead} | ${unit.opening}`
      const headsOf = () => [title, source.read.within(key)]
      if (
        // A question of a document is not a statement.
        isQuestion(unit.text) ||
        isOfSettings(source, unit) ||
        isUnaskedListing(prepared.question, unit) ||
        onlyRefers(prepared, unit) ||
        hasOtherValue(prepared.question, unit, title) ||
        isOfOtherVersion(prepared.question, unit) ||
        isOfOtherNumber(prepared.question, unit, headsOf()) ||
        isOfOtherYear(prepared.question, unit, headsOf()) ||
        isOfSibling(prepared.question, unit, headsOf()) ||
        answersOtherKind(prepared.question, unit, evidence.texts) ||
        (lacksReason(prepared.question, unit) && sentenceBehind(source, unit) === undefined) ||
        lacksAgent(prepared.question, unit) ||
        isGlossaryOnly(prepared.question, unit) ||
        lacksVersion(prepared.question, unit, headsOf()) ||
        isUnaskedField(evidence, prepared, unit) ||
        lacksAskedCell(prepared.question, unit, rows)
      )
        continue
      size += unit.set.size
      count += 1
      let headRow = heads.get(key)
      if (headRow === undefined) {
        const read = source.read.within(key)
        const heading = source.read.within(headingOf(source, unit))
        const own = prepared.withImpliedTerms(rowOf(prepared, read), [
          { kind: "sentence", text: heading.text, values: heading.values }
        ])
        headRow = head.map((value, at) => Math.max(value, own[at] ?? 0))
        heads.set(key, headRow)
      }
      const time = timeFit(evidence, source, unit) > 0 ? termsOfTime(prepared.question) : none
      const held =
        isAskedPage && (unit.kind === "sentence" || unit.kind === "item")
          ? prepared.asked.map(() => 1)
          : prepared.withImpliedTerms(
              prepared.hasMore
                ? rowOf(prepared, unit)
                : prepared.sought.rowWithin(unit.set, source.read.unitTerms),
              [unit]
            )
      const row = withTime(prepared, time, held, headRow)
      if (
        unit.kind === "setting" &&
        // "value: info" says nothing of its own; the name of the record above it does.
        !prepared.asked.some(
          ({ code }, at) =>
            code === null && Math.max(row[at] ?? 0, bareKey.test(unit.text) ? (headRow[at] ?? 0) : 0) > 0
        )
      )
        continue
      // It may still introduce the next sentence.
      if (saysNothingAsked(prepared, unit)) {
        before = { unit, row }
        continue
      }
      const above: Row = headRow
      const prior: Row | undefined = before?.unit.block === unit.block ? before.row : undefined
      const nearRow = row.map((value, at) => Math.max(value, above[at] ?? 0, prior?.[at] ?? 0))
      found.push({
        source,
        unit,
        before: before?.unit,
        row,
        headRow,
        nearRow,
        own: coveredShare(prepared, (at) => row[at] ?? 0),
        head: coveredShare(prepared, (at) => Math.max(row[at] ?? 0, above[at] ?? 0)),
        near: coveredShare(prepared, (at) => nearRow[at] ?? 0),
        bm25: 0
      })
      before = { unit, row }
    }
  }
  const mean = Math.max(1, size / Math.max(1, count))
  return found.map((one) => ({ ...one, bm25: bm25Of(prepared, one.row, one.unit.set.size / mean) }))
}

/** BM25 (k1 1.2, b 0.75, over units). */
const bm25Of = ({ asked }: PreparedQuestion, row: Row, relativeSize: number): number => {
  const length = 1.2 * (0.25 + 0.75 * relativeSize)
  let sum = 0
  for (let at = 0; at < asked.length; at += 1) {
    const weight = row[at] ?? 0
    if (weight > 0) sum += ((asked[at]?.weight ?? 0) * weight * 2.2) / (weight + length)
  }
  return sum
}
