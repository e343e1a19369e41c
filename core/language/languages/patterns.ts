import { once } from "../../platform/kernel/index.js"
import { de } from "./words-de.js"
import { en, type Topic, type UnspacedWords, type Words } from "./words-en.js"
import { es } from "./words-es.js"
import { fr } from "./words-fr.js"
import { ru } from "./words-ru.js"
import { ja, zh } from "./words-unspaced.js"

/**
 * Returns the pattern with `\b` and `\w` extended to Latin, Greek and Cyrillic letters, and with `\p{L}`, `\p{N}` and,
 * where case does not count, `\p{Lu}` and `\p{Ll}` narrowed to those. JavaScript's own `\b` knows ASCII letters only, so
 * `\bou\b` matches in "où" and `\büber\b` matches nowhere; and a pattern with the letters of all scripts takes ten times
 * as long to compile. Signs of other scripts are boundaries: "due" is a word in "日本due", because scripts without spaces
 * do not set foreign words apart. Made on first use, because most processes never match most patterns.
 */
export const wordwise = (make: () => RegExp): (() => RegExp) =>
  once(() => {
    const pattern = make()
    const ranges = pattern.ignoreCase ? rangesOfAnyCase : rangesOf
    let isInClass = false
    const source = pattern.source.replace(
      /\\p\{(\w+)\}|\\.|[[\]]/gu,
      (part: string, property: string | undefined, at: number) => {
        if (part === "[") isInClass = true
        if (part === "]") isInClass = false
        if (part === "\\b") return boundaryAt(pattern.source, at)
        if (part === "\\w") return letter
        const range = property === undefined ? undefined : ranges[property]
        if (range === undefined) return part
        return isInClass ? range : `[${range}]`
      }
    )
    return new RegExp(source, needsUnicode.test(source) ? pattern.flags : pattern.flags.replace("u", ""))
  })

/**
 * What the flag `u` is for. Others do without: with it `.` and `[^,]` take ten times as long to compile, since they
 * match pairs of surrogates as one character.
 */
const needsUnicode = /\\p\{|\\u\{|[\ud800-\udfff]/i

const letters =
  "A-Za-zªµºÀ-ÖØ-öø-\u02af\u0370-\u0373\u0376-\u037d\u037f-\u0386\u0388-\u0481\u048a-\u052f\u1e00-\u1eff"
const rangesOf: Readonly<Record<string, string | undefined>> = {
  L: letters,
  M: "\u0300-\u036f\u0483-\u0489",
  N: "0-9²³¹¼-¾\u2070-\u2089\u2150-\u2189"
}
const rangesOfAnyCase: typeof rangesOf = { ...rangesOf, Lu: letters, Ll: letters }

/** Ranges instead of `\p{L}\p{M}\p{N}`, with which each boundary takes 5 ms to compile. */
export const letter =
  "[0-9A-Z_a-zªµºÀ-ÖØ-öø-\u02af\u0300-\u0373\u0376-\u037d\u037f-\u0386\u0388-\u0481\u0483-\u052f\u1e00-\u1eff²³¹¼-¾]"
const boundary = `(?:(?<=${letter})(?!${letter})|(?<!${letter})(?=${letter}))`

/**
 * Returns what stands for a `\b`. Where a word or a group of words follows or precedes it, one side decides: that takes
 * half as long to compile and a third as long to match. A group that ends with an apostrophe ("d'") goes on with a word.
 */
const boundaryAt = (source: string, at: number): string => {
  const begins = /^(?:[\p{L}\d](?![?*{])|\((?:\?:|\?<\w|(?!\?)))/u.test(source.slice(at + 2))
  const ends = /(?<!\\)[\p{L}\d)]$/u.test(source.slice(0, at)) && !/’\][|)]/u.test(source)
  return begins === ends ? boundary : begins ? `(?<!${letter})` : `(?!${letter})`
}

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
export const phrase = (topic: Topic, flags = "iu"): (() => RegExp) =>
  wordwise(() => phrasePattern(topic, flags))
