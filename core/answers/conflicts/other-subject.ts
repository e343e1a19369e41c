import { isFunctionWord } from "../../language/languages/index.js"
import type { Anchor, ReadText } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { Statement } from "./statements.js"

/** A part of the text of a statement, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A word of one text that matches a word of another at least so well is the same. */
export const matchMin = 0.7

/**
 * Whether the statements stand on the pages of two things of one kind: their titles share a word and each has more
 * ("Ferry Alda", "Ferry Brim"), or both speak of their page's subject in the same general words ("The price is …" on
 * the pages of two teas).
 */
export const areOfTwoPages = (one: Statement, other: Statement): boolean => {
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

/**
 * Few words, behind an article or a label, or none but a label: the page says what they are about. A statement that
 * names its subject ("The budget of Berth 10 is …") says so itself.
 */
const isGeneral = (statement: Statement): boolean =>
  statement.isOfPronoun ||
  (statement.terms.length <= generalMax &&
    ((opensDefinite(statement) && statement.names.length === 0) ||
      /^[^.]{0,40}:\s/u.test(statement.text) ||
      !/\s\p{Ll}+\s/u.test(statement.text)))

const opensDefinite = ({ text }: Statement): boolean =>
  /^(?:the|its?|our|der|die|das|le|la|les|el|los)\s/iu.test(text)

const sameWords = (one: Statement, other: Statement): boolean =>
  one.terms.every(({ term }) => other.set.has(term)) && other.terms.every(({ term }) => one.set.has(term))

/** Whether the statements are in two sections of one page, which may concern different things. */
export const areTwoSections = (one: Statement, other: Statement): boolean =>
  one.origin === other.origin && one.section !== other.section

/**
 * Whether the statements are under two labels of one page ("**Kirkwall** - open …", "**Lerwick** - open …"), which
 * concern two things.
 */
export const areOfTwoLabels = (one: Statement, other: Statement): boolean =>
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
export const areOfTwoRows = (one: Statement, other: Statement): boolean =>
  one.origin === other.origin &&
  one.row !== null &&
  one.row.column === other.row?.column &&
  one.row.cell !== other.row.cell

/**
 * Whether the statements concern two numbered things of one kind: the pages "Pump 7" and "Pump 11", or "Berth 9 is …"
 * and "Berth 10 is …".
 */
export const areNumberedApart = (one: Statement, other: Statement): boolean =>
  haveOtherNumbers(one.numbered, other.numbered) ||
  haveOtherNumbers(numberedNames(one.read), numberedNames(other.read))

const haveOtherNumbers = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  [...one].some(([word, number]) => (other.get(word) ?? number) !== number)

/** Capitalised words with a number that counts nothing: what follows is the end, punctuation or a function word. */
const numberedNames = memoize(
  ({ language, text }: ReadText): ReadonlyMap<string, string> =>
    new Map(
      [
        ...text.matchAll(
          /(?<![\p{L}\p{N}-])(\p{Lu}\p{Ll}{2,})\s(\d{1,3})(?=[.,;:)]?(?:\s(\p{L}+)|\s*$|[,;:)]))/gu
        )
      ].flatMap(([, word = "", number = "", next]) =>
        next === undefined || isFunctionWord(next, language) ? [[word.toLowerCase(), number] as const] : []
      )
    )
)

/** Whether each side has a name that the other lacks, or one is limited to a named place or case. */
export const namesApart = (
  one: Statement,
  a: Span | undefined,
  other: Statement,
  b: Span | undefined
): boolean => {
  const [left, right] = [namesUnknownTo(one, a, other), namesUnknownTo(other, b, one)]
  // A statement about one code does not hold for anything with another name.
  if ([...left, ...right].some(({ norm, start }) => start >= 0 && isCode(norm))) return true
  return (left.length > 0 && right.length > 0) || left.some(isLimit(one)) || right.some(isLimit(other))
}

/**
 * "Its budget" on the page of Venus is not that of Mercury: one side refers to its page's subject, which the other
 * does not.
 */
export const isOfOtherPage = (one: Statement, other: Statement): boolean =>
  (one.isOfPronoun && knowsNothingOf(other, one)) || (other.isOfPronoun && knowsNothingOf(one, other))

const knowsNothingOf = (side: Statement, { language, title }: Statement): boolean =>
  title.size > 0 &&
  title.every(
    (term) => side.set.match(term, language) < matchMin && side.around.match(term, language) < matchMin
  )

export const namesUnknownTo = (
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

export const isCode = (norm: string): boolean => /\d/u.test(norm)

const isLimit =
  ({ text }: Statement) =>
  ({ start }: { readonly start: number }): boolean =>
    /\b(?:in|for|at|within|für|bei|en|au|pour|para)\s(?:the\s)?$/iu.test(
      text.slice(Math.max(0, start - 14), start)
    )
