import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import { announce } from "../../platform/jobs/index.js"
import {
  asInvalid,
  atomically,
  Caller,
  type ChangeRequestId,
  Conflict,
  crashPoint,
  type EntityId,
  type Fault,
  Ids,
  type InvalidInput,
  invalid,
  NotFound,
  NotOpen,
  now,
  ReviewerRequired,
  readInput,
  stepOf,
  traced
} from "../../platform/kernel/index.js"
import {
  type ChangeRequest,
  EntityStore,
  headOf,
  mayReview,
  type RequestKind,
  type RequestStatus,
  type StoredRequest
} from "../entities/index.js"
import { applyProposal } from "./apply.js"
import { Proposal, type RequestTrigger, requestTable } from "./model.js"

export interface NewRequest {
  readonly kind: RequestKind
  readonly entityId?: EntityId | undefined
  readonly payload: unknown
  readonly note?: string | undefined
}

/** The topic on which this room publishes decisions about requests for new entities. */
export const requestsDecided = "change_requests.decided"

/** Creates a change request; the entity itself does not change. NotFound when the entity does not exist. */
export const proposeChange = traced("curation.propose")(function* (input: NewRequest) {
  const [store, ids, { actor, workspace }, at] = [
    (yield* EntityStore).requests,
    yield* Ids,
    yield* Caller,
    yield* now
  ]
  const { payload } = yield* proposalOf(input.kind, input.payload)
  return yield* atomically(
    Effect.gen(function* () {
      const entityId = yield* targetOf(input)
      if (input.kind === "supersede") yield* refuseSelf(payload, entityId)
      const request: StoredRequest = {
        id: ids.make("changeRequest"),
        status: "open",
        kind: input.kind,
        entityId,
        payload,
        note: input.note ?? null,
        reviewNote: null,
        proposedBy: actor,
        reviewedBy: null,
        appliedEntityId: null,
        createdAt: at,
        reviewedAt: null
      }
      yield* store.add(workspace, [request])
      yield* crashPoint("request.insideTransaction")
      yield* recordRequest(request, "propose")
      return yield* withEntityName(request)
    })
  ).pipe(Effect.zipLeft(crashPoint("request.afterTransaction")))
})

/** Parses the payload for its kind; errors are reported under `payload`. */
export const proposalOf = (kind: RequestKind, payload: unknown): Effect.Effect<Proposal, InvalidInput> => {
  return Either.mapLeft(readInput(Proposal, { kind, payload }), asInvalid)
}

const targetOf = ({ entityId, kind }: NewRequest) =>
  Effect.gen(function* () {
    if (kind === "create") {
      if (entityId !== undefined)
        return yield* invalid(["entityId"], "unexpected", "A create makes its entity: it names none.")
      return null
    }
    if (entityId === undefined)
      return yield* invalid(["entityId"], "required", `A request of the kind ${kind} names its entity.`)
    return (yield* headOf(entityId)).id
  })

const refuseSelf = (payload: Proposal["payload"], entityId: EntityId | null) =>
  Effect.gen(function* () {
    if (!("supersededBy" in payload)) return
    if ((yield* headOf(payload.supersededBy)).id === entityId)
      return yield* invalid(["payload", "supersededBy"], "self", "An entity cannot be its own successor.")
  })

/** Lists requests, optionally of one status, newest first. */
export const listRequests = traced("curation.requests")(function* (status?: RequestStatus) {
  const [store, { workspace }] = [(yield* EntityStore).requests, yield* Caller]
  const requests = yield* store.list(workspace, status)
  const names = yield* namesOf(requests.flatMap(({ entityId }) => entityId ?? []))
  return requests.map((request) => withName(request, names))
})

export const findRequest = traced("curation.request")(function* (id: ChangeRequestId) {
  const [store, { workspace }] = [(yield* EntityStore).requests, yield* Caller]
  return (
    Option.getOrNull(yield* store.find(workspace, id)) ?? (yield* new NotFound({ what: "change request" }))
  )
})

/**
 * Approves a request. The change, its revision and the request's end are one unit of work, so only one of several
 * concurrent approvals succeeds. A request that can no longer be applied is a Conflict and stays open.
 */
export const approveRequest = traced("curation.approve")(function* (id: ChangeRequestId, note?: string) {
  const caller = yield* Caller
  const activity = `change_request:${id}`
  return yield* atomically(
    Effect.gen(function* () {
      const request = yield* openRequest(id, "approve")
      yield* gate(request)
      const proposal = yield* proposalOf(request.kind, request.payload)
      const applied = yield* applyProposal(proposal, request.entityId).pipe(
        Effect.provideService(Caller, { ...caller, activity }),
        Effect.catchAll((fault) => refusal(fault))
      )
      return {
        request: yield* close(request, "approve", note, applied),
        appliedEntityId: applied
      }
    })
  ).pipe(Effect.zipLeft(crashPoint("request.afterTransaction")))
})

