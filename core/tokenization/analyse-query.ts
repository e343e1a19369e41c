import { analyseForIndex, type IndexToken } from "./analyse.js"
import type { FormLanguage } from "./language-forms.js"
import { functionWords } from "./stop-words.js"

/** Longer queries are cut: nobody asks in more words, and the work stays bounded. */
const queryUnitsMax = 4000

/** A term that a query asks for; a term is a folded, stemmed word or a code. */
export interface QueryTerm {
  readonly term: string
  /** How often the query says it; the whole and the parts of a code count half each time. */
  readonly count: number
}

/** A query as the text index and the built-in vectors look for it. */
export interface AnalysedQuery {
  /** Distinct terms in the order in which they are first said. */
  readonly terms: ReadonlyArray<QueryTerm>
  /** The words one after the other, without the wholes of codes: who stands beside whom. */
  readonly sequence: ReadonlyArray<string>
  /** Each distinct word with its term, as it was first written. */
  readonly words: ReadonlyArray<{ readonly term: string; readonly surface: string }>
  /** Languages other than English in which it may be asked; sure when something in it is of that language alone. */
  readonly languages: ReadonlyArray<{ readonly language: FormLanguage; readonly isSure: boolean }>
  /** There are Chinese characters in it, which may be written otherwise. */
  readonly holdsSigns: boolean
}

/**
 * The terms that a query asks for. Nothing in it is syntax. Stop words are left out unless there is nothing
 * else; a term counts as often as it is said. Reads the first 4,000 UTF-16 units. Empty when nothing in the
 * text is a letter or a number.
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
    holdsSigns: /\p{Script=Han}/u.test(text)
  }
}

/** A question in English asks for English words, even where it names something that is not. */
const languagesOf = (text: string, tokens: ReadonlyArray<IndexToken>): AnalysedQuery["languages"] => {
  const count = (words: ReadonlySet<string>) =>
    tokens.filter(({ kind, term }) => kind === "stop" && words.has(term)).length
  const english = count(functionWords.en)
  return (["de", "fr"] as const).flatMap((language) => {
    const own = count(functionWords[language]) + (letters[language].test(text) ? 1 : 0)
    return own >= english ? [{ language, isSure: own > 0 }] : []
  })
}

/** What no English word has. */
const letters: Readonly<Record<FormLanguage, RegExp>> = {
  de: /[äöüß]/iu,
  fr: /[àâçèêëîïôœùû]|é|(?<!\p{L})(?:[cdjlmnst]|qu)['’]/iu
}

const isWord = ({ kind }: IndexToken): boolean => kind === "word" || kind === "stop"

/** Measured: with full counts a code outweighs all else that is said, as it is up to four terms at once. */
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
