import {
  type Anchor,
  type Attribute,
  attributeOf,
  type Idf,
  memoize,
  negationCount,
  oppositeStates,
  type ReadText,
  statesAlike,
  statesApart,
  type Term
} from "../text-analysis/index.js"
import { areApart, arePeriodsApart, datesAgree, datesOf, isSingleEvent } from "./qualifiers.js"
import { clashOf } from "./quantities.js"
import type { Statement } from "./statements.js"

/** How two statements disagree, each side in its own words. */
export interface Disagreement {
  readonly kind: "number" | "date" | "negation" | "category"
  readonly subject: string
  readonly attribute: string
  readonly a: string
  readonly b: string
  /** Dice similarity of their words, 0 to 1. */
  readonly overlap: number
}

/** Shared words over all words, by weight, from which two statements may be about one thing. */
const overlapMin = 0.5
/** Without a value that differs, more must be shared: a "not" is easily of something else. */
const propositionMin = 0.65
const propositionWordsMin = 3
/** Where both say the very same words, fewer tell that it is of the same thing. */
const sameWordsMin = 2

/** How two statements disagree; undefined when they do not, or speak of different things. Symmetric. */
export const disagreementOf = (one: Statement, other: Statement, idf: Idf): Disagreement | undefined => {
  // The order of the two must not matter, also where ties are broken.
  if (one.text > other.text) {
    const turned = disagreementOf(other, one, idf)
    return turned === undefined ? undefined : { ...turned, a: turned.b, b: turned.a }
  }
  if (areOfTwoLabels(one, other) || areOfTwoRows(one, other) || areNumberedApart(one, other)) return undefined
  const found = byAttribute(one, other, idf) ?? byState(one, other, idf)
  if (found !== undefined) return found
  const shared = sharedWords(one, other, idf, undefined)
  if (shared === undefined || shared.overlap < overlapMin || areApart(one, other)) return undefined
  const named = { subject: shared.subject, attribute: shared.attribute, overlap: shared.overlap }
  const clash = clashOf(one, other)
  if (clash !== undefined && arePeriodsApart(one, other)) return undefined
  if (clash !== undefined)
    return { ...named, kind: "number", a: written(one, clash.a), b: written(other, clash.b) }
  const [datesOne, datesOther] = [datesOf(one), datesOf(other)]
  const [dateOne, dateOther] = [datesOne[0], datesOther[0]]
  if (dateOne !== undefined && dateOther !== undefined) {
    if (datesOne.some((date) => datesOther.some((rival) => datesAgree(date, rival)))) return undefined
    return isSingleEvent(one, other)
      ? { ...named, kind: "date", a: written(one, dateOne), b: written(other, dateOther) }
      : undefined
  }
  const wordsMin = shared.isWhole ? sameWordsMin : propositionWordsMin
  if (shared.words < wordsMin || shared.overlap < propositionMin || arePeriodsApart(one, other))
    return undefined
  const isTurned = isDenial(one.read) !== isDenial(other.read)
  const states = oppositeStates(one.text, other.text)
  if (states !== undefined)
    // "Not optional" is "mandatory".
    return isTurned ? undefined : { ...named, kind: "category", a: states[0], b: states[1] }
  if (!isTurned) return undefined
  const isDenied = isDenial(one.read)
  return { ...named, kind: "negation", a: isDenied ? "no" : "yes", b: isDenied ? "yes" : "no" }
}

/** "Not … without" denies nothing. */
const isDenial = memoize(({ text }: ReadText) => negationCount(text) % 2 === 1)

/** Two values of one attribute that has one value only: an owner, a place, a state. */
const byAttribute = (one: Statement, other: Statement, idf: Idf): Disagreement | undefined => {
  const [a, b] = [attributeOf(one.read), attributeOf(other.read)]
  if (a === undefined || b === undefined || a.key !== b.key || !isOther(one, a, other, b)) return undefined
  const shared = sharedWords(one, other, idf, [a, b])
  if (shared === undefined || shared.overlap < overlapMin) return undefined
  if (areApart(one, other) || arePeriodsApart(one, other) || areTwoSections(one, other)) return undefined
  return {
    kind: "category",
    subject: shared.subject,
    attribute: a.key,
    a: a.value,
    b: b.value,
    overlap: shared.overlap
  }
}

