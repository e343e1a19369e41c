/** Random numbers of a seed: equal seeds give equal numbers. */
export interface Random {
  /** In [0, 1). */
  readonly next: () => number
  /** A whole number in [0, below). */
  readonly below: (below: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <Item>(items: readonly [Item, ...ReadonlyArray<Item>]) => Item
}

/** Mulberry32: small, quick, and good enough to choose schedules. */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (items) => items[below(items.length)] ?? items[0]
  }
}
