import { de } from "./words-de.js"
import { en, type Topic, type UnspacedWords, type Words } from "./words-en.js"
import { es } from "./words-es.js"
import { fr } from "./words-fr.js"
import { ru } from "./words-ru.js"
import { ja, zh } from "./words-unspaced.js"

/**
 * Returns the pattern with `\b` and `\w` extended to every script: JavaScript's own know ASCII letters only, so
 * `\bou\b` matches in "où" and `\büber\b` matches nowhere. Compiled on first use, because such patterns are slow to
 * compile and most processes never match one.
 */
export const wordwise = (pattern: RegExp): (() => RegExp) => {
  let made: RegExp | undefined
  return () => {
    made ??= new RegExp(pattern.source.replaceAll("\\b", boundary).replaceAll("\\w", letter), pattern.flags)
    return made
  }
}

const letter = "[\\p{L}\\p{M}\\p{N}_]"
const boundary = `(?:(?<=${letter})(?!${letter})|(?<!${letter})(?=${letter}))`

/**
 * Returns all matches of a global pattern, like `matchAll`, which compiles the pattern again for each text; for long
 * patterns that takes longer than scanning a sentence.
 */
export const matchesOf = (pattern: RegExp, text: string): ReadonlyArray<RegExpExecArray> => {
  const found: Array<RegExpExecArray> = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match)
    // After an empty match, continue with the next character.
    if (match[0] === "") pattern.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1
  }
  return found
}

/** Languages with blanks between words, in the order in which they are tried. */
export const spaced = { en, de, fr, es, ru } satisfies Readonly<Record<string, Words>>
const unspaced: ReadonlyArray<UnspacedWords> = [zh, ja]

/** Returns the pattern of a topic in all languages, for `wordwise`; `signs` are alternatives beside the words. */
export const phrasePattern = (topic: Topic, flags = "iu", signs = ""): RegExp => {
  const listed = (tables: ReadonlyArray<UnspacedWords>) =>
    tables.flatMap((words) => words[topic] ?? []).join("|")
  const apart = [listed(unspaced), signs].filter((one) => one !== "")
  return new RegExp([`\\b(?:${listed(Object.values(spaced))})\\b`, ...apart].join("|"), flags)
}

/** Returns the pattern of a topic, compiled on first use. */
export const phrase = (topic: Topic, flags = "iu"): (() => RegExp) => wordwise(phrasePattern(topic, flags))
