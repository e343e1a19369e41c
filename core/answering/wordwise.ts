/**
 * The same pattern with `\b` and `\w` meant for every script: JavaScript's own know ASCII letters only, so that
 * `\bou\b` matches in "où" and `\büber\b` matches nowhere.
 */
export const wordwise = (pattern: RegExp): RegExp =>
  new RegExp(pattern.source.replaceAll("\\b", boundary).replaceAll("\\w", letter), pattern.flags)

const letter = "[\\p{L}\\p{M}\\p{N}_]"
const boundary = `(?:(?<=${letter})(?!${letter})|(?<!${letter})(?=${letter}))`
