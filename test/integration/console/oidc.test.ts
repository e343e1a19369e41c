import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addMember, IdentityStore, removeMember } from "../../../core/platform/identity/index.js"
import type { UserId, WorkspaceId } from "../../../core/platform/kernel/index.js"
import { readConfig } from "../../../server/config.js"
import { browser, origin, request } from "../../support/browser.js"
import { type IdentityProvider, startProvider } from "../../support/identity-provider.js"
import { startServer, type TestServer } from "../../support/server.js"
import { browserAt, sessionIn, signInAt } from "../../support/sign-in.js"

let server: TestServer
let provider: IdentityProvider
let workspace: WorkspaceId
let ann: UserId

beforeAll(async () => {
  provider = await startProvider("kanon")
  server = await startServer({
    consoleSettings: {
      origin,
      consoleOidc: { issuer: provider.issuer, clientId: "kanon", clientSecret: "s" }
    }
  })
  workspace = await server.workspace("one")
  ann = await server.user("Ann", [workspace])
  await server.runtime.runPromise(
    Effect.flatMap(IdentityStore, (store) => store.sessions.setEmail(ann, "ann@example.org"))
  )
})
afterAll(async () => {
  await server.close()
  await provider.close()
})

/** Goes to the provider and comes back, as the person of the claims. */
const attempt = (claims: Readonly<Record<string, unknown>>, change?: (back: URL) => void) =>
  signInAt(server, provider, claims, change === undefined ? {} : { change })

describe("signing in through OpenID Connect", () => {
  it("uses PKCE, state and nonce, with a cookie of its own for each attempt", async () => {
    const { address, started } = await attempt({ sub: "1" })
    expect(started.status).toBe(303)
    expect(address.searchParams.get("code_challenge_method")).toBe("S256")
    expect(address.searchParams.get("redirect_uri")).toBe(`${origin}/console/oidc/callback`)
    expect(started.headers.get("set-cookie")).toMatch(
      /^__Host-kanon-oidc-[\w-]+=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/
    )
  })

  it("binds a person once by a verified e-mail address, later by issuer and subject alone", async () => {
    const unverified = await attempt({ sub: "1", email: "ann@example.org", email_verified: false })
    expect(unverified.location).toBe(`${origin}/?signInError=no_member`)
    const first = await attempt({ sub: "1", email: "Ann@example.org", email_verified: true })
    expect(first.location).toBe(`${origin}/documents`)
    const cookie = sessionIn(first.ended.headers) ?? ""
    const { body } = await request(server, "GET", "/console/session", { headers: { cookie } })
    expect(body).toMatchObject({ member: { id: ann, name: "Ann" }, method: "oidc", workspaceId: workspace })
    expect(body.scopes).not.toContain("workspace:admin")
    expect((await attempt({ sub: "1" })).location).toBe(`${origin}/documents`)
    const thief = await attempt({ sub: "2", email: "ann@example.org", email_verified: true })
    expect(thief.location).toBe(`${origin}/?signInError=no_member`)
  })

  it("refuses an attempt of another browser and a wrong nonce", async () => {
    const foreign = await request(server, "GET", `/console/oidc/callback?state=${"a".repeat(43)}&code=x`)
    expect(foreign.headers.get("location")).toBe(`${origin}/?signInError=attempt_unknown`)
    const wrong = await attempt({ sub: "1" }, (back) =>
      back.searchParams.set("code", provider.codeFor("other"))
    )
    expect(wrong.location).toBe(`${origin}/?signInError=refused`)
  })

  it("leads back below the path of origin only", async () => {
    const below = await startServer({
      consoleSettings: {
        origin: `${origin}/team/kanon`,
        consoleOidc: { issuer: provider.issuer, clientId: "kanon", clientSecret: "s" }
      }
    })
    const home = await below.workspace("one")
    const bea = await below.user("Bea", [home])
    await below.runtime.runPromise(
      Effect.flatMap(IdentityStore, (store) => store.sessions.setEmail(bea, "bea@example.org"))
    )
    const claims = { sub: "1", email: "bea@example.org", email_verified: true }
    const led = async (returnTo: string) => (await signInAt(below, provider, claims, { returnTo })).location
    expect(await led("/entities?q=a%2F..#b")).toBe(`${origin}/team/kanon/entities?q=a%2F..#b`)
    for (const path of [
      "/../../admin",
      "/documents/../../other",
      "/%2e%2e/%2E%2e/admin",
      "/x/..\\..\\..\\admin",
      "/..",
      "/x/../console/oidc/start"
    ])
      expect(await led(path), path).toBe(`${origin}/team/kanon/`)
    await below.close()
  })

  it("leads back to paths of the console only", async () => {
    const started = await request(server, "GET", "/console/oidc/start?returnTo=//evil.test/")
    const cookie = started.headers.get("set-cookie") ?? ""
    const value = /=([\w-]+);/.exec(cookie)?.[1] ?? ""
    expect(JSON.parse(Buffer.from(value, "base64url").toString())).toMatchObject({ returnTo: "/" })
  })

  it("leaves keys without a member then", async () => {
    const { session } = await browser(server, { key: await server.userKey(ann, [workspace]) })
    expect(session.member).toBeNull()
    expect((await request(server, "GET", "/console/session")).body.signIn).toEqual(["oidc", "key"])
  })
})

