import * as Effect from "effect/Effect"
import { z } from "zod"
import { ContradictionId, operation, pageLimit, pageOffset, seeingAll } from "../../platform/kernel/index.js"
import { findContradictions as find } from "./find.js"
import { Contradiction, ContradictionReason, ContradictionStatus } from "./model.js"
import { listContradictions as list, settleContradiction as settle } from "./service.js"

/** Oldest first; pages of at most 200. */
export const listContradictions = operation({
  name: "listContradictions",
  summary: "List statements of documents that contradict each other, oldest first.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    status: ContradictionStatus.optional().describe("Only those of this status."),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: z.object({ items: z.array(Contradiction), total: z.int(), limit: z.int(), offset: z.int() }),
  faults: [],
  run: ({ limit, offset, status }) => list(status, { limit, offset })
})

/** NotOpen for a contradiction that has ended. */
export const settleContradiction = operation({
  name: "settleContradiction",
  summary: "Mark an open contradiction as both true, or as settled.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    id: ContradictionId,
    status: z.enum(["both_true", "settled"]),
    reason: ContradictionReason.describe("Why both are true, or how it was settled.")
  }),
  output: Contradiction,
  faults: ["NotFound", "NotOpen"],
  run: ({ id, reason, status }) => settle(id, status, reason)
})

/** See `findContradictions`: documents that did not change since the last time cost nothing. */
export const findContradictions = operation({
  name: "findContradictions",
  summary: "Compare the documents that changed since the last time with all others.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({}),
  output: z.object({ documents: z.int().describe("Documents that were compared.") }),
  faults: [],
  run: () => Effect.map(seeingAll(find()), (documents) => ({ documents }))
})
