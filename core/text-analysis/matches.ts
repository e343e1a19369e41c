/**
 * Returns all matches of a global pattern, like `matchAll`, which compiles the pattern again for each text; for long
 * patterns that takes longer than scanning a sentence.
 */
export const matchesOf = (pattern: RegExp, text: string): ReadonlyArray<RegExpExecArray> => {
  const found: Array<RegExpExecArray> = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match)
    // After an empty match, continue with the next character.
    if (match[0] === "") pattern.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1
  }
  return found
}
