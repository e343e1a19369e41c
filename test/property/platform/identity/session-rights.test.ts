import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { sqlIdentityStore } from "../../../../adapters/sql/platform/identity/identity-store.js"
import {
  addMember,
  admit,
  admitSession,
  createUser,
  type Grant,
  keyUses,
  listSessions,
  makeLink,
  mintAsHost,
  removeMember,
  rightsOfSession,
  signInByKey,
  signInByLink,
  startSession
} from "../../../../core/platform/identity/index.js"
import { scopes, type UserId, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { asCaller, baseLayer, makeWorkspace } from "../../../support/run.js"

const stores = Layer.provideMerge(sqlIdentityStore, baseLayer())
const runtime = ManagedRuntime.make(Layer.provideMerge(keyUses, stores))
afterAll(() => runtime.dispose())

const limits = { idleMs: 3_600_000, maxMs: 86_400_000 }
const workspaceCount = 3
const place = fc.nat({ max: workspaceCount - 1 })
const person = fc.nat({ max: 1 })
const role = fc.constantFrom("admin" as const, "member" as const)
const held = fc.subarray([...scopes], { minLength: 1 })
const grant = fc.option(fc.uniqueArray(place, { minLength: 1 }), { nil: "all" as const })

const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("join" as const), person, place, role }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), person, place }) }
)
const holder = fc.oneof(
  fc.record({ by: fc.constant("oidc" as const), person }),
  fc.record({ by: fc.constant("link" as const), person: fc.option(person) }),
  fc.record({ by: fc.constant("user_key" as const), person, held, grant, asMember: fc.boolean() }),
  fc.record({ by: fc.constant("workspace_key" as const), person: fc.option(person), held, place })
)
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never
type Holder = typeof holder extends fc.Arbitrary<infer One> ? One : never

/** Somebody who signed in, or bears a key. */
interface Standing {
  readonly what: Holder
  readonly token: string
  readonly secret: string | null
  /** The workspaces that its key is granted, or all. */
  readonly reach: Grant
}

/** Everything about who signs in but their memberships. */
interface Identity {
  readonly user: UserId | null
  readonly grant: Grant
  readonly home: WorkspaceScope
}

/** Signs in. A key may name workspaces in which its owner is no member: they left after it was made. */
const signedIn = (what: Holder, { grant: reach, home, user }: Identity) =>
  Effect.gen(function* () {
    const options = { workspaceId: home, userAgent: "", limits }
    switch (what.by) {
      case "oidc": {
        const wish = { method: "oidc" as const, actor: String(user), userId: user, keyId: null, scopes: null }
        const { token } = yield* startSession({ ...wish, workspaceId: home, userAgent: "" }, limits)
        return { what, token, secret: null, reach: "all" as const }
      }
      case "link": {
        const { token } = yield* signInByLink(yield* makeLink(user ?? "local", home), options)
        return { what, token, secret: null, reach: "all" as const }
      }
      case "user_key":
      case "workspace_key": {
        const { secret } = yield* asCaller(home)(
          mintAsHost({
            name: "k",
            scopes: what.held,
            expiresAt: null,
            memberId: user,
            owner:
              what.by === "user_key"
                ? { kind: "user", user: user as UserId, grant: reach }
                : { kind: "workspace", workspace: home }
          })
        )
        const asMember = what.by === "user_key" && what.asMember
        const { token } = yield* signInByKey(secret, { ...options, asMember })
        return { what, token, secret, reach: what.by === "user_key" ? reach : [home] }
      }
    }
  })

/** What a session, and a bearer of the key, may do in a workspace now; null where they may not enter. */
const rightsOf = ({ secret, token }: Standing, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const session = yield* Effect.either(admitSession(token, workspace, limits))
    const bearer = secret === null ? null : yield* Effect.either(admit(secret, workspace, "api"))
    const scopesOf = Either.match({
      onLeft: () => null,
      onRight: ({ caller }: { readonly caller: { readonly scopes?: ReadonlyArray<string> } }) =>
        [...(caller.scopes ?? [])].sort()
    })
    return { session: scopesOf(session), bearer: bearer === null ? null : scopesOf(bearer) }
  })

