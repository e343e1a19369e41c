import { isLong } from "./runs.js"

/** How a kind of text is made long: `length` characters, more or less. */
export type Lengthened = (length: number) => string

export interface LinearLimits {
  /** The longest text that is tried, in characters: 1 MiB in a long run and an eighth of it else, unless there is a bound. */
  readonly length?: number
  /** Most CPU time that the longest may take. Generous: it is there for what no growth shows. */
  readonly limitMs?: number
}

/**
 * Returns a message when the CPU time of `work` grows faster than linearly with the text; null otherwise. Lengths
 * double, so that quadratic growth ends early. Twice the text may take three times the time (quadratic growth would
 * take four), and more once, since a long text may be read in another way than a short one. The least CPU time of some
 * tries is used: other work on the machine only adds to a try.
 */
export const superLinear = (
  work: (text: string) => unknown,
  lengthened: Lengthened,
  { length = longest, limitMs = 10_000 }: LinearLimits = {}
): string | null => {
  const lengths: Array<number> = []
  for (let at = length; at >= 1024; at /= 2) lengths.unshift(Math.floor(at))
  // Compiles what is to be measured.
  for (let warm = 0; warm < 3; warm++) work(lengthened(lengths[0] ?? 1024))
  const samples: Array<Sample> = []
  for (const long of lengths) {
    // A string that was put together is made one piece by whoever reads it first: that is not measured.
    const text = flat(lengthened(long))
    samples.push({ text, leastMs: cpuMs(work, text) })
    // Noise is no second long: what took that is tried once more only, and what a collection of garbage takes up often.
    const { leastMs = 0 } = samples.at(-1) ?? {}
    const tries = leastMs > 1000 ? 1 : leastMs > 300 ? 4 : 12
    for (let again = 0; again < tries && isBad(samples, limitMs); again++)
      for (const sample of samples.slice(-3))
        sample.leastMs = Math.min(sample.leastMs, cpuMs(work, sample.text))
    if (isBad(samples, limitMs)) {
      const times = samples.slice(-3).map(({ leastMs }) => leastMs.toFixed(1))
      return `${long} characters, half and a quarter of them: ${times.reverse().join(", ")} ms of CPU time: ${JSON.stringify(text.slice(0, 60))}`
    }
  }
  return null
}

interface Sample {
  readonly text: string
  leastMs: number
}

const isBad = (samples: ReadonlyArray<Sample>, limitMs: number): boolean => {
  const [quarter = Infinity, half = Infinity, whole = 0] = samples.slice(-3).map(({ leastMs }) => leastMs)
  return whole > limitMs || (whole >= meaningfulMs && whole > growth * half && half > growth * quarter)
}

/**
 * Minimum time in ms that is compared: shorter times drown in compilation and garbage collection, which long texts make
 * more of.
 */
const meaningfulMs = isLong ? 500 : 60
const growth = 3
/** Longest text in characters: quadratic growth takes seconds even for the shorter one. */
const longest = isLong ? 1024 * 1024 : 128 * 1024

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
