import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type ApiKey, type Grant, IdentityStore, type Session } from "../../core/platform/identity/index.js"
import {
  type Atomic,
  Ids,
  type KeyId,
  type UserId,
  type WorkspaceId
} from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

/** Every session that has not been removed is live. */
const always = { at: "2000-01-01T00:00:00.000Z", usedAfter: "2000-01-01T00:00:00.000Z" }

/** The laws of `IdentityStore.sessions`. `layer` gives an empty store each time. */
export const sessionStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<IdentityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`IdentityStore.sessions: ${name}`, () => {
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
      const store = (yield* IdentityStore).sessions
      const [one, two] = [
        yield* session(),
        yield* session({ userId: null, keyId: null, scopes: ["kb:read"] })
      ]
      yield* store.insert(one, "h1")
      yield* store.insert(two, "h2")
      expect(yield* store.byHash("h1")).toEqual(Option.some(one))
      expect(yield* store.byHash("h2")).toEqual(Option.some(two))
      expect(yield* store.byHash("h3")).toEqual(Option.none())
      expect((yield* store.all(always)).map(({ id }) => id)).toEqual([two.id, one.id])
      expect([yield* store.remove(one.id), yield* store.remove(one.id)]).toEqual([true, false])
      expect(yield* store.byHash("h1")).toEqual(Option.none())
    })

    law("finds a session by its id, and no link", function* () {
      const store = (yield* IdentityStore).sessions
      const [one, link] = [yield* session(), yield* session({ isLink: true, method: "link" })]
      yield* store.insert(one, "h1")
      yield* store.insert(link, "h2")
      expect([yield* store.get(one.id), yield* store.get(link.id)]).toEqual([Option.some(one), Option.none()])
    })

    law("lists, a page at a time, sessions of an actor, and those that reach a workspace", function* () {
      const [store, identity, ids] = [(yield* IdentityStore).sessions, yield* IdentityStore, yield* Ids]
      const [here, there] = [yield* makeWorkspace, yield* makeWorkspace]
      const person = ids.make("user")
      const key = (id: KeyId, grant: Grant, userId: UserId | null): ApiKey => ({
        id,
        kind: userId === null ? "workspace" : "user",
        name: "k",
        prefix: "svc_sk_",
        scopes: ["kb:read"],
        grant,
        userId,
        access: [],
        createdAt: lawsAt,
        createdBy: "local",
        lastUsedAt: null,
        expiresAt: null,
        revokedAt: null,
        replacedBy: null
      })
      const [ofHere, ofThere, ofPerson, ended] = [
        ids.make("key"),
        ids.make("key"),
        ids.make("key"),
        ids.make("key")
      ]
      yield* identity.putMember(here, person, "member", lawsAt)
      yield* identity.insertKey(key(ofHere, [here], null), "k1")
      yield* identity.insertKey(key(ofThere, [there], null), "k2")
      yield* identity.insertKey(key(ofPerson, "all", person), "k3")
      yield* identity.insertKey({ ...key(ended, [here], null), revokedAt: lawsAt }, "k4")
      const of = (actor: string, userId: UserId | null, keyId: KeyId | null) =>
        Effect.gen(function* () {
          const made = yield* session({ actor, userId, keyId })
          yield* store.insert(made, made.id)
          return made.id
        })
      const byOidc = yield* of(person, person, null)
      const byHere = yield* of(ofHere, null, ofHere)
      const byThere = yield* of(ofThere, null, ofThere)
      const byPerson = yield* of(person, person, ofPerson)
      const byPersonsKey = yield* of(ofPerson, null, ofPerson)
      yield* of(ended, null, ended)
      const local = yield* of("local", null, null)
      const stranger = yield* of(ids.make("user"), ids.make("user"), null)
      const live = { at: "2026-02-01T00:00:00.000Z", usedAfter: "2025-12-31T00:00:00.000Z" }
      const listed = (actor: string, reaching: WorkspaceId | null, limit = 50, offset = 0) =>
        Effect.map(store.list({ ...live, actor, reaching }, { limit, offset }), ({ items, total }) => ({
          ids: items.map(({ id }) => id),
          total
        }))
      expect(yield* listed(person, null)).toEqual({ ids: [byPerson, byOidc], total: 2 })
      const reachHere = [local, byPersonsKey, byPerson, byHere, byOidc]
      expect(yield* listed("nobody", here)).toEqual({ ids: reachHere, total: 5 })
      expect(yield* listed("nobody", here, 2, 1)).toEqual({ ids: reachHere.slice(1, 3), total: 5 })
      expect(yield* listed(person, there)).toEqual({ ids: [local, byPerson, byThere, byOidc], total: 4 })
      yield* identity.removeMember(here, person)
      expect((yield* listed("nobody", here)).ids).toEqual([local, byHere])
      expect(
        (yield* store.list(
          { ...live, usedAfter: lawsAt, actor: person, reaching: here },
          { limit: 9, offset: 0 }
        )).items
      ).toEqual([])
      expect((yield* store.all(live)).map(({ id }) => id)).toContain(stranger)
    })

    law("keeps a session and the newest others of its actor", function* () {
      const store = (yield* IdentityStore).sessions
      const made = []
      for (let n = 0; n < 5; n++) {
        const one = yield* session({ actor: n === 2 ? "other" : "me" })
        yield* store.insert(one, one.id)
        made.push(one)
      }
      const [oldest, , other, fourth, newest] = made
      if (oldest === undefined) return
      yield* store.keepNewest(oldest, 3)
      const left = (yield* store.all(always)).map(({ id }) => id)
      expect(left).toEqual([newest?.id, fourth?.id, other?.id, oldest.id])
    })

    law("gives a link to one of many takers, and to nobody as a session", function* () {
      const store = (yield* IdentityStore).sessions
      yield* store.insert(yield* session({ isLink: true, method: "link" }), "link")
      expect(yield* store.byHash("link")).toEqual(Option.none())
      expect(yield* store.all(always)).toEqual([])
      const taken = yield* Effect.all(
        Array.from({ length: 5 }, () => store.takeLink("link")),
        { concurrency: 5 }
      )
      expect(taken.filter(Option.isSome)).toHaveLength(1)
    })

    law("records later uses only, and prunes what has ended", function* () {
      const store = (yield* IdentityStore).sessions
      const one = yield* session({ expiresAt: "2026-06-01T00:00:00.000Z" })
      yield* store.insert(one, "h1")
      yield* store.touch(one.id, "2026-02-01T00:00:00.000Z")
      yield* store.touch(one.id, "2026-01-15T00:00:00.000Z")
      expect(Option.map(yield* store.byHash("h1"), ({ lastSeenAt }) => lastSeenAt)).toEqual(
        Option.some("2026-02-01T00:00:00.000Z")
      )
      yield* store.prune("2026-06-01T00:00:00.000Z")
      expect(yield* store.all(always)).toHaveLength(1)
      yield* store.prune("2026-06-01T00:00:00.001Z")
      expect(yield* store.all(always)).toEqual([])
    })

    law(
      "binds a subject of an issuer once, and finds an unbound user by e-mail without regard to case",
      function* () {
        const [store, identity, ids] = [(yield* IdentityStore).sessions, yield* IdentityStore, yield* Ids]
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
