/**
 * All matches of a pattern with the flag `g`, as `matchAll` gives them. That makes a pattern anew for each text, which
 * takes longer than looking through a sentence where the pattern is a long one.
 */
export const matchesOf = (pattern: RegExp, text: string): ReadonlyArray<RegExpExecArray> => {
  const found: Array<RegExpExecArray> = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match)
    // Behind nothing it goes on with the next character.
    if (match[0] === "") pattern.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1
  }
  return found
}
