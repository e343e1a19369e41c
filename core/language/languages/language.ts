import { matchesOf, phrase, spaced, wordwise } from "./patterns.js"

/** Languages with known question words and function words. `other` uses the common rules only. */
export type Language = "en" | "de" | "fr" | "es" | "ru" | "cjk" | "other"

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/u).filter((word) => word !== ""))

/** Words without content in a question: articles, pronouns, prepositions, auxiliaries, question words. */
const functionWords = {
  en: wordsOf(spaced.en.function),
  de: wordsOf(spaced.de.function),
  fr: wordsOf(spaced.fr.function),
  es: wordsOf(spaced.es.function),
  ru: wordsOf(spaced.ru.function)
}

/**
 * Detects the language of a short text by its function words; English when none indicates another and the script is
 * Latin. Ties go to the language listed first in the type.
 */
export const languageOf = (text: string): Language => {
  if (holdsUnspaced(text)) return "cjk"
  const words = (text.match(/[\p{L}\p{M}]+/gu) ?? []).flatMap((word) =>
    isAcronymIn(text, word) ? [] : word.toLowerCase()
  )
  let best: Language = "en"
  let bestCount = 0
  for (const language of languages) {
    const count = words.filter((word) => functionWords[language].has(word)).length
    if (count > bestCount) {
      best = language
      bestCount = count
    }
  }
  if (bestCount > 0 || words.length === 0) return best
  if (/\p{Script=Latin}/u.test(text)) return "en"
  return russianLetters.test(text) ? "ru" : "other"
}

const languages = ["en", "de", "fr", "es", "ru"] as const
/** Cyrillic text without letters that other languages have and Russian lacks. */
const russianLetters =
  /^(?!.*[\u0456\u0457\u0454\u0491\u045e\u0458\u0459\u045a\u045b\u0452\u045f])(?=.*\p{Script=Cyrillic})/isu

/** Languages of fixed replies; Korean and unknown languages get English. */
export type SpokenLanguage = Exclude<Language, "cjk" | "other"> | "ja" | "zh"

export const spokenLanguageOf = (text: string, language: Language): SpokenLanguage => {
  if (language === "other") return "en"
  if (language !== "cjk") return language
  if (/[\u3041-\u30ff\uff66-\uff9f]/u.test(text)) return "ja"
  return /\p{Script=Hangul}/u.test(text) ? "en" : "zh"
}

const spokenLanguages: ReadonlyArray<SpokenLanguage> = [...languages, "ja", "zh"]

/** The language of fixed replies that a tag (BCP 47) names: `de-CH` German; undefined for others. */
export const spokenLanguageNamed = (tag: string | undefined): SpokenLanguage | undefined =>
  spokenLanguages.find((language) => language === tag?.split("-")[0]?.toLowerCase())

/** Counts the function words of each known language in a text. */
export const functionWordCounts = (text: string): ReadonlyMap<string, number> => {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  return new Map(
    Object.entries(functionWords).map(([language, known]) => [
      language,
      words.filter((word) => known.has(word)).length
    ])
  )
}

/** Whether a word is an acronym although it looks like the rest of a contraction ("VE", in a text with small letters). */
export const isAcronymIn = (text: string, word: string): boolean =>
  /^(?:LL|RE|VE)$/u.test(word) && /\p{Ll}/u.test(text)

/** Whether a word says nothing about the subject. `word` in any case. */
export const isFunctionWord = (word: string, language: Language): boolean => {
  const lower = word.toLowerCase()
  if (language === "cjk" || language === "other") return functionWords.en.has(lower)
  return functionWords[language].has(lower)
}

const pronouns = wordsOf(
  Object.values(spaced)
    .map(({ pronouns: words }) => words)
    .join(" ")
)

/** Whether a sentence starts with a word that refers back ("It", "Diese", "Elle"). */
export const opensWithPronoun = (sentence: string): boolean => {
  const [, first, second] = /^[^\p{L}\p{N}]*(\p{L}+)(?:,? (\p{L}+))?/u.exec(sentence) ?? []
  if (first === undefined) return false
  // "Today it is …"
  const subject = timeAdverb.test(first) && second !== undefined ? second : first
  return pronouns.has(subject.toLowerCase())
}
const timeAdverb =
  /^(?:now|today|currently|then|later|nowadays|jetzt|heute|nun|derzeit|aujourd|maintenant|ahora|hoy|сейчас|теперь|сегодня)$/iu

/** An open check box denies what it stands before. */
const negations = wordwise(
  () =>
    /^\[ \]|\b(?:not|no|never|none|neither|nor|cannot|without|nicht|kein|keine|keinen|keinem|keiner|keines|nie|niemals|ohne|jamais|aucun|aucune|sans|nunca|ningún|ninguna|sin|nichts|niemand|rien|nada|nadie|nobody|nothing|не|нет|ни|нельзя|без|никогда|никто|ничего|никак\p{L}*)\b|n['’]t\b|\bn['’e] ?\S+ (?:pas|plus)\b|不|没|無い|ない|ません|않/giu
)

/** Phrases with a negation word that negate nothing: bounds ("no more than") and additions ("not only"). */
const noDenial = phrase("noDenial", "giu")

/** Returns the spans of negations in a text. */
export const negationSpans = (
  text: string
): ReadonlyArray<{ readonly start: number; readonly end: number }> => {
  const found = matchesOf(negations(), text)
  if (found.length === 0) return []
  const bounds = matchesOf(noDenial(), text).map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length
  }))
  return found.flatMap(({ 0: { length }, index }) =>
    bounds.some(({ end, start }) => index < end && index + length > start)
      ? []
      : [{ start: index, end: index + length }]
  )
}

/** Counts the negations of a text ("not … without" has two). The parity gives the polarity of a statement. */
export const negationCount = (text: string): number => negationSpans(text).length

/** Chinese, Japanese and Korean letters, which no space separates from adjacent words or numbers. */
const letters = "\\p{Script=Han}\\p{Script=Hangul}\\u3041-\\u30ff\\uff66-\\uff9f"
const one = new RegExp(`[${letters}]`, "u")
const run = new RegExp(`[${letters}]+`, "gu")

export const holdsUnspaced = (text: string): boolean => one.test(text)

/**
 * Replaces such letters by symbols of the same length: from `P10の作動油` the code remains, at its offset. Returns the
 * same text when there are none.
 */
export const withoutUnspaced = (text: string): string =>
  holdsUnspaced(text) ? text.replace(run, ({ length }) => "、".repeat(length)) : text

/** Puts blanks around each run of such letters. */
export const unspacedApart = (text: string): string =>
  holdsUnspaced(text) ? text.replace(run, " $& ") : text
