import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Redacted } from "effect/Redacted"
import type { SecretsUnavailable } from "../kernel/index.js"

/**
 * A host with a key management service implements it, so that the master key never leaves that service. Seals and
 * opens credentials with the host's master key. A seal opens only in the place it was made for.
 */
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
