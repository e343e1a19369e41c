import { analyseForIndex, type IndexToken } from "./analyse.js"
import type { FormLanguage } from "./language-forms.js"
import { functionWords } from "./stop-words.js"

/** Longer queries are cut, which bounds the work. */
const queryUnitsMax = 4000

/** A term of a query: a folded, stemmed word or a code. */
export interface QueryTerm {
  readonly term: string
  /** Number of occurrences in the query; the whole and the parts of a code count half each time. */
  readonly count: number
}

/** An analysed query, for the text index and the built-in vectors. */
export interface AnalysedQuery {
  /** Distinct terms in order of first occurrence. */
  readonly terms: ReadonlyArray<QueryTerm>
  /** The words in sequence, without the wholes of codes; used for proximity. */
  readonly sequence: ReadonlyArray<string>
  /** Each distinct word with its term, as first written. */
  readonly words: ReadonlyArray<{ readonly term: string; readonly surface: string }>
  /**
   * Languages other than English in which the query may be written; sure when something in it belongs to that language
   * only.
   */
  readonly languages: ReadonlyArray<{ readonly language: FormLanguage; readonly isSure: boolean }>
  /** Its hyphenated words without their hyphens, each with those of its parts that are words of three letters or more. */
  readonly joined: ReadonlyArray<{ readonly term: string; readonly parts: ReadonlyArray<string> }>
  /** Whether it contains Chinese characters, which may have variants, or Hebrew words, which may have prefixes. */
  readonly hasVariants: boolean
}

/**
 * Returns the terms of a query. Nothing in it is syntax. Stop words are omitted unless there is nothing else; a term
 * counts as often as it occurs. Reads the first 4,000 UTF-16 units. Empty when the text contains no letter or number.
 */
export const analyseQuery = (text: string): AnalysedQuery => {
  const tokens = analyseForIndex(text.slice(0, queryUnitsMax))
  const topical = tokens.filter(({ kind }) => kind === "word" || kind === "whole")
  const chosen = topical.length > 0 ? topical : tokens
  const words = chosen.filter(isWord)
  const surfaces = new Map<string, string>()
  for (const { end, start, term } of words)
    if (!surfaces.has(term)) surfaces.set(term, text.slice(start, end))
  return {
    terms: countTerms(chosen),
    sequence: words.map(({ term }) => term),
    words: [...surfaces].map(([term, surface]) => ({ term, surface })),
    languages: languagesOf(text, tokens),
    joined: tokens.flatMap(({ end, kind, start, term }) => {
      if (kind !== "joined") return []
      const within = words.filter((word) => word.start >= start && word.end <= end && word.term.length >= 3)
      return [{ term, parts: within.map((word) => word.term) }]
    }),
    hasVariants: /[^\0-\u058f]/.test(text) && /[\p{Script=Han}\p{Script=Hebrew}]/u.test(text)
  }
}

/** A question in English asks for English words, even when it names something foreign. */
const languagesOf = (text: string, tokens: ReadonlyArray<IndexToken>): AnalysedQuery["languages"] => {
  const count = (words: ReadonlySet<string>) =>
    tokens.filter(({ kind, term }) => kind === "stop" && words.has(term)).length
  const english = count(functionWords.en)
  return (["de", "fr"] as const).flatMap((language) => {
    const own = count(functionWords[language]) + (letters[language].test(text) ? 1 : 0)
    return own >= english ? [{ language, isSure: own > 0 }] : []
  })
}

/** Letters that no English word contains. */
const letters: Readonly<Record<FormLanguage, RegExp>> = {
  de: /[äöüß]/iu,
  fr: /[àâçèêëîïôœùû]|é|(?<!\p{L})(?:[cdjlmnst]|qu)['’]/iu
}

const isWord = ({ kind }: IndexToken): boolean => kind === "word" || kind === "stop"

/** Measured: with full counts a code, which gives up to four terms, outweighs the rest of the query. */
const shareOfCode = 0.5

const countTerms = (tokens: ReadonlyArray<IndexToken>): ReadonlyArray<QueryTerm> => {
  const counts = new Map<string, number>()
  let codeEnd = 0
  for (const { end, kind, term } of tokens) {
    if (kind === "whole") codeEnd = Math.max(codeEnd, end)
    counts.set(term, (counts.get(term) ?? 0) + (end <= codeEnd ? shareOfCode : 1))
  }
  return [...counts].map(([term, count]) => ({ term, count }))
}
