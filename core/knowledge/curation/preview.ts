import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import {
  type ChangeRequestId,
  type EntityId,
  faultCodes,
  Ids,
  NotFound,
  now,
  traced
} from "../../platform/kernel/index.js"
import {
  decide,
  diffOf,
  type EntityRecord,
  headOf,
  newRecord,
  type Revision,
  refuseTakenName,
  type StoredRequest
} from "../entities/index.js"
import { definedFields, refuseMerged } from "./apply.js"
import { shownRevisions } from "./history.js"
import type { ChangePreview, Proposal } from "./model.js"
import { findRequest, gate, proposalOf, withEntityName } from "./requests.js"
import { successorOf } from "./service.js"

/** Maximum number of revisions shown beside a request. */
const discussionMax = 200

/** Returns a request, the changes that its approval would make now, and the history of its entity since the request. */
export const previewRequest = traced("curation.preview")(function* (id: ChangeRequestId) {
  const request = yield* findRequest(id)
  return {
    request: yield* withEntityName(request),
    preview:
      request.status === "open"
        ? yield* preview(request)
        : { diff: {}, applicable: false, blockedBy: faultCodes.NotOpen },
    discussion: request.entityId === null ? [] : yield* since(request.entityId, request.createdAt)
  }
})

/** Previews a request; every failure of applying it is reported as the conflict of an approval. */
const preview = (request: StoredRequest) =>
  Effect.gen(function* () {
    const planned = yield* Effect.either(
      Effect.flatMap(proposalOf(request.kind, request.payload), (proposal) =>
        plan(proposal, request.entityId)
      )
    )
    const gated = yield* Effect.either(gate(request))
    const blockedBy = Either.isLeft(gated)
      ? faultCodes[gated.left._tag]
      : Either.isLeft(planned) || planned.right.isTaken
        ? faultCodes.Conflict
        : null
    return {
      diff: Either.isLeft(planned) ? {} : visible(diffOf(planned.right.before, planned.right.after)),
      applicable: blockedBy === null,
      blockedBy
    } satisfies ChangePreview
  })

/**
 * Returns the entity before and after the proposal without applying it. Fails like an approval, except for a taken
 * name alone.
 */
const plan = (proposal: Proposal, entityId: EntityId | null) =>
  Effect.gen(function* () {
    const at = yield* now
    if (proposal.kind === "create") {
      const after = drafted(proposal.payload, (yield* Ids).derive("entity", "draft"), at)
      return { before: null, after, isTaken: yield* isTaken(after) }
    }
    if (entityId === null) return yield* new NotFound({ what: "entity" })
    const before = yield* headOf(entityId)
    switch (proposal.kind) {
      case "update": {
        const after = yield* decide(before, { _tag: "Edit", fields: definedFields(proposal.payload) })
        return { before, after, isTaken: after !== before && (yield* isTaken(after)) }
      }
      case "deprecate":
      case "supersede": {
        const wanted = proposal.kind === "supersede" ? proposal.payload.supersededBy : undefined
        const supersededBy = yield* successorOf(before, wanted)
        return { before, after: yield* decide(before, { _tag: "Deprecate", supersededBy }), isTaken: false }
      }
      case "delete":
        yield* refuseMerged(entityId, before.id)
        return { before, after: yield* decide(before, { _tag: "Delete", at }), isTaken: false }
    }
  })

const isTaken = (after: EntityRecord) => Effect.map(Effect.either(refuseTakenName(after)), Either.isLeft)

/** Returns the entity that a create request would make. */
const drafted = (
  { aliases, description, lifecycle, name, type }: Extract<Proposal, { kind: "create" }>["payload"],
  id: EntityId,
  at: string
): EntityRecord =>
  newRecord(
    {
      id,
      name,
      type,
      origin: "change_request",
      authority: "curated",
      lifecycle: lifecycle ?? "published",
      aliases: aliases ?? [],
      description: description ?? null
    },
    at
  )

/** Returns the fields of a diff that a reviewer can judge, without ids, timestamps and bookkeeping. */
const visible = (diff: Revision["diff"]): Revision["diff"] =>
  Object.fromEntries(Object.entries(diff).filter(([field]) => comparedFields.has(field)))
const comparedFields = new Set([
  "name",
  "type",
  "aliases",
  "description",
  "authority",
  "lifecycleStatus",
  "supersededBy",
  "deletedAt"
])

const since = (id: EntityId, at: string) =>
  Effect.map(shownRevisions(id, discussionMax), (all) => all.filter(({ createdAt }) => createdAt > at))
