import type { AnalysedQuery, QueryTerm } from "./analyse-query.js"
import { cutsOf, type FormLanguage, formsOf, joinedWords } from "./language-forms.js"
import { inOtherSigns } from "./sign-variants.js"
import { hebrewForms } from "./stem-semitic.js"

/** An expanded term, with the weight of one occurrence. */
interface WiderTerm extends QueryTerm {
  /** Weight relative to the query's own term. */
  readonly share: number
  /** The query term that it expands; null when it combines several. */
  readonly of: string | null
}

/** Candidate expansions of a query. The index decides which of them are words. */
interface Wider {
  readonly terms: ReadonlyArray<string>
  /** Chooses the expansions, given how many chunks hold each term. */
  readonly choose: (frequencyOf: (term: string) => number) => ReadonlyArray<WiderTerm>
}

/** A word per language that occurs in most passages of that language, in few others, and is not English. */
export const probes: Readonly<Record<FormLanguage, string>> = { de: "und", fr: "une" }

/** Minimum share of chunks with the probe word for the corpus to count as written in the language. */
const spokenShare = 0.01
const spokenMin = 3

/** Weight of another form when the original form also occurs. */
const formShare = 0.7
const joinedShare = 1.6
const partShare = 0.5

/**
 * Returns the possible expansions of a query: other forms of its words, hyphenated words as one, variants of its
 * Chinese characters, and Hebrew words with and without prefixes. Null when there are none.
 */
export const widen = (
  query: AnalysedQuery,
  chunkCount: number,
  frequencyOf: (probe: string) => number
): Wider | null => {
  const all = [
    widenForms(query, chunkCount, frequencyOf),
    widenVariants(query, inOtherSigns),
    widenVariants(query, hebrewForms),
    widenJoined(query)
  ].filter((wider) => wider !== null)
  if (all.length === 0) return null
  return {
    terms: [...new Set(all.flatMap(({ terms }) => terms))],
    choose: (frequency) => {
      const chosen = new Map<string, WiderTerm>()
      for (const term of all.flatMap(({ choose }) => choose(frequency)))
        if (!chosen.has(term.term)) chosen.set(term.term, term)
      return [...chosen.values()]
    }
  }
}

/** Weight of a hyphenated word as one, beside a single part that tells something. */
const hyphenShare = 0.5

/**
 * Adds hyphenated words as one (`e-mail`, `set-up`) where their parts tell little by themselves or one of them occurs
 * nowhere. Other parts find their passages, and the whole would only lift those that hyphenate alike.
 */
const widenJoined = ({ joined, terms }: AnalysedQuery): Wider | null => {
  const own = new Set(terms.map(({ term }) => term))
  const others = joined.filter(({ term }) => !own.has(term))
  if (others.length === 0) return null
  return {
    terms: others.map(({ term }) => term),
    choose: (frequency) =>
      others.flatMap(({ parts, term }) => {
        const isHeld = parts.every((part) => frequency(part) > 0)
        if (frequency(term) === 0 || (parts.length > 1 && isHeld)) return []
        return [{ term, count: 1, share: isHeld ? hyphenShare : 1, of: null }]
      })
  }
}

/** Adds variants of single terms: other spellings of Chinese characters, other forms of Hebrew words. */
const widenVariants = (
  { terms }: AnalysedQuery,
  variantsOf: (term: string) => ReadonlyArray<string>
): Wider | null => {
  if (terms.length > signTermsMax) return null
  const others = terms.map(({ count, term }) => ({ count, of: term, terms: variantsOf(term) }))
  const own = new Set(terms.map(({ term }) => term))
  const all = [...new Set(others.flatMap((one) => one.terms))].filter((term) => !own.has(term))
  if (all.length === 0) return null
  return {
    terms: all,
    choose: (frequency) => {
      const chosen = new Map<string, WiderTerm>()
      for (const { count, of, terms } of others)
        for (const term of terms)
          if (!own.has(term) && !chosen.has(term) && frequency(term) > 0)
            chosen.set(term, { term, count, share: frequency(of) > 0 ? formShare : 1, of })
      return [...chosen.values()]
    }
  }
}
/** Limits the work for long queries, which are redundant anyway. */
const signTermsMax = 64

