import {
  type AnswerType,
  areSynonyms,
  findValues,
  memoize,
  negationCount,
  type ReadPassage,
  type ReadText,
  type ReadUnit,
  type Row,
  readQuestion,
  TermSet,
  wordwise
} from "../text-analysis/index.js"
import type { Asking } from "./asking.js"
import type { Evidence, EvidencePassage } from "./evidence.js"
import { headingOf } from "./surroundings.js"

/** A unit as it is quoted where what stands above it is part of the statement: "4.2.0 (2026-03-11): added: dark mode". */
export const behindLabel = (label: string, text: string): string =>
  isQuestion(label) ? `${label} ${text}` : `${label.replace(/\s*[:.–—-]+$/u, "")}: ${text}`

/** What such a unit may be quoted with. */
export const labelsOf = (source: EvidencePassage, unit: ReadUnit): ReadonlyArray<string> =>
  [unit.lead, headingOf(source, unit)].filter((label) => label !== "" && label.length <= labelMaxChars)

const labelMaxChars = 120

/** Asked of many units: a pattern would look through each of them from its beginning. */
const isQuestion = (text: string): boolean => {
  const last = text.trimEnd().at(-1)
  return last === "?" || last === "？"
}

/**
 * The heading that holds what is asked for, of a unit that does not: the date of a release, its number, which team.
 * Undefined where there is none.
 */
export const datedHeading = (asking: Asking, source: EvidencePassage, unit: ReadUnit): string | undefined => {
  const { question } = asking
  const asks =
    question.answerType === "date" ? "date" : asksVersion().test(question.text) ? "version" : "kind"
  if (unit.kind === "code" || unit.kind === "field" || unit.kind === "row") return undefined
  const heading = headingOf(source, unit)
  if (heading === "" || heading.length > labelMaxChars) return undefined
  if (asks === "kind") return isOneOf(asking, source.read.within(heading)) ? heading : undefined
  const holds =
    asks === "version" ? version.test(heading) : findValues(heading).some(({ kind }) => kind === "date")
  return holds ? heading : undefined
}

/** "Team Wren", for "which team": the noun that is asked for, and a name that the question does not know. */
const isOneOf = ({ question }: Asking, heading: ReadText): boolean => {
  const [, noun = ""] = whichOne().exec(question.text) ?? []
  const asked = question.terms.find(({ surface }) => surface.toLowerCase() === noun.toLowerCase())
  return (
    asked !== undefined &&
    heading.set.match(asked.term, question.language) >= namingMin &&
    heading
      .anchorsIn(question.language)
      .some((one) => one.kind === "name" && question.read.field.share(one) < 1)
  )
}
const whichOne = wordwise(/^(?:which|what|welche[rs]?) (\p{L}+)\b/iu)

const asksVersion = wordwise(
  /\b(?:(?:which|what) (?:version|release)|welche[rsm]? (?:version|release)|quelle version|qué versión)\b/iu
)
const version =
  /(?<![\p{L}\p{N}.])(?:v?\d{1,4}\.\d{1,4}(?:\.\d{1,6})*|(?:v|version |release )\d{1,4})(?![\p{L}\p{N}]|[.,]\d)/iu

/** The label of its paragraph, where the unit does not say it again. */
export const labelOf = (unit: ReadUnit): string | undefined =>
  (unit.kind !== "sentence" && unit.kind !== "setting") ||
  unit.lead === "" ||
  isQuestion(unit.lead) ||
  unit.lead.length > labelMaxChars ||
  unit.text.toLowerCase().startsWith(unit.lead.toLowerCase().replace(/[:.]$/u, ""))
    ? undefined
    : unit.lead

/** The question that a unit stands right below, as a heading or label above it, or as the sentence before it. */
export const questionAbove = (
  source: EvidencePassage,
  unit: ReadUnit,
  before: ReadUnit | undefined
): string | undefined => {
  if (isQuestion(unit.text) || unit.kind === "field") return undefined
  const isNear = before?.block === unit.block && before.kind === unit.kind
  if (isNear && isQuestion(before.text)) return before.text
  const heading = headingOf(source, unit)
  return isQuestion(heading) && isOpening(source.read, unit, before) ? heading : undefined
}

/** It stands first below its heading, or behind no more than "Yes." */
const isOpening = ({ units }: ReadPassage, unit: ReadUnit, before: ReadUnit | undefined): boolean => {
  if (before === undefined || before.kind === "field" || before.heading !== unit.heading) return true
  if (before.kind === "list" && before.end >= unit.end) return false
  const first = units.find(({ heading }) => heading === unit.heading)
  return first === before && before.text.length <= shortAnswerChars
}
const shortAnswerChars = 12

