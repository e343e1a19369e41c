import { stemmer } from "stemmer"
import { foldCase, normalForm } from "../kernel/index.js"
import { stemRussian } from "./stem-russian.js"
import { stemArabic } from "./stem-semitic.js"
import { stopWords } from "./stop-words.js"
import { commonLetters } from "./variant-letters.js"

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
 * Returns the stem of a folded run: Porter's for plain English letters, Snowball's for Russian ones, a light one for
 * Arabic script, otherwise the run itself.
 */
export const stem = (folded: string): string => {
  if (!stems || folded.length > stemmedUnitsMax) return folded
  if (/^[a-z]+$/u.test(folded)) return stemmer(folded)
  if (/^[а-я]+$/u.test(folded)) return stemRussian(folded)
  return /^[\u0620-\u06d5]+$/u.test(folded) ? stemArabic(folded) : folded
}

const cut = (run: string): string => {
  const last = run.charCodeAt(termUnitsMax - 1)
  return run.slice(0, last >= 0xd800 && last <= 0xdbff ? termUnitsMax - 1 : termUnitsMax)
}