/**
 * Returns other forms of the query's words, for queries in an inflected language and a corpus in that language.
 * Languages are detected by function words, letters and elisions.
 */
const widenForms = (
  query: AnalysedQuery,
  chunkCount: number,
  frequencyOf: (probe: string) => number
): Wider | null => {
  const languages = query.languages.filter(({ isSure, language }) => {
    const holding = frequencyOf(probes[language])
    return holding > 0 && (isSure || holding >= Math.max(spokenMin, spokenShare * chunkCount))
  })
  if (languages.length === 0 || query.words.length === 0 || query.words.length > wordsMax) return null
  const own = new Set(query.terms.map(({ term }) => term))
  const forms = query.words.map(({ surface }) => languages.map(({ language }) => formsOf(surface, language)))
  const isGerman = languages.some(({ language }) => language === "de")
  const surfaces = query.words.map(({ surface }) => surface)
  const joined = isGerman ? joinedWords(surfaces) : []
  const cuts = isGerman ? surfaces.map(cutsOf) : []
  const terms = new Set([
    ...forms.flat().flatMap((other) => [...other.spellings, ...other.forms]),
    ...joined,
    ...cuts.flat().flatMap(({ head, tail }) => [...head, ...tail])
  ])
  return {
    terms: [...terms],
    choose: (frequency) => {
      const isIndexed = (term: string) => frequency(term) > 0 && !own.has(term)
      const chosen = new Map<string, WiderTerm>()
      const add = (term: string, share: number, of: string | null) => {
        if (isIndexed(term) && !chosen.has(term)) chosen.set(term, { term, count: 1, share, of })
      }
      const ownOf = (i: number): string => query.words[i]?.term ?? ""
      for (const term of joined) add(term, joinedShare, null)
      forms.forEach((others, i) => {
        const spellings = others.flatMap((other) => other.spellings)
        const isHeld = [ownOf(i), ...spellings].some((term) => frequency(term) > 0)
        for (const term of spellings) add(term, 1, ownOf(i))
        for (const term of others.flatMap((other) => other.forms)) add(term, isHeld ? formShare : 1, ownOf(i))
      })
      cuts.forEach((ways, i) => {
        const best = bestCut(ways, frequency)
        const isFound = [ownOf(i), ...(forms[i] ?? []).flatMap(termsOf)].some((term) => frequency(term) > 0)
        for (const term of best.length > 0 || isFound ? best : longestPart(ways, frequency))
          add(term, partShare, ownOf(i))
      })
      return [...chosen.values()]
    }
  }
}

/** Limits the work for long queries, which are redundant anyway. */
const wordsMax = 12

const termsOf = ({ forms, spellings }: ReturnType<typeof formsOf>): ReadonlyArray<string> => [
  ...spellings,
  ...forms
]

/** Returns the longest existing part of a compound that does not occur itself. */
const longestPart = (
  cuts: ReturnType<typeof cutsOf>,
  frequency: (term: string) => number
): ReadonlyArray<string> => {
  let [best, most]: [ReadonlyArray<string>, number] = [[], partLettersMin - 1]
  for (const { head, tail } of cuts)
    for (const terms of [head, tail]) {
      const length = Math.max(0, ...terms.filter((term) => frequency(term) > 0).map((term) => term.length))
      if (length > most) [best, most] = [terms, length]
    }
  return best
}
/** Shorter parts occur in too many compounds. */
const partLettersMin = 5

/** Returns the terms of the split both of whose parts occur in most chunks; none when no split has both. */
const bestCut = (
  cuts: ReturnType<typeof cutsOf>,
  frequency: (term: string) => number
): ReadonlyArray<string> => {
  let best: ReadonlyArray<string> = []
  let most = 0
  for (const { head, tail } of cuts) {
    const most1 = Math.max(...head.map(frequency))
    const most2 = Math.max(...tail.map(frequency))
    if (Math.min(most1, most2) <= most) continue
    most = Math.min(most1, most2)
    best = [...head, ...tail]
  }
  return best
}
