import { operation } from "../kernel/index.js"
import { Query, StructuredAnswer } from "./model.js"
import { ask } from "./service.js"

export const query = operation({
  name: "query",
  summary: "Answer a question from the workspace, with atomic claims that cite what carries them.",
  scopes: ["agents:run"],
  effect: "read",
  input: Query,
  output: StructuredAnswer,
  faults: ["NoModelConfigured", "ModelUnavailable"],
  run: (input) => ask(input)
})
