import { negationCount } from "../../language/languages/index.js"
import {
  type Anchor,
  type Attribute,
  attributeOf,
  type Idf,
  oppositeStates,
  type ReadText,
  statesAlike,
  statesApart,
  type Term
} from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import { isProperty, nameOneProperty, nameOtherProperties } from "./measured-properties.js"
import { areApart, arePeriodsApart, datesAgree, datesOf, isSingleEvent } from "./qualifiers.js"
import { cellClash, clashOf } from "./quantities.js"
import type { Statement } from "./statements.js"

/** A disagreement between two statements, with each side's value. */
export interface Disagreement {
  readonly kind: "number" | "date" | "negation" | "category"
  readonly subject: string
  readonly attribute: string
  readonly a: string
  readonly b: string
  /** Dice similarity of their words, 0 to 1. */
  readonly overlap: number
}

/** Minimum weighted share of common words for two statements to concern the same thing. */
const overlapMin = 0.5
/** Minimum share without a differing value: a "not" easily refers to something else. */
const propositionMin = 0.65
const propositionWordsMin = 3
/** Minimum number of words when both sides use exactly the same ones. */
const sameWordsMin = 2

/**
 * Returns how two statements disagree; undefined when they do not, or concern different things. Symmetric.
 *
 * @param answers Both answer the question that was asked, so that they need not use the same words.
 */
export const disagreementOf = (
  one: Statement,
  other: Statement,
  idf: Idf,
  answers = false
): Disagreement | undefined => {
  // Ordered by text, so that the result does not depend on the order of the arguments, even for ties.
  if (one.text > other.text) {
    const turned = disagreementOf(other, one, idf, answers)
    return turned === undefined ? undefined : { ...turned, a: turned.b, b: turned.a }
  }
  if (nameOtherProperties(one.read, other.read) || areOfTwoPages(one, other)) return undefined
  if (areOfTwoLabels(one, other) || areOfTwoRows(one, other) || areNumberedApart(one, other)) return undefined
  const found =
    (answers ? byCell(one, other) : undefined) ??
    byAttribute(one, other, idf) ??
    byState(one, other, idf) ??
    (answers ? (byAnswer(one, other) ?? byNames(one, other)) : undefined)
  if (found !== undefined) return found
  const shared = sharedWords(one, other, idf, undefined)
  if (shared === undefined || shared.overlap < overlapMin || areApart(one, other)) return undefined
  const aspects = { subject: shared.subject, attribute: shared.attribute, overlap: shared.overlap }
  const clash = clashOf(one, other)
  if (clash !== undefined && arePeriodsApart(one, other)) return undefined
  if (clash !== undefined)
    return { ...aspects, kind: "number", a: textAt(one, clash.a), b: textAt(other, clash.b) }
  const [datesOne, datesOther] = [datesOf(one), datesOf(other)]
  const [dateOne, dateOther] = [datesOne[0], datesOther[0]]
  if (dateOne !== undefined && dateOther !== undefined) {
    if (datesOne.some((date) => datesOther.some((rival) => datesAgree(date, rival)))) return undefined
    return isSingleEvent(one, other)
      ? { ...aspects, kind: "date", a: textAt(one, dateOne), b: textAt(other, dateOther) }
      : undefined
  }
  const wordsMin = shared.isWhole ? sameWordsMin : propositionWordsMin
  if (shared.words < wordsMin || shared.overlap < propositionMin || arePeriodsApart(one, other))
    return undefined
  const isTurned = isDenial(one.read) !== isDenial(other.read)
  const states = oppositeStates(one.text, other.text)
  if (states !== undefined)
    // "Not optional" is "mandatory".
    return isTurned ? undefined : { ...aspects, kind: "category", a: states[0], b: states[1] }
  if (!isTurned) return undefined
  const isDenied = isDenial(one.read)
  return { ...aspects, kind: "negation", a: isDenied ? "no" : "yes", b: isDenied ? "yes" : "no" }
}

/** "Not … without" is not a negation. */
const isDenial = memoize(({ text }: ReadText) => negationCount(text) % 2 === 1)

/**
 * Compares the values of two answers to one question, whatever their words: the only quantity or date of each, of one
 * property.
 */
