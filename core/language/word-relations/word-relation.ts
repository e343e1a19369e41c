import { ByteCache } from "../../platform/caching/index.js"
import type { Language } from "../languages/index.js"
import { analyse } from "../tokenization/index.js"
import { englishRelations } from "./english.js"
import { germanRelations, germanRoots } from "./german.js"
import { type Lemma, lemmasOf, spellingsOf } from "./lemmas.js"
import { relationOf, type WordRelation } from "./listed-relations.js"
import { spanishRelations, spanishRoots } from "./spanish.js"
import { wordNet } from "./wordnet.js"

/** Relations of words, from files that the operator names. */
export interface Thesaurus {
  readonly relationOf: (one: string, other: string, language: Language) => WordRelation | undefined
}

/**
 * Returns how two words are related, in any of their forms and in any case; undefined when nothing relates them.
 * English is looked up in an extract of WordNet and a list of handbook words, German and Spanish in lists, and each
 * language in the thesaurus as well.
 */
export const wordRelation = (
  a: string,
  b: string,
  language: Language,
  thesaurus?: Thesaurus
): WordRelation | undefined => {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()]
  if (one === other) return "same"
  const listed = builtIn(one, other, language)
  if (listed !== undefined) return listed
  if (termsOf(one, language).some((term) => termsOf(other, language).includes(term))) return "same"
  return thesaurus?.relationOf(one, other, language)
}

const builtIn = (one: string, other: string, language: Language): WordRelation | undefined => {
  switch (language) {
    case "en":
      return inEnglish(one, other)
    case "de":
      return relationOf(germanRelations(), rootsInGerman(one), rootsInGerman(other))
    case "es":
      return relationOf(spanishRelations(), rootsInSpanish(one), rootsInSpanish(other))
    default:
      return undefined
  }
}

const inEnglish = (one: string, other: string): WordRelation | undefined => {
  const words = wordNet()
  const own = englishRelations()
  let found: WordRelation | undefined
  for (const first of lemmasInEnglish(one))
    for (const second of lemmasInEnglish(other)) {
      // "Bigger" is not "big".
      if (first.degree !== second.degree) continue
      const relation = own.get(first.word)?.get(second.word)
      if (relation === "opposite" || words.areOpposite(first.word, second.word)) return "opposite"
      if (relation === "same" || words.areSame(first.word, second.word)) found = "same"
    }
  return found
}

/** A claim's words are compared with many others. */
const rememberedMax = 4096

const remembered = <Read>(read: (word: string) => Read): ((word: string) => Read) => {
  const cache = new ByteCache<Read>(rememberedMax)
  return (word) => {
    const known = cache.get(word)
    if (known !== undefined) return known
    const made = read(word)
    cache.set(word, made, 1)
    return made
  }
}

const lemmasInEnglish = remembered((word): ReadonlyArray<Lemma> => {
  const { compares, has } = wordNet()
  const own = englishRelations()
  return lemmasOf(word, { has: (one) => has(one) || own.has(one), compares })
})
const rootsInGerman = remembered(germanRoots)
const rootsInSpanish = remembered(spanishRoots)

/** A word with a hyphen has the terms of its parts, which do not mean the same as it does. */
const termIn = (word: string): ReadonlyArray<string> =>
  /^\p{L}+$/u.test(word) ? analyse(word).map(({ term }) => term) : []
const englishTerms = remembered((word) => [...spellingsOf(word)].flatMap(termIn))
const otherTerms = remembered(termIn)
const termsOf = (word: string, language: Language): ReadonlyArray<string> =>
  language === "en" ? englishTerms(word) : otherTerms(word)