/** Fails with ReviewerRequired if the caller may not decide about the entity. */
export const gate = ({ entityId }: Pick<StoredRequest, "entityId">) =>
  Effect.gen(function* () {
    if (entityId === null) return
    const [caller, head] = [yield* Caller, yield* Effect.option(headOf(entityId))]
    if (Option.isSome(head) && !mayReview(head.value, caller)) return yield* new ReviewerRequired({})
  })

/** Converts a failed precondition of the change into a Conflict. */
const refusal = (fault: Fault): Effect.Effect<never, Conflict> =>
  Effect.fail(
    new Conflict({
      message: `The request can no longer be applied: ${fault.message}`,
      ...(fault._tag === "Conflict" && fault.existingId !== undefined ? { existingId: fault.existingId } : {})
    })
  )

/** Rejects a request; nothing else changes. */
export const rejectRequest = traced("curation.reject")(function* (id: ChangeRequestId, note?: string) {
  return yield* atomically(
    Effect.flatMap(closeRequest(id, "reject"), (request) => close(request, "reject", note, null))
  ).pipe(Effect.zipLeft(crashPoint("request.afterTransaction")))
})

/** Withdraws a request; nothing else changes. */
export const withdrawRequest = traced("curation.withdraw")(function* (id: ChangeRequestId) {
  return yield* atomically(
    Effect.flatMap(closeRequest(id, "withdraw"), (request) => close(request, "withdraw", undefined, null))
  ).pipe(Effect.zipLeft(crashPoint("request.afterTransaction")))
})

const openRequest = (id: ChangeRequestId, trigger: RequestTrigger) =>
  Effect.flatMap(findRequest(id), (request) => refuseDecided(request, trigger))

/** Closes a request, even one whose payload cannot be read. */
const closeRequest = (id: ChangeRequestId, trigger: RequestTrigger) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [(yield* EntityStore).requests, yield* Caller]
    const storedRequest = yield* store.kept(workspace, id)
    if (storedRequest === null) return yield* new NotFound({ what: "change request" })
    return yield* refuseDecided({ ...storedRequest, payload: storedRequest.payload ?? {} }, trigger)
  })

const refuseDecided = (request: StoredRequest, trigger: RequestTrigger) =>
  Effect.gen(function* () {
    if (stepOf(requestTable, request.status, trigger) === null)
      return yield* new NotOpen({ status: request.status })
    return request
  })

const close = (
  request: StoredRequest,
  trigger: RequestTrigger,
  note: string | undefined,
  appliedEntityId: EntityId | null
) =>
  Effect.gen(function* () {
    const [store, { actor, workspace }, at] = [(yield* EntityStore).requests, yield* Caller, yield* now]
    const status = stepOf(requestTable, request.status, trigger)?.to ?? request.status
    const decision = { status, reviewNote: note ?? null, reviewedBy: actor, reviewedAt: at, appliedEntityId }
    if (!(yield* store.decide(workspace, request.id, decision)))
      return yield* new NotOpen({ status: "decided already" })
    yield* crashPoint("request.insideTransaction")
    const decided = { ...request, ...decision }
    yield* recordRequest(decided, trigger)
    if (decided.kind === "create") yield* announce(requestsDecided, {})
    return yield* withEntityName(decided)
  })

const recordRequest = (request: StoredRequest, verb: RequestTrigger | "propose") =>
  record([
    {
      action: `change_request.${verb}`,
      subjectId: request.id,
      details: {
        kind: request.kind,
        entityId: request.appliedEntityId ?? request.entityId,
        ...(request.reviewNote === null ? {} : { note: request.reviewNote })
      }
    }
  ])

/** Returns a request with the current name of its entity. */
export const withEntityName = (request: StoredRequest) =>
  Effect.map(namesOf(request.entityId === null ? [] : [request.entityId]), (names) =>
    withName(request, names)
  )

const withName = (request: StoredRequest, names: ReadonlyMap<string, string>): ChangeRequest => ({
  ...request,
  entityName: request.entityId === null ? null : (names.get(request.entityId) ?? null)
})

/** Returns the names of existing entities; merged ones have the name of their head. */
const namesOf = (ids: ReadonlyArray<EntityId>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EntityStore, yield* Caller]
    return yield* store.names(workspace, ids)
  })