describe("what a session may do in a workspace", () => {
  it("is what somebody with this membership alone may do who signs in there now", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.array(holder, { minLength: 1, maxLength: 4 }),
        fc.array(change, { maxLength: 6 }),
        (before, holders, after) =>
          runtime.runPromise(
            Effect.gen(function* () {
              const workspaces = yield* Effect.replicateEffect(makeWorkspace(), workspaceCount)
              const at = (index: number) => workspaces[index] as WorkspaceScope
              const people = yield* Effect.replicateEffect(asCaller(at(0))(createUser("p")), 2)
              const userOf = (index: number) => people[index]?.id as UserId
              const roles = new Map<string, "admin" | "member">()
              const carryOut = (one: Change) => {
                const [user, home, key] = [userOf(one.person), at(one.place), `${one.person} ${one.place}`]
                if (one.do === "join") {
                  roles.set(key, one.role)
                  return asCaller(home)(addMember(user, one.role))
                }
                return roles.delete(key) ? asCaller(home)(removeMember(user)) : Effect.void
              }
              yield* Effect.forEach(before, carryOut)
              const standing: Array<Standing> = []
              for (const what of holders) {
                const user = what.person === null ? null : userOf(what.person)
                const homes =
                  what.by === "workspace_key"
                    ? [what.place]
                    : what.by === "user_key" && what.grant !== "all"
                      ? what.grant
                      : workspaces.keys()
                const home = [...homes].find((index) => user === null || roles.has(`${what.person} ${index}`))
                if (home === undefined) continue
                // A key is granted only workspaces of its owner; they may leave them later.
                const reach =
                  what.by === "user_key" && what.grant !== "all"
                    ? what.grant.filter((index) => roles.has(`${what.person} ${index}`)).map(at)
                    : "all"
                standing.push(yield* signedIn(what, { user, grant: reach, home: at(home) }))
              }
              yield* Effect.forEach(after, carryOut)
              for (const one of standing)
                for (const [index, workspace] of workspaces.entries()) {
                  const { reach, what } = one
                  const current = what.person === null ? null : (roles.get(`${what.person} ${index}`) ?? null)
                  const isWithin = reach === "all" || reach.includes(workspace)
                  const mayEnter = isWithin && (what.person === null || current !== null)
                  // A twin who has this one membership and nothing else, and signs in now.
                  const twin = what.person === null ? null : (yield* asCaller(workspace)(createUser("t"))).id
                  if (twin !== null && current !== null) yield* asCaller(workspace)(addMember(twin, current))
                  const fresh = mayEnter
                    ? yield* rightsOf(
                        yield* signedIn(what, { user: twin, grant: [workspace], home: workspace }),
                        workspace
                      )
                    : { session: null, bearer: null }
                  const now = yield* rightsOf(one, workspace)
                  expect(now, JSON.stringify({ what, index, current })).toEqual(fresh)
                  if (now.session !== null && current === "member")
                    expect(now.session).not.toContain("workspace:admin")
                }
              // The list of a workspace holds exactly the sessions that reach it.
              for (const workspace of workspaces) {
                const reader = { actor: "nobody", scopes, workspace }
                const { items } = yield* listSessions(reader, limits, { limit: 200, offset: 0 })
                const everywhere = new Set<string>()
                for (const home of workspaces)
                  for (const { id } of (yield* listSessions({ ...reader, workspace: home }, limits, {
                    limit: 200,
                    offset: 0
                  })).items)
                    everywhere.add(id)
                for (const id of everywhere) {
                  const rights = yield* rightsOfSession(id as (typeof items)[number]["id"], workspace, limits)
                  expect(items.some((one) => one.id === id)).toBe(Option.isSome(rights))
                }
              }
            }).pipe(Effect.orDie)
          )
      )
    )
  })
})
