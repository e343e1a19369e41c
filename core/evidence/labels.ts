import { memoize } from "../caching/index.js"
import { nameNorm } from "../kernel/index.js"
import { areSynonyms, negationCount, wordwise } from "../languages/index.js"
import { type AnswerType, asksWho, readQuestion } from "../questions/index.js"
import { type ReadPassage, type ReadText, type ReadUnit, type Row, TermSet } from "../text-analysis/index.js"
import { findValues } from "../values/index.js"
import type { Evidence, EvidencePassage } from "./evidence.js"
import type { PreparedQuestion } from "./prepared-question.js"
import { headingOf } from "./unit-context.js"

/**
 * Returns a unit as it is quoted when its heading or label is part of the statement: "4.2.0 (2026-03-11): added: dark
 * mode".
 */
export const behindLabel = (label: string, text: string): string =>
  isQuestion(label) ? `${label} ${text}` : `${label.replace(/\s*[:.–—-]+$/u, "")}: ${text}`

/** Returns the labels with which a unit may be quoted. */
export const labelsOf = (source: EvidencePassage, unit: ReadUnit): ReadonlyArray<string> =>
  [unit.lead, headingOf(source, unit)].filter((label) => label !== "" && label.length <= labelMaxChars)

const labelMaxChars = 120

/** Called for many units: a regular expression would scan each from its beginning. */
const isQuestion = (text: string): boolean => {
  const last = text.trimEnd().at(-1)
  return last === "?" || last === "？"
}

/**
 * Returns the heading with the requested value when the unit lacks it: the date or number of a release, a team.
 * Undefined when there is none.
 */
export const datedHeading = (
  asking: PreparedQuestion,
  source: EvidencePassage,
  unit: ReadUnit
): string | undefined => {
  const { question } = asking
  const asks =
    question.answerType === "date" ? "date" : asksVersion().test(question.text) ? "version" : "kind"
  if (unit.kind === "field" && asksWho(question)) return personOf(question, source.passage.docTitle)
  if (unit.kind === "code" || unit.kind === "field" || unit.kind === "row") return undefined
  const heading = headingOf(source, unit)
  if (question.answerType === "person" && hasNoSubject.test(unit.text))
    return personOf(question, heading === "" ? source.passage.docTitle : heading)
  if (heading === "" || heading.length > labelMaxChars) return undefined
  if (asks === "kind") return isOneOf(asking, source.read.within(heading)) ? heading : undefined
  const holds =
    asks === "version" ? version.test(heading) : findValues(heading).some(({ kind }) => kind === "date")
  return holds ? heading : undefined
}

/** Whether a heading is one of the requested kind: "Team Wren" for "which team", the noun and an unknown name. */
const isOneOf = ({ question }: PreparedQuestion, heading: ReadText): boolean => {
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
/** "Leads the clinic since 2019." below the heading "Uta Brand". */
const personOf = ({ read }: PreparedQuestion["question"], heading: string): string | undefined =>
  fullName.test(heading) && !read.field.has({ kind: "name", text: heading, norm: nameNorm(heading) })
    ? heading
    : undefined
const fullName = /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,4}$/u
/** A verb opens the sentence: "Leads …", "Responsible for …". */
const hasNoSubject =
  /^(?:\p{Lu}\p{Ll}+(?:s|ed|t)|Is|Was|Responsible|Verantwortlich|Zuständig|Chargée?) \p{Ll}/u

const whichOne = wordwise(/^(?:which|what|welche[rs]?) (\p{L}+)\b/iu)

const asksVersion = wordwise(
  /\b(?:(?:which|what) (?:version|release)|welche[rsm]? (?:version|release)|quelle version|qué versión)\b/iu
)
const version =
  /(?<![\p{L}\p{N}.])(?:v?\d{1,4}\.\d{1,4}(?:\.\d{1,6})*|(?:v|version |release )\d{1,4})(?![\p{L}\p{N}]|[.,]\d)/iu

/** Returns the label of its paragraph when the unit does not repeat it. */
export const labelOf = (unit: ReadUnit): string | undefined =>
  (unit.kind !== "sentence" && unit.kind !== "setting") ||
  unit.lead === "" ||
  isQuestion(unit.lead) ||
  unit.lead.length > labelMaxChars ||
  unit.text.toLowerCase().startsWith(unit.lead.toLowerCase().replace(/[:.]$/u, ""))
    ? undefined
    : unit.lead

