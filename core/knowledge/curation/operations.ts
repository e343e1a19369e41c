import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  ChangeRequestId,
  EntityId,
  invalid,
  operation,
  pageOffset,
  Text
} from "../../platform/kernel/index.js"
import {
  Authority,
  ChangeRequest,
  CurationMeta,
  Entity,
  RequestKind,
  RequestStatus,
  Revision
} from "../entities/index.js"
import { restoreRevision as restore, listRevisions as revisionsOf } from "./history.js"
import { Note } from "./model.js"
import * as requests from "./requests.js"
import * as service from "./service.js"

const PersonId = Text.trim().min(1).max(200)

/** Lists up to 200 revisions, without further pages. A merged id means its head. */
export const listRevisions = operation({
  name: "listRevisions",
  tool: "svc_entity_history",
  summary: "List the revisions of an entity with their changes, newest first.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({ id: EntityId, limit: z.int().min(1).max(200).default(50) }),
  output: z.object({ entityId: EntityId, revisions: z.array(Revision) }),
  faults: ["NotFound"],
  run: ({ id, limit }) => revisionsOf(id, limit)
})

/**
 * Restores an earlier version; see `restoreRevision` of the history. NotFound for an unknown version, Conflict where
 * another entity has the old name.
 */
export const restoreRevision = operation({
  name: "restoreRevision",
  summary: "Restore the fields of an earlier version of an entity as a new version.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: EntityId, version: z.int().min(1) }),
  output: Entity,
  faults: ["NotFound", "InvalidInput", "InvalidTransition", "Conflict", "ReviewerRequired"],
  run: ({ id, version }) => restore(id, version)
})

/**
 * Sets the authority to `certified` from any other, even for a retired entity; a repeated certification updates the
 * timestamps.
 */
export const certifyEntity = operation({
  name: "certifyEntity",
  summary: "Certify an entity as it stands and restart its review period.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: EntityId, note: Note.optional() }),
  output: CurationMeta,
  faults: ["NotFound", "InvalidTransition", "Conflict", "ReviewerRequired"],
  run: ({ id, note }) => service.certify(id, note)
})

/**
 * Records a review: updates the timestamps, and `machine_extracted` becomes `curated`. Creates a version in any case.
 */
export const reviewEntity = operation({
  name: "reviewEntity",
  summary: "Mark an entity as reviewed; an extracted entity becomes curated.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: EntityId }),
  output: CurationMeta,
  faults: ["NotFound", "InvalidTransition", "Conflict", "ReviewerRequired"],
  run: ({ id }) => service.review(id)
})

/** Sets any authority, lower ones too; review timestamps do not change. */
export const setAuthority = operation({
  name: "setAuthority",
  summary: "Set the authority of an entity.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({ id: EntityId, authority: Authority }),
  output: CurationMeta,
  faults: ["NotFound", "InvalidTransition", "Conflict", "ReviewerRequired"],
  run: ({ authority, id }) => service.setAuthority(id, authority)
})

/** Sets the owner, and the stewards if given; from then on only they approve change requests about the entity. */
export const setOwner = operation({
  name: "setOwner",
  summary: "Set the owner and stewards of an entity.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({
    id: EntityId,
    ownerId: PersonId.nullable().describe("Null: nobody."),
    stewardIds: z.array(PersonId).max(50).optional().describe("Left out, they stay as they are.")
  }),
  output: CurationMeta,
  faults: ["NotFound", "InvalidTransition", "Conflict", "ReviewerRequired"],
  run: ({ id, ownerId, stewardIds }) => service.setOwner(id, ownerId, stewardIds)
})

/** Sets the lifecycle. InvalidTransition from deprecated or superseded, and from `published` to `pending_review`. */
export const setEntityLifecycle = operation({
  name: "setEntityLifecycle",
  summary: "Move an entity between draft, in review and published.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({
    id: EntityId,
    lifecycleStatus: z.enum(["draft", "pending_review", "published"]),
    note: Note.optional()
  }),
  output: CurationMeta,
  faults: ["NotFound", "InvalidTransition", "Conflict", "ReviewerRequired"],
  run: ({ id, lifecycleStatus, note }) => service.setLifecycle(id, lifecycleStatus, note)
})

