import type { ReadUnit } from "../../language/text-analysis/index.js"
import type { EvidencePassage } from "./evidence.js"
import { headingOf } from "./unit-context.js"

/**
 * Returns a unit as it is quoted when its heading or label is part of the statement: "4.2.0 (2026-03-11): added: dark
 * mode".
 */
export const withLabel = (label: string, text: string): string =>
  isQuestion(label) ? `${label} ${text}` : `${label.replace(/\s*[:.–—-]+$/u, "")}: ${text}`

/** Returns the labels with which a unit may be quoted. */
export const labelsOf = (source: EvidencePassage, unit: ReadUnit): ReadonlyArray<string> =>
  [unit.lead, termOf(unit) ?? "", headingOf(source, unit), questionBefore(source, unit)].filter(
    (label) => label !== "" && label.length <= labelMaxChars
  )

/** The term that a list item explains, for its later sentences: "timeout (optional): The time to wait. Default: 5 s." */
const termOf = ({ opening }: ReadUnit): string | undefined => itemTerm.exec(opening)?.[1]
const itemTerm = /^([^\s:(][^:(]{0,59}?)(?: \([^()]{1,120}\))?:(?= )/u

/** A question that stands before its answer: "Where do I park? Behind the shed." Empty when there is none. */
const questionBefore = ({ units }: EvidencePassage, unit: ReadUnit): string => {
  const { heading, text } = units[units.indexOf(unit) - 1] ?? {}
  return text !== undefined && heading === unit.heading && isQuestion(text) ? text : ""
}

const labelMaxChars = 120

/** Whether a text ends as a question. Without a pattern, which would scan each of many units from its beginning. */
export const isQuestion = (text: string): boolean => {
  const last = text.trimEnd().at(-1)
  return last === "?" || last === "？"
}

/** An introduction of a list ends with a colon, the item above a nested one does not. */
const isBelowItem = ({ kind, lead }: ReadUnit): boolean =>
  kind === "item" && lead.length <= itemMaxChars && !/[:：]$/u.test(lead)
const itemMaxChars = 60

/** Returns the label of its paragraph, its term, or the item above it, when the unit does not repeat it. */
export const labelOf = (unit: ReadUnit): string | undefined =>
  termOf(unit) ??
  ((unit.kind !== "sentence" && unit.kind !== "setting" && !isBelowItem(unit)) ||
  unit.lead === "" ||
  isQuestion(unit.lead) ||
  unit.lead.length > labelMaxChars ||
  unit.text.toLowerCase().startsWith(unit.lead.toLowerCase().replace(/[:.]$/u, ""))
    ? undefined
    : unit.lead)
