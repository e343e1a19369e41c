import * as Effect from "effect/Effect"
import { Conflict, type EntityId, NotFound } from "../../platform/kernel/index.js"
import { createEntity, headOf, updateEntity } from "../entities/index.js"
import { deleteEntity } from "../graph/index.js"
import type { Proposal } from "./model.js"
import { deprecate } from "./service.js"

/**
 * Applies a change request as the caller in the context; returns the entity that it created or changed (for a merged
 * one, its head).
 */
export const applyProposal = (proposal: Proposal, entityId: EntityId | null) =>
  Effect.gen(function* () {
    if (proposal.kind === "create") return (yield* create(proposal.payload)).id
    if (entityId === null) return yield* new NotFound({ what: "entity" })
    const { id } = yield* headOf(entityId)
    switch (proposal.kind) {
      case "update":
        yield* updateEntity(id, definedFields(proposal.payload))
        break
      case "deprecate":
        yield* deprecate(id, undefined, proposal.payload.note)
        break
      case "supersede":
        yield* deprecate(id, proposal.payload.supersededBy, proposal.payload.note)
        break
      case "delete":
        yield* refuseMerged(entityId, id)
        yield* deleteEntity(id)
    }
    return id
  })

/** Fails with Conflict if the entity was merged since: the request was not made for the head. */
export const refuseMerged = (asked: EntityId, head: EntityId): Effect.Effect<void, Conflict> =>
  asked === head
    ? Effect.void
    : new Conflict({
        message: "The entity has been merged into another one since the request."
      })

const create = ({ lifecycle, name, type, ...rest }: Extract<Proposal, { kind: "create" }>["payload"]) =>
  createEntity({
    name,
    type,
    ...definedFields(rest),
    origin: "change_request",
    authority: "curated",
    lifecycle: lifecycle ?? "published"
  })

/** Returns only the fields that are present; absent ones must not appear as undefined. */
export const definedFields = ({
  aliases,
  description,
  name,
  type
}: {
  readonly [Field in "name" | "type" | "description"]?: string | undefined
} & { readonly aliases?: ReadonlyArray<string> | undefined }) => ({
  ...(name === undefined ? {} : { name }),
  ...(type === undefined ? {} : { type }),
  ...(aliases === undefined ? {} : { aliases }),
  ...(description === undefined ? {} : { description })
})
