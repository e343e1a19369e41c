/** Character classes of the analyser. */
const separator = 1
export const letter = 2
/** A mark that belongs to the preceding letter, or a character that is invisible inside a word. */
export const mark = 3
/** A letter of a script that is written without spaces, or joined to particles (Hangul). */
export const unspaced = 4

const classes = new Uint8Array(0x10000)

/** Returns the class of a code point. Known ones cost one array read. */
export const classOf = (codePoint: number): number => {
  if (codePoint > 0xffff) return classify(codePoint)
  const known = classes[codePoint] ?? 0
  if (known !== 0) return known
  const found = classify(codePoint)
  classes[codePoint] = found
  return found
}

const classify = (codePoint: number): number => {
  if (invisible.has(codePoint)) return mark
  const char = String.fromCodePoint(codePoint)
  if (/\p{M}/u.test(char) || codePoint === 0xff9e || codePoint === 0xff9f) return mark
  if (!/[\p{L}\p{N}]/u.test(char)) return separator
  return unspacedRanges.some(([first, last]) => codePoint >= first && codePoint <= last) ? unspaced : letter
}

/** Soft hyphen, zero-width joiner and non-joiner, word joiner, byte order mark. */
const invisible: ReadonlySet<number> = new Set([0xad, 0x200c, 0x200d, 0x2060, 0xfeff])

const unspacedRanges: ReadonlyArray<readonly [number, number]> = [
  [0x0e00, 0x0eff], // Thai, Lao
  [0x1000, 0x109f], // Myanmar
  [0x1100, 0x11ff], // Hangul letters
  [0x1780, 0x17ff], // Khmer
  [0x3005, 0x3007], // Han iteration mark, closing mark, zero
  [0x3021, 0x303c], // Han numerals, repeat marks
  [0x3041, 0x318f], // Hiragana, Katakana, Bopomofo, compatibility Hangul
  [0x31a0, 0x31ff], // Bopomofo and Katakana extensions
  [0x3400, 0x4dbf], // Han extension A
  [0x4e00, 0x9fff], // Han
  [0xa960, 0xa97f], // Hangul letters, extension A
  [0xa9e0, 0xa9ff], // Myanmar extension B
  [0xaa60, 0xaa7f], // Myanmar extension A
  [0xac00, 0xd7ff], // Hangul
  [0xf900, 0xfaff], // Han compatibility
  [0xff66, 0xff9f], // half-width Katakana
  [0xffa0, 0xffdc], // half-width Hangul
  [0x1aff0, 0x1b16f], // Kana extensions
  [0x20000, 0x3ffff] // Han extensions B and later
]
