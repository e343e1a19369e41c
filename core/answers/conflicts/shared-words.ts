import type { Idf, Term } from "../../language/text-analysis/index.js"
import { areTwoSections, isCode, isOfOtherPage, matchMin, namesApart, type Span } from "./other-subject.js"
import type { Statement } from "./statements.js"

/** Statements with fewer words in two sections of one page may concern two things. */
const ofSectionMax = 2

/** Words that two statements about one thing share. */
export interface SharedSubject {
  /** Number of words that both sides contain themselves. */
  readonly words: number
  /** Whether neither side contains a word that the other lacks. */
  readonly isWhole: boolean
  readonly overlap: number
  readonly subject: string
  readonly attribute: string
}

/**
 * Returns what two statements share; undefined when they concern different things: each has a name that the other
 * lacks, or each has another word in the same place ("the standard licence", "the premium licence").
 */
export const sharedWords = (
  one: Statement,
  other: Statement,
  idf: Idf,
  values: readonly [Span, Span] | undefined
): SharedSubject | undefined => {
  const [a, b] = [termsOutside(one, values?.[0]), termsOutside(other, values?.[1])]
  if (a.length === 0 || b.length === 0) return undefined
  // "Seats: 40" in two different sections concerns two things.
  if (Math.min(a.length, b.length) <= ofSectionMax && areTwoSections(one, other)) return undefined
  const inOther = a.map(({ term }) => other.set.match(term, one.language) >= matchMin)
  if (!inOther.includes(true)) return undefined
  const inOne = b.map(({ term }) => one.set.match(term, other.language) >= matchMin)
  // A word from the title of one side and the text of the other is not a difference.
  const knownToOther = a.map(
    ({ term }, at) => inOther[at] || other.around.match(term, one.language) >= matchMin
  )
  const knownToOne = b.map(({ term }, at) => inOne[at] || one.around.match(term, other.language) >= matchMin)
  if (!knownToOther[0] && !knownToOne[0]) return undefined
  const weigh = (terms: ReadonlyArray<Term>, kept: ReadonlyArray<boolean | undefined>) =>
    terms.reduce((sum, { term }, at) => sum + (kept[at] ? weight(term, idf) : 0), 0)
  const all = (terms: ReadonlyArray<Term>) =>
    weigh(
      terms,
      terms.map(() => true)
    )
  const total = all(a) + all(b)
  const overlap = (weigh(a, knownToOther) + weigh(b, knownToOne)) / total
  const [leftA, leftB] = [1 - weigh(a, knownToOther) / all(a), 1 - weigh(b, knownToOne) / all(b)]
  if (Math.min(leftA, leftB) > contrastMax) return undefined
  // Last, because it is the slowest check and few pairs reach it.
  if (namesApart(one, values?.[0], other, values?.[1]) || isOfOtherPage(one, other)) return undefined
  const common = a.filter((_, at) => inOther[at])
  const name = one.names.find(({ norm }) => other.names.some((rival) => rival.norm === norm))
  const subject = name === undefined ? (common[0]?.surface ?? "") : one.text.slice(name.start, name.end)
  const rest = common.filter((term) => !subject.toLowerCase().includes(term.surface.toLowerCase()))
  return {
    overlap,
    words: common.length,
    isWhole: inOther.every(Boolean) && inOne.every(Boolean),
    subject,
    attribute: rest.map(({ surface }) => surface).join(" ") || subject
  }
}

/** Handles statements about the state of something with a code, without further words. */
export const sharedCode = (
  one: Statement,
  other: Statement,
  states: readonly [Span, Span]
): SharedSubject | undefined => {
  const [code] = codesShared(one, other)
  if (code === undefined || namesApart(one, undefined, other, undefined)) return undefined
  if (termsOutside(one, states[0]).length > 0 || termsOutside(other, states[1]).length > 0) return undefined
  const subject = one.text.slice(code.start, code.end)
  return { overlap: 1, words: 1, isWhole: true, subject, attribute: subject }
}

const codesShared = (one: Statement, other: Statement): Statement["names"] =>
  one.names.filter(({ norm }) => isCode(norm) && other.names.some((rival) => rival.norm === norm))

/** Maximum weighted share of words that each side may have alone. */
const contrastMax = 0.25

export const termsOutside = ({ terms }: Statement, value: Span | undefined): ReadonlyArray<Term> =>
  value === undefined ? terms : terms.filter((term) => term.end <= value.start || term.start >= value.end)

/** Words that say little about the subject of a sentence. */
const general =
  /^(?:allow|perform|execut|happen|occur|take|set|use|current|standard|period|amount|total|limit|valu|number|time|polici|rule|default|normal|usual|general|must|shall|alwai|typic)/u
const weight = (term: string, idf: Idf): number => (general.test(term) ? 0.3 : 1) * Math.max(0.05, idf(term))
