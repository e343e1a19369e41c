import type { Knots } from "./model.js"

interface Block {
  readonly from: number
  readonly to: number
  readonly weight: number
  readonly mean: number
}

/**
 * Fits an isotonic regression by pooling adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman, "An Empirical
 * Distribution Function for Sampling with Incomplete Information", Ann. Math. Stat. 26, 1955): the increasing step
 * function with the least weighted squared error, as knots. Equal inputs are pooled first, so order does not matter.
 * Without points there are no knots.
 */
export const fitIsotonic = (
  points: ReadonlyArray<{ readonly x: number; readonly y: number; readonly weight?: number }>
): Knots => {
  const blocks: Array<Block> = []
  for (const point of pooled(points)) {
    let block = point
    for (let last = blocks.at(-1); last !== undefined && last.mean >= block.mean; last = blocks.at(-1)) {
      blocks.pop()
      block = joined(last, block)
    }
    blocks.push(block)
  }
  const ends = blocks.flatMap(({ from, mean, to }) =>
    from === to ? [[from, mean] as const] : [[from, mean] as const, [to, mean] as const]
  )
  return { x: ends.map(([x]) => x), y: ends.map(([, y]) => y) }
}

/** Returns the value at `x`: linear between knots, constant outside; 0 without knots. */
export const predictIsotonic = ({ x: xs, y: ys }: Knots, x: number): number => {
  const above = xs.findIndex((knot) => knot >= x)
  if (above < 0) return ys.at(-1) ?? 0
  const [right = 0, high = 0] = [xs[above], ys[above]]
  if (above === 0 || right === x) return high
  const [left = 0, low = 0] = [xs[above - 1], ys[above - 1]]
  return low + ((high - low) * (x - left)) / (right - left)
}

const pooled = (
  points: ReadonlyArray<{ readonly x: number; readonly y: number; readonly weight?: number }>
): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  for (const { weight = 1, x, y } of [...points].sort((a, b) => a.x - b.x)) {
    const last = blocks.at(-1)
    const block = { from: x, to: x, weight, mean: y }
    if (last !== undefined && last.to === x) {
      blocks.pop()
      blocks.push(joined(last, block))
    } else blocks.push(block)
  }
  return blocks
}

const joined = (a: Block, b: Block): Block => ({
  from: a.from,
  to: b.to,
  weight: a.weight + b.weight,
  mean: (a.mean * a.weight + b.mean * b.weight) / (a.weight + b.weight)
})
