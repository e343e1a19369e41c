import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { scriptedAgentModel } from "../../../adapters/models/scripted.js"
import { handlers } from "../../../core/engine/engine/index.js"
import {
  addMember,
  endSession,
  identityOperations,
  removeMember
} from "../../../core/platform/identity/index.js"
import { startWorker } from "../../../core/platform/jobs/index.js"
import { runOperation, type UserId, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { ServerSettings } from "../../../server/config.js"
import { seeingAs } from "../../../server/console/seeing-as.js"
import { sessionAdmission } from "../../../server/console/session-routes.js"
import { keyAdmission } from "../../../server/http/serve-row.js"
import { type Browser, browser, origin, signIn } from "../../support/browser.js"
import { startServer, type TestServer } from "../../support/server.js"

/** Scopes of members in these tests: they read, and start agents. */
const memberScopes = ["agents:run", "runs:read", "kb:read"]
const model = scriptedAgentModel((turn) =>
  turn === 0
    ? {
        text: "I write it down.",
        calls: [{ name: "svc_create_document", arguments: { path: "note.md", content: "# Note\n" } }]
      }
    : "Done."
)

let server: TestServer
let here: WorkspaceId
let there: WorkspaceId
let ann: UserId
let key: string
let worker: Fiber.RuntimeFiber<unknown, unknown>

beforeAll(async () => {
  server = await startServer({
    consoleSettings: { origin, consoleScopes: { member: memberScopes } },
    models: { chat: model }
  })
  here = await server.workspace("here")
  there = await server.workspace("there")
  ann = await server.user("Ann", [here], "admin")
  await server.as(there, addMember(ann, "member"))
  key = await server.userKey(ann, "all")
  worker = server.runtime.runFork(
    Effect.scoped(Effect.zipRight(startWorker(handlers, { owner: "test" }), Effect.never))
  )
})
afterAll(async () => {
  await Effect.runPromise(Fiber.interrupt(worker))
  await server.close()
})

const as = (role: "admin" | "member") => server.as(here, addMember(ann, role))
const status = async (bearer: string, path: string, workspace: WorkspaceId) =>
  (await server.call("GET", path, { key: bearer, headers: { "x-workspace-id": workspace } })).status

describe("the key of a member", () => {
  it("has in each workspace those of its scopes that the role there allows, from the next request on", async () => {
    const keys = "/api/v1/keys"
    expect([await status(key, keys, here), await status(key, keys, there)]).toEqual([200, 403])
    expect(await status(key, "/api/v1/documents", there)).toBe(200)
    const { body } = await server.call("GET", "/api/v1/workspace", {
      key,
      headers: { "x-workspace-id": there }
    })
    expect(body).toMatchObject({ key: { scopes: memberScopes } })
    await as("member")
    expect(await status(key, keys, here)).toBe(403)
    await as("admin")
    expect(await status(key, keys, here)).toBe(200)
  })

  it("makes keys that are bounded by the role of the member too", async () => {
    const made = await server.call("POST", "/api/v1/keys", {
      key,
      headers: { "x-workspace-id": here },
      body: { name: "ci", scopes: ["workspace:admin", "kb:read"] }
    })
    const { key: child } = made.body as { readonly key: string }
    expect(await status(child, "/api/v1/keys", here)).toBe(200)
    await as("member")
    expect(await status(child, "/api/v1/keys", here)).toBe(403)
    expect(await status(child, "/api/v1/documents", here)).toBe(200)
    await as("admin")
  })
})

describe("a stream", () => {
  it("ends for a caller who lost a scope that it was opened with, or the session", async () => {
    const page = await browser(server, { key })
    const settings = ServerSettings.parse({ origin, consoleScopes: { member: memberScopes } })
    const request = new Request(`${origin}/console/api/v1/documents`, {
      headers: { cookie: page.cookie, authorization: `Bearer ${key}`, "x-workspace-id": here }
    })
    const checks = await server.runtime.runPromise(
      Effect.all([
        sessionAdmission(settings)(request, new URL(request.url)),
        keyAdmission(request, new URL(request.url))
      ])
    )
    const admitted = () =>
      server.runtime.runPromise(Effect.forEach(checks, ({ stillAdmitted }) => stillAdmitted))
    expect(await admitted()).toEqual([true, true])
    await server.as(there, removeMember(ann))
    expect(await admitted()).toEqual([true, true])
    await server.as(there, addMember(ann, "member"))
    await as("member")
    expect(await admitted()).toEqual([false, false])
    await as("admin")
    await server.as(here, endSession(page.session.id as Parameters<typeof endSession>[0]))
    expect(await admitted()).toEqual([false, true])
  })
})

describe("an administrator who sees the workspace as a member", () => {
  it("reads what both may read, changes nothing, and is in the audit trail", async () => {
    const home = await server.workspace("seen")
    const eve = await server.user("Eve", [home], "admin")
    const bob = await server.user("Bob", [home], "curator")
    const inGroup = (name: string, user: UserId) =>
      server.as(home, runOperation(identityOperations.addToGroup, { name, userId: user }))
    await inGroup("hr", eve)
    await inGroup("sales", bob)
    const all = await server.key(home)
    for (const path of ["handbook.md", "hr/salaries.md", "sales/plan.md"]) {
      const body = { path, content: `# ${path}\n\nAbout ${path}.\n` }
      expect((await server.call("POST", "/api/v1/documents", { key: all, body })).status).toBe(201)
    }
    const folders = ["hr", "sales"].map((path) => ({ path, read: [`group:${path}`] }))
    await server.call("PATCH", "/api/v1/workspace", { key: all, body: { access: { folders } } })
    const pageOf = async (user: UserId) => browser(server, { key: await server.userKey(user, [home]) })
    const [admin, member] = [await pageOf(eve), await pageOf(bob)]
    const headers = { "x-workspace-id": home, "x-kanon-as": bob }
    const paths = async (page: Browser, sent: Readonly<Record<string, string>>) =>
      ((await page.call("GET", "/console/api/v1/documents", { headers: sent })).body.items ?? []).map(
        ({ path }: { readonly path: string }) => path
      )
    const own = { "x-workspace-id": home }
    expect(await paths(admin, own)).toEqual(["handbook.md", "hr/salaries.md"])
    expect(await paths(member, own)).toEqual(["handbook.md", "sales/plan.md"])
    expect(await paths(admin, headers)).toEqual(["handbook.md"])
    const status = async (page: Browser, method: "GET" | "POST", path: string, more = {}) =>
      (await page.call(method, `/console${path}`, { headers: { ...headers, ...more } })).status
    expect(await status(admin, "GET", "/members")).toBe(403)
    const written = await admin.call("POST", "/console/api/v1/documents", {
      headers,
      body: { path: "mine.md", content: "# Mine\n" }
    })
    expect([written.status, written.body.error]).toEqual([403, "forbidden"])
    expect(await status(member, "GET", "/api/v1/documents", { "x-kanon-as": eve })).toBe(403)
    for (const unknown of ["usr_00000000000000000000000000", "Bob"])
      expect(await status(admin, "GET", "/api/v1/documents", { "x-kanon-as": unknown })).toBe(404)
    await inGroup("hr", bob)
    expect(await paths(admin, headers)).toEqual(["handbook.md", "hr/salaries.md"])
    await inGroup("sales", eve)
    expect(await paths(admin, headers)).toEqual(["handbook.md", "hr/salaries.md", "sales/plan.md"])
    const { body } = await server.call("GET", "/api/v1/audit", { key: all })
    const seen = (body as { readonly items: ReadonlyArray<Readonly<Record<string, unknown>>> }).items.filter(
      ({ action }) => action === "member.seen_as"
    )
    expect(seen).toMatchObject([{ actor: eve, subjectId: bob }])
  })

  it("has a stream that ends when groups of the member or lists of readers change", async () => {
    const home = await server.workspace("streams")
    const [eve, bob] = [await server.user("Eve", [home], "admin"), await server.user("Bob", [home])]
    const all = await server.key(home)
    for (const path of ["handbook.md", "hr/salaries.md"])
      await server.call("POST", "/api/v1/documents", { key: all, body: { path, content: `# ${path}\n` } })
    const read = (...principals: ReadonlyArray<string>) =>
      server.call("PATCH", "/api/v1/workspace", {
        key: all,
        body: { access: { folders: [{ path: "hr", read: principals }] } }
      })
    await read("group:hr")
    const page = await browser(server, { key: await server.userKey(eve, [home]) })
    const memberKey = await server.userKey(bob, [home])
    const admissions = () => {
      const sent = { cookie: page.cookie, "x-workspace-id": home, "x-kanon-as": bob }
      const url = `${origin}/console/api/v1/documents`
      const own = { authorization: `Bearer ${memberKey}`, "x-workspace-id": home }
      return server.runtime.runPromise(
        Effect.all([
          seeingAs(sessionAdmission(ServerSettings.parse({ origin })))(
            new Request(url, { headers: sent }),
            new URL(url)
          ),
          keyAdmission(new Request(url, { headers: own }), new URL(url))
        ])
      )
    }
    const changes: ReadonlyArray<() => Promise<unknown>> = [
      async () => {
        for (const userId of [bob, eve])
          await server.as(home, runOperation(identityOperations.addToGroup, { name: "hr", userId }))
      },
      () => read("group:board"),
      () => server.as(home, removeMember(bob))
    ]
    for (const change of changes) {
      const checks = await admissions()
      const admitted = () =>
        server.runtime.runPromise(Effect.forEach(checks, ({ stillAdmitted }) => stillAdmitted))
      expect(await admitted()).toEqual([true, true])
      await change()
      expect(await admitted()).toEqual([false, false])
    }
  })
})

describe("a run", () => {
  const start = async (page: Browser) => {
    const headers = { "x-workspace-id": here }
    await page.call("PUT", "/console/api/v1/agents/writer", {
      headers,
      body: { name: "Writer", instructions: "Write.", tools: [{ name: "svc_create_document" }] }
    })
    const { body } = await page.call("POST", "/console/api/v1/agents/writer/runs", {
      headers,
      body: { input: "Write." }
    })
    const run = () => page.call("GET", `/console/api/v1/runs/${body.runId}`, { headers })
    await vi.waitFor(async () => expect((await run()).body.run.status).toBe("suspended"), 60_000)
    const { steps } = (await run()).body as {
      readonly steps: ReadonlyArray<{
        readonly kind: string
        readonly input: { readonly approvalId: string }
      }>
    }
    const approvalId = steps.find(({ kind }) => kind === "approval")?.input.approvalId ?? ""
    return { id: body.runId as string, approvalId }
  }
  const allowed = async ({ approvalId, id }: { readonly id: string; readonly approvalId: string }) => {
    const admin = await server.key(here)
    await server.call("POST", `/api/v1/runs/${id}/approve`, {
      key: admin,
      body: { approvalId, decision: "allow" }
    })
    const run = async () =>
      (
        (await server.call("GET", `/api/v1/runs/${id}`, { key: admin })).body as {
          run: { status: string; error: { code: string } | null }
        }
      ).run
    await vi.waitFor(async () => expect(["queued", "running"]).not.toContain((await run()).status), 60_000)
    const documents = (await server.call("GET", "/api/v1/documents", { key: admin })).body as {
      readonly total: number
    }
    return { run: await run(), documents: documents.total }
  }

  it("does nothing that the member who started it may no longer do", async () => {
    const waiting = await start(await browser(server, { key }))
    await as("member")
    expect(await allowed(waiting)).toMatchObject({ documents: 0 })
    await as("admin")
  })

  it("ends when the member who started it has left", async () => {
    const waiting = await start(await browser(server, { key }))
    await server.as(here, removeMember(ann))
    expect(await allowed(waiting)).toMatchObject({
      run: { status: "interrupted", error: { code: "key_revoked" } },
      documents: 0
    })
    await as("admin")
    const again = await start(await browser(server, { key }))
    expect(await allowed(again)).toMatchObject({ run: { status: "succeeded" }, documents: 1 })
  })
})

describe("sessions", () => {
  it("are twenty of a person and a hundred of a key that signs in no member; the oldest ends", async () => {
    const mia = await server.user("Mia", [here])
    const [one, two] = [await server.userKey(mia, [here]), await server.userKey(mia, "all")]
    const pages: Array<Browser> = []
    for (let n = 0; n < 22; n++) pages.push(await browser(server, { key: n % 2 === 0 ? one : two }))
    const alive = await Promise.all(
      pages.map(async (page) => (await page.call("GET", "/console/session")).status === 200)
    )
    expect(alive.indexOf(true)).toBe(2)
    expect(alive.filter(Boolean)).toHaveLength(20)
    const shared = await server.key(there, ["kb:read"])
    for (let n = 0; n < 104; n += 8)
      await Promise.all(Array.from({ length: 8 }, () => browser(server, { key: shared })))
    const last = await browser(server, { key: shared })
    expect((await last.call("GET", "/console/sessions?limit=5")).body).toMatchObject({
      total: 100,
      items: Array.from({ length: 5 }, () => expect.anything())
    })
  })

  it("show to an admin the browsers of others only where the session began in the same workspace", async () => {
    const bob = await server.user("Bob", [here])
    const cat = await server.user("Cat", [there])
    for (const user of [bob, cat])
      for (const home of [here, there]) await server.as(home, addMember(user, "member"))
    const from = async (user: UserId, home: WorkspaceId, agent: string) => {
      const given = { key: await server.userKey(user, "all"), workspaceId: home }
      const { body } = await signIn(server, given, { "user-agent": agent })
      return body.id as string
    }
    const [ofHere, ofThere] = [
      await from(bob, here, "Browser of here"),
      await from(cat, there, "Browser of there")
    ]
    const admin = await browser(server, { key })
    const { body } = await admin.call("GET", "/console/sessions", { headers: { "x-workspace-id": here } })
    const agentOf = (id: string) =>
      body.items.find((item: { readonly id: string; readonly userAgent: string }) => item.id === id)
        ?.userAgent
    expect([agentOf(ofHere), agentOf(ofThere)]).toEqual(["Browser of here", ""])
    expect(body.items.find((item: { readonly id: string }) => item.id === ofThere).member.name).toBe("Cat")
    const plain = await admin.call("GET", "/console/sessions", { headers: { "x-workspace-id": there } })
    expect(plain.body.items.every((item: { readonly actor: string }) => item.actor === ann)).toBe(true)
    const gone = (workspace: WorkspaceId) =>
      admin.call("DELETE", `/console/sessions/${ofThere}`, { headers: { "x-workspace-id": workspace } })
    expect([(await gone(there)).status, (await gone(here)).status, (await gone(here)).status]).toEqual([
      404, 200, 404
    ])
  })
})
