import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { IdentityStore, type Invitation } from "../../core/platform/identity/index.js"
import { type Atomic, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const [before, later] = ["2020-01-01T00:00:00.000Z", "2030-01-01T00:00:00.000Z"]

const anInvitation = Effect.map(
  Ids,
  ({ make }): Invitation => ({
    id: make("invitation"),
    role: "curator",
    userId: null,
    createdBy: "usr_1",
    createdAt: lawsAt,
    expiresAt: later,
    usedAt: null,
    usedBy: null,
    revokedAt: null
  })
)

/** The laws of `invitations` and `passkeys` of `IdentityStore`. `layer` gives empty stores each time. */
export const invitationStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<IdentityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`IdentityStore.invitations and passkeys: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back an invitation in its own workspace, field by field", function* () {
      const [store, here, there] = [
        (yield* IdentityStore).invitations,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const given = yield* anInvitation
      yield* store.insert(here, given, "hash")
      expect(yield* store.find(here, "hash")).toEqual(Option.some(given))
      expect(yield* store.find(there, "hash")).toEqual(Option.none())
      expect(yield* store.open(here, lawsAt)).toEqual([given])
      expect(yield* store.open(there, lawsAt)).toEqual([])
      expect(yield* store.open(here, later)).toEqual([])
    })

    law("lets one of many use an invitation, and nobody after its end", function* () {
      const [store, scope, ids] = [(yield* IdentityStore).invitations, yield* makeWorkspace, yield* Ids]
      const [user, other] = [ids.make("user"), yield* makeWorkspace]
      for (const hash of ["used", "revoked", "ended"])
        yield* store.insert(
          scope,
          { ...(yield* anInvitation), expiresAt: hash === "ended" ? lawsAt : later },
          hash
        )
      const use = (hash: string) => store.use(scope, hash, { at: lawsAt, user })
      expect(yield* store.use(other, "used", { at: lawsAt, user })).toBe(false)
      const tries = yield* Effect.all([use("used"), use("used"), use("used")], { concurrency: "unbounded" })
      expect(tries.filter(Boolean)).toHaveLength(1)
      const revoked = Option.getOrThrow(yield* store.find(scope, "revoked"))
      expect(yield* store.revoke(other, revoked.id, lawsAt)).toBe(false)
      expect(yield* store.revoke(scope, revoked.id, lawsAt)).toBe(true)
      expect([yield* use("revoked"), yield* use("ended")]).toEqual([false, false])
      const used = Option.getOrThrow(yield* store.find(scope, "used"))
      expect(used).toMatchObject({ usedAt: lawsAt, usedBy: user })
      expect(yield* store.revoke(scope, used.id, lawsAt)).toBe(false)
      expect(yield* store.open(scope, before)).toMatchObject([{ expiresAt: lawsAt }])
    })

    law("keeps passkeys of users, and lets a challenge be answered once", function* () {
      const [store, ids] = [(yield* IdentityStore).passkeys, yield* Ids]
      const [ann, bob] = [ids.make("user"), ids.make("user")]
      const passkey = {
        id: ids.make("session"),
        userId: ann,
        publicKey: "AQID",
        counter: 4_294_967_295,
        transports: ["internal", "hybrid"],
        name: "Größe 🎉",
        createdAt: lawsAt,
        lastUsedAt: null
      }
      expect(yield* store.insert(passkey)).toBe(true)
      expect(yield* store.insert({ ...passkey, userId: bob })).toBe(false)
      expect(yield* store.exist).toBe(true)
      expect(yield* store.find(passkey.id)).toEqual(Option.some(passkey))
      yield* store.touch(passkey.id, 7, later)
      expect(yield* store.ofUser(ann)).toEqual([{ ...passkey, counter: 7, lastUsedAt: later }])
      expect(yield* store.remove(bob, passkey.id)).toBe(false)
      expect(yield* store.remove(ann, passkey.id)).toBe(true)
      expect(yield* store.find(passkey.id)).toEqual(Option.none())

      yield* store.addChallenge("one", later, lawsAt)
      yield* store.addChallenge("old", lawsAt, before)
      expect(yield* store.takeChallenge("old", lawsAt)).toBe(false)
      expect(yield* store.takeChallenge("one", lawsAt)).toBe(true)
      expect(yield* store.takeChallenge("one", lawsAt)).toBe(false)
    })
  })
}
