import * as Effect from "effect/Effect"
import { announce } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  crashPoint,
  type EntityId,
  invalid,
  now,
  type ReviewerRequired,
  withSpan
} from "../../platform/kernel/index.js"
import { nextReview } from "../../platform/workspace/index.js"
import {
  type Authority,
  type ChangeKind,
  type Command,
  commitEntities,
  decide,
  entitiesChanged,
  headOf,
  refuseOthers,
  type StoredEntity,
  toCuration
} from "../entities/index.js"
import { sourceRefsOf } from "../graph/index.js"

/** Certifies the entity as it is; the next review is due after the workspace's review interval. */
export const certify = (id: EntityId, note?: string) =>
  act(id, "certify", note, () => Effect.map(stampsNow, (stamps) => ({ _tag: "Certify", stamps })))

/** Records a review; a `machine_extracted` entity becomes `curated`. */
export const review = (id: EntityId) =>
  act(id, "review", undefined, () => Effect.map(stampsNow, (stamps) => ({ _tag: "Review", stamps })))

export const setAuthority = (id: EntityId, authority: Authority) =>
  act(id, "set_authority", undefined, () => Effect.succeed({ _tag: "SetAuthority", authority }))

/**
 * Sets the owner; keeps the stewards if none are given. An administrator may, too, or an entity whose owner has left
 * could never change again.
 */
export const setOwner = (id: EntityId, ownerId: string | null, stewardIds?: ReadonlyArray<string>) =>
  act(
    id,
    "set_owner",
    undefined,
    () => Effect.succeed({ _tag: "SetOwner", ownerId, ...(stewardIds === undefined ? {} : { stewardIds }) }),
    (head) =>
      Effect.flatMap(Caller, ({ scopes }) =>
        scopes?.includes("workspace:admin") === true ? Effect.void : refuseOthers(head)
      )
  )

export const setLifecycle = (id: EntityId, to: "draft" | "pending_review" | "published", note?: string) =>
  act(id, "set_lifecycle", note, () => Effect.succeed({ _tag: "SetLifecycle", to }))

/** Deprecates an entity, or supersedes it if a successor is given. It stays findable, demoted and labelled. */
export const deprecate = (id: EntityId, supersededBy?: EntityId, note?: string) =>
  act(id, supersededBy === undefined ? "deprecate" : "supersede", note, (head) =>
    Effect.map(successorOf(head, supersededBy), (found) => ({ _tag: "Deprecate", supersededBy: found }))
  )

/** Returns the head of the successor, which must be live, published and another entity. */
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

/** Returns the timestamps of a review made now. */
const stampsNow = Effect.flatMap(now, (at) =>
  Effect.map(nextReview(at), (nextReviewAt) => ({ at, nextReviewAt }))
)

/** Applies a curation command to an entity or the head of a merged one. An unchanged entity gets no new version. */
const act = <E, R>(
  id: EntityId,
  changeKind: ChangeKind,
  note: string | undefined,
  command: (head: StoredEntity) => Effect.Effect<Command, E, R>,
  admit: (head: StoredEntity) => Effect.Effect<void, ReviewerRequired, Caller> = refuseOthers
) =>
  atomically(
    Effect.gen(function* () {
      const before = yield* headOf(id)
      yield* admit(before)
      const after = yield* decide(before, yield* command(before))
      if (after !== before) {
        yield* commitEntities([{ before, after, changeKind, note: note ?? null }])
        yield* announce(entitiesChanged, {})
      }
      return toCuration(after, yield* sourceRefsOf(after), yield* Caller)
    })
  ).pipe(Effect.zipLeft(crashPoint("entity.curate.afterTransaction")), withSpan(`curation.${changeKind}`))
