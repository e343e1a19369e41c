import { operations } from "../../core/operations.js"
import { operation } from "../../core/platform/kernel/index.js"
import { row } from "../catalog/row.js"

/** Asks as the operation `query` does, and always tells how far it is. */
export const askRow = row(operation({ ...operations.query, name: "ask" }), "POST", "/console/ask", {
  staged: "always"
})
