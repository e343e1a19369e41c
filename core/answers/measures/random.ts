/** Makes a source of unsigned 32-bit integers that is the same on every machine (mulberry32, T. Ettinger 2017). */
export const integersFrom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** Makes a source of numbers in [0, 1) from a 32-bit seed. */
export const randomFrom = (seed: number): (() => number) => {
  const next = integersFrom(seed)
  return () => next() / 2 ** 32
}
