import { randomFrom } from "../../core/answers/measures/index.js"

/** Random numbers of a seed: equal seeds give equal numbers. */
export interface Random {
  /** In [0, 1). */
  readonly next: () => number
  /** A whole number in [0, below). */
  readonly below: (below: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <Item>(items: readonly [Item, ...ReadonlyArray<Item>]) => Item
}

/** Good enough to choose schedules. */
export const randomOf = (seed: number): Random => {
  const next = randomFrom(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (items) => items[below(items.length)] ?? items[0]
  }
}
