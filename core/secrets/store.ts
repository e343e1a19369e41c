import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Redacted } from "effect/Redacted"
import type { SecretId, SecretsUnavailable, WorkspaceScope } from "../kernel/index.js"

/** A credential as it lies in the database: unreadable without the host's master key. */
export interface SealedSecret {
  readonly id: SecretId
  readonly sealed: string
}

/** Sealed credentials of workspaces. */
export class SecretStore extends Context.Tag("kanon/SecretStore")<
  SecretStore,
  {
    readonly find: (workspace: WorkspaceScope, id: SecretId) => Effect.Effect<Option<string>>
    /** Every sealed credential of the workspace, by id. */
    readonly list: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<SealedSecret>>
    /** Adds one; an id that is there already is a defect. */
    readonly insert: (workspace: WorkspaceScope, secret: SealedSecret, at: string) => Effect.Effect<void>
    /** Replaces a seal where it still is `before`; false where somebody was faster. */
    readonly reseal: (
      workspace: WorkspaceScope,
      secret: SealedSecret,
      before: string
    ) => Effect.Effect<boolean>
    /** Erases; one that is gone is no fault. */
    readonly remove: (workspace: WorkspaceScope, id: SecretId) => Effect.Effect<void>
  }
>() {}

/** Seals and opens credentials with the host's master key. A seal opens only in the place it was made for. */
export class Sealer extends Context.Tag("kanon/Sealer")<
  Sealer,
  {
    /** Fails where there is no master key, or none that can be used. */
    readonly seal: (plain: Redacted<string>, place: string) => Effect.Effect<string, SecretsUnavailable>
    /** Fails too where the seal is of another key or another place, or was changed. */
    readonly open: (sealed: string, place: string) => Effect.Effect<Redacted<string>, SecretsUnavailable>
    /** Whether it is sealed with the key that seals now. */
    readonly isCurrent: (sealed: string) => Effect.Effect<boolean, SecretsUnavailable>
  }
>() {}
