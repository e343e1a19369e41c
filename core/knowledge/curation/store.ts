import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { ChangeRequestId, WorkspaceScope } from "../../platform/kernel/index.js"
import type { ChangeRequest, RequestStatus } from "./model.js"

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
export class ChangeRequestStore extends Context.Tag("kanon/ChangeRequestStore")<
  ChangeRequestStore,
  {
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
>() {}
