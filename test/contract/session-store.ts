import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { IdentityStore, type Session, SessionStore } from "../../core/platform/identity/index.js"
import { type Atomic, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

/** The laws of `SessionStore`. `layer` gives an empty store each time. */
export const sessionStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<SessionStore | IdentityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`SessionStore: ${name}`, () => {
    const law = contractTestsFor(layer)
    const session = (change: Partial<Session> = {}) =>
      Effect.gen(function* () {
        const ids = yield* Ids
        const made: Session = {
          id: ids.make("session"),
          method: "key",
          isLink: false,
          actor: "local",
          userId: ids.make("user"),
          keyId: ids.make("key"),
          scopes: null,
          workspaceId: yield* makeWorkspace,
          userAgent: "Größe '🎉",
          createdAt: lawsAt,
          lastSeenAt: lawsAt,
          expiresAt: "2030-01-01T00:00:00.000Z",
          ...change
        }
        return made
      })

    law("finds a session by its hash, field by field, until it is removed", function* () {
      const store = yield* SessionStore
      const [one, two] = [
        yield* session(),
        yield* session({ userId: null, keyId: null, scopes: ["kb:read"] })
      ]
      yield* store.insert(one, "h1")
      yield* store.insert(two, "h2")
      expect(yield* store.byHash("h1")).toEqual(Option.some(one))
      expect(yield* store.byHash("h2")).toEqual(Option.some(two))
      expect(yield* store.byHash("h3")).toEqual(Option.none())
      expect((yield* store.all).map(({ id }) => id)).toEqual([two.id, one.id])
      expect([yield* store.remove(one.id), yield* store.remove(one.id)]).toEqual([true, false])
      expect(yield* store.byHash("h1")).toEqual(Option.none())
    })

    law("gives a link to one of many takers, and to nobody as a session", function* () {
      const store = yield* SessionStore
      yield* store.insert(yield* session({ isLink: true, method: "link" }), "link")
      expect(yield* store.byHash("link")).toEqual(Option.none())
      expect(yield* store.all).toEqual([])
      const taken = yield* Effect.all(
        Array.from({ length: 5 }, () => store.takeLink("link")),
        { concurrency: 5 }
      )
      expect(taken.filter(Option.isSome)).toHaveLength(1)
    })

    law("records later uses only, and prunes what has ended", function* () {
      const store = yield* SessionStore
      const one = yield* session({ expiresAt: "2026-06-01T00:00:00.000Z" })
      yield* store.insert(one, "h1")
      yield* store.touch(one.id, "2026-02-01T00:00:00.000Z")
      yield* store.touch(one.id, "2026-01-15T00:00:00.000Z")
      expect(Option.map(yield* store.byHash("h1"), ({ lastSeenAt }) => lastSeenAt)).toEqual(
        Option.some("2026-02-01T00:00:00.000Z")
      )
      yield* store.prune("2026-06-01T00:00:00.000Z")
      expect(yield* store.all).toHaveLength(1)
      yield* store.prune("2026-06-01T00:00:00.001Z")
      expect(yield* store.all).toEqual([])
    })

    law(
      "binds a subject of an issuer once, and finds an unbound user by e-mail without regard to case",
      function* () {
        const [store, identity, ids] = [yield* SessionStore, yield* IdentityStore, yield* Ids]
        const user = (displayName: string) => ({ id: ids.make("user"), displayName, createdAt: lawsAt })
        const [ann, bob] = [user("Ann"), user("Bob")]
        yield* identity.insertUser(ann)
        yield* identity.insertUser(bob)
        expect(yield* store.setEmail(ann.id, "Ann@Example.org")).toBe(true)
        expect(yield* store.setEmail(bob.id, "ann@example.org")).toBe(false)
        expect(yield* store.unboundUserOfEmail("i", "ANN@example.org")).toEqual(Option.some(ann))
        const login = { issuer: "i", subject: "s" }
        expect(yield* store.bindLogin(login, ann.id, lawsAt)).toBe(true)
        expect(yield* store.bindLogin(login, bob.id, lawsAt)).toBe(false)
        expect(yield* store.userOfLogin(login)).toEqual(Option.some(ann))
        expect(yield* store.unboundUserOfEmail("i", "ann@example.org")).toEqual(Option.none())
        expect(yield* store.unboundUserOfEmail("j", "ann@example.org")).toEqual(Option.some(ann))
      }
    )
  })
}
