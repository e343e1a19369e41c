import * as Effect from "effect/Effect"
import { noteReply, operation } from "../../platform/kernel/index.js"
import { checkText } from "./grounding-check.js"
import { GroundingCheck, GroundingReport, Query, StructuredAnswer } from "./model.js"
import { askTraced } from "./service.js"

/**
 * The one operation that answers; see `askTraced`. NoModelConfigured and ModelUnavailable only where the built-in
 * model may not stand in.
 */
export const query = operation({
  name: "query",
  tool: "svc_query",
  summary: "Answer a question from the workspace in atomic claims, each with its citations.",
  scopes: ["agents:run"],
  effect: "read",
  input: Query,
  output: StructuredAnswer,
  faults: ["InvalidInput", "NoModelConfigured", "ModelUnavailable"],
  run: (input) =>
    Effect.gen(function* () {
      const { answer, trace } = yield* askTraced(input)
      if (trace.answerId !== null) yield* noteReply({ answerId: trace.answerId })
      return answer
    })
})

/** See `checkText`. NotFound when a document or entity that it is to be checked against is not there. */
export const checkGrounding = operation({
  name: "checkGrounding",
  tool: "svc_check_grounding",
  summary: "Check each statement of a text against the workspace, without generating text.",
  scopes: ["agents:run"],
  effect: "read",
  input: GroundingCheck,
  output: GroundingReport,
  faults: ["NotFound", "InvalidInput", "NoModelConfigured"],
  run: checkText
})
