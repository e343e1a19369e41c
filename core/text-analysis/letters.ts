import { memoize } from "./memoize.js"
import type { ReadText } from "./read-text.js"

/** Returns the words of a text in lower case, in order, without digits. */
export const lettersIn = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []

/** Returns the same for an analysed text, memoized. */
export const lettersOf = memoize(({ text }: ReadText) => lettersIn(text))
