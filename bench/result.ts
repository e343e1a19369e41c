/** How much work a bench takes on: `small` is for trying the bench itself, `full` for large inputs. */
export const sizes = ["small", "default", "full"] as const
export type Size = (typeof sizes)[number]

/** One measured figure beside that of a floor or peer. */
export interface BenchResult {
  readonly name: string
  readonly metric: string
  readonly ours: number
  /** Null where there is nothing to compare with. */
  readonly floor: number | null
  /** ours / floor: of times, the median over pairs. */
  readonly ratio: number | null
  /** Pairs, queries or runs behind the figures. */
  readonly n: number
  readonly unit: string
  /** Name of the floor. */
  readonly peer: string
  readonly size: Size
  /** Distance of the quartiles of the paired ratios; null where no ratio was taken pair by pair. */
  readonly iqr: number | null
  /** Target of the ratio, for example `<= 0.3`. */
  readonly target?: string
  /** The judged collection, and whether it was searched as whole documents or as passages. */
  readonly collection?: string
  /** p-value of Fisher's randomisation test over the queries, ours against the floor. */
  readonly p?: number
}

/** A figure as a bench reports it; the ratio defaults to `ours` divided by `floor`. */
export type Figure = Omit<BenchResult, "name" | "size" | Usual> & Partial<Pick<BenchResult, Usual>>
type Usual = "floor" | "ratio" | "peer" | "iqr"

/** Something that was left out, and why. */
export interface Skipped {
  readonly name: string
  readonly skipped: string
}

/** One run of a bench. */
export interface RunNote {
  readonly name: string
  readonly size: Size
  readonly seed: number
  /** Absent in results from before there was more than one. */
  readonly database?: "sqlite" | "postgres"
  /** How long every sync of a file was made to last at least; absent where the disk's own time was taken. */
  readonly syncMs?: number
  readonly machine: string
  /** Measured commit, as `git describe` prints it; absent outside a clone. */
  readonly commit?: string
  /** Day of the run in UTC, as `2026-11-27`. */
  readonly date: string
  readonly seconds: number
}

export type Line = BenchResult | Skipped | RunNote

/** Everything that a bench is given. */
export interface BenchContext {
  readonly size: Size
  readonly seed: number
  readonly report: (figure: Figure) => void
  readonly skip: (reason: string) => void
  /** For the person who waits. */
  readonly say: (text: string) => void
}

export interface Bench {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<RunBench>
}

export type RunBench = (context: BenchContext) => Promise<void>

/** Whether a ratio is as its target wants it; null without a target or a ratio. */
export const meets = ({ ratio, target }: Pick<BenchResult, "ratio" | "target">): boolean | null => {
  const parts = /^(<=|>=) ([0-9.]+)$/.exec(target ?? "")
  if (ratio === null || parts === null) return null
  return parts[1] === "<=" ? ratio <= Number(parts[2]) : ratio >= Number(parts[2])
}
