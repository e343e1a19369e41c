import { type Language, negationSpans } from "../languages/index.js"
import { alignedPlaces } from "./alignment.js"
import { type Analyser, contentTerms, type Term } from "./terms.js"

/** A content word and whether it is negated. */
interface Polar {
  readonly term: string
  readonly isDenied: boolean
}

/**
 * Whether a claim negates what its evidence states, or the reverse: a shared word is negated on one side only, or the
 * other negations of the two do not cancel out.
 *
 * @param clause The part of `evidence` that the claim is about; negations outside it concern something else.
 */
export const polarityDiffers = (
  claim: string,
  evidence: string,
  clause: string,
  analyse: Analyser,
  language: Language
): boolean => {
  const [said, given, near] = [claim, evidence, clause].map((text) => polarsOf(text, analyse, language))
  if (said === undefined || given === undefined || near === undefined) return false
  const pairs = alignedPlaces(
    said.words.map(({ term }) => term),
    given.words.map(({ term }) => term)
  )
  if (pairs.some(([one, other]) => said.words[one]?.isDenied !== given.words[other]?.isDenied)) return true
  if (said.words.some((word) => differsFrom(word, said.words, given.words))) return true
  const isShared = (word: Polar, among: ReadonlyArray<Polar>) => among.some(({ term }) => term === word.term)
  const loose = (words: ReadonlyArray<Polar>, others: ReadonlyArray<Polar>) =>
    words.filter((word) => word.isDenied && !isShared(word, others)).length
  const count = said.loose + near.loose + loose(said.words, given.words) + loose(near.words, said.words)
  return count % 2 === 1
}

/** Returns the content words of a text with their polarity, and the number of negations before none of them. */
const polarsOf = (text: string, analyse: Analyser, language: Language) => {
  const terms = contentTerms(analyse, text, language)
  const denied = new Set<Term>()
  let loose = 0
  for (const { end, start } of negationSpans(text)) {
    const target =
      terms.find((term) => term.start >= end && !/[,;:.]/u.test(text.slice(end, term.start))) ??
      [...terms].reverse().find((term) => term.end <= start && !/[,;:.]/u.test(text.slice(term.end, start)))
    if (target === undefined) loose += 1
    // "Not without": a double negation cancels out.
    else if (!denied.delete(target)) denied.add(target)
  }
  return { words: terms.map((term): Polar => ({ term: term.term, isDenied: denied.has(term) })), loose }
}

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
