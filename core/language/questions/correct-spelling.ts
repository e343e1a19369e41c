import type { Passage } from "../../files/documents/index.js"
import { matchesOf } from "../languages/index.js"
import type { Analyser, TermSet, TextCache } from "../text-analysis/index.js"
import { otherSigns } from "../tokenization/index.js"
import { type Question, readQuestion } from "./question.js"

/**
 * Corrects misspellings of one letter ("reigon") by the words of the passages, and writes Chinese characters in their
 * variants. Returns the same question when nothing changes. Pure.
 *
 * @param passages In order of retrieval, best first.
 */
export const corrected = (
  question: Question,
  passages: ReadonlyArray<Passage>,
  texts: TextCache,
  analyse: Analyser
): Question => {
  if (passages.length === 0) return question
  const found = passages.slice(0, passagesMax)
  const named = withPassageSigns(question.text, found)
  const sets: Array<TermSet> = []
  const setAt = (one: Passage, at: number): TermSet => {
    const made = sets[at] ?? setOf(one, texts)
    sets[at] = made
    return made
  }
  let known: WordsByInitial | undefined
  const meantBy = new Map<string, string | undefined>()
  const slips = question.terms.flatMap(({ surface, term }): ReadonlyArray<Slip> => {
    if (!isPlainWord.test(surface)) return []
    if (!meantBy.has(surface)) {
      const isKnown = found.some((one, at) => setAt(one, at).match(term, question.language) > 0)
      if (!isKnown) known ??= wordsByInitial(found)
      meantBy.set(surface, isKnown ? undefined : (questionWordMeant(surface) ?? wordMeant(surface, known)))
    }
    const intended = meantBy.get(surface)
    return intended === undefined ? [] : [{ surface, meant: intended }]
  })
  const text = slips.reduce(
    (said, { meant: intended, surface }) =>
      said.replace(new RegExp(`(?<!\\p{L})${surface}(?!\\p{L})`, "u"), intended),
    named
  )
  return text === question.text ? question : { ...readQuestion(text, analyse), original: question.original }
}

/** Passages further down are less likely to contain a relevant form. */
const passagesMax = 30

interface Slip {
  readonly surface: string
  readonly meant: string
}

/** Names are not corrected: each letter distinguishes them. */
const isPlainWord = /^\p{Ll}{3,}$/u

const setOf = ({ docPath, docTitle, headingPath, text }: Passage, texts: TextCache) =>
  texts.passage(text).under([docTitle, ...headingPath, docPath].join(" | ")).set

const headed = ({ docTitle, headingPath, text }: Passage): string =>
  [docTitle, ...headingPath, text].join("\n")

/** Returns the question with Chinese characters in the variants of the passages: 貨 as 货. */
const withPassageSigns = (text: string, passages: ReadonlyArray<Passage>): string => {
  const signs = [...new Set(text)].filter((sign) => otherSigns(sign).length > 0)
  if (signs.length === 0) return text
  const knownSigns = new Set(passages.map(headed).join("\n"))
  return signs.reduce((said, sign) => {
    const other = knownSigns.has(sign) ? undefined : otherSigns(sign).find((one) => knownSigns.has(one))
    return other === undefined ? said : said.replaceAll(sign, other)
  }, text)
}

const questionWords = [
  "many",
  "much",
  "which",
  "what",
  "where",
  "when",
  "does",
  "often",
  "long",
  "have",
  "the"
]

const questionWordMeant = (surface: string): string | undefined =>
  questionWords.find((word) => isSlip(surface, word, 1))

/** How often each word of the passages occurs, by its first letter; no other word of it is a slip. */
type WordsByInitial = ReadonlyMap<string, ReadonlyMap<string, number>>

const wordsByInitial = (passages: ReadonlyArray<Passage>): WordsByInitial => {
  const all = new Map<string, Map<string, number>>()
  for (const passage of passages)
    for (const [word] of matchesOf(words, headed(passage))) {
      const lower = word.toLowerCase()
      const counts = all.get(lower[0] ?? "") ?? new Map<string, number>()
      counts.set(lower, (counts.get(lower) ?? 0) + 1)
      all.set(lower[0] ?? "", counts)
    }
  return all
}

const wordMeant = (surface: string, known: WordsByInitial | undefined): string | undefined => {
  if (surface.length < slipLengthMin) return undefined
  const near = [...(known?.get(surface[0] ?? "") ?? [])].filter(([word]) =>
    isSlip(surface, word, endingLength)
  )
  return near.sort((a, b) => b[1] - a[1])[0]?.[0]
}

const words = /\p{L}{4,}/gu
/** Shorter words have too many neighbours. */
const slipLengthMin = 5
/** "Trainer" is not a misspelling of "trained". */
const endingLength = 2

/**
 * Whether two words differ by one transposition, insertion, deletion or replacement, neither in the first letter nor
 * in the ending.
 */
const isSlip = (written: string, intended: string, ending: number): boolean => {
  if (written === intended || written[0] !== intended[0] || Math.abs(written.length - intended.length) > 1)
    return false
  let at = 1
  while (at < written.length && written[at] === intended[at]) at += 1
  const [a, b] = [written.slice(at), intended.slice(at)]
  if (a.length === b.length && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)) return true
  if (intended.length - at < ending + (written.length > intended.length ? 0 : 1)) return false
  return written.length === intended.length
    ? a.slice(1) === b.slice(1)
    : written.length < intended.length
      ? a === b.slice(1)
      : a.slice(1) === b
}
