import { memoize } from "./memoize.js"
import type { ReadText } from "./read-text.js"

/** The words of a text in small letters, without figures, in their order. */
export const lettersIn = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []

/** The same of a text that is read, kept with it. */
export const lettersOf = memoize(({ text }: ReadText) => lettersIn(text))
