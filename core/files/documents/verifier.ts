import * as Effect from "effect/Effect"
import {
  Caller,
  type CallerShape,
  isMemberSession,
  now,
  prefixes,
  ReviewerRequired
} from "../../platform/kernel/index.js"
import type { Document } from "./model.js"
import { isVouchedFor } from "./states.js"

type Verified = Pick<Document, "verification" | "verifiedBy" | "nextVerifyAt">

/**
 * Whether a caller may only propose a change: a member who is not the one that verified the document. A verification
 * protects until its review is due; one of a key or of the host protects nothing, since no member could approve. Keys
 * and the host change documents as the API says.
 */
export const mayOnlyPropose = (
  { nextVerifyAt, verification, verifiedBy }: Verified,
  caller: Pick<CallerShape, "actor" | "sessionId">,
  at: string
): boolean =>
  isVouchedFor(verification) &&
  verifiedBy?.startsWith(`${prefixes.user}_`) === true &&
  (nextVerifyAt === null || nextVerifyAt > at) &&
  isMemberSession(caller) &&
  verifiedBy !== caller.actor

/** Refuses a change by a caller who may only propose it. */
export const refuseOthers = (document: Verified): Effect.Effect<void, ReviewerRequired, Caller> =>
  Effect.gen(function* () {
    if (mayOnlyPropose(document, yield* Caller, yield* now))
      return yield* new ReviewerRequired({ of: "document" })
  })
