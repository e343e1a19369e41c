import { memoize } from "../../platform/caching/index.js"
import { type Language, negationSpans } from "../languages/index.js"
import { alignedPlaces } from "./alignment.js"
import type { ReadText } from "./read-text.js"
import type { Term } from "./terms.js"

/** A content word and the negation that it stands under, by number. */
interface Polar {
  readonly term: string
  readonly isDenied: boolean
  readonly negation?: number
}

interface Polars {
  readonly words: ReadonlyArray<Polar>
  readonly loose: number
}

/**
 * Whether a claim negates what its evidence states, or the reverse: a shared word is negated on one side only, or the
 * other negations of the two do not cancel out.
 *
 * @param clause The part of `evidence` that the claim is about; negations outside it concern something else.
 */
export const polarityDiffers = (
  claim: ReadText,
  evidence: ReadText,
  clause: ReadText,
  language: Language
): boolean => {
  const [said, given, near] = [
    polarsOf(claim, language),
    polarsOf(evidence, language),
    polarsOf(clause, language)
  ]
  const pairs = alignedPlaces(
    said.words.map(({ term }) => term),
    given.words.map(({ term }) => term)
  )
  if (pairs.some(([one, other]) => said.words[one]?.isDenied !== given.words[other]?.isDenied)) return true
  if (said.words.some((word) => differsFrom(word, said.words, given.words))) return true
  const isShared = (word: Polar, among: ReadonlyArray<Polar>) => among.some(({ term }) => term === word.term)
  const loose = (words: ReadonlyArray<Polar>, others: ReadonlyArray<Polar>) => {
    const denied = words.filter(({ isDenied }) => isDenied)
    const shared = new Set(denied.filter((word) => isShared(word, others)).map(({ negation }) => negation))
    return new Set(denied.map(({ negation }) => negation).filter((one) => !shared.has(one))).size
  }
  const count = said.loose + near.loose + loose(said.words, given.words) + loose(near.words, said.words)
  return count % 2 === 1
}

/** A claim is compared with many units, and each unit with many claims. */
const knownPolars = memoize((_: ReadText) => new Map<Language, Polars>())
const polarsOf = (read: ReadText, language: Language): Polars => {
  const known = knownPolars(read).get(language) ?? polarsIn(read, language)
  knownPolars(read).set(language, known)
  return known
}

/** Returns the content words of a text with their polarity, and the number of negations before none of them. */
const polarsIn = (read: ReadText, language: Language): Polars => {
  const { text } = read
  const terms = read.termsIn(language)
  const denied = new Map<Term, number>()
  let loose = 0
  for (const [negation, { end, start }] of denialsIn(text).entries()) {
    const ahead = terms.findIndex((term) => term.start >= end && !/[,;:.]/u.test(text.slice(end, term.start)))
    const targets =
      ahead >= 0
        ? targetsFrom(text, terms.slice(ahead))
        : terms.filter((term) => term.end <= start && !/[,;:.]/u.test(text.slice(term.end, start))).slice(-1)
    if (targets.length === 0) loose += 1
    // "Not without": a double negation cancels out.
    for (const target of targets) if (!denied.delete(target)) denied.set(target, negation)
  }
  return {
    words: terms.map((term): Polar => {
      const negation = denied.get(term)
      return {
        term: term.term,
        isDenied: negation !== undefined,
        ...(negation === undefined ? {} : { negation })
      }
    }),
    loose
  }
}

/** The negations of a text, and the words that deny without one: "avoid setting it", "except in tests". */
const denialsIn = (text: string): ReadonlyArray<{ readonly start: number; readonly end: number }> =>
  [
    ...negationSpans(text),
    ...[...text.matchAll(denying)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }))
  ].sort((a, b) => a.start - b.start)
const denying = /\b(?:avoid(?:s|ed|ing)?|except(?:ing)?)\b/giu

/**
 * Returns the words under a negation: the first behind it and those that "or" joins to it ("do not administer or
 * contribute"); behind "not allowed to" what is not allowed.
 */
const targetsFrom = (text: string, [first, ...rest]: ReadonlyArray<Term>): ReadonlyArray<Term> => {
  if (first === undefined) return []
  const [next] = rest
  if (next !== undefined && permission.test(first.surface) && text.slice(first.end, next.start) === " to ")
    return targetsFrom(text, rest)
  return next !== undefined && alternative.test(text.slice(first.end, next.start))
    ? [first, ...targetsFrom(text, rest)]
    : [first]
}
const permission = /^(?:allowed|fine|ok(?:ay)?|permitted)$/iu
const alternative = /^,?\s(?:n?or|oder|noch|ou|ni|o)\s(?:to\s|zu\s|de\s)?$/u

/** Whether a word that occurs once on each side has different polarities. */
const differsFrom = (word: Polar, own: ReadonlyArray<Polar>, others: ReadonlyArray<Polar>): boolean => {
  const [one, ...more] = others.filter(({ term }) => term === word.term)
  return (
    one !== undefined &&
    more.length === 0 &&
    own.filter(({ term }) => term === word.term).length === 1 &&
    one.isDenied !== word.isDenied
  )
}
