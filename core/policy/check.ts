import * as Effect from "effect/Effect"
import { Caller, type DecisionId, type Examiner } from "../kernel/index.js"
import { decideGate } from "./decide.js"
import { PolicyDecision } from "./decision.js"
import { DecisionLog } from "./store.js"

/** The kinds of what may be wrong with decisions. */
export const decisionFindings = { decision_differs: "remark" } as const

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

/** Finds decisions that do not follow from their own features: a row was changed, or is damaged. Nothing to mend. */
export const checkDecisions = Effect.fn("policy.check")(function* (
  examiner: Examiner<keyof typeof decisionFindings>
) {
  const [log, { workspace }] = [yield* DecisionLog, yield* Caller]
  for (let last: DecisionId | null = null; ; ) {
    const page: Effect.Effect.Success<ReturnType<typeof log.after>> = yield* log.after(
      workspace,
      last,
      pageSize
    )
    // One of another shape is told by who looks at records.
    for (const { decision, id } of page)
      if (decision !== null && PolicyDecision.safeParse(decision).success && !isReplayable(decision))
        yield* examiner.tell("decision_differs", {
          subject: id,
          message: "a decision of the gate that does not follow from its features"
        })
    last = page.at(-1)?.id ?? last
    if (page.length < pageSize) return
  }
})
