import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Redacted } from "effect/Redacted"
import type { SecretId, SecretsUnavailable, WorkspaceScope } from "../kernel/index.js"

/** A stored credential, unreadable without the host's master key. */
export interface SealedSecret {
  readonly id: SecretId
  readonly sealed: string
}

/** Stores sealed credentials of workspaces. */
export class SecretStore extends Context.Tag("kanon/SecretStore")<
  SecretStore,
  {
    readonly find: (workspace: WorkspaceScope, id: SecretId) => Effect.Effect<Option<string>>
    /** Lists every sealed credential of the workspace by id. */
    readonly list: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<SealedSecret>>
    /** Adds a secret; a duplicate id is a defect. */
    readonly insert: (workspace: WorkspaceScope, secret: SealedSecret, at: string) => Effect.Effect<void>
    /** Replaces a seal if it still equals `before`; returns false if another writer was first. */
    readonly reseal: (
      workspace: WorkspaceScope,
      secret: SealedSecret,
      before: string
    ) => Effect.Effect<boolean>
    /** Deletes a secret; a missing one is no error. */
    readonly remove: (workspace: WorkspaceScope, id: SecretId) => Effect.Effect<void>
  }
>() {}

/** Seals and opens credentials with the host's master key. A seal opens only in the place it was made for. */
export class Sealer extends Context.Tag("kanon/Sealer")<
  Sealer,
  {
    /** Fails if there is no valid master key. */
    readonly seal: (plain: Redacted<string>, place: string) => Effect.Effect<string, SecretsUnavailable>
    /** Also fails if the seal belongs to another key or place, or was altered. */
    readonly open: (sealed: string, place: string) => Effect.Effect<Redacted<string>, SecretsUnavailable>
    /** Returns whether the current key made the seal. */
    readonly isCurrent: (sealed: string) => Effect.Effect<boolean, SecretsUnavailable>
  }
>() {}