const byAnswer = (one: Statement, other: Statement): Disagreement | undefined => {
  if (namesApart(one, undefined, other, undefined) || areApart(one, other) || areTwoSections(one, other))
    return undefined
  const common = one.terms.filter(({ term }) => other.set.match(term, one.language) >= matchMin)
  if (common.length === 0 && !nameOneProperty(one.read, other.read)) return undefined
  // "The induction for divers", "the induction for electricians".
  if (hasOwnWords(one, other) && hasOwnWords(other, one)) return undefined
  const aspects = {
    subject: common[0]?.surface ?? "",
    attribute: common.map(({ surface }) => surface).join(" "),
    overlap: overlapMin
  }
  const [datesOne, datesOther] = [datesOf(one), datesOf(other)]
  const clash = clashOf(one, other, nameOneProperty(one.read, other.read))
  if (clash !== undefined) {
    if (quantitiesIn(one) > 1 || quantitiesIn(other) > 1 || arePeriodsApart(one, other)) return undefined
    return { ...aspects, kind: "number", a: textAt(one, clash.a), b: textAt(other, clash.b) }
  }
  const [a, b] = [datesOne[0], datesOther[0]]
  if (a === undefined || b === undefined || datesOne.length + datesOther.length > 2 || datesAgree(a, b))
    return undefined
  return isSingleEvent(one, other) && nameOneProperty(one.read, other.read)
    ? { ...aspects, kind: "date", a: textAt(one, a), b: textAt(other, b) }
    : undefined
}

/** Whether a statement has words, other than those for what is measured, that the other lacks with its surroundings. */
const hasOwnWords = ({ language, terms }: Statement, { around, set }: Statement): boolean =>
  terms.some(
    ({ surface, term }) =>
      !isProperty(surface) && set.match(term, language) < matchMin && around.match(term, language) < matchMin
  )

/** Compares a cell of a data row with the quantity that a passage states of the same thing. */
const byCell = (one: Statement, other: Statement): Disagreement | undefined => {
  if ((one.column === null) === (other.column === null)) return undefined
  const [cell, passage] = one.column === null ? [other, one] : [one, other]
  const isOfColumn =
    nameOneProperty(cell.read, passage.read) ||
    (cell.column ?? []).some((term) => passage.read.set.match(term, passage.language) >= matchMin)
  const clash = isOfColumn && !areApart(one, other) ? cellClash(cell, passage) : undefined
  if (clash === undefined || namesApart(one, undefined, other, undefined)) return undefined
  const attribute = (cell.column ?? []).join(" ")
  const [ofCell, ofPassage] = [textAt(cell, clash.a), textAt(passage, clash.b)]
  return {
    kind: "number",
    subject: cell.names.map(({ end, start }) => cell.text.slice(start, end))[0] ?? attribute,
    attribute,
    a: one === cell ? ofCell : ofPassage,
    b: one === cell ? ofPassage : ofCell,
    overlap: 1
  }
}

const quantitiesIn = ({ values }: Statement): number =>
  values.filter((value) => value.kind === "quantity" && value.dimension !== "ordinal").length

/** Compares two statements that differ in one name alone: "The mate is Runa Thorsby", "Ivo Kern is the mate". */
const byNames = (one: Statement, other: Statement): Disagreement | undefined => {
  const [a, b] = [strangers(one, undefined, other), strangers(other, undefined, one)]
  const [nameOne, nameOther] = [a[0], b[0]]
  if (nameOne === undefined || nameOther === undefined || a.length + b.length > 2) return undefined
  if ([nameOne, nameOther].some(({ norm, start }) => start < 0 || isCode(norm))) return undefined
  const [left, right] = [termsOutside(one, nameOne), termsOutside(other, nameOther)]
  const areAlike =
    left.length > 0 &&
    left.every(({ term }) => other.set.match(term, one.language) >= matchMin) &&
    right.every(({ term }) => one.set.match(term, other.language) >= matchMin)
  if (!areAlike || !(isIdentity(one.text) && isIdentity(other.text))) return undefined
  if (areApart(one, other) || arePeriodsApart(one, other) || areTwoSections(one, other)) return undefined
  const attribute = left.map(({ surface }) => surface).join(" ")
  return {
    kind: "category",
    subject: attribute,
    attribute,
    a: textAt(one, nameOne),
    b: textAt(other, nameOther),
    overlap: 1
  }
}

