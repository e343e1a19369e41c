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
