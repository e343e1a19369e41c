import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { atomically, Caller, type DecisionId, type Examiner } from "../kernel/index.js"
import { decideGate } from "./decide.js"
import { PolicyDecision } from "./decision.js"
import { DecisionLog, type KeptDecision } from "./store.js"

/** The kinds of what may be wrong with decisions. */
export const decisionFindings = { decision_differs: "remark", decision_misfiled: "difference" } as const

/** Whether the features of a decision give the very decision again. */
export const isReplayable = ({
  caveats,
  confidence,
  features,
  gate,
  reasons,
  verdict
}: PolicyDecision): boolean => {
  const again = decideGate(features)
  return (
    again.gate === gate &&
    again.verdict === verdict &&
    again.confidence === confidence &&
    again.reasons.join("\n") === reasons.join("\n") &&
    again.caveats.map(({ code }) => code).join() === caveats.map(({ code }) => code).join()
  )
}

const pageSize = 200

/**
 * Finds decisions that do not follow from their own features: a row was changed, or is damaged; nothing to mend. And
 * those that statistics count, or that are looked for, as something else than they say.
 */
export const checkDecisions = Effect.fn("policy.check")(function* (
  examiner: Examiner<keyof typeof decisionFindings>
) {
  const [log, { workspace }] = [yield* DecisionLog, yield* Caller]
  for (let last: DecisionId | null = null; ; ) {
    const page: ReadonlyArray<KeptDecision> = yield* log.after(workspace, last, pageSize)
    for (const { decision, id, isFiled } of page) {
      // One of another shape is told by who looks at records.
      if (decision === null || !PolicyDecision.safeParse(decision).success) continue
      // Whether what it says was changed, or what it is filed under, nobody knows then.
      if (!isReplayable(decision)) {
        yield* examiner.tell("decision_differs", {
          subject: id,
          message: "a decision of the gate that does not follow from its features"
        })
        continue
      }
      if (isFiled) continue
      yield* examiner.tell("decision_misfiled", {
        subject: id,
        message: "a decision of the gate that counts as another than it says"
      })
      if (examiner.repair) yield* refile(decision)
    }
    last = page.at(-1)?.id ?? last
    if (page.length < pageSize) return
  }
})

const refile = (decision: PolicyDecision) =>
  atomically(
    Effect.gen(function* () {
      const [log, { workspace }] = [yield* DecisionLog, yield* Caller]
      yield* log.refile(workspace, decision)
      yield* record([{ action: "decision.repair", subjectId: decision.id, details: { refiled: true } }])
    })
  )
