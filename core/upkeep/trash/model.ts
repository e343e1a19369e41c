import { z } from "zod"
import { Timestamp } from "../../platform/kernel/index.js"
import { TrashId, TrashKind } from "../overview/index.js"

/** Blocking reason for a document whose text is lost. */
export const lostText = "its text is lost"

/** A deleted or merged item that can be restored. */
export const TrashItem = z.object({
  id: TrashId,
  kind: TrashKind,
  label: z.string().describe("A document's path, an entity's name, a relation's ends and type."),
  deletedAt: Timestamp.describe("When it was deleted; of a merged entity, when it was merged."),
  deletedBy: z.string().nullable().describe("Who did it; null when nobody knows any more."),
  purgeAt: Timestamp.nullable().describe("When it will be gone for good; null: never."),
  restorable: z.boolean().describe("Whether a restore without a path would succeed now."),
  blockedBy: z
    .string()
    .nullable()
    .describe(
      "What is in its way: who has its path, name or edge now, or the deleted end of a relation." +
        ` Of a document also "${lostText}".`
    )
})
export type TrashItem = z.infer<typeof TrashItem>

/** A page of the trash, newest first; `total` counts all of the requested kind. */
export const TrashPage = z.object({ items: z.array(TrashItem), total: z.int() })
export type TrashPage = z.infer<typeof TrashPage>

/** Confirms a restore. */
export const RestoreAck = z.object({ id: TrashId, kind: TrashKind, restored: z.literal(true) })
export type RestoreAck = z.infer<typeof RestoreAck>
