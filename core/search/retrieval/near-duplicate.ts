const shingleWords = 5
const similarMin = 0.9

/** Returns the 5-word shingles of a text's terms; a shorter text is one shingle. */
export const shingles = (terms: ReadonlyArray<string>): ReadonlySet<string> => {
  const set = new Set<string>()
  for (let i = 0; i === 0 || i + shingleWords <= terms.length; i++)
    set.add(terms.slice(i, i + shingleWords).join(" "))
  return set
}

/** Returns the share of common shingles (Jaccard), from 0 to 1. */
export const resemblance = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  let common = 0
  for (const shingle of small) if (large.has(shingle)) common += 1
  return common / (a.size + b.size - common)
}

/** Drops every item that resembles an earlier one (resemblance of at least 0.9). */
export const withoutNearDuplicates = <Item>(
  items: ReadonlyArray<Item>,
  termsOf: (item: Item) => ReadonlyArray<string>
): ReadonlyArray<Item> => {
  const kept: Array<{ readonly item: Item; readonly set: ReadonlySet<string> }> = []
  for (const item of items) {
    const set = shingles(termsOf(item))
    const repeats = kept.some(
      // Sets whose sizes differ by more than this share cannot reach the threshold.
      (other) =>
        Math.min(set.size, other.set.size) >= similarMin * Math.max(set.size, other.set.size) &&
        resemblance(set, other.set) >= similarMin
    )
    if (!repeats) kept.push({ item, set })
  }
  return kept.map(({ item }) => item)
}
