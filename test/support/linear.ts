/** How a kind of text is made long: `length` characters, more or less. */
export type Lengthened = (length: number) => string

export interface LinearLimits {
  /** The longest text that is tried, in characters; 1 MiB unless it is said to be less. */
  readonly length?: number
  /** Most CPU time that the longest may take. Generous: it is there for what no growth shows. */
  readonly limitMs?: number
}

/**
 * What is wrong with the CPU time of `work` on ever longer texts; null when nothing is. Lengths double up to
 * 1 MiB, so that what grows as the square ends early. Four times the text may take nine times the time (as the
 * square it would be sixteen) where it takes long enough to be told from noise. CPU time and not the clock, the
 * least of some tries: other work on the machine adds to a try, and takes nothing from it.
 */
export const superLinear = (
  work: (text: string) => unknown,
  lengthened: Lengthened,
  { length = 1024 * 1024, limitMs = 10_000 }: LinearLimits = {}
): string | null => {
  const lengths: Array<number> = []
  for (let at = length; at >= 1024; at /= 2) lengths.unshift(Math.floor(at))
  const texts: Array<string> = []
  const times: Array<number> = []
  // Compiles what is to be measured.
  for (let warm = 0; warm < 3; warm++) work(lengthened(lengths[0] ?? 1024))
  for (const [index, long] of lengths.entries()) {
    // A string that was put together is made one piece by whoever reads it first: that is not measured.
    const text = flat(lengthened(long))
    texts.push(text)
    times.push(cpuMs(work, text))
    const earlier = index - 2
    const isBad = () =>
      (times[index] ?? 0) > limitMs ||
      ((times[index] ?? 0) >= meaningfulMs && (times[index] ?? 0) > growth * (times[earlier] ?? Infinity))
    // Noise is no second long: what took that is tried once more only.
    const attempts = (times[index] ?? 0) > 1000 ? 1 : tries
    for (let again = 0; again < attempts && isBad(); again++) {
      times[index] = Math.min(times[index] ?? Infinity, cpuMs(work, text))
      // Where there is little of it, the time of the shorter one is what noise made of it: its longest counts.
      const shorter = texts[earlier]
      if (shorter !== undefined) times[earlier] = Math.max(times[earlier] ?? 0, cpuMs(work, shorter))
    }
    if (isBad())
      return `${long} characters took ${Math.round(times[index] ?? 0)} ms of CPU time, a quarter of it ${(times[earlier] ?? 0).toFixed(1)} ms: ${JSON.stringify(text.slice(0, 60))}`
  }
  return null
}

/** What takes less is not told from noise: a collection of garbage, a compilation. */
const meaningfulMs = 60
const growth = 9
const tries = 4

const flat = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le")

const cpuMs = (work: (text: string) => unknown, text: string): number => {
  const before = process.cpuUsage()
  work(text)
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

/** A piece, over and over; what comes before and behind it. */
export const repeated =
  (piece: string, before = "", behind = ""): Lengthened =>
  (length) =>
    `${before}${piece.repeat(Math.max(1, Math.floor(length / piece.length)))}${behind}`
