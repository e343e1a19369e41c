/** Statements of the engines that are opened from now on, of which one fails, once. */
export interface FaultyStatements {
  /** Lets the statement at this place from now fail before it does anything; null lets all succeed. */
  readonly arm: (place: number | null) => void
  /** The texts since the last arming. */
  readonly texts: ReadonlyArray<string>
  readonly hasFailed: () => boolean
  /** The rows of a statement on the database that ran the last one; it neither counts nor fails. */
  readonly beside: (text: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** Lets the driver be as it was. */
  readonly restore: () => void
}

/** Makes one statement fail and records all, for any driver. */
export const failingOnce = <Fault>(faults: readonly [Fault, ...ReadonlyArray<Fault>]) => {
  const texts: Array<string> = []
  let [failAt, failed]: [number | null, boolean] = [null, false]
  return {
    texts,
    /** Notes a statement; the fault that it is to have, if any. A disk that is full keeps nobody from undoing. */
    next: (text: string): Fault | null => {
      if (/^rollback/i.test(text)) return null
      texts.push(text)
      if (failAt !== texts.length - 1) return null
      failed = true
      return faults[failAt % faults.length] ?? faults[0]
    },
    arm: (place: number | null) => {
      texts.length = 0
      failAt = place
      failed = false
    },
    hasFailed: () => failed
  }
}
