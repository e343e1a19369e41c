import { answerCacheFindings } from "../../answers/answer-cache/index.js"
import { fileFindings } from "../../files/vault-sync/index.js"
import { entityFindings } from "../../knowledge/entities/index.js"
import { graphFindings } from "../../knowledge/extraction/index.js"
import { jobFindings } from "../../platform/jobs/index.js"
import type { Finding, FindingDetail, Severity } from "../../platform/kernel/index.js"
import { lexicalFindings } from "../../search/lexical/index.js"
import { vectorFindings } from "../../search/vectors/index.js"
import { recordFindings } from "../transfer/index.js"
import { databaseFindings } from "./inspect-database.js"
import { documentFindings } from "./inspect-documents.js"

/** Every kind of finding and its severity. */
export const findingKinds = {
  ...databaseFindings,
  audit_broken: "difference",
  unexamined: "difference",
  ...fileFindings,
  ...documentFindings,
  ...lexicalFindings,
  ...vectorFindings,
  ...entityFindings,
  ...graphFindings,
  ...jobFindings,
  ...answerCacheFindings,
  ...recordFindings
} as const satisfies Record<string, Severity>

/** The code of a finding; `findingKinds` holds the severity of each. */
export type FindingCode = keyof typeof findingKinds

/** Maximum number of findings of one kind that are listed one by one. */
const listedMax = 100

/** The subject of the finding that counts those beyond `listedMax`. */
const othersSubject = ""

type UnresolvedFinding = Omit<Finding, "repaired">

/** The findings of one inspection, bounded in memory. */
export class FindingLog {
  readonly #kinds = new Map<string, Map<string, UnresolvedFinding>>()

  /** Adds a finding; findings of the same kind and subject are counted together. */
  add(code: string, severity: Severity, { count = 1, message, subject }: FindingDetail): void {
    const kind = this.#kinds.get(code) ?? new Map<string, UnresolvedFinding>()
    this.#kinds.set(code, kind)
    const isListed = kind.has(subject) || kind.size < listedMax
    const key = isListed ? subject : othersSubject
    const before = kind.get(key)
    kind.set(key, {
      code,
      severity,
      subject: key,
      message: before?.message ?? message,
      count: (before?.count ?? 0) + count
    })
  }

  /** Adds the findings of a later inspection whose kind and subject this log does not hold yet. */
  merge(later: FindingLog): void {
    for (const [code, kind] of later.#kinds) {
      for (const [subject, { count, message, severity }] of kind)
        if (this.#kinds.get(code)?.has(subject) !== true)
          this.add(code, severity, { subject, message, count })
    }
  }

  /** Returns whether there is a difference, optionally of one of the given kinds. */
  hasDifference(codes: Iterable<string> = this.#kinds.keys()): boolean {
    return [...codes].some((code) =>
      [...(this.#kinds.get(code)?.values() ?? [])].some(({ severity }) => severity === "difference")
    )
  }

  /**
   * Returns all findings, differences first. A finding counts as repaired if `last`, the log of the last inspection,
   * does not contain it. Findings of a kind in `notRebuilt` are never repaired; if `last` holds some of the kind,
   * only those are returned.
   */
  resolved(last: FindingLog, notRebuilt: ReadonlyArray<FindingCode>): ReadonlyArray<Finding> {
    const neverRepaired: ReadonlySet<string> = new Set(notRebuilt)
    return [...this.#kinds.entries()]
      .flatMap(([code, kind]) =>
        [...kind.values()].flatMap((finding): ReadonlyArray<Finding> => {
          const remains = last.#kinds.get(code)?.has(finding.subject) === true
          // Remarks describe the present state.
          if (finding.severity === "remark" && !remains) return []
          if (!remains && neverRepaired.has(code) && last.hasDifference([code])) return []
          return [{ ...finding, repaired: !remains }]
        })
      )
      .sort((a, b) => (a.severity === b.severity ? 0 : a.severity === "difference" ? -1 : 1))
  }
}
