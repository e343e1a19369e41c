import { normalForm } from "../kernel/index.js"

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
export const commonLetters = (word: string): string =>
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
