import * as Effect from "effect/Effect"
import {
  Caller,
  type CallerShape,
  isMemberSession,
  prefixes,
  ReviewerRequired
} from "../../platform/kernel/index.js"
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
    activity === "ui" && !actor.startsWith(`${prefixes.key}_`) && answersFor({ ownerId, stewardIds }, actor)
  )
}

const answersFor = (
  { ownerId, stewardIds }: Pick<EntityRecord, "ownerId" | "stewardIds">,
  actor: string
): boolean => ownerId === actor || stewardIds.includes(actor)

/**
 * Refuses a direct change by a member, in the console or through a client, who is neither owner nor steward of an
 * entity that has one: such a member proposes it. Keys and the host change entities as the API says.
 */
export const refuseOthers = (entity: Pick<EntityRecord, "ownerId" | "stewardIds">) =>
  Effect.gen(function* () {
    const caller = yield* Caller
    const hasOwner = entity.ownerId !== null || entity.stewardIds.length > 0
    if (hasOwner && isMemberSession(caller) && !answersFor(entity, caller.actor))
      return yield* new ReviewerRequired({})
  })
