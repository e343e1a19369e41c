import * as Effect from "effect/Effect"
import { eventsOf, isMoment, record } from "../audit/index.js"
import { atomically, Caller, momentOfId } from "../kernel/index.js"
import { IdentityStore, type MemberMoments } from "./store.js"

/**
 * Gives members and users, where a moment of theirs is none, the one that they had: of a user that of the id, of a
 * member that of the event since which they are one. Those who read the rows tell of them.
 */
export const mendMoments = Effect.gen(function* () {
  const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
  for (const { user } of (yield* store.moments(workspace)).filter(isWrong))
    yield* atomically(
      Effect.gen(function* () {
        const found = (yield* store.moments(workspace)).find((one) => one.user === user)
        if (found === undefined || !isWrong(found)) return
        const mended = yield* rightMoments(found)
        const isOther = (field: "createdAt" | "since") => mended[field] !== found[field]
        if (!isOther("createdAt") && !isOther("since")) return
        yield* store.putBackMoments(workspace, mended)
        yield* record([
          ...(isOther("createdAt") ? [{ action: "user.repair", subjectId: user }] : []),
          ...(isOther("since")
            ? [{ action: "member.repair", subjectId: user, details: { since: mended.since } }]
            : [])
        ])
      })
    )
})

const isWrong = ({ createdAt, since }: MemberMoments): boolean => !(isMoment(createdAt) && isMoment(since))

/** As they are where nothing tells. */
const rightMoments = (found: MemberMoments) =>
  Effect.map(eventsOf(found.user), (told): MemberMoments => {
    const createdAt = isMoment(found.createdAt)
      ? found.createdAt
      : (momentOfId(found.user) ?? told[0]?.at ?? found.createdAt)
    const left = told.findLastIndex(({ action }) => action === "member.remove" || action === "member.forget")
    const joined = told.slice(left + 1).find(({ action }) => action === "member.add")
    return {
      ...found,
      createdAt,
      since: isMoment(found.since) ? found.since : (joined?.at ?? createdAt)
    }
  })
