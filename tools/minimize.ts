/** Minimizes a smooth convex function by L-BFGS (Nocedal and Wright, "Numerical Optimization", 2nd ed., 7.4). */
export const minimize = (
  of: (x: Float64Array, gradient: Float64Array) => number,
  start: Float64Array,
  steps = 100
): Float64Array => {
  const memory = 10
  const size = start.length
  let x = start
  let gradient = new Float64Array(size)
  let value = of(x, gradient)
  const pairs: Array<{ s: Float64Array; y: Float64Array; rho: number }> = []
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, one, at) => sum + one * (b[at] ?? 0), 0)
  for (let step = 0; step < steps; step += 1) {
    const direction = gradient.map((one) => -one)
    const alphas: Array<number> = []
    for (const { rho, s, y } of [...pairs].reverse()) {
      const alpha = rho * dot(s, direction)
      alphas.push(alpha)
      for (let at = 0; at < size; at += 1) direction[at] = (direction[at] ?? 0) - alpha * (y[at] ?? 0)
    }
    const last = pairs.at(-1)
    const scale =
      last === undefined
        ? 1 / Math.max(1, Math.sqrt(dot(gradient, gradient)))
        : 1 / (last.rho * dot(last.y, last.y))
    for (let at = 0; at < size; at += 1) direction[at] = (direction[at] ?? 0) * scale
    for (const [place, { rho, s, y }] of pairs.entries()) {
      const beta = rho * dot(y, direction)
      const alpha = alphas[pairs.length - 1 - place] ?? 0
      for (let at = 0; at < size; at += 1)
        direction[at] = (direction[at] ?? 0) + (s[at] ?? 0) * (alpha - beta)
    }
    const slope = dot(gradient, direction)
    if (slope > -1e-7) break
    let length = 1
    let [next, nextGradient, nextValue] = [x, gradient, value]
    for (let tries = 0; tries < 30; tries += 1, length /= 2) {
      next = x.map((one, at) => one + length * (direction[at] ?? 0))
      nextGradient = new Float64Array(size)
      nextValue = of(next, nextGradient)
      if (nextValue <= value + 1e-4 * length * slope) break
    }
    const s = next.map((one, at) => one - (x[at] ?? 0))
    const y = nextGradient.map((one, at) => one - (gradient[at] ?? 0))
    const curvature = dot(s, y)
    if (curvature > 1e-12) pairs.push({ s, y, rho: 1 / curvature })
    if (pairs.length > memory) pairs.shift()
    const gain = value - nextValue
    ;[x, gradient, value] = [next, nextGradient, nextValue]
    if (gain < 1e-6 * Math.abs(value)) break
  }
  return x
}
