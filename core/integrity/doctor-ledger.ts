import type { Finding, Severity, Symptom } from "../kernel/index.js"

/** So many findings of a kind are kept one by one. */
const listedMax = 100

type Noted = Omit<Finding, "repaired">

/** What one examination met: bounded, however much that is. */
export class DoctorLedger {
  readonly #kinds = new Map<string, Map<string, Noted>>()

  /** Notes a symptom; one of the same kind and subject as another counts with it. */
  note(code: string, severity: Severity, { count = 1, message, subject }: Symptom): void {
    const kind = this.#kinds.get(code) ?? new Map<string, Noted>()
    this.#kinds.set(code, kind)
    const listed = kind.has(subject) || kind.size < listedMax
    const place = listed ? subject : others
    const before = kind.get(place)
    const said = before?.message ?? message
    kind.set(place, { code, severity, subject: place, message: said, count: (before?.count ?? 0) + count })
  }

  /** Adds what another one met and this one has not; of what both met, what was met first stays. */
  add(later: DoctorLedger): void {
    for (const [code, kind] of later.#kinds) {
      for (const [subject, { count, message, severity }] of kind)
        if (this.#kinds.get(code)?.has(subject) !== true)
          this.note(code, severity, { subject, message, count })
    }
  }

  get hasDifferences(): boolean {
    return this.hasDifferenceOf(this.#kinds.keys())
  }

  /** Whether a difference of one of the kinds was met. */
  hasDifferenceOf(codes: Iterable<string>): boolean {
    return [...codes].some((code) =>
      [...(this.#kinds.get(code)?.values() ?? [])].some(({ severity }) => severity === "difference")
    )
  }

  /**
   * All that was met, in the order of the kinds: repaired is what the last examination did not meet again. Nothing is of
   * a kind that nobody mends: there the last one tells what stands, by other subjects where more was written meanwhile.
   */
  findings(last: DoctorLedger, unmended: ReadonlyArray<string>): ReadonlyArray<Finding> {
    return [...this.#kinds.entries()]
      .flatMap(([code, kind]) =>
        [...kind.values()].flatMap((noted): ReadonlyArray<Finding> => {
          const stands = last.#kinds.get(code)?.has(noted.subject) === true
          // A remark is about how things are now.
          if (noted.severity === "remark" && !stands) return []
          if (!stands && unmended.includes(code) && last.hasDifferenceOf([code])) return []
          return [{ ...noted, repaired: !stands }]
        })
      )
      .sort((a, b) => (a.severity === b.severity ? 0 : a.severity === "difference" ? -1 : 1))
  }
}

/** Stands for the subjects of a kind that are not listed. */
const others = ""
