import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { ChangeRequestId, WorkspaceScope } from "../kernel/index.js"
import type { ChangeRequest, RequestStatus } from "./model.js"

/** A request as it is stored: what its entity is called now is looked up. */
export type StoredRequest = Omit<ChangeRequest, "entityName">

/** A request as it lies there; its payload is null where it cannot be read. */
export type KeptRequest = Omit<StoredRequest, "payload"> & {
  readonly payload: StoredRequest["payload"] | null
}

/** How a request ended. */
export type Decision = Pick<
  StoredRequest,
  "status" | "reviewNote" | "reviewedBy" | "reviewedAt" | "appliedEntityId"
>

/** Proposed changes of entities. */
export class ChangeRequestStore extends Context.Tag("kanon/ChangeRequestStore")<
  ChangeRequestStore,
  {
    /** Adds requests, in the caller's unit of work. */
    readonly add: (workspace: WorkspaceScope, requests: ReadonlyArray<StoredRequest>) => Effect.Effect<void>
    readonly find: (workspace: WorkspaceScope, id: ChangeRequestId) => Effect.Effect<Option<StoredRequest>>
    /** Newest first. */
    readonly list: (
      workspace: WorkspaceScope,
      status: RequestStatus | undefined
    ) => Effect.Effect<ReadonlyArray<StoredRequest>>
    /** Closes an open request; false when it is no longer open. */
    readonly decide: (
      workspace: WorkspaceScope,
      id: ChangeRequestId,
      decision: Decision
    ) => Effect.Effect<boolean>
    /** One of them; null where it is not there. */
    readonly kept: (workspace: WorkspaceScope, id: ChangeRequestId) => Effect.Effect<KeptRequest | null>
  }
>() {}
