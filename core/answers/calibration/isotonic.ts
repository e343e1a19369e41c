import type { Knots } from "./model.js"

/** Returns the value at `x`: linear between knots, constant outside; 0 without knots. */
export const predictIsotonic = ({ x: xs, y: ys }: Knots, x: number): number => {
  const above = xs.findIndex((knot) => knot >= x)
  if (above < 0) return ys.at(-1) ?? 0
  const [right = 0, high = 0] = [xs[above], ys[above]]
  if (above === 0 || right === x) return high
  const [left = 0, low = 0] = [xs[above - 1], ys[above - 1]]
  return low + ((high - low) * (x - left)) / (right - left)
}
