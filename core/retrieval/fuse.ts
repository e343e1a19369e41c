/** A ranked list, best first, and how much its opinion counts. */
export interface RankedList<Name extends string, Id> {
  readonly name: Name
  readonly ids: ReadonlyArray<Id>
  /** 1 by default. */
  readonly weight?: number
}

/** An item of several ranked lists with its place in each; the score has no unit. */
export interface Fused<Name extends string, Id> {
  readonly id: Id
  readonly score: number
  /** Best place in any list, from 1. */
  readonly bestRank: number
  /** Place in each list that holds it. */
  readonly ranks: Readonly<Partial<Record<Name, number>>>
}

/** Flattens the weight of top places: Cormack, Clarke and Büttcher, SIGIR 2009. */
const rrfKDefault = 60

/**
 * Merges ranked lists by weighted reciprocal rank: at place r (from 1) of a list an item earns weight / (k + r),
 * and its score is the sum over the lists that hold it. Of an item that a list repeats the first place counts,
 * and the repetition takes no place.
 *
 * Pure and total. Best first; equal scores by best place, then by `compare` (ascending ids by default). The order
 * of the lists changes nothing, to the last bit. A list of weight 0 still puts its items in, with score 0.
 */
export const fuse = <Name extends string, Id extends string | number>(
  lists: ReadonlyArray<RankedList<Name, Id>>,
  options: { readonly k?: number; readonly compare?: (a: Id, b: Id) => number } = {}
): ReadonlyArray<Fused<Name, Id>> => {
  const k = options.k ?? rrfKDefault
  const compare = options.compare ?? ((a: Id, b: Id) => (a < b ? -1 : a > b ? 1 : 0))
  const items = new Map<Id, Met<Name, Id>>()
  // What the lists gave to the items that stand in several.
  const parts = new Map<Id, Array<number>>()
  for (const { ids, name, weight } of lists) {
    let place = 0
    for (const id of ids) {
      const item = items.get(id)
      if (item?.ranks[name] !== undefined) continue
      place += 1
      const part = (weight ?? 1) / (k + place)
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
      // Largest first: a sum of floats depends on its order, and the lists have none.
      item.score = all.sort((a, b) => b - a).reduce((sum, one) => sum + one, 0)
    }
  }
  const fused = [...items.values()]
  // One list alone is in order already.
  if (lists.filter(({ ids }) => ids.length > 0).length < 2) return fused
  return fused.sort((a, b) => b.score - a.score || a.bestRank - b.bestRank || compare(a.id, b.id))
}

interface Met<Name extends string, Id> {
  readonly id: Id
  score: number
  bestRank: number
  readonly ranks: Partial<Record<Name, number>>
}
