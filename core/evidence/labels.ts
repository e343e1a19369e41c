import { areSynonyms, negationCount, wordwise } from "../languages/index.js"
import { type AnswerType, readQuestion } from "../questions/index.js"
import { type ReadPassage, type ReadUnit, type Row, TermSet } from "../text-analysis/index.js"
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
