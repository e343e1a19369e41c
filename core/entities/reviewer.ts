import type { CallerShape } from "../kernel/index.js"
import type { EntityRecord } from "./model.js"

/**
 * Returns whether the caller may decide about an entity: anyone if it has no owner and no stewards, else only those.
 * An API key carries no member identity, so over the wire nobody matches an owner.
 */
export const mayReview = (
  { ownerId, stewardIds }: Pick<EntityRecord, "ownerId" | "stewardIds">,
  { activity, actor }: Pick<CallerShape, "activity" | "actor">
): boolean => {
  if (ownerId === null && stewardIds.length === 0) return true
  return activity === "ui" && (ownerId === actor || stewardIds.includes(actor))
}
