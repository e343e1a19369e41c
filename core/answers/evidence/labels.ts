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
