import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type ClientToken, IdentityStore } from "../../core/platform/identity/index.js"
import { type Atomic, Ids, scopeOf } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const later = "2030-01-01T00:00:00.000Z"
const code: ClientToken = {
  kind: "code",
  sessionId: null,
  bound: { clientId: "https://a.example/c.json", clientName: "Größe '🎉", scopes: ["kb:read"], userId: null },
  expiresAt: later,
  usedAt: null
}

/** The laws of `IdentityStore.clientTokens`. `layer` gives an empty store each time. */
export const clientTokenStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<IdentityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`IdentityStore.clientTokens: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("finds a secret in its own workspace, field by field", function* () {
      const [store, ids] = [(yield* IdentityStore).clientTokens, yield* Ids]
      const [here, there] = [scopeOf(yield* makeWorkspace), scopeOf(yield* makeWorkspace)]
      const access: ClientToken = {
        kind: "access",
        sessionId: ids.make("session"),
        bound: { clientId: "kc1.x" },
        expiresAt: later,
        usedAt: lawsAt
      }
      yield* store.insert(here, code, "h1")
      yield* store.insert(here, access, "h2")
      // Two tenants may have the same hash, although it does not happen.
      yield* store.insert(there, access, "h1")
      expect(yield* store.find(here, "h1")).toEqual(Option.some(code))
      expect(yield* store.find(here, "h2")).toEqual(Option.some(access))
      expect(yield* store.find(there, "h2")).toEqual(Option.none())
    })

    law("lets one of concurrent users have a secret, and says which session a code began", function* () {
      const [store, ids] = [(yield* IdentityStore).clientTokens, yield* Ids]
      const [here, there] = [scopeOf(yield* makeWorkspace), scopeOf(yield* makeWorkspace)]
      const session = ids.make("session")
      yield* store.insert(here, code, "h1")
      expect(yield* store.use(there, "h1", lawsAt)).toBe(false)
      const uses = yield* Effect.all(
        [1, 2, 3].map(() => store.use(here, "h1", lawsAt)),
        { concurrency: 3 }
      )
      expect(uses.filter(Boolean)).toHaveLength(1)
      yield* store.bind(here, "h1", session)
      expect(yield* store.find(here, "h1")).toEqual(
        Option.some({ ...code, usedAt: lawsAt, sessionId: session })
      )
    })

    law("removes the secrets of a session, and those that have expired", function* () {
      const [store, ids] = [(yield* IdentityStore).clientTokens, yield* Ids]
      const [here, there] = [scopeOf(yield* makeWorkspace), scopeOf(yield* makeWorkspace)]
      const [one, two] = [ids.make("session"), ids.make("session")]
      yield* store.insert(here, { ...code, sessionId: one }, "h1")
      yield* store.insert(here, { ...code, sessionId: two }, "h2")
      yield* store.insert(here, { ...code, expiresAt: lawsAt }, "h3")
      yield* store.insert(there, { ...code, expiresAt: lawsAt }, "h3")
      yield* store.removeOf(here, one)
      yield* store.prune(here, later)
      const left = yield* Effect.forEach(["h1", "h2", "h3"], (hash) => store.find(here, hash))
      expect(left.map(Option.isSome)).toEqual([false, true, false])
      expect(Option.isSome(yield* store.find(there, "h3"))).toBe(true)
    })
  })
}
