/** A ranked list, best first, with its weight in the fusion. */
export interface RankedList<Name extends string, Id> {
  readonly name: Name
  readonly ids: ReadonlyArray<Id>
  /** Ranks of the ids, ascending; their places, from 1, by default. */
  readonly ranks?: ReadonlyArray<number>
  /** 1 by default. */
  readonly weight?: number
}

/** An item of the fused list with its rank in each source list; the score has no unit. */
export interface Fused<Name extends string, Id> {
  readonly id: Id
  readonly score: number
  /** Best rank in any list, from 1. */
  readonly bestRank: number
  /** Rank in each list that contains the item. */
  readonly ranks: Readonly<Partial<Record<Name, number>>>
}

/** Flattens the weight of top places: Cormack, Clarke and Büttcher, SIGIR 2009. */
export const rrfK = 60

/**
 * Merges ranked lists by weighted reciprocal rank fusion: at rank r (from 1) of a list an item earns weight / (k + r),
 * and its score is the sum over the lists that contain it. A repeated item counts at its first rank, and the
 * repetition takes no rank.
 * Pure and total. Best first; ties by best rank, then by `compare` (ascending ids by default). The result does not
 * depend on the order of the lists, to the last bit. A list of weight 0 still contributes its items, with score 0.
 */
export const fuse = <Name extends string, Id extends string | number>(
  lists: ReadonlyArray<RankedList<Name, Id>>,
  options: { readonly k?: number; readonly compare?: (a: Id, b: Id) => number } = {}
): ReadonlyArray<Fused<Name, Id>> => {
  const k = options.k ?? rrfK
  const compare = options.compare ?? ((a: Id, b: Id) => (a < b ? -1 : a > b ? 1 : 0))
  const items = new Map<Id, Met<Name, Id>>()
  // Contributions to items that occur in several lists.
  const parts = new Map<Id, Array<number>>()
  for (const { ids, name, ranks: given, weight = 1 } of lists) {
    let [index, places] = [-1, 0]
    for (const id of ids) {
      index += 1
      const item = items.get(id)
      if (item?.ranks[name] !== undefined) continue
      places += 1
      const place = given?.[index] ?? places
      const part = weight / (k + place)
      if (item === undefined) {
        const ranks: Partial<Record<Name, number>> = {}
        ranks[name] = place
        items.set(id, { id, score: part, bestRank: place, ranks })
        continue
      }
      item.ranks[name] = place
      if (place < item.bestRank) item.bestRank = place
      const all = parts.get(id) ?? [item.score]
      all.push(part)
      parts.set(id, all)
      // Sums the largest first: floating-point sums depend on order, and the result must not.
      item.score = all.sort((a, b) => b - a).reduce((sum, one) => sum + one, 0)
    }
  }
  const fused = [...items.values()]
  // A single list is already in order.
  if (lists.filter(({ ids }) => ids.length > 0).length < 2) return fused
  return fused.sort((a, b) => b.score - a.score || a.bestRank - b.bestRank || compare(a.id, b.id))
}

interface Met<Name extends string, Id> {
  readonly id: Id
  score: number
  bestRank: number
  readonly ranks: Partial<Record<Name, number>>
}