/** "The mate is Runa", "Runa is our mate": one thing has one of it. */
const isIdentity = (text: string): boolean =>
  /\s(?:is|are|was|ist|war|est|était|es|era)\s(?:the|our|der|die|das|unser|unsere|le|la|notre|el|nuestr[oa])\s/iu.test(
    text
  ) ||
  /^(?:the|our|der|die|das|unser|unsere|le|la|notre|el|nuestr[oa])\s[^,;]{2,60}\s(?:is|was|ist|war|est|était|es|era)\s\p{Lu}/iu.test(
    text
  )

/**
 * Whether the statements stand on the pages of two things of one kind: their titles share a word and each has more
 * ("Ferry Alda", "Ferry Brim"), or both speak of their page's subject in the same general words ("The price is …" on
 * the pages of two teas).
 */
const areOfTwoPages = (one: Statement, other: Statement): boolean => {
  if (one.origin === other.origin || one.title.size === 0 || other.title.size === 0) return false
  const [own, theirs] = [ownTitle(one, other), ownTitle(other, one)]
  if (own.length === 0 || theirs.length === 0) return false
  const shared: Array<string> = []
  one.title.every((term) => {
    if (other.title.match(term, one.language) >= matchMin) shared.push(term)
    return true
  })
  if (shared.length > 0) {
    const isSubject = shared.some((term) => one.set.has(term) && other.set.has(term))
    const areNamed = hasOwnName(one, own) && hasOwnName(other, theirs)
    return (
      ((isSubject && opensDefinite(one) && opensDefinite(other)) || areNamed) &&
      own.length < one.title.size &&
      theirs.length < other.title.size
    )
  }
  const areFormal =
    isGeneral(one) && isGeneral(other) && own.length === one.title.size && theirs.length === other.title.size
  return areFormal && sameWords(one, other)
}

const hasOwnName = ({ titleNames }: Statement, own: ReadonlyArray<string>): boolean =>
  titleNames.some(({ norm }) => own.some((term) => norm.includes(term)))

/** The words of a statement's title that neither the other statement nor its page has; numbers do not count. */
const ownTitle = (one: Statement, other: Statement): ReadonlyArray<string> => {
  const found: Array<string> = []
  one.title.every((term) => {
    const isKnown =
      /^\d+$/u.test(term) ||
      other.set.match(term, one.language) >= matchMin ||
      other.around.match(term, one.language) >= matchMin ||
      one.set.match(term, one.language) >= matchMin
    if (!isKnown) found.push(term)
    return true
  })
  return found
}

const generalMax = 2

/** Few words, behind an article or a label, or none but a label: the page says what they are about. */
const isGeneral = (statement: Statement): boolean =>
  statement.isOfPronoun ||
  (statement.terms.length <= generalMax &&
    (opensDefinite(statement) ||
      /^[^.]{0,40}:\s/u.test(statement.text) ||
      !/\s\p{Ll}+\s/u.test(statement.text)))

const opensDefinite = ({ text }: Statement): boolean =>
  /^(?:the|its?|our|der|die|das|le|la|les|el|los)\s/iu.test(text)

const sameWords = (one: Statement, other: Statement): boolean =>
  one.terms.every(({ term }) => other.set.has(term)) && other.terms.every(({ term }) => one.set.has(term))

/** Compares two values of a single-valued attribute: an owner, a place, a state. */
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
 * Compares two states that exclude each other ("P-17 is enabled", "P-17 is disabled"), or of which one negates the
 * other ("P-17 is not enabled"). "Not active" equals "inactive".
 */
const byState = (one: Statement, other: Statement, idf: Idf): Disagreement | undefined => {
  const isDenied = isDenial(one.read)
  const isTurned = isDenied !== isDenial(other.read)
  const states = (isTurned ? statesAlike : statesApart)(one.read, other.read)
  if (states === undefined) return undefined
  const shared = sharedWords(one, other, idf, states) ?? sharedCode(one, other, states)
  if (shared === undefined || shared.overlap < propositionMin) return undefined
  // Additional words may explain the difference; when the statements otherwise match, the subject is enough.
  if (!shared.isWhole && shared.words < propositionWordsMin) return undefined
  if (areApart(one, other) || arePeriodsApart(one, other)) return undefined
  const aspects = { subject: shared.subject, attribute: shared.attribute, overlap: shared.overlap }
  return isTurned
    ? { ...aspects, kind: "negation", a: isDenied ? "no" : "yes", b: isDenied ? "yes" : "no" }
    : { ...aspects, kind: "category", a: textAt(one, states[0]), b: textAt(other, states[1]) }
}

