import type { CallerShape } from "../kernel/index.js"
import type { EntityRecord } from "./model.js"

/**
 * Whether the caller may decide about an entity: everybody where nobody has it in care, else its owner and its
 * stewards. A key carries no member's identity, so over the wire nobody is one of them.
 */
export const mayReview = (
  { ownerId, stewardIds }: Pick<EntityRecord, "ownerId" | "stewardIds">,
  { activity, actor }: Pick<CallerShape, "activity" | "actor">
): boolean => {
  if (ownerId === null && stewardIds.length === 0) return true
  return activity === "ui" && (ownerId === actor || stewardIds.includes(actor))
}
