import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SessionStore } from "../../../core/platform/identity/index.js"
import type { UserId, WorkspaceId } from "../../../core/platform/kernel/index.js"
import { browser, origin, request } from "../../support/browser.js"
import { type IdentityProvider, startProvider } from "../../support/identity-provider.js"
import { startServer, type TestServer } from "../../support/server.js"

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
    Effect.flatMap(SessionStore, (store) => store.setEmail(ann, "ann@example.org"))
  )
})
afterAll(async () => {
  await server.close()
  await provider.close()
})

/** Goes to the provider and comes back, as the person of the claims. */
const attempt = async (claims: Readonly<Record<string, unknown>>, change: (url: URL) => void = () => {}) => {
  const started = await request(server, "GET", "/console/oidc/start?returnTo=/documents")
  const address = new URL(started.headers.get("location") ?? "")
  const [cookie = ""] = (started.headers.get("set-cookie") ?? "").split(";", 1)
  for (const name of Object.keys(provider.claims)) delete provider.claims[name]
  Object.assign(provider.claims, claims)
  const back = new URL("/console/oidc/callback", origin)
  back.searchParams.set("state", address.searchParams.get("state") ?? "")
  back.searchParams.set("code", provider.codeFor(address.searchParams.get("nonce") ?? ""))
  change(back)
  const ended = await request(server, "GET", back.pathname + back.search, { headers: { cookie } })
  return { address, started, ended, location: ended.headers.get("location") }
}
const sessionIn = (headers: Headers): string | undefined =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith("__Host-kanon="))
    ?.split(";", 1)[0]

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
