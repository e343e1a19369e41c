import type { AnalysedQuery, QueryTerm } from "./analyse-query.js"
import { cutsOf, type FormLanguage, formsOf, joinedWords } from "./language-forms.js"
import { inOtherSigns } from "./sign-variants.js"

/** A term that the query does not say, and by how much one occurrence of it counts. */
interface WiderTerm extends QueryTerm {
  /** Share of the weight that the query's own term has. */
  readonly share: number
  /** The query's own term that it stands for; null for what several say together. */
  readonly of: string | null
}

/** What a query may also be asking for. None of it is known to be a word until the index has been asked. */
interface Wider {
  readonly terms: ReadonlyArray<string>
  /** Chooses those to look for, once it is known how many chunks hold each term. */
  readonly choose: (frequencyOf: (term: string) => number) => ReadonlyArray<WiderTerm>
}

/** A word of each language that stands in most passages of it, in few of others, and in no English one. */
export const probes: Readonly<Record<FormLanguage, string>> = { de: "und", fr: "une" }

/** A corpus of which this share has the probe is one in which people may ask in the language without a sign of it. */
const spokenShare = 0.01
const spokenMin = 3

/** Another form counts less than the one that was asked for, where that one is there. */
const formShare = 0.7
const joinedShare = 1.6
const partShare = 0.5

/**
 * What a query may also be asking for: other forms of its words, and other ways to write its Chinese characters. Null
 * where there is nothing to widen, as for each query in English.
 */
export const widen = (
  query: AnalysedQuery,
  chunkCount: number,
  frequencyOf: (probe: string) => number
): Wider | null => {
  const [forms, signs] = [widenForms(query, chunkCount, frequencyOf), widenSigns(query)]
  if (forms === null || signs === null) return forms ?? signs
  return {
    terms: [...new Set([...forms.terms, ...signs.terms])],
    choose: (frequency) => [...forms.choose(frequency), ...signs.choose(frequency)]
  }
}

/** Traditional characters for simplified ones and the other way round, old and new ones of Japan. */
const widenSigns = ({ terms }: AnalysedQuery): Wider | null => {
  if (terms.length > signTermsMax) return null
  const others = terms.map(({ count, term }) => ({ count, of: term, terms: inOtherSigns(term) }))
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
/** Longer queries say what they mean more than once. */
const signTermsMax = 64

/**
 * Other forms of the query's words, for queries in a language that is declined and in a corpus that speaks it.
 * Languages are told by function words, letters and elisions.
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
      const held = (term: string) => frequency(term) > 0 && !own.has(term)
      const chosen = new Map<string, WiderTerm>()
      const add = (term: string, share: number, of: string | null) => {
        if (held(term) && !chosen.has(term)) chosen.set(term, { term, count: 1, share, of })
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

/** Longer queries say what they mean more than once. */
const wordsMax = 12

const termsOf = ({ forms, spellings }: ReturnType<typeof formsOf>): ReadonlyArray<string> => [
  ...spellings,
  ...forms
]

/** Of a compound that stands nowhere, the longest part that does. */
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
/** A shorter part is in too many compounds. */
const partLettersMin = 5

/** The terms of the cut both of whose parts are in most chunks; none when no cut has both. */
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
