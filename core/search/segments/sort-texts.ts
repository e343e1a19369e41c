/** Number of leading units in the sort key and bits per unit; the index takes the remaining bits. */
const keyUnits = 5
const keyBits = 7
const keyUnitMax = (1 << keyBits) - 1
const places = 2 ** (53 - keyUnits * keyBits)

/**
 * Returns the indices of texts in UTF-16 order, like `sort` without a comparator. Numbers sort ten times faster than
 * texts: the key combines the beginning of a text with its index, and only texts with equal beginnings are compared.
 * Stable.
 */
export const sortTexts = (texts: ReadonlyArray<string>): ReadonlyArray<number> => {
  if (texts.length >= places) return ordered(texts, [...texts.keys()])
  const keys = new Float64Array(texts.length)
  for (let place = 0; place < texts.length; place++)
    keys[place] = beginning(texts[place] ?? "") * places + place
  keys.sort()
  const begins = (at: number): number => Math.floor((keys[at] ?? 0) / places)
  const sorted: Array<number> = []
  for (let from = 0; from < keys.length; ) {
    const key = begins(from)
    let to = from + 1
    while (to < keys.length && begins(to) === key) to++
    const first = sorted.length
    for (let at = from; at < to; at++) sorted.push((keys[at] ?? 0) - key * places)
    if (to - from > 1) for (const place of ordered(texts, sorted.splice(first))) sorted.push(place)
    from = to
  }
  return sorted
}

/** Returns a number that is never greater for a text that sorts earlier. Stops at a unit that exceeds its bits. */
const beginning = (text: string): number => {
  let key = 0
  let isOpen = true
  for (let i = 0; i < keyUnits; i++) {
    // The end of a text sorts before any unit, even NUL.
    const unit = isOpen && i < text.length ? Math.min(text.charCodeAt(i) + 1, keyUnitMax) : 0
    if (unit === keyUnitMax) isOpen = false
    key = key * (keyUnitMax + 1) + unit
  }
  return key
}

const ordered = (texts: ReadonlyArray<string>, places: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...places].sort((a, b) => compare(texts[a] ?? "", texts[b] ?? "") || a - b)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
