/** The circuit-breaker state of one model at one provider. Immutable; times are milliseconds of the clock service. */
export interface Circuit {
  /** The latest outcomes, oldest first; true is a success. */
  readonly recent: ReadonlyArray<boolean>
  readonly failuresInRow: number
  readonly openedAt: number | null
  /** A probe call is checking whether the provider is back. */
  readonly probing: boolean
}

export const closedCircuit: Circuit = { recent: [], failuresInRow: 0, openedAt: null, probing: false }

const failuresInRowMax = 5
const recentCount = 20
const openMs = 30_000

export type Admission =
  | { readonly admitted: true; readonly circuit: Circuit }
  | { readonly admitted: false; readonly retryAfterMs: number }

/** Decides whether a call may go out. After being open for 30 seconds, the circuit admits one probe. */
export const admit = (circuit: Circuit, now: number): Admission => {
  if (circuit.openedAt === null) return { admitted: true, circuit }
  const leftMs = circuit.openedAt + openMs - now
  if (leftMs > 0) return { admitted: false, retryAfterMs: leftMs }
  if (circuit.probing) return { admitted: false, retryAfterMs: 1000 }
  return { admitted: true, circuit: { ...circuit, probing: true } }
}

/** Returns the circuit after a call: it opens after five failures in a row or when half of the last twenty failed. */
export const record = (circuit: Circuit, success: boolean, now: number): Circuit => {
  if (success && circuit.probing) return closedCircuit
  const recent = [...circuit.recent, success].slice(-recentCount)
  const failuresInRow = success ? 0 : circuit.failuresInRow + 1
  const failed = recent.filter((one) => !one).length
  const opens =
    !success &&
    (circuit.probing ||
      failuresInRow >= failuresInRowMax ||
      (recent.length === recentCount && failed * 2 >= recentCount))
  if (opens) return { recent: [], failuresInRow, openedAt: now, probing: false }
  return { recent, failuresInRow, openedAt: circuit.openedAt, probing: false }
}

/** Returns the circuit after a cancelled call: the outcome is unknown, and another probe is admitted. */
export const release = (circuit: Circuit): Circuit => ({ ...circuit, probing: false })
