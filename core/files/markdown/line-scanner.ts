/**
 * Positions where a text may be cut: code points, user-perceived characters, words, sentences. All offsets are UTF-16.
 */

/** Cuts a text to at most `maxChars` units between user-perceived characters, with an ellipsis when cut. */
export const cutText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, clusterBoundary(text, 0, maxChars - 1)).trimEnd()}…`

/**
 * Returns the last position in (from, at] that does not split a user-perceived character: a base with its marks, an
 * emoji sequence, a flag, a Hangul syllable, CR LF. Looks back at most 64 units; for a longer character, the last
 * position between code points. Never `from` itself, so that splitting always advances.
 */
export const clusterBoundary = (text: string, from: number, at: number): number => {
  if (at >= text.length) return text.length
  const lowest = Math.max(from + 1, at - 64)
  for (let place = at; place >= lowest; place--) if (!joins(text, place)) return place
  return isTrail(text.charCodeAt(at)) && isLead(text.charCodeAt(at - 1))
    ? at - 1 > from
      ? at - 1
      : at + 1
    : at
}

/** Whether a sentence ends just before this position; the next one starts here or after white space. */
export const isSentenceEnd = (text: string, at: number): boolean => {
  let before = at - 1
  // Up to four closing quotes or brackets may follow the mark.
  for (let steps = 0; steps < 4 && before >= 0 && closers.includes(text.charAt(before)); steps++) before--
  const mark = text.charAt(before)
  if (mark === "") return false
  if (wideMarks.includes(mark))
    return !closers.includes(text.charAt(at)) && !wideMarks.includes(text.charAt(at))
  return marks.includes(mark) && isSpace(text.charCodeAt(at))
}

/** Whether a line may be broken here as a last resort: beside white space, or after a CJK punctuation mark. */
export const isWordStart = (text: string, at: number): boolean =>
  (isSpace(text.charCodeAt(at - 1)) && !isSpace(text.charCodeAt(at))) ||
  (softWideMarks.includes(text.charAt(at - 1)) && !closers.includes(text.charAt(at)))

/** White space as defined by `trim`. */
export const isSpace = (code: number): boolean =>
  code <= 32
    ? code === 32 || (code >= 9 && code <= 13)
    : code >= 160 &&
      (code === 0xa0 ||
        code === 0x1680 ||
        (code >= 0x2000 && code <= 0x200a) ||
        code === 0x2028 ||
        code === 0x2029 ||
        code === 0x202f ||
        code === 0x205f ||
        code === 0x3000 ||
        code === 0xfeff)

const marks = ".!?…؟۔।॥։"
const wideMarks = "。！？｡．"
const softWideMarks = "、，；：・"
const closers = "\"'”’»)]}」』）】》〉〕*_"

/**
 * Whether the characters before and after this position form one user-perceived character (UAX 29, the common cases).
 */
const joins = (text: string, at: number): boolean => {
  const next = text.charCodeAt(at)
  const previous = text.charCodeAt(at - 1)
  // No character below the combining marks joins, except CR LF: the fast path of nearly all text.
  if (next < 0x300) return next === 10 && previous === 13
  if (isTrail(next) && isLead(previous)) return true
  const code = text.codePointAt(at) ?? 0
  if (previous === 0x200d || code === 0x200d || isExtender(code)) return true
  if (isFlagLetter(code)) return flagLettersBefore(text, at) % 2 === 1
  return joinsHangul(previous, code)
}

const isExtender = (code: number): boolean =>
  (code >= 0x1f3fb && code <= 0x1f3ff) ||
  (code >= 0xe0020 && code <= 0xe007f) ||
  /^\p{M}$/u.test(String.fromCodePoint(code))

const isFlagLetter = (code: number): boolean => code >= 0x1f1e6 && code <= 0x1f1ff

const flagLettersBefore = (text: string, at: number): number => {
  let count = 0
  while (count < 32 && isFlagLetter(text.codePointAt(at - 2 * (count + 1)) ?? 0)) count++
  return count
}

const joinsHangul = (previous: number, next: number): boolean => {
  const vowel = next >= 0x1160 && next <= 0x11a7
  const tail = next >= 0x11a8 && next <= 0x11ff
  const lead = previous >= 0x1100 && previous <= 0x115f
  const syllable = previous >= 0xac00 && previous <= 0xd7a3
  if (vowel) return lead || syllable || (previous >= 0x1160 && previous <= 0x11a7)
  if (tail) return syllable || (previous >= 0x1160 && previous <= 0x11ff)
  return lead && ((next >= 0x1100 && next <= 0x115f) || (next >= 0xac00 && next <= 0xd7a3))
}

const isLead = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isTrail = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff
