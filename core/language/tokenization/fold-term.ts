import { stemmer } from "stemmer"
import { foldCase, normalForm } from "../../platform/kernel/index.js"
import { baseForm } from "./irregular-forms.js"
import { stemRussian } from "./stem-russian.js"
import { stemArabic } from "./stem-semitic.js"
import { stopWords } from "./stop-words.js"

/** A longer run is cut at this many UTF-16 units: it is data (hashes, base64), not a word. */
const termUnitsMax = 64

/** Longer terms are not words and are not stemmed. */
const stemmedUnitsMax = 32

/** Latin letters that Unicode does not decompose, with their ASCII spelling. */
const undecomposed: ReadonlyMap<string, string> = new Map([
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["ł", "l"],
  ["đ", "d"],
  ["ð", "d"],
  ["þ", "th"],
  ["ħ", "h"],
  ["ı", "i"],
  ["ŋ", "n"]
])

/**
 * Folds a run of letters and numbers to the form in which runs are compared: NFKC, case-folded, without the diacritics
 * of Latin and Greek, stress marks, Arabic and Hebrew points, Indic nukta; variants of an Arabic letter become one;
 * Cyrillic ё becomes е (й stays). May be empty when the run held only such marks. Reads the first 64 units.
 */
export const foldRun = (run: string): string => {
  const short = commonLetters(run.length > termUnitsMax ? cut(run) : run)
  if (/^[\0-\x7f]*$/u.test(short)) return short.toLowerCase()
  const folded = normalForm(
    normalForm(foldCase(normalForm(short, "NFKC")), "NFD")
      .replace(/[\u0300\u0301\u00ad\u200c-\u200d\u2060\ufeff'\u2019\uff07]+/gu, "")
      .replace(/([\p{Script=Latin}\p{Script=Greek}])[\u0302-\u036f]+/gu, "$1")
      .replace(/е\u0308/gu, "е")
      .replace(
        /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]+/gu,
        ""
      )
      .replace(/[æœøłđðþħıŋ]/gu, (letter) => undecomposed.get(letter) ?? letter),
    "NFC"
  ).replace(/[^\p{L}\p{N}\p{M}]+/gu, "")
  return folded.length > termUnitsMax ? cut(folded) : folded
}

/** Whether a folded run is a stop word. */
export const isStopWord = (folded: string): boolean => stopWords.has(folded)

let stems = true

/** Whether `stem` stems, in this process. */
export const setStems = (on: boolean): void => {
  stems = on
}

/**
 * Returns the stem of a folded run: Porter's of the base form for plain English letters, Snowball's for Russian ones, a light one for
 * Arabic script, otherwise the run itself.
 */
export const stem = (folded: string): string => {
  if (!stems || folded.length > stemmedUnitsMax) return folded
  if (/^[a-z]+$/u.test(folded)) return stemmer(baseForm(folded))
  if (/^[а-я]+$/u.test(folded)) return stemRussian(folded)
  return /^[\u0620-\u06d5]+$/u.test(folded) ? stemArabic(folded) : folded
}

const cut = (run: string): string => {
  const last = run.charCodeAt(termUnitsMax - 1)
  return run.slice(0, last >= 0xd800 && last <= 0xdbff ? termUnitsMax - 1 : termUnitsMax)
}

/** Letters of Arabic script that are written in several ways, with the common one; Devanagari chandrabindu. */
const variants: ReadonlyMap<string, string> = new Map([
  ["\u0671", "\u0627"],
  ["\u0649", "\u064a"],
  ["\u06cc", "\u064a"],
  ["\u06d2", "\u064a"],
  ["\u06a9", "\u0643"],
  ["\u0629", "\u0647"],
  ["\u06be", "\u0647"],
  ["\u06c1", "\u0647"],
  ["\u06d5", "\u0647"],
  ["\u0901", "\u0902"]
])

/** Arabic and the Indic scripts, to which the variants belong. */
const scripts = /[\u0600-\u06ff\u0900-\u0b7f]/u

/**
 * Returns a word with one letter for each that is written in several ways: Persian and Arabic kaf and yeh, teh marbuta
 * and heh, Indic letters with and without nukta. Other words stay as they are.
 */
const commonLetters = (word: string): string =>
  scripts.test(word)
    ? word
        .replace(
          /[\u0671\u0649\u06cc\u06d2\u06a9\u0629\u06be\u06c1\u06d5\u0901]/gu,
          (one) => variants.get(one) ?? one
        )
        .replace(/[\u0929\u0931\u0934\u0958-\u095f\u09dc-\u09df\u0a33-\u0a5e\u0b5c\u0b5d]/gu, (one) =>
          normalForm(one, "NFD")
        )
        .replace(/[\u093c\u09bc\u0a3c\u0abc\u0b3c]+/gu, "")
    : word
