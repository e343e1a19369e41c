import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { IdentityStore, makeLink, removeMember, revokeAsHost } from "../../../core/platform/identity/index.js"
import { KeyId, type UserId, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { browser, origin, request, signIn } from "../../support/browser.js"
import { temporaryFolder } from "../../support/folders.js"
import { startServer, type TestServer } from "../../support/server.js"

let server: TestServer
let workspace: WorkspaceId
let other: WorkspaceId
let ann: UserId
let userKey: string
let workspaceKey: string
const folder = temporaryFolder("pages")

beforeAll(async () => {
  mkdirSync(join(folder, "assets"))
  writeFileSync(join(folder, "index.html"), "<!doctype html><html><head><title>Kanon</title></head></html>")
  writeFileSync(join(folder, "assets", "main-abc123.js"), "export {}")
  server = await startServer({ consoleSettings: { origin: `${origin}/team` }, consoleFolder: folder })
  workspace = await server.workspace("one")
  other = await server.workspace("two")
  ann = await server.user("Ann", [workspace])
  userKey = await server.userKey(ann, [workspace])
  workspaceKey = await server.key(workspace)
})
afterAll(() => server.close())

describe("signing in", () => {
  it("gives the owner of a user key a session in a cookie that scripts cannot read", async () => {
    const { body, headers, status } = await signIn(server, { key: userKey })
    expect(status).toBe(201)
    expect(headers.get("set-cookie")).toMatch(
      /^__Host-kanon=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=604800$/
    )
    expect(body).toMatchObject({
      member: { id: ann, name: "Ann" },
      actor: ann,
      method: "key",
      workspaceId: workspace,
      workspaces: [{ id: workspace, name: "one" }]
    })
    expect(JSON.stringify(body)).not.toContain(userKey)
  })

  it("gives a workspace key a session without a member", async () => {
    const { session } = await browser(server, { key: workspaceKey })
    expect(session).toMatchObject({ member: null, actor: expect.stringMatching(/^key_/) })
  })

  it("says how to sign in when there is no session, or one that has ended", async () => {
    for (const headers of [{}, { cookie: "__Host-kanon=x" }, { cookie: `__Host-kanon=${"a".repeat(43)}` }]) {
      const answer = await request(server, "GET", "/console/session", { headers })
      expect(answer.status).toBe(401)
      expect(answer.body).toMatchObject({ error: "unauthorized", signIn: ["key"], signInProblem: null })
    }
    expect((await signIn(server, { key: "svc_sk_wrong" })).status).toBe(401)
    expect((await request(server, "GET", "/console/api/v1/documents")).body.signIn).toEqual(["key"])
  })

  it("takes a link once", async () => {
    const token = await server.as(workspace, makeLink("local", workspace))
    expect(
      (await request(server, "GET", "/console/session", { headers: { cookie: `__Host-kanon=${token}` } }))
        .status
    ).toBe(401)
    const taken = await Promise.all([signIn(server, { token }), signIn(server, { token })])
    expect(taken.map(({ status }) => status).sort()).toEqual([201, 401])
  })

  it("never takes over a session that the browser held before, and ends that one", async () => {
    const first = await browser(server, { key: userKey })
    const again = await signIn(server, { key: userKey }, { cookie: first.cookie })
    expect(again.headers.get("set-cookie")).not.toContain(first.cookie)
    expect((await first.call("GET", "/console/session")).status).toBe(401)
  })

  it("explains that plain HTTP beyond this machine cannot work, unless that is wanted", async () => {
    const plain = await startServer({ consoleSettings: {} })
    const open = await startServer({ consoleSettings: { consoleInsecureCookie: true } })
    const key = await plain.key(await plain.workspace("one"))
    const at = (one: TestServer, host: string, body: unknown) =>
      one.fetch(
        new Request(`http://${host}/console/session`, {
          method: "POST",
          headers: { "content-type": "application/json", origin: `http://${host}` },
          body: JSON.stringify(body)
        })
      )
    const refused = await at(plain, "kanon.lan:7420", { key })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: "insecure_connection",
      message: expect.stringContaining("HTTPS")
    })
    for (const host of ["127.0.0.1:7420", "localhost:7420"])
      expect((await at(plain, host, { key })).status).toBe(201)
    const insecure = await at(open, "kanon.lan", { key: await open.key(await open.workspace("one")) })
    expect(insecure.status).toBe(201)
    expect(insecure.headers.get("set-cookie")).toMatch(
      /^kanon=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max/
    )
    await plain.close()
    await open.close()
  })
})

