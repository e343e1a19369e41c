import { randomFrom, shuffled } from "./random.js"

/** Share of the kinds of words that a copy exchanges. */
const exchangedShare = 0.3
/** Words that occur less often than this are exchanged for ones that occur nowhere: large corpora have more words. */
const rareBelow = 4

const wordPattern = /\p{L}{4,}/gu

/**
 * Gives texts that read like the given ones in other words: `vary(text, copy)` exchanges a share of the words,
 * each for one that is about as frequent, rare ones for new ones. The same copy exchanges a word alike everywhere,
 * so what belonged together still does. Copy 0 is the text itself.
 */
export const variations = (
  texts: Iterable<string>,
  seed: number
): ((text: string, copy: number) => string) => {
  const counts = new Map<string, number>()
  for (const text of texts) {
    for (const [word] of text.matchAll(wordPattern)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const byFrequency = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  const tables = new Map<number, ReadonlyMap<string, string>>()
  const tableOf = (copy: number) => {
    const known = tables.get(copy)
    if (known !== undefined) return known
    const made = exchange(byFrequency, counts, copy, seed)
    tables.set(copy, made)
    return made
  }
  return (text, copy) => {
    if (copy === 0) return text
    const table = tableOf(copy)
    return text.replace(wordPattern, (word) => table.get(word) ?? word)
  }
}

const exchange = (
  byFrequency: ReadonlyArray<string>,
  counts: ReadonlyMap<string, number>,
  copy: number,
  seed: number
): ReadonlyMap<string, string> => {
  const random = randomFrom(seed * 1009 + copy)
  const table = new Map<string, string>()
  // Bands of like frequency: each twice as long as the one before.
  for (let from = 0, size = 16; from < byFrequency.length; from += size, size *= 2) {
    const band = byFrequency.slice(from, from + size)
    const others = shuffled(band, seed * 31 + copy)
    band.forEach((word, i) => {
      if (random() >= exchangedShare) return
      const isRare = (counts.get(word) ?? 0) < rareBelow
      table.set(word, isRare ? `${word}${letters(copy)}` : (others[i] ?? word))
    })
  }
  return table
}

/** A number in letters, so that the word stays one. */
const letters = (value: number): string =>
  [...String(value)].map((digit) => "abcdefghij"[Number(digit)] ?? "").join("")
