/** Letters of Chinese, Japanese and Korean: no space parts them from a word or a number in other letters. */
const letters = "\\p{Script=Han}\\p{Script=Hangul}\\u3041-\\u30ff\\uff66-\\uff9f"
const one = new RegExp(`[${letters}]`, "u")
const run = new RegExp(`[${letters}]+`, "gu")

export const holdsUnspaced = (text: string): boolean => one.test(text)

/**
 * The text with signs in the place of such letters, each as long as it was: of `P10の作動油` the code stays, where it
 * stood. The same text where there are none.
 */
export const withoutUnspaced = (text: string): string =>
  holdsUnspaced(text) ? text.replace(run, ({ length }) => "、".repeat(length)) : text

/** Blanks on both sides of each run of such letters. */
export const unspacedApart = (text: string): string =>
  holdsUnspaced(text) ? text.replace(run, " $& ") : text