/** Whether the values have no word in common. */
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

const textAt = ({ text }: Statement, { end, start }: { readonly start: number; readonly end: number }) =>
  text.slice(start, end)

interface Span {
  readonly start: number
  readonly end: number
}

interface Shared {
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
const sharedWords = (
  one: Statement,
  other: Statement,
  idf: Idf,
  values: readonly [Span, Span] | undefined
): Shared | undefined => {
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
const sharedCode = (one: Statement, other: Statement, states: readonly [Span, Span]): Shared | undefined => {
  const [code] = codesShared(one, other)
  if (code === undefined || namesApart(one, undefined, other, undefined)) return undefined
  if (termsOutside(one, states[0]).length > 0 || termsOutside(other, states[1]).length > 0) return undefined
  const subject = one.text.slice(code.start, code.end)
  return { overlap: 1, words: 1, isWhole: true, subject, attribute: subject }
}

const codesShared = (one: Statement, other: Statement): Statement["names"] =>
  one.names.filter(({ norm }) => isCode(norm) && other.names.some((rival) => rival.norm === norm))

/** Whether the statements are in two sections of one page, which may concern different things. */
const areTwoSections = (one: Statement, other: Statement): boolean =>
  one.origin === other.origin && one.section !== other.section
const ofSectionMax = 2

/**
 * Whether the statements are under two labels of one page ("**Kirkwall** - open …", "**Lerwick** - open …"), which
 * concern two things.
 */
const areOfTwoLabels = (one: Statement, other: Statement): boolean =>
  areTwoSections(one, other) &&
  [one, other].every(({ read, section }) => labelOfSection(section, read) !== "")
const labelOfSection = (section: string, { text }: ReadText): string => {
  const label = section.slice(section.lastIndexOf(" | ") + 3)
  return label.endsWith("?") || label === text ? "" : label
}

/**
 * Whether the statements are rows of one table with different first cells ("No.: 1", "No.: 2"), which concern two
 * things.
 */
const areOfTwoRows = (one: Statement, other: Statement): boolean =>
  one.origin === other.origin &&
  one.row !== null &&
  one.row.column === other.row?.column &&
  one.row.cell !== other.row.cell

/** Whether the titles differ in a number: the page "Pump 7" concerns pump 7, the page "Pump 11" pump 11. */
const areNumberedApart = (one: Statement, other: Statement): boolean =>
  [...one.numbered].some(([word, number]) => (other.numbered.get(word) ?? number) !== number)

const matchMin = 0.7
/** Maximum weighted share of words that each side may have alone. */
const contrastMax = 0.25

const termsOutside = ({ terms }: Statement, value: Span | undefined): ReadonlyArray<Term> =>
  value === undefined ? terms : terms.filter((term) => term.end <= value.start || term.start >= value.end)

/** Words that say little about the subject of a sentence. */
const general =
  /^(?:allow|perform|execut|happen|occur|take|set|use|current|standard|period|amount|total|limit|valu|number|time|polici|rule|default|normal|usual|general|must|shall|alwai|typic)/u
const weight = (term: string, idf: Idf): number => (general.test(term) ? 0.3 : 1) * Math.max(0.05, idf(term))

/** Whether each side has a name that the other lacks, or one is limited to a named place or case. */
const namesApart = (one: Statement, a: Span | undefined, other: Statement, b: Span | undefined): boolean => {
  const [left, right] = [strangers(one, a, other), strangers(other, b, one)]
  // A statement about one code does not hold for anything with another name.
  if ([...left, ...right].some(({ norm, start }) => start >= 0 && isCode(norm))) return true
  return (left.length > 0 && right.length > 0) || left.some(isLimit(one)) || right.some(isLimit(other))
}

/**
 * "Its budget" on the page of Venus is not that of Mercury: one side refers to its page's subject, which the other
 * does not.
 */
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

/** Memoized, because each is looked up in many statements. */
const anchorOf = memoize(
  ({ norm }: Statement["names"][number]): Anchor =>
    isCode(norm) ? { kind: "code", text: norm, code: norm } : { kind: "name", text: norm, norm }
)

/**
 * Returns the names of a statement, or those of its title when it has none; a line on a page about a code that names
 * no other code counts as about that code.
 */
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
