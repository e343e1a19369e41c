import type { AnswerView } from "../../../../server/console/model.js"
import { type OutputOf, useOperation, useOwn } from "../../api/hooks.js"

/** The decision behind a kept answer; undefined while it loads, and where there is none or it may not be seen. */
export const useConsoleDecision = (answerId: string | null): OutputOf<"getPolicyDecision"> | undefined => {
  const kept = useOwn<AnswerView>(`answers/${answerId ?? ""}`, {}, { enabled: answerId !== null })
  const decisionId = kept.data?.decisionId ?? null
  const decision = useOperation(
    "getPolicyDecision",
    { id: decisionId ?? "" },
    { enabled: decisionId !== null }
  )
  return decision.data
}