describe("an id token", () => {
  const person = { sub: "1", email: "ann@example.org", email_verified: true }
  const withOwnProvider = async (
    use: (own: IdentityProvider, at: TestServer) => Promise<void>,
    settings: Readonly<Record<string, unknown>> = {}
  ) => {
    const own = await startProvider("kanon")
    const at = await startServer({
      consoleSettings: {
        origin,
        consoleOidc: { issuer: own.issuer, clientId: "kanon", clientSecret: "s", ...settings }
      }
    })
    try {
      const home = await at.workspace("one")
      const id = await at.user("Ann", [home])
      await at.runtime.runPromise(
        Effect.flatMap(IdentityStore, (store) => store.sessions.setEmail(id, "ann@example.org"))
      )
      await use(own, at)
    } finally {
      await at.close()
      await own.close()
    }
  }
  const good = `${origin}/documents`
  const refused = `${origin}/?signInError=refused`

  it("is refused when its signature is of another key with the same id", () =>
    withOwnProvider(async (own, at) => {
      own.faults.signsWithStrangeKey = true
      expect((await signInAt(at, own, person)).location).toBe(refused)
      own.faults.signsWithStrangeKey = false
      expect((await signInAt(at, own, person)).location).toBe(good)
    }))

  it("is good at once after the provider changed its key, its algorithm or its token endpoint", () =>
    withOwnProvider(async (own, at) => {
      expect((await signInAt(at, own, person)).location).toBe(good)
      own.rotate("ES256")
      expect((await signInAt(at, own, person)).location).toBe(good)
      expect((await signInAt(at, own, person)).location).toBe(good)
      // Within the same minute nothing is read again, however many sign-ins fail.
      own.rotate("ES256")
      const before = [own.asked.get("/jwks"), own.asked.get("/.well-known/openid-configuration")]
      for (let at_ = 0; at_ < 3; at_++) expect((await signInAt(at, own, person)).location).toBe(refused)
      expect([own.asked.get("/jwks"), own.asked.get("/.well-known/openid-configuration")]).toEqual(before)
    }))

  it("comes from a token endpoint that moved", () =>
    withOwnProvider(async (own, at) => {
      expect((await signInAt(at, own, person)).location).toBe(good)
      own.faults.tokenPath = "/oauth/token"
      expect((await signInAt(at, own, person)).location).toBe(good)
    }))

  it("is refused when it was issued at quite another time", () =>
    withOwnProvider(async (own, at) => {
      const nowSeconds = Math.floor(Date.now() / 1000)
      for (const iat of [nowSeconds - 86_400, nowSeconds - 1_000, nowSeconds + 1_000, 0])
        expect((await signInAt(at, own, { ...person, iat })).location, String(iat)).toBe(refused)
      for (const iat of [nowSeconds - 200, nowSeconds + 200])
        expect((await signInAt(at, own, { ...person, iat })).location, String(iat)).toBe(good)
    }))

  it("is not taken from an answer without an end", () =>
    withOwnProvider(async (own, at) => {
      own.faults.extraBytes = 2 * 1024 * 1024
      expect((await signInAt(at, own, person)).location).toBe(refused)
      own.faults.extraBytes = 1_000
      expect((await signInAt(at, own, person)).location).toBe(good)
    }))

  it("needs no e-mail address and no groups where userinfo has them", () =>
    withOwnProvider(
      async (own, at) => {
        Object.assign(own.userinfo, { email: "ann@example.org", email_verified: true, groups: ["staff"] })
        expect((await signInAt(at, own, { sub: "7" })).location).toBe(good)
        own.userinfo["groups"] = ["guests"]
        expect((await signInAt(at, own, { sub: "7" })).location).toBe(`${origin}/?signInError=no_member`)
      },
      { groups: { claim: "groups", admin: ["heads"], member: ["staff"] } }
    ))

  it("is not joined with userinfo to an address that neither of them calls verified", () =>
    withOwnProvider(async (own, at) => {
      Object.assign(own.userinfo, { email: "else@example.org", email_verified: true })
      const { location } = await signInAt(at, own, { sub: "8", email: "ann@example.org" })
      expect(location).toBe(`${origin}/?signInError=no_member`)
    }))

  it("gives, with groups, the role in the first workspace, and in others none", () =>
    withOwnProvider(
      async (own, at) => {
        const [first, second] = [await at.workspace("later"), await at.workspace("latest")]
        const [home] = (
          await (await browserAt(at, own, { ...person, groups: ["heads"] })).call("GET", "/console/session")
        ).body.workspaces
        const userId = (await browserAt(at, own, { sub: "1", groups: ["heads"] })).session.actor
        for (const id of [first, second]) await at.as(id, addMember(userId as UserId, "member"))
        const page = await browserAt(at, own, { sub: "1", groups: ["heads"] })
        const mayAdmin = page.session.workspaces.map((one) => one.scopes.includes("workspace:admin"))
        expect(page.session.workspaces[0]?.id).toBe(home.id)
        expect(mayAdmin).toEqual([true, false, false])
        await browserAt(at, own, { sub: "1", groups: ["staff"] })
        const now = (await page.call("GET", "/console/session")).body
        expect(now.scopes).not.toContain("workspace:admin")
      },
      { groups: { claim: "groups", admin: ["heads"], member: ["staff"] } }
    ))
})

