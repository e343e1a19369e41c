import { type CallerShape, prefixes } from "../../platform/kernel/index.js"
import type { EntityRecord } from "./model.js"

/**
 * Returns whether the caller may decide about an entity: anyone if it has no owner and no stewards, else only those.
 * A key carries no member identity, also where it has signed in to the console, so it matches no owner.
 */
export const mayReview = (
  { ownerId, stewardIds }: Pick<EntityRecord, "ownerId" | "stewardIds">,
  { activity, actor }: Pick<CallerShape, "activity" | "actor">
): boolean => {
  if (ownerId === null && stewardIds.length === 0) return true
  return (
    activity === "ui" &&
    !actor.startsWith(`${prefixes.key}_`) &&
    (ownerId === actor || stewardIds.includes(actor))
  )
}