/**
 * Each says how one thing is, and the two ways exclude each other ("P-17 is enabled", "P-17 is disabled"), or one
 * denies it ("P-17 is not enabled"). "Not active" is "inactive".
 */
const byState = (one: Statement, other: Statement, idf: Idf): Disagreement | undefined => {
  const isDenied = isDenial(one.read)
  const isTurned = isDenied !== isDenial(other.read)
  const states = (isTurned ? statesAlike : statesApart)(one.read, other.read)
  if (states === undefined) return undefined
  const shared = sharedWords(one, other, idf, states) ?? sharedCode(one, other, states)
  if (shared === undefined || shared.overlap < propositionMin) return undefined
  // What else is said may be why: of whole statements the subject is enough.
  if (!shared.isWhole && shared.words < propositionWordsMin) return undefined
  if (areApart(one, other) || arePeriodsApart(one, other)) return undefined
  const named = { subject: shared.subject, attribute: shared.attribute, overlap: shared.overlap }
  return isTurned
    ? { ...named, kind: "negation", a: isDenied ? "no" : "yes", b: isDenied ? "yes" : "no" }
    : { ...named, kind: "category", a: written(one, states[0]), b: written(other, states[1]) }
}

/** The values share no word. */
const isOther = (one: Statement, a: Attribute, other: Statement, b: Attribute): boolean => {
  const [left, right] = [termsIn(one, a), termsIn(other, b)]
  return (
    left.length > 0 &&
    right.length > 0 &&
    !left.some(({ term }) => right.some((rival) => rival.term === term))
  )
}

const termsIn = ({ terms }: Statement, { end, start }: Attribute) =>
  terms.filter((term) => term.start >= start && term.end <= end)

const written = ({ text }: Statement, { end, start }: { readonly start: number; readonly end: number }) =>
  text.slice(start, end)

interface Span {
  readonly start: number
  readonly end: number
}

interface Shared {
  /** How many words both sides say themselves. */
  readonly words: number
  /** Neither side says a word that the other does not say itself. */
  readonly isWhole: boolean
  readonly overlap: number
  readonly subject: string
  readonly attribute: string
}

/**
 * What two statements share; undefined when they are about different things: each names something that the other
 * does not, or each puts another word into the same place ("the standard licence", "the premium licence").
 */
