/**
 * Returns the pattern with `\b` and `\w` extended to every script: JavaScript's own know ASCII letters only, so
 * `\bou\b` matches in "où" and `\büber\b` matches nowhere. Compiled on first use, because such patterns are slow to
 * compile and most processes never match one.
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