describe("a session", () => {
  it("does everything that the API does, as its member with the activity of a person", async () => {
    const page = await browser(server, { key: userKey })
    const made = await page.call("POST", "/console/api/v1/entities", {
      body: { name: "Heron", type: "project" }
    })
    expect(made.status).toBe(201)
    const { body } = await page.call("GET", `/console/api/v1/entities/${made.body.id}/revisions`)
    expect(body.revisions[0]).toMatchObject({ changedBy: ann, activity: "ui" })
  })

  it("passes the reviewer gate for its own concepts, and a session of a key never does", async () => {
    const [page, keyPage] = [
      await browser(server, { key: userKey }),
      await browser(server, { key: workspaceKey })
    ]
    const { body: entity } = await page.call("POST", "/console/api/v1/entities", {
      body: { name: "Gate", type: "project" }
    })
    const own = (ownerId: string) =>
      page.call("POST", `/console/api/v1/entities/${entity.id}/owner`, { body: { ownerId } })
    const propose = async (description: string) =>
      (
        await page.call("POST", "/console/api/v1/change-requests", {
          body: { kind: "update", entityId: entity.id, payload: { description } }
        })
      ).body.id
    const approve = (by: typeof page, id: string) =>
      by.call("POST", `/console/api/v1/change-requests/${id}/approve`, { body: {} })
    await own(ann)
    const first = await propose("a")
    const refused = await approve(keyPage, first)
    expect([refused.status, refused.body.error]).toEqual([409, "reviewer_required"])
    expect((await approve(page, first)).status).toBe(200)
    await own(keyPage.session.actor)
    expect((await approve(keyPage, await propose("b"))).body.error).toBe("reviewer_required")
  })

  it("opens nothing at the API itself, and a key opens nothing at the console", async () => {
    const { cookie } = await browser(server, { key: userKey })
    expect((await request(server, "GET", "/api/v1/documents", { headers: { cookie } })).status).toBe(401)
    const headers = { authorization: `Bearer ${userKey}` }
    expect((await request(server, "GET", "/console/api/v1/documents", { headers })).status).toBe(401)
  })

  it("reaches no workspace of others", async () => {
    const page = await browser(server, { key: userKey })
    const headers = { "x-workspace-id": other }
    const { body, status } = await page.call("GET", "/console/api/v1/documents", { headers })
    expect([status, body.error]).toEqual([403, "workspace_forbidden"])
  })

  it("changes nothing without its token, or for a page of another origin", async () => {
    const page = await browser(server, { key: userKey })
    const change = (headers: Readonly<Record<string, string>>) =>
      page.call("POST", "/console/api/v1/entities", { body: { name: "Forged", type: "x" }, headers })
    const csrf = page.session.csrf
    const others = (await browser(server, { key: userKey })).session.csrf
    for (const headers of [
      { "x-kanon-csrf": "" },
      { "x-kanon-csrf": others },
      { origin: "https://evil.test", "x-kanon-csrf": csrf },
      { origin: "null", "x-kanon-csrf": csrf },
      { origin: "http://kanon.test", "x-kanon-csrf": csrf }
    ]) {
      const { body, status } = await change(headers)
      expect([status, body.error], JSON.stringify(headers)).toEqual([403, "csrf"])
    }
    const withoutOrigin = await request(server, "DELETE", "/console/session", {
      headers: { cookie: page.cookie, "x-kanon-csrf": csrf }
    })
    expect([withoutOrigin.status, withoutOrigin.body.error]).toEqual([403, "csrf"])
    expect((await signIn(server, { key: userKey }, { origin: "https://evil.test" })).body.error).toBe("csrf")
  })

  it("ends with signing out, with its revocation, with its key and with the membership", async () => {
    const status = async (page: Awaited<ReturnType<typeof browser>>) =>
      (await page.call("GET", "/console/api/v1/manifest")).status
    const [one, two] = [await browser(server, { key: userKey }), await browser(server, { key: userKey })]
    const out = await one.call("DELETE", "/console/session")
    expect(out.headers.get("set-cookie")).toMatch(/^__Host-kanon=; .*Max-Age=0$/)
    expect(await status(one)).toBe(401)
    const three = await browser(server, { key: userKey })
    const { body } = await two.call("GET", "/console/sessions")
    expect(body.items.filter((item: { current: boolean }) => item.current)).toHaveLength(1)
    expect((await two.call("DELETE", `/console/sessions/${three.session.id}`)).status).toBe(200)
    expect(await status(three)).toBe(401)
    expect(await status(two)).toBe(200)

    const bob = await server.user("Bob", [workspace])
    const bobs = await browser(server, { key: await server.userKey(bob, [workspace]) })
    await server.as(workspace, removeMember(bob))
    expect(await status(bobs)).toBe(403)
    expect((await bobs.call("GET", "/console/session")).status).toBe(401)

    const key = await server.key(workspace)
    const held = await browser(server, { key })
    await server.as(workspace, revokeAsHost(KeyId.parse(held.session.actor)))
    expect(await status(held)).toBe(401)
  })

  it("is not listed for and not ended by somebody without the right to", async () => {
    const [mine, theirs] = [
      await browser(server, { key: await server.key(workspace, ["kb:read"]) }),
      await browser(server, { key: userKey })
    ]
    const { body } = await mine.call("GET", "/console/sessions")
    expect(body.items.map((item: { id: string }) => item.id)).toEqual([mine.session.id])
    expect((await mine.call("DELETE", `/console/sessions/${theirs.session.id}`)).status).toBe(404)
    const elsewhere = await browser(server, { key: await server.key(other) })
    const listed = (await elsewhere.call("GET", "/console/sessions")).body.items
    expect(listed.map((item: { id: string }) => item.id)).not.toContain(theirs.session.id)
  })

  it("is answered 503, not 401, while the database does not answer", async () => {
    const page = await browser(server, { key: userKey })
    const { runtime } = server
    const { sessions: store } = await runtime.runPromise(IdentityStore)
    const { byHash } = store
    Object.assign(store, {
      byHash: () =>
        Effect.die({ _tag: "DataUnavailable", outcome: "none", retryAfterSeconds: 1, message: "" })
    })
    try {
      expect((await page.call("GET", "/console/session")).status).toBe(503)
      expect((await page.call("GET", "/console/api/v1/manifest")).status).toBe(503)
    } finally {
      Object.assign(store, { byHash })
    }
    expect((await page.call("GET", "/console/session")).status).toBe(200)
  })
})

describe("the pages", () => {
  it("are served without a session, with the base of all their links, and framed by nobody", async () => {
    for (const path of ["/", "/documents", "/documents/doc_x", "/entities/ent_x", "/settings"]) {
      const { body, headers, status } = await request(server, "GET", path)
      expect([status, headers.get("content-type")], path).toEqual([200, "text/html; charset=utf-8"])
      expect(body).toContain('<head><base href="/team/">')
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types kanon"
      )
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
    }
    const asset = await request(server, "GET", "/assets/main-abc123.js")
    expect(asset.headers.get("cache-control")).toContain("immutable")
    expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
  })

  it("are no answer to wrong paths of the API, and nothing outside their folder is served", async () => {
    for (const path of [
      "/api/v1/nothing",
      "/console/nothing",
      "/nothing",
      "/documents/",
      "/assets/none.js",
      "/index.html"
    ])
      expect((await request(server, "GET", path)).status, path).toBe(404)
    const wrong = await request(server, "GET", "/nothing", { headers: { accept: "text/html" } })
    expect([wrong.status, wrong.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
  })

  it("frame nothing of the console's own answers either", async () => {
    const { headers } = await request(server, "GET", "/console/session")
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect(headers.get("cache-control")).toBe("no-store")
  })
})
