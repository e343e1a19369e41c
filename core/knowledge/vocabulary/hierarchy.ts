import type { EntityId } from "../../platform/kernel/index.js"

/** A hierarchical link between heads, from the narrower to the broader. */
export type BroaderLink<Id extends string = EntityId> = readonly [narrower: Id, broader: Id]

/** Transitive hierarchy of concepts; cycles are allowed. */
export interface Hierarchy<Id extends string = EntityId> {
  readonly broader: (id: Id) => ReadonlyArray<Id>
  readonly narrower: (id: Id) => ReadonlyArray<Id>
  /** Returns those of `others` that are ancestors or descendants of the entity. */
  readonly connected: (id: Id, others: ReadonlyArray<Id>) => ReadonlySet<Id>
}

/**
 * Builds a hierarchy from its links. A query walks upwards from the entity and from each of the others, never above
 * the highest rank that can still reach a target. The rank of an entity is the longest path up to it, with each cycle
 * as one step, so every upward path increases in rank.
 */
export const hierarchyOf = <Id extends string>(links: Iterable<BroaderLink<Id>>): Hierarchy<Id> => {
  const places = new Map<Id, number>()
  const ids: Array<Id> = []
  const up: Array<Array<number>> = []
  const down: Array<Array<number>> = []
  const placeOf = (id: Id): number => {
    const known = places.get(id)
    if (known !== undefined) return known
    places.set(id, ids.length)
    up.push([])
    down.push([])
    return ids.push(id) - 1
  }
  for (const [narrower, broader] of links) {
    if (narrower === broader) continue
    const [low, high] = [placeOf(narrower), placeOf(broader)]
    if (up[low]?.includes(high) === true) continue
    up[low]?.push(high)
    down[high]?.push(low)
  }
  const rank = ranksOf(up)
  const stamps = new Int32Array(ids.length)
  let stamp = 0
  /** Marks the ancestors of a node up to a rank; returns the mark. */
  const markAncestors = (from: number, rankMax: number): number => {
    stamp += 1
    const open = [from]
    for (let place = open.pop(); place !== undefined; place = open.pop())
      for (const next of up[place] ?? [])
        if (stamps[next] !== stamp && (rank[next] ?? 0) <= rankMax) {
          stamps[next] = stamp
          open.push(next)
        }
    return stamp
  }
  const idsAt = (all: ReadonlyArray<Array<number>>, id: Id): ReadonlyArray<Id> =>
    (all[places.get(id) ?? -1] ?? []).flatMap((place) => ids[place] ?? []).sort()
  return {
    broader: (id) => idsAt(up, id),
    narrower: (id) => idsAt(down, id),
    connected: (id, others) => {
      const own = places.get(id)
      const sought = others.flatMap((other) => {
        const place = places.get(other)
        return place === undefined ? [] : [{ other, place }]
      })
      const found = new Set<Id>()
      if (own === undefined || sought.length === 0) return found
      const above = markAncestors(own, Math.max(...sought.map(({ place }) => rank[place] ?? 0)))
      for (const { other, place } of sought) if (stamps[place] === above) found.add(other)
      for (const { other, place } of sought) {
        if (found.has(other) || (rank[place] ?? 0) > (rank[own] ?? 0)) continue
        const mark = markAncestors(place, rank[own] ?? 0)
        if (stamps[own] === mark) found.add(other)
      }
      return found
    }
  }
}

/** Returns the length of the longest path up to each node, counting a cycle as one step. */
const ranksOf = (up: ReadonlyArray<ReadonlyArray<number>>): Int32Array => {
  const { circleOf, count } = circlesOf(up)
  // Cycles are numbered from the top down: ancestors have smaller numbers.
  const rankOfCircle = new Int32Array(count)
  const byCircle = Array.from({ length: count }, (): Array<number> => [])
  for (const [place, circle] of circleOf.entries()) byCircle[circle]?.push(place)
  for (let circle = count - 1; circle >= 0; circle--)
    for (const place of byCircle[circle] ?? [])
      for (const next of up[place] ?? []) {
        const above = circleOf[next] ?? 0
        const least = (rankOfCircle[circle] ?? 0) + 1
        if (above !== circle && (rankOfCircle[above] ?? 0) < least) rankOfCircle[above] = least
      }
  return Int32Array.from(circleOf, (circle) => rankOfCircle[circle] ?? 0)
}

/**
 * Returns the strongly connected components of a graph; every edge leads to the same or a smaller component number.
 * Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972), without recursion.
 */
const circlesOf = (up: ReadonlyArray<ReadonlyArray<number>>) => {
  const size = up.length
  const index = new Int32Array(size).fill(-1)
  const low = new Int32Array(size)
  const circleOf = new Int32Array(size).fill(-1)
  const next = new Int32Array(size)
  const path: Array<number> = []
  let seen = 0
  let count = 0
  const at = (of: Int32Array, place: number): number => of[place] ?? 0
  for (let start = 0; start < size; start++) {
    if (index[start] !== -1) continue
    const open = [start]
    for (let place = open.at(-1); place !== undefined; place = open.at(-1)) {
      if (index[place] === -1) {
        index[place] = low[place] = seen++
        path.push(place)
      }
      const child = up[place]?.[at(next, place)]
      if (child !== undefined) {
        next[place] = at(next, place) + 1
        if (index[child] === -1) open.push(child)
        else if (circleOf[child] === -1) low[place] = Math.min(at(low, place), at(index, child))
        continue
      }
      open.pop()
      const parent = open.at(-1)
      if (parent !== undefined) low[parent] = Math.min(at(low, parent), at(low, place))
      if (low[place] !== index[place]) continue
      for (let member = path.pop(); member !== undefined; member = path.pop()) {
        circleOf[member] = count
        if (member === place) break
      }
      count += 1
    }
  }
  return { circleOf, count }
}
