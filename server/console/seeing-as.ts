/** An administrator of the console sees the workspace as a member sees it: the header `x-kanon-as` names the member. */

import * as Effect from "effect/Effect"
import type { Wired } from "../../core/engine/engine/index.js"
import { record } from "../../core/platform/audit/index.js"
import { callerSeeingAs } from "../../core/platform/identity/index.js"
import { atomically, Caller, millisOf, NotFound, now, UserId } from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import type { Admission } from "../http/serve-row.js"

/** A person who goes on seeing as the same member is recorded again after this time. */
const recordEveryMs = 3_600_000
/** Number of sessions and members of which the last record is remembered. */
const rememberedMax = 1000

/**
 * Narrows what an admission gives to what the member reads, for operations that change nothing. The audit trail says who
 * saw the workspace as whom before anything is shown.
 */
export const seeingAs = (admission: Admission): Admission => {
  const recordedAt = new Map<string, number>()
  return (request, url) =>
    Effect.gen(function* () {
      const admitted = yield* admission(request, url)
      const named = request.headers.get("x-kanon-as")
      if (named === null) return admitted
      const member = UserId.safeParse(named).data
      if (member === undefined) return yield* new NotFound({ what: "member" })
      const { caller: own, stillAdmitted } = admitted
      const caller = yield* callerSeeingAs(own, member)
      const place = `${own.sessionId ?? own.actor} ${own.workspace} ${member}`
      const at = millisOf(yield* now)
      if (at - (recordedAt.get(place) ?? Number.NEGATIVE_INFINITY) >= recordEveryMs) {
        yield* Effect.provideService(
          atomically(record([{ action: "member.seen_as", subjectId: member }])),
          Caller,
          own
        )
        if (recordedAt.size >= rememberedMax) recordedAt.clear()
        recordedAt.set(place, at)
      }
      const services = yield* Effect.context<Ports | Wired>()
      const stillSeeing = callerSeeingAs(own, member).pipe(
        Effect.map(
          ({ scopes = [], view }) =>
            view?.key === caller.view?.key && (caller.scopes ?? []).every((scope) => scopes.includes(scope))
        ),
        Effect.catchAll(() => Effect.succeed(false)),
        Effect.provide(services)
      )
      return {
        ...admitted,
        caller,
        onlyReads: true,
        stillAdmitted: Effect.zipWith(stillAdmitted, stillSeeing, (isIn, sees) => isIn && sees)
      }
    })
}