/** Returns the question directly above a unit: its heading, its label, or the sentence before it. */
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

/** Whether it comes first below its heading, or after nothing more than "Yes." */
const isOpening = ({ units }: ReadPassage, unit: ReadUnit, before: ReadUnit | undefined): boolean => {
  if (before === undefined || before.kind === "field" || before.heading !== unit.heading) return true
  if (before.kind === "list" && before.end >= unit.end) return false
  const first = units.find(({ heading }) => heading === unit.heading)
  return first === before && before.text.length <= shortAnswerChars
}
const shortAnswerChars = 12

/** Whether a question in a document asks the same as the user's question, with little else. */
export const asksTheSame = (
  evidence: Evidence,
  asking: PreparedQuestion,
  above: string,
  around: Row
): boolean => {
  const { asked, question } = asking
  const row = asking.sought.rowOf(evidence.texts.read(above).set)
  const isOfPrice = howMuch().test(above)
  let [said, all] = [0, 0]
  for (const [at, { code, term, weight }] of asked.entries()) {
    const [inQuestion, near] = [row[at] ?? 0, around[at] ?? 0]
    // "How much is parking?" asks for a cost.
    if (isOfPrice && areSynonyms(term, "cost")) continue
    if (code === null && Math.max(inQuestion, near) < 0.5) return false
    all += weight
    said += inQuestion >= 0.5 ? weight : 0
  }
  // "Price?" depends too much on its context.
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

/** "Who pays for it?" differs from "How much is paid for it?". */
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
/** "Can I change the address?" also covers until when and how; the type of the reply is checked separately. */
const ofDoing: ReadonlySet<AnswerType> = new Set(["yes-no", "procedure", "date"])

/** A thing named in the question with which a line, row or paragraph of the passage begins. */
export interface NamedBeginning extends Pick<Beginning, "block" | "isLead"> {
  readonly term: string
}

/** Returns the named beginnings of a passage; none for most. */
export const namedBeginnings = (
  { read }: EvidencePassage,
  asking: PreparedQuestion
): ReadonlyArray<NamedBeginning> =>
  beginningsIn(read).flatMap(({ block, isLead, label }) =>
    label.set.size !== 1
      ? []
      : asking.asked.flatMap(({ term }) => (names(asking, label, term) ? [{ block, isLead, term }] : []))
  )

/** Whether a line, row or paragraph begins with another thing than the one the question names. */
export const isOfSibling = (
  named: ReadonlyArray<NamedBeginning>,
  asking: PreparedQuestion,
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

const names = (asking: PreparedQuestion, label: ReadText, term: string): boolean =>
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

/**
 * Returns the subject with which a unit begins: boards, Lighthouse and Kirkwall in "boards: 11 weeks", "Account:
 * Lighthouse; Notice: 90 days", "**Kirkwall** - open …".
 */
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

/** Whether a row belongs to a table of the requested kind: "Service: …" for "Which services …". */
export const isRowOfAsked = (asking: PreparedQuestion, { kind, text }: ReadUnit): boolean => {
  const { answerType, terms, text: question } = asking.question
  const [first] = terms
  if (kind !== "row" || first === undefined) return false
  if (answerType === "number") return holdsAskedCell(asking, text)
  if (answerType !== "list") return false
  const header = /^([^:;]{1,60}): /u.exec(text)?.[1]?.toLowerCase()
  // The original word is needed, because only the plural distinguishes "which services" from "Service".
  const noun = first.surface.toLowerCase()
  return (
    header !== undefined &&
    question.indexOf(first.surface) <= question.indexOf(" ") + 1 &&
    (noun.startsWith(header) || header.startsWith(noun)) &&
    Math.abs(noun.length - header.length) <= 2
  )
}

/** "Plan: Business; Seats: 100" for "How many seats has the Business plan?": a column and a whole cell are asked for. */
const holdsAskedCell = ({ question: { terms } }: PreparedQuestion, row: string): boolean => {
  const asked = new Set(terms.map(({ surface }) => surface.toLowerCase()))
  const cells = row.split("; ").map((cell) => cell.toLowerCase().split(": "))
  return (
    cells.some(([header = ""]) => asked.has(header)) &&
    cells.some(([, value = ""]) => value !== "" && value.split(" ").every((word) => asked.has(word)))
  )
}
