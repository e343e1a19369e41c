import { z } from "zod"
import { operation, pageLimit, pageOffset } from "../../platform/kernel/index.js"
import { TrashId, TrashKind } from "../overview/index.js"
import { RestoreAck, TrashPage } from "./model.js"
import * as service from "./service.js"

/** Lists the trash; `limit` is clamped to 1 to 200, `restorable` refers to the present moment. */
export const listTrash = operation({
  name: "listTrash",
  summary: "List deleted and merged items, newest first, with what blocks their restoration.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    kind: TrashKind.optional(),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: TrashPage,
  faults: [],
  run: ({ kind, limit, offset }) => service.listTrash({ limit, offset }, kind)
})

/**
 * Restores an item. Only this operation takes the id of a merged entity as that entity. Conflict where a live item
 * occupies its place.
 */
export const restoreFromTrash = operation({
  name: "restoreFromTrash",
  summary: "Restore a deleted item, or split a merged entity out again.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    id: TrashId,
    path: z.string().min(1).optional().describe("Where a document goes when its old path is taken.")
  }),
  output: RestoreAck,
  faults: ["NotFound", "Conflict", "InvalidInput", "VaultUnavailable"],
  run: ({ id, path }) => service.restoreFromTrash(id, path)
})
