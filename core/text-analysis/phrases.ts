import { wordwise } from "./word-boundaries.js"
import { de } from "./words-de.js"
import { en, type Topic, type UnspacedWords, type Words } from "./words-en.js"
import { es } from "./words-es.js"
import { fr } from "./words-fr.js"
import { ja } from "./words-ja.js"
import { ru } from "./words-ru.js"
import { zh } from "./words-zh.js"

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