/** Whether a question that stands in a document asks what is asked: all that is asked, and little else. */
export const asksTheSame = (evidence: Evidence, asking: Asking, above: string, around: Row): boolean => {
  const { asked, question } = asking
  const row = asking.sought.rowOf(evidence.texts.read(above).set)
  const isOfPrice = howMuch().test(above)
  let [said, all] = [0, 0]
  for (const [at, { code, term, weight }] of asked.entries()) {
    const [inQuestion, near] = [row[at] ?? 0, around[at] ?? 0]
    // "How much is parking?" asks what it costs.
    if (isOfPrice && areSynonyms(term, "cost")) continue
    if (code === null && Math.max(inQuestion, near) < 0.5) return false
    all += weight
    said += inQuestion >= 0.5 ? weight : 0
  }
  // "Price?" leaves too much to what stands around it.
  if (said < ownMin * all || said === 0 || (above.match(/\p{L}+/gu)?.length ?? 0) < wordsMin) return false
  const read = readQuestion(above, evidence.analyse)
  const known = new TermSet(asking.termsOfQuestion)
  const [held, total] = read.terms.reduce(
    ([sum, all], { term }) => {
      const weight = asking.weigh(term)
      return [sum + (known.match(term, question.language) > 0 ? weight : 0), all + weight]
    },
    [0, 0]
  )
  return (
    held >= sameMin * total &&
    (negationCount(above) - negationCount(question.text)) % 2 === 0 &&
    mayBeOne(read.answerType, question.answerType)
  )
}
const howMuch = wordwise(/\b(?:how much (?:is|are|does|do)|wie ?viel kostet?|combien)\b/iu)
const sameMin = 0.6
const ownMin = 0.4
const wordsMin = 3

/** "Who pays for it?" is not "How much is paid for it?". */
const mayBeOne = (one: AnswerType, other: AnswerType): boolean =>
  one === other || !certain.has(one) || !certain.has(other) || (ofDoing.has(one) && ofDoing.has(other))
const certain: ReadonlySet<AnswerType> = new Set([
  "number",
  "date",
  "person",
  "place",
  "reason",
  "procedure",
  "yes-no"
])
/** "Can I change the address?" also says until when, and how; the kind of the reply is looked at anyway. */
const ofDoing: ReadonlySet<AnswerType> = new Set(["yes-no", "procedure", "date"])

/** A thing that the question names, and that a line, row or paragraph of the passage begins with. */
export interface NamedBeginning extends Pick<Beginning, "block" | "isLead"> {
  readonly term: string
}

/** Those of a passage; of most none. */
export const namedBeginnings = ({ read }: EvidencePassage, asking: Asking): ReadonlyArray<NamedBeginning> =>
  beginningsIn(read).flatMap(({ block, isLead, label }) =>
    label.set.size !== 1
      ? []
      : asking.asked.flatMap(({ term }) => (names(asking, label, term) ? [{ block, isLead, term }] : []))
  )

/** Of lines, rows or paragraphs that begin with what each is about, one of another thing than the question names. */
export const isOfSibling = (
  named: ReadonlyArray<NamedBeginning>,
  asking: Asking,
  unit: ReadUnit
): boolean => {
  const own = named.length === 0 ? null : beginningOf(unit)
  return (
    own !== null &&
    named.some(
      ({ block, isLead, term }) =>
        (isLead ? own.isLead : block === unit.block) &&
        !names(asking, own.label, term) &&
        asking.match(unit.set, term) === 0
    )
  )
}

const names = (asking: Asking, label: ReadText, term: string): boolean =>
  asking.match(label.set, term) >= namingMin
const namingMin = 0.7

interface Beginning {
  readonly block: number
  readonly label: ReadText
  readonly isLead: boolean
}

const beginningsIn = memoize(
  (passage: ReadPassage): ReadonlyArray<Beginning> => passage.units.flatMap((unit) => beginningOf(unit) ?? [])
)

/** "boards: 11 weeks", "Account: Lighthouse; Notice: 90 days", "**Kirkwall** - open …": boards, Lighthouse, Kirkwall. */
const beginningOf = memoize((unit: ReadUnit): Beginning | null => {
  const { block, kind, lead, text } = unit
  if (kind === "sentence" && lead !== "")
    return isQuestion(lead) ? null : { block, label: unit.part(lead), isLead: true }
  const label = (
    kind === "row" ? firstCell : kind === "sentence" || kind === "item" ? lineLabel : null
  )?.exec(text)?.[1]
  return label === undefined ? null : { block, label: unit.part(label), isLead: false }
})
const firstCell = /^(?:[^:;]{1,60}: )?([^;:]{1,60})(?:;|$)/u
const lineLabel = /^(\p{L}[^:.;,]{1,40}): /u

/** A row of a table of what is asked for: "Service: …" for "Which services …". */
export const isRowOfAsked = (asking: Asking, { kind, text }: ReadUnit): boolean => {
  const { answerType, terms, text: question } = asking.question
  const [first] = terms
  if (kind !== "row" || answerType !== "list" || first === undefined) return false
  const header = /^([^:;]{1,60}): /u.exec(text)?.[1]?.toLowerCase()
  // Stems of headers are not kept; a plural is what tells "which services" from "Service".
  const noun = first.surface.toLowerCase()
  return (
    header !== undefined &&
    question.indexOf(first.surface) <= question.indexOf(" ") + 1 &&
    (noun.startsWith(header) || header.startsWith(noun)) &&
    Math.abs(noun.length - header.length) <= 2
  )
}
