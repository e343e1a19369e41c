import type { Question } from "../../language/questions/index.js"
import type { TextUnit } from "../../language/text-analysis/index.js"
import { nameNorm } from "../../platform/kernel/index.js"
import type { Evidence, EvidencePassage } from "./evidence.js"

/**
 * Returns the names of a document: its title, and the other name that the question uses for the entity of the title.
 */
export const namesOf = (evidence: Evidence, docTitle: string): ReadonlyArray<string> => {
  const other = otherNameIn(evidence)
  return other !== null && other.title === nameNorm(docTitle) ? [docTitle, other.name] : [docTitle]
}

/** Null when the name is ambiguous. */
const otherNameIn = ({ entities, question }: Evidence): OtherName | null => {
  const cached = otherNames.get(question)
  if (cached?.entities === entities) return cached.other
  const other = readOtherName(entities, question)
  otherNames.set(question, { entities, other })
  return other
}

interface OtherName {
  readonly title: string
  readonly name: string
}
/** Keyed by question and entities, because evidence is created again for each selection of passages. */
const otherNames = new WeakMap<
  Question,
  { readonly entities: Evidence["entities"]; readonly other: OtherName | null }
>()

const readOtherName = (entities: Evidence["entities"], question: Question): OtherName | null => {
  const questionText = ` ${nameNorm(question.text)} `
  const unnamed = entities.filter(({ name }) => !questionText.includes(nameNorm(name)))
  const [only] = unnamed
  if (only === undefined || unnamed.length > 1) return null
  const known = entities.map(({ name }) => nameNorm(name))
  const otherAnchors = question.anchors.filter(
    ({ kind, text }) => kind === "name" && !known.some((name) => name.includes(nameNorm(text)))
  )
  const [name] = otherAnchors
  return name === undefined || otherAnchors.length > 1
    ? null
    : { title: nameNorm(only.name), name: name.text }
}

/**
 * Returns the nearest heading above a unit; empty when there is none. A heading of a change log that names a kind of
 * change stands behind that of its release, which has the version and the date: "3.2.0 - 2026-03-11: Added".
 */
export const headingOf = ({ passage: { headingPath } }: EvidencePassage, { heading }: TextUnit): string => {
  const nearest = heading === "" ? (headingPath.at(-1) ?? "") : heading
  if (!kindOfChange.test(nearest)) return nearest
  const above = headingPath[headingPath.lastIndexOf(nearest) - 1] ?? headingPath.at(-1) ?? ""
  return release.test(above) ? `${above}: ${nearest}` : nearest
}

/** The kinds of changes of Keep a Changelog 1.1.0 and of Conventional Changelog. */
const kindOfChange =
  /^(?:added|changed|deprecated|removed|fixed|security|features?|(?:bug ?)?fixes|performance improvements|reverts|⚠? ?breaking changes)$/iu
const release = /^(?:version |release )?\[?v?\d{1,4}\.\d{1,4}/iu
