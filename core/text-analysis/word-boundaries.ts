/**
 * The same pattern with `\b` and `\w` meant for every script: JavaScript's own know ASCII letters only, so that
 * `\bou\b` matches in "où" and `\büber\b` matches nowhere. Made when it is first asked for: with classes of letters
 * in them patterns take long to make, and most processes match none.
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
