import type { DecisionPage, ExplainedDecision } from "../answering/index.js"
import { operations } from "../operations.js"
import type { PolicyMode, PolicyStats, Verdict } from "../policy/index.js"
import type { Call } from "./calls.js"

/** The calls of the embedded engine that are about what the gate decided. */
export interface DecisionCalls {
  readonly decisions: {
    /** The newest first; `limit` 1 to 200, 50 by default. `from` and `to` are moments, or days in UTC. */
    readonly list: (options?: {
      readonly limit?: number
      readonly offset?: number
      readonly verdict?: Verdict
      readonly mode?: PolicyMode
      readonly docId?: string
      readonly from?: string
      readonly to?: string
    }) => Promise<DecisionPage>
    /** With its features, the path of the question, the answer as given, and which citations still stand. */
    readonly get: (id: string) => Promise<ExplainedDecision>
    /** Of the last thirty days. */
    readonly stats: () => Promise<PolicyStats>
  }
}

export const decisionCalls = (call: Call): DecisionCalls => ({
  decisions: {
    list: (options = {}) => call(operations.listPolicyDecisions, options),
    get: (id) => call(operations.getPolicyDecision, { id }),
    stats: () => call(operations.getPolicyStats, {})
  }
})
