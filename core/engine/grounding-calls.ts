import type { GroundingReport } from "../answering/index.js"
import { operations } from "../operations.js"
import type { PolicyMode } from "../policy/index.js"
import type { Call } from "./calls.js"

/** The calls of the embedded engine that are about texts which others wrote. */
export interface GroundingCalls {
  readonly grounding: {
    /** Checks a text against the workspace, or these documents and entities, statement by statement. */
    readonly check: (
      text: string,
      options?: {
        readonly docIds?: ReadonlyArray<string>
        readonly entityIds?: ReadonlyArray<string>
        readonly policyMode?: PolicyMode
        /** Asks the judge model, too; where one is enabled unless this says otherwise. */
        readonly judge?: boolean
      }
    ) => Promise<GroundingReport>
  }
}

export const groundingCalls = (call: Call): GroundingCalls => ({
  grounding: { check: (text, options = {}) => call(operations.checkGrounding, { ...options, text }) }
})
