import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import { z } from "zod"
import { ChangeRequestId, EntityId, Timestamp, type WorkspaceScope } from "../../platform/kernel/index.js"

/** `open` until it is decided or withdrawn; the other three are final. */
export const RequestStatus = z.enum(["open", "approved", "rejected", "withdrawn"])
export type RequestStatus = z.infer<typeof RequestStatus>
/** The action that a change request proposes; only `create` has no entity yet. */
export const RequestKind = z.enum(["create", "update", "deprecate", "supersede", "delete"])
export type RequestKind = z.infer<typeof RequestKind>

/** A proposed change of an entity. It takes effect on approval; once it is no longer `open`, it never changes. */
export const ChangeRequest = z.object({
  id: ChangeRequestId,
  status: RequestStatus,
  kind: RequestKind,
  entityId: EntityId.nullable().describe("What it is about; null for a create."),
  entityName: z.string().nullable().describe("What that is called now; null when it is gone."),
  payload: z.record(z.string(), z.unknown()).describe("By kind; of a create or update the fields."),
  note: z.string().nullable().describe("The proposer's."),
  reviewNote: z.string().nullable(),
  proposedBy: z.string(),
  reviewedBy: z.string().nullable(),
  appliedEntityId: EntityId.nullable().describe("The entity that an approval made or changed."),
  createdAt: Timestamp,
  reviewedAt: Timestamp.nullable()
})
export type ChangeRequest = z.infer<typeof ChangeRequest>

/** A request as stored; the name of its entity is looked up on read. */
export type StoredRequest = Omit<ChangeRequest, "entityName">

/** A stored request; its payload is null if it cannot be read. */
export type KeptRequest = Omit<StoredRequest, "payload"> & {
  readonly payload: StoredRequest["payload"] | null
}

/** The decision that closed a request. */
export type Decision = Pick<
  StoredRequest,
  "status" | "reviewNote" | "reviewedBy" | "reviewedAt" | "appliedEntityId"
>

/** Stores change requests. */
export interface ChangeRequestStore {
  /** Adds requests in the caller's unit of work. */
  readonly add: (workspace: WorkspaceScope, requests: ReadonlyArray<StoredRequest>) => Effect.Effect<void>
  readonly find: (workspace: WorkspaceScope, id: ChangeRequestId) => Effect.Effect<Option<StoredRequest>>
  /** Lists requests, newest first. */
  readonly list: (
    workspace: WorkspaceScope,
    status: RequestStatus | undefined
  ) => Effect.Effect<ReadonlyArray<StoredRequest>>
  /** Closes an open request; returns false if it is no longer open. */
  readonly decide: (
    workspace: WorkspaceScope,
    id: ChangeRequestId,
    decision: Decision
  ) => Effect.Effect<boolean>
  /** Returns one request, or null. */
  readonly kept: (workspace: WorkspaceScope, id: ChangeRequestId) => Effect.Effect<KeptRequest | null>
}
