import { negationCount } from "../../language/languages/index.js"
import {
  type Attribute,
  attributeOf,
  type Idf,
  oppositeStates,
  type ReadText,
  statesAlike,
  statesApart
} from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import { isProperty, nameOneProperty, nameOtherProperties } from "./measured-properties.js"
import {
  areNumberedApart,
  areOfTwoLabels,
  areOfTwoPages,
  areOfTwoRows,
  areTwoSections,
  isCode,
  matchMin,
  namesApart,
  namesUnknownTo
} from "./other-subject.js"
import { areApart, arePeriodsApart, datesAgree, datesOf, isSingleEvent } from "./qualifiers.js"
import { cellClash, clashOf } from "./quantities.js"
import { sharedCode, sharedWords, termsOutside } from "./shared-words.js"
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

/** Compares a cell of a data row with the quantity that a passage states of the same attribute. */
const byCell = (one: Statement, other: Statement): Disagreement | undefined => {
  const [cell, passage] = one.cell === null ? [other, one] : [one, other]
  if (cell.cell === null || passage.cell !== null) return undefined
  const clash = areApart(one, other) ? undefined : cellClash(cell, passage)
  if (clash === undefined || namesApart(one, undefined, other, undefined)) return undefined
  const attribute = cell.cell.name.text
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
  const [a, b] = [namesUnknownTo(one, undefined, other), namesUnknownTo(other, undefined, one)]
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
