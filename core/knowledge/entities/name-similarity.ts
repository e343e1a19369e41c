import { foldCase, normalForm } from "../../platform/kernel/index.js"

/** Counts the character trigrams of a folded text, with its start and end marked. */
const trigrams = (text: string): ReadonlyMap<string, number> => {
  const chars = [...`  ${foldCase(normalForm(text, "NFKC"))} `]
  const counts = new Map<string, number>()
  for (let at = 0; at + 2 < chars.length; at++) {
    const gram = `${chars[at]}${chars[at + 1]}${chars[at + 2]}`
    counts.set(gram, (counts.get(gram) ?? 0) + 1)
  }
  return counts
}

const size = (grams: ReadonlyMap<string, number>): number => {
  let sum = 0
  for (const count of grams.values()) sum += count
  return sum
}

/**
 * Returns a function that compares other texts with this one by Dice's coefficient over character trigrams, in [0,
 * 1]; 1 means equal trigrams. Texts whose lengths rule out `atLeast` are skipped without counting.
 */
export const nameSimilarity = (text: string, atLeast: number): ((other: string) => number) => {
  const own = trigrams(text)
  const total = size(own)
  return (other) => {
    // With n and m trigrams the coefficient is at most 2 min(n, m) / (n + m).
    const rough = other.length + 1
    if ((2 * Math.min(total, rough)) / (total + rough) < atLeast * 0.9) return 0
    const grams = trigrams(other)
    let shared = 0
    for (const [gram, count] of grams) shared += Math.min(count, own.get(gram) ?? 0)
    return (2 * shared) / (total + size(grams))
  }
}
