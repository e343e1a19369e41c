/** The value below which `share` (0 to 1) of the values lie, interpolated between neighbours; NaN of none. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (low === undefined || high === undefined) return Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** NaN of none. */
export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