const sharedWords = (
  one: Statement,
  other: Statement,
  idf: Idf,
  values: readonly [Span, Span] | undefined
): Shared | undefined => {
  const [a, b] = [without(one, values?.[0]), without(other, values?.[1])]
  if (a.length === 0 || b.length === 0) return undefined
  // "Seats: 40" of one section and of another is of two things.
  if (Math.min(a.length, b.length) <= ofSectionMax && areTwoSections(one, other)) return undefined
  const inOther = a.map(({ term }) => other.set.match(term, one.language) >= matchMin)
  if (!inOther.includes(true)) return undefined
  const inOne = b.map(({ term }) => one.set.match(term, other.language) >= matchMin)
  // What only the title says of one side and the other says itself is no difference.
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
  // Last, because it takes longest and few pairs come so far.
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

/** Of statements that say of something with a code how it is, and nothing else. */
const sharedCode = (one: Statement, other: Statement, states: readonly [Span, Span]): Shared | undefined => {
  const [code] = codesShared(one, other)
  if (code === undefined || namesApart(one, undefined, other, undefined)) return undefined
  if (without(one, states[0]).length > 0 || without(other, states[1]).length > 0) return undefined
  const subject = one.text.slice(code.start, code.end)
  return { overlap: 1, words: 1, isWhole: true, subject, attribute: subject }
}

const codesShared = (one: Statement, other: Statement): Statement["names"] =>
  one.names.filter(({ norm }) => isCode(norm) && other.names.some((rival) => rival.norm === norm))

/** In two sections of one page, each of which may be about a thing of its own. */
const areTwoSections = (one: Statement, other: Statement): boolean =>
  one.origin === other.origin && one.section !== other.section
const ofSectionMax = 2

/** Under two labels of one page ("**Kirkwall** - open …", "**Lerwick** - open …"): whatever is said is of two things. */
const areOfTwoLabels = (one: Statement, other: Statement): boolean =>
  areTwoSections(one, other) &&
  [one, other].every(({ read, section }) => labelOfSection(section, read) !== "")
const labelOfSection = (section: string, { text }: ReadText): string => {
  const label = section.slice(section.lastIndexOf(" | ") + 3)
  return label.endsWith("?") || label === text ? "" : label
}

/** Rows of one table with another first cell each ("No.: 1", "No.: 2") are of two things, and need not agree. */
const areOfTwoRows = (one: Statement, other: Statement): boolean =>
  one.origin === other.origin &&
  one.row !== null &&
  one.row.column === other.row?.column &&
  one.row.cell !== other.row.cell

/** The page "Pump 7" says of pump 7 what the page "Pump 11" says of pump 11. */
const areNumberedApart = (one: Statement, other: Statement): boolean =>
  [...one.numbered].some(([word, number]) => (other.numbered.get(word) ?? number) !== number)

const matchMin = 0.7
/** The share of words, by weight, that both sides may have for themselves. */
const contrastMax = 0.25

const without = ({ terms }: Statement, value: Span | undefined): ReadonlyArray<Term> =>
  value === undefined ? terms : terms.filter((term) => term.end <= value.start || term.start >= value.end)

/** Words that say little of what a sentence is about. */
const general =
  /^(?:allow|perform|execut|happen|occur|take|set|use|current|standard|period|amount|total|limit|valu|number|time|polici|rule|default|normal|usual|general|must|shall|alwai|typic)/u
const weight = (term: string, idf: Idf): number => (general.test(term) ? 0.3 : 1) * Math.max(0.05, idf(term))

/** Each names something that the other knows nothing of, or one is limited to a place or case by name. */
const namesApart = (one: Statement, a: Span | undefined, other: Statement, b: Span | undefined): boolean => {
  const [left, right] = [strangers(one, a, other), strangers(other, b, one)]
  // What a sentence says of one code holds of nothing that is called otherwise.
  if ([...left, ...right].some(({ norm, start }) => start >= 0 && isCode(norm))) return true
  return (left.length > 0 && right.length > 0) || left.some(isLimit(one)) || right.some(isLimit(other))
}

/** "Its budget" on the page of Venus is not that of Mercury: one side speaks of its page, which the other does not. */
const isOfOtherPage = (one: Statement, other: Statement): boolean =>
  (one.isOfPronoun && knowsNothingOf(other, one)) || (other.isOfPronoun && knowsNothingOf(one, other))

const knowsNothingOf = (side: Statement, { language, title }: Statement): boolean =>
  title.size > 0 &&
  title.every(
    (term) => side.set.match(term, language) < matchMin && side.around.match(term, language) < matchMin
  )

const strangers = (
  of: Statement,
  value: Span | undefined,
  to: Statement
): ReadonlyArray<{ readonly start: number; readonly end: number; readonly norm: string }> =>
  ownNames(of).filter((name) => {
    if (value !== undefined && name.start >= value.start && name.end <= value.end) return false
    const anchor = anchorOf(name)
    return !to.field.has(anchor) && !to.aroundField.has(anchor)
  })

/** Looked up in many statements: what is looked for is worked out once. */
const anchorOf = memoize(
  ({ norm }: Statement["names"][number]): Anchor =>
    isCode(norm) ? { kind: "code", text: norm, code: norm } : { kind: "name", text: norm, norm }
)

/** What names nothing is about what its title names; so is a line of a page about a code that names no other. */
const ownNames = ({ names, titleNames }: Statement): Statement["names"] => {
  if (names.length === 0) return titleNames
  return names.some(({ norm }) => isCode(norm))
    ? names
    : [...names, ...titleNames.filter(({ norm }) => isCode(norm))]
}

const isCode = (norm: string): boolean => /\d/u.test(norm)

const isLimit =
  ({ text }: Statement) =>
  ({ start }: { readonly start: number }): boolean =>
    /\b(?:in|for|at|within|für|bei|en|au|pour|para)\s(?:the\s)?$/iu.test(
      text.slice(Math.max(0, start - 14), start)
    )
