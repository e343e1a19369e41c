/** Lists of word pairs as relations. */

/** How two words are related: one meaning (synonym, derived or similar word), or opposites. */
export type WordRelation = "same" | "opposite"

/** Relations of listed words, by the key under which each word stands. */
export type ListedRelations = ReadonlyMap<string, ReadonlyMap<string, WordRelation>>

/** Reads pairs that `|` divides: "buy purchase" for one meaning, "open ! closed" for opposites. */
export const listedRelations = (list: string, keyOf: (word: string) => string): ListedRelations => {
  const relations = new Map<string, Map<string, WordRelation>>()
  const add = (one: string, other: string, relation: WordRelation): void => {
    const known = relations.get(one) ?? new Map<string, WordRelation>()
    known.set(other, relation)
    relations.set(one, known)
  }
  for (const pair of list.trim().split(/\s*\|\s*/u)) {
    const words = pair.split(/\s+(?:!\s+)?/u).map(keyOf)
    const relation = pair.includes("!") ? "opposite" : "same"
    for (const [at, one] of words.entries())
      for (const other of words.slice(at + 1)) {
        add(one, other, relation)
        add(other, one, relation)
      }
  }
  return relations
}

/** Returns how words under these keys are related; opposites go before one meaning. */
export const relationOf = (
  relations: ListedRelations,
  ones: Iterable<string>,
  others: Iterable<string>
): WordRelation | undefined => {
  const known = new Set(others)
  let found: WordRelation | undefined
  for (const one of ones)
    for (const [other, relation] of relations.get(one) ?? [])
      if (known.has(other)) {
        if (relation === "opposite") return relation
        found = relation
      }
  return found
}
