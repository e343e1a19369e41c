import { median, quantile } from "./statistics.js"

/** Cost of a piece of work. */
export interface Cost {
  /** CPU time of the whole process, user and system. */
  readonly cpuMs: number
  readonly wallMs: number
}

/** Does the work and tells what it took. */
export const costOf = async (work: () => unknown): Promise<Cost> => {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  await work()
  const wallMs = performance.now() - startedAt
  const { system, user } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000, wallMs }
}

export interface Pair<A> {
  readonly ours: A
  readonly floor: A
}

/**
 * Measures both in turn (ours first, then the floor first, and so on), so that whatever else the machine does hits
 * both alike. Gives `count` pairs; one more, the first, is dropped.
 */
export const interleaved = async <A>(
  count: number,
  ours: (window: number) => Promise<A>,
  floor: (window: number) => Promise<A>
): Promise<ReadonlyArray<Pair<A>>> => {
  const pairs: Array<Pair<A>> = []
  for (let window = 0; window <= count; window++) {
    if (window % 2 === 0) {
      const first = await ours(window)
      pairs.push({ ours: first, floor: await floor(window) })
    } else {
      const first = await floor(window)
      pairs.push({ ours: await ours(window), floor: first })
    }
  }
  return pairs.slice(1)
}

/** Medians of both sides, and median and spread of the paired ratios ours / floor. */
export const compare = <A>(pairs: ReadonlyArray<Pair<A>>, figure: (measured: A) => number) => {
  const ratios = pairs.map(({ floor, ours }) => figure(ours) / figure(floor))
  return {
    ours: median(pairs.map(({ ours }) => figure(ours))),
    floor: median(pairs.map(({ floor }) => figure(floor))),
    ratio: median(ratios),
    iqr: quantile(ratios, 0.75) - quantile(ratios, 0.25),
    n: pairs.length
  }
}
