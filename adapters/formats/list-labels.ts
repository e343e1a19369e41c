/** The labels of list items and numbered headings: `3`, `(iii)`, `2.1`, `b)`. */

/** How a level of a list counts: as in HTML, `1`, `a`, `A`, `i` or `I`; null where it shows no number. */
export type Counting = "1" | "a" | "A" | "i" | "I"

/** Attribute of a list item whose label Markdown has no list marker for. */
export const labelAttribute = "data-label"

/** A number in letters, in Roman numerals or in digits. `repeats` counts aa, bb after z, as Word does. */
export const countText = (number: number, counting: Counting, repeats = false): string => {
  if (!Number.isSafeInteger(number) || number < 1 || number > countMax) return String(number)
  const text = /i/i.test(counting)
    ? romanText(number)
    : /a/i.test(counting)
      ? letters(number, repeats)
      : String(number)
  return counting === "A" || counting === "I" ? text.toUpperCase() : text
}

/** Larger numbers are written in digits: letters and Roman numerals would grow with them. */
const countMax = 3999

const letters = (number: number, repeats: boolean): string => {
  const letter = (at: number): string => String.fromCharCode(97 + at)
  if (repeats) return letter((number - 1) % 26).repeat(Math.ceil(number / 26))
  return number <= 26
    ? letter(number - 1)
    : letters(Math.floor((number - 1) / 26), false) + letter((number - 1) % 26)
}

const romanSigns: ReadonlyArray<readonly [number, string]> = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"]
]

const romanText = (number: number): string => {
  const found = romanSigns.find(([value]) => value <= number)
  return found === undefined ? "" : found[1] + romanText(number - found[0])
}
