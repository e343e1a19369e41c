import * as Effect from "effect/Effect"
import {
  type Authority,
  type ChangeKind,
  type Command,
  commitEntities,
  decide,
  entitiesChanged,
  headOf,
  type StoredEntity,
  toCuration
} from "../entities/index.js"
import { sourceRefsOf } from "../graph/index.js"
import { announce } from "../jobs/index.js"
import { atomically, Caller, crashPoint, type EntityId, invalid, now, withSpan } from "../kernel/index.js"
import { nextReview } from "../workspace/index.js"

/** Somebody vouches for the entity as it stands; its next review is due when the workspace's interval is over. */
export const certify = (id: EntityId, note?: string) =>
  act(id, "certify", note, () => Effect.map(stampsNow, (stamps) => ({ _tag: "Certify", stamps })))

/** Somebody has looked at it; what was only extracted counts as curated then. */
export const review = (id: EntityId) =>
  act(id, "review", undefined, () => Effect.map(stampsNow, (stamps) => ({ _tag: "Review", stamps })))

export const setAuthority = (id: EntityId, authority: Authority) =>
  act(id, "set_authority", undefined, () => Effect.succeed({ _tag: "SetAuthority", authority }))

/** Puts it into somebody's care; stewards stay as they are where none are given. */
export const setOwner = (id: EntityId, ownerId: string | null, stewardIds?: ReadonlyArray<string>) =>
  act(id, "set_owner", undefined, () =>
    Effect.succeed({ _tag: "SetOwner", ownerId, ...(stewardIds === undefined ? {} : { stewardIds }) })
  )

export const setLifecycle = (id: EntityId, to: "draft" | "pending_review" | "published", note?: string) =>
  act(id, "set_lifecycle", note, () => Effect.succeed({ _tag: "SetLifecycle", to }))

/** Retires it, in favour of a successor if one is named; it stays findable, demoted and labelled. */
export const deprecate = (id: EntityId, supersededBy?: EntityId, note?: string) =>
  act(id, supersededBy === undefined ? "deprecate" : "supersede", note, (head) =>
    Effect.map(successorOf(head, supersededBy), (found) => ({ _tag: "Deprecate", supersededBy: found }))
  )

/** The head of the successor: live, published and another entity. */
export const successorOf = (head: StoredEntity, id: EntityId | undefined) =>
  Effect.gen(function* () {
    if (id === undefined) return null
    const found = yield* headOf(id)
    if (found.id === head.id)
      return yield* invalid(["supersededBy"], "self", "An entity cannot be its own successor.")
    if (found.lifecycle !== "published")
      return yield* invalid(["supersededBy"], "unpublished", "The successor has to be published.")
    return found.id
  })

/** When a review of this moment holds until. */
const stampsNow = Effect.flatMap(now, (at) =>
  Effect.map(nextReview(at), (nextReviewAt) => ({ at, nextReviewAt }))
)

/** The one way in which a verb changes an entity, or the head of a merged one. Nothing changed leaves nothing. */
const act = <E, R>(
  id: EntityId,
  changeKind: ChangeKind,
  note: string | undefined,
  command: (head: StoredEntity) => Effect.Effect<Command, E, R>
) =>
  atomically(
    Effect.gen(function* () {
      const before = yield* headOf(id)
      const after = yield* decide(before, yield* command(before))
      if (after !== before) {
        yield* commitEntities([{ before, after, changeKind, note: note ?? null }])
        yield* announce(entitiesChanged, {})
      }
      return toCuration(after, yield* sourceRefsOf(after), yield* Caller)
    })
  ).pipe(Effect.zipLeft(crashPoint("entity.curate.afterTransaction")), withSpan(`curation.${changeKind}`))