describe("a member of two workspaces", () => {
  it("is in each what they are there, also beyond the first two hundred members, from the next request on", async () => {
    const [one, two] = [await server.workspace("a"), await server.workspace("b")]
    const zoe = await server.user("zoe", [one], "admin")
    await server.as(two, addMember(zoe, "member"))
    await server.runtime.runPromise(
      Effect.flatMap(IdentityStore, (store) => store.sessions.setEmail(zoe, "zoe@example.org"))
    )
    for (let n = 0; n < 205; n++) await server.user(`a${n}`, [one])
    const page = await browserAt(server, provider, {
      sub: "zoe",
      email: "zoe@example.org",
      email_verified: true
    })
    const keysOf = async (workspaceId: WorkspaceId) =>
      (await page.call("GET", "/console/api/v1/keys", { headers: { "x-workspace-id": workspaceId } })).status
    const mint = async (workspaceId: WorkspaceId) =>
      (
        await page.call("POST", "/console/api/v1/keys", {
          body: { name: "k", scopes: ["workspace:admin"] },
          headers: { "x-workspace-id": workspaceId }
        })
      ).status
    expect([await keysOf(one), await keysOf(two), await mint(two)]).toEqual([200, 403, 403])
    await server.as(one, addMember(zoe, "member"))
    await server.as(two, addMember(zoe, "admin"))
    expect([await keysOf(one), await keysOf(two), await mint(one)]).toEqual([403, 200, 403])
    await server.as(two, removeMember(zoe))
    expect([await keysOf(one), await keysOf(two)]).toEqual([403, 403])
    const store = await server.runtime.runPromise(IdentityStore)
    expect(await server.runtime.runPromise(store.role(one, zoe))).toMatchObject({ value: "member" })
  })
})

describe("the address of a provider", () => {
  const mistakesOf = (issuer: string) => {
    const read = readConfig({
      file: undefined,
      environment: { KANON_CONSOLE_OIDC: JSON.stringify({ issuer, clientId: "kanon" }) },
      flags: {}
    })
    return "mistakes" in read ? read.mistakes.map(({ message }) => message).join() : ""
  }

  it("is encrypted beyond this machine; otherwise the server does not start, and says why", () => {
    for (const issuer of [
      "http://id.example.org",
      "http://10.0.0.7:8080/realms/x",
      "http://127.0.0.1.example.org"
    ])
      expect(mistakesOf(issuer), issuer).toContain("The issuer must be an https address")
    for (const issuer of [
      "https://id.example.org",
      "http://localhost:8080",
      "http://127.0.0.1:1",
      "http://[::1]:1"
    ])
      expect(mistakesOf(issuer), issuer).toBe("")
  })
})
