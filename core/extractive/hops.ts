import { type Evidence, headingOf } from "../evidence/index.js"
import { hopOf, type Question, readQuestion } from "../questions/index.js"
import { attributeOf, contentTerms, findAnchors } from "../text-analysis/index.js"
import { answererOf } from "./extractive.js"
import type { Candidate } from "./score.js"

/**
 * Splits a two-step question: when it contains a description to resolve first ("the phone number of the owner of
 * Orlin"), both parts have an answer in the pool, and the first answer is one name, returns the evidence with that
 * name in the question; otherwise unchanged. Pure.
 */
export const followHop = (pool: Evidence): Evidence => {
  const { analyse, question } = pool
  const hop = question.parts.length > 0 ? null : hopOf(question.text)
  if (hop === null) return pool
  const first = readQuestion(hop.first, analyse)
  const firstAnswer = answererOf({ ...pool, question: first })
  const name = firstAnswer === undefined ? undefined : nameIn(pool, firstAnswer, first, hop.role)
  if (name === undefined) return pool
  const next = readQuestion(hop.next(name), analyse)
  return answererOf({ ...pool, question: next }) === undefined
    ? pool
    : { ...pool, question: { ...question, parts: [first, next] } }
}

/** Returns the only name that answers; undefined when there are several or none. */
const nameIn = (
  { analyse }: Evidence,
  { label, source, unit }: Candidate,
  asked: Question,
  role: string
): string | undefined => {
  if (unit.kind === "row") return nameInRow(analyse, unit, role)
  if (label !== undefined && newNames(label, asked).length === 1) return label
  const firstAnswer = attributeOf(unit)?.value
  if (firstAnswer !== undefined && /^\p{Lu}/u.test(firstAnswer)) return firstAnswer
  const names = newNames(unit.text, asked)
  if (names.length > 0) return names.length === 1 ? names[0] : undefined
  const heading = headingOf(source, unit)
  const [above, ...others] = newNames(heading, asked)
  return others.length === 0 && above !== undefined && heading.length <= headingMaxChars ? above : undefined
}
const headingMaxChars = 60

const newNames = (text: string, { text: asked }: Question): ReadonlyArray<string> =>
  findAnchors(text, "en").flatMap((one) => {
    if (one.kind !== "name") return []
    const words = one.text.split(" ")
    const strange = words.filter((word) => !asked.toLowerCase().includes(word.toLowerCase()))
    // In "Owns Search." the first word is capitalised in any case.
    const isOpening = words.length > 1 && text.startsWith(one.text) && strange.join(" ") === words[0]
    return strange.length === 0 || isOpening ? [] : [one.text]
  })

/**
 * Returns the name in a row: the cell of the role ("Owner: Mia Falk"), or the name beside it ("Name: Mia Falk; Role:
 * Editor").
 */
const nameInRow = (
  analyse: Evidence["analyse"],
  unit: Candidate["unit"],
  role: string
): string | undefined => {
  const roles = contentTerms(analyse, role, "en")
  const saysRole = (text: string) =>
    roles.some(({ term }) => unit.part(text).set.match(term, "en") >= roleMin)
  const cells = unit.text.split("; ").map((cell) => cell.split(": "))
  const below = cells.find(([header = "", value]) => value !== undefined && saysRole(header))
  if (below !== undefined) return below[1]
  if (!cells.some(([, value = ""]) => saysRole(value))) return undefined
  const named = cells.flatMap(([, value = ""]) => (fullName.test(value) ? [value] : []))
  return named.length === 1 ? named[0] : undefined
}
const roleMin = 0.7
const fullName = /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*)+$/u
