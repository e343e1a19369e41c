/** A ranked list, best first, and how much its opinion counts. */
export interface RankedList<Name extends string, Id> {
  readonly name: Name
  readonly ids: ReadonlyArray<Id>
  /** 1 by default. */
  readonly weight?: number
}

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
  const items = new Map<
    Id,
    { readonly ranks: Partial<Record<Name, number>>; readonly parts: Array<number> }
  >()
  for (const { ids, name, weight } of lists)
    [...new Set(ids)].forEach((id, place) => {
      let item = items.get(id)
      if (item === undefined) {
        item = { ranks: {}, parts: [] }
        items.set(id, item)
      }
      item.ranks[name] = place + 1
      item.parts.push((weight ?? 1) / (k + place + 1))
    })
  return [...items]
    .map(([id, { parts, ranks }]) => ({
      id,
      // Largest first: a sum of floats depends on its order, and the lists have none.
      score: parts.sort((a, b) => b - a).reduce((sum, part) => sum + part, 0),
      bestRank: Math.min(
        ...Object.values<number | undefined>(ranks).map((rank) => rank ?? Number.POSITIVE_INFINITY)
      ),
      ranks
    }))
    .sort((a, b) => b.score - a.score || a.bestRank - b.bestRank || compare(a.id, b.id))
}