/**
 * Deprecates an entity, which stays findable, demoted and labelled. InvalidInput for a successor that is the entity
 * itself or not published, NotFound for an unknown one.
 */
export const deprecateEntity = operation({
  name: "deprecateEntity",
  summary: "Deprecate an entity, optionally in favor of a published successor.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: EntityId, supersededBy: EntityId.optional(), note: Note.optional() }),
  output: CurationMeta,
  faults: ["NotFound", "InvalidInput", "InvalidTransition", "Conflict", "ReviewerRequired"],
  run: ({ id, note, supersededBy }) => service.deprecate(id, supersededBy, note)
})

/** Lists all requests, or those of one status; all of them without `limit`. */
export const listChangeRequests = operation({
  name: "listChangeRequests",
  tool: "svc_list_change_requests",
  summary: "List change requests, newest first.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    status: RequestStatus.optional(),
    limit: z.int().min(1).optional().describe("All of them by default; above 200 is taken as 200."),
    offset: pageOffset
  }),
  output: z.object({
    requests: z.array(ChangeRequest),
    total: z.int(),
    limit: z.int().nullable().describe("Null where all were asked for."),
    offset: z.int()
  }),
  faults: [],
  run: ({ limit: given, offset, status }) =>
    Effect.map(requests.listRequests(status), (all) => {
      const limit = given === undefined ? null : Math.min(given, 200)
      return {
        requests: all.slice(offset, limit === null ? undefined : offset + limit),
        total: all.length,
        limit,
        offset
      }
    })
})

/** Proposes a change; the payload must match `Proposal`. NotFound when the entity does not exist. */
export const proposeChange = operation({
  name: "proposeChange",
  tool: "svc_propose_change",
  summary: "Propose a change to an entity, or a new entity; it applies once approved.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    kind: RequestKind,
    entityId: EntityId.optional().describe("What it is about; not for a create."),
    payload: z.record(z.string(), z.unknown()).default({}).describe("By kind; nothing else is taken."),
    note: Note.optional()
  }),
  output: ChangeRequest,
  faults: ["NotFound", "InvalidInput"],
  run: requests.proposeChange
})

const decision = z.object({
  id: ChangeRequestId,
  note: Note.optional(),
  reviewNote: Note.optional().describe("The same as note.")
})
const noteOf = ({ note, reviewNote }: z.output<typeof decision>) =>
  note !== undefined && reviewNote !== undefined && note !== reviewNote
    ? invalid(["reviewNote"], "differs", "note and reviewNote are one thing: give one, or both alike.")
    : Effect.succeed(note ?? reviewNote)

/**
 * Approves a request; see `approveRequest`. ReviewerRequired if the entity has an owner or stewards and the caller is
 * none of them, NotOpen once it is decided.
 */
export const approveChangeRequest = operation({
  name: "approveChangeRequest",
  summary: "Approve a change request and apply it atomically.",
  scopes: ["kb:write"],
  effect: "write",
  input: decision,
  output: z.object({ request: ChangeRequest, appliedEntityId: EntityId.nullable() }),
  faults: ["NotFound", "InvalidInput", "Conflict", "NotOpen", "ReviewerRequired"],
  run: (input) => Effect.flatMap(noteOf(input), (note) => requests.approveRequest(input.id, note))
})

/** Rejects a request; nothing else changes. NotOpen once it is decided. */
export const rejectChangeRequest = operation({
  name: "rejectChangeRequest",
  summary: "Reject a change request.",
  scopes: ["kb:write"],
  effect: "write",
  input: decision,
  output: ChangeRequest,
  faults: ["NotFound", "InvalidInput", "NotOpen"],
  run: (input) => Effect.flatMap(noteOf(input), (note) => requests.rejectRequest(input.id, note))
})

/** Withdraws a request; nothing else changes. NotOpen once it is decided. */
export const withdrawChangeRequest = operation({
  name: "withdrawChangeRequest",
  summary: "Withdraw a change request.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: ChangeRequestId }),
  output: ChangeRequest,
  faults: ["NotFound", "NotOpen"],
  run: ({ id }) => requests.withdrawRequest(id)
})
