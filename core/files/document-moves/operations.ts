import { z } from "zod"
import { DocumentId, operation, seeingAll } from "../../platform/kernel/index.js"
import { DocumentMoveResult } from "../documents/index.js"
import { moveDocument as move } from "./move.js"

/** Conflict when the new path is taken; links of other documents are rewritten in the same unit of work. */
export const moveDocument = operation({
  name: "moveDocument",
  summary: "Move a document to another path and rewrite the links to it.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    id: DocumentId,
    path: z.string().min(1),
    rewriteLinks: z
      .boolean()
      .default(true)
      .describe("Whether links that would break are rewritten, in other documents and in this one.")
  }),
  output: DocumentMoveResult,
  faults: ["NotFound", "Conflict", "InvalidInput", "ReviewerRequired", "VaultUnavailable"],
  run: ({ id, path, rewriteLinks }) => seeingAll(move(id, path, { rewriteLinks }))
})
