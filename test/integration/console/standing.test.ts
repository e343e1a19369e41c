import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { InboxItem, InboxPage } from "../../../server/console/inbox-model.js"
import { type Browser, browser, origin } from "../../support/browser.js"
import { startServer, type TestServer } from "../../support/server.js"

// Who may change an entity that has an owner, and an inbox that empties: Ann owns, Ben is a member, Ada administers.

let server: TestServer
let [ann, ben, ada]: ReadonlyArray<Browser> = []
let key: string
let pair: Array<string>
let ids: Readonly<Record<"ann" | "ben" | "ada", string>>

beforeAll(async () => {
  server = await startServer({ consoleSettings: { origin } })
  const workspace = await server.workspace("one")
  const member = async (name: string, role: "admin" | "member") => {
    const id = await server.user(name, [workspace], role)
    return { id, page: await browser(server, { key: await server.userKey(id, [workspace]) }) }
  }
  const people = {
    ann: await member("Ann", "member"),
    ben: await member("Ben", "member"),
    ada: await member("Ada", "admin")
  }
  ann = people.ann.page
  ben = people.ben.page
  ada = people.ada.page
  ids = { ann: people.ann.id, ben: people.ben.id, ada: people.ada.id }
  key = await server.key(workspace)
  // Pairs are compared every few minutes, so these are there before the first look.
  pair = await Promise.all(
    ["Harbour crane 12", "Harbour cranes 12"].map(
      async (name) => (await call(ann, "POST", "/api/v1/entities", { name, type: "site" })).body.id
    )
  )
})
afterAll(() => server.close())

const call = async (page: Browser | undefined, method: string, path: string, body?: unknown) => {
  if (page === undefined) throw new Error("Nobody has signed in.")
  return page.call(method, `/console${path}`, body === undefined ? {} : { body })
}
const api = (method: string, path: string, body: unknown) =>
  server.call(method, `/api/v1${path}`, { key, body })
const inbox = async (page: Browser | undefined, query = ""): Promise<InboxPage> =>
  (await call(page, "GET", `/inbox${query}`)).body
const itemOf = async (page: Browser | undefined, kind: InboxItem["kind"], id: string) =>
  (await inbox(page, `?kind=${kind}&limit=200`)).items.find((one) => one.id === id)
const mark = (page: Browser | undefined, body: object) => call(page, "POST", "/inbox/marks", body)

/** An entity of Ann. */
const owned = async (name: string): Promise<string> => {
  const { body } = await call(ann, "POST", "/api/v1/entities", { name, type: "product" })
  await call(ann, "POST", `/api/v1/entities/${body.id}/owner`, { ownerId: ids.ann })
  return body.id
}

describe("an entity with an owner", () => {
  it("is changed by its owner, and by other members only through a request", async () => {
    const id = await owned("Lantern")
    const tries: ReadonlyArray<readonly [string, string, unknown]> = [
      ["PATCH", `/entities/${id}`, { description: "Bright." }],
      ["POST", `/entities/${id}/certify`, {}],
      ["POST", `/entities/${id}/review`, {}],
      ["POST", `/entities/${id}/authority`, { authority: "curated" }],
      ["POST", `/entities/${id}/lifecycle`, { lifecycleStatus: "draft" }],
      ["POST", `/entities/${id}/owner`, { ownerId: ids.ben }],
      ["POST", `/entities/${id}/deprecate`, {}],
      ["DELETE", `/entities/${id}`, undefined]
    ]
    for (const [method, path, body] of tries) {
      const { body: told, status } = await call(ben, method, `/api/v1${path}`, body)
      expect([path, status, told.error]).toEqual([path, 409, "reviewer_required"])
    }
    const restored = await call(ben, "POST", "/operations/restoreRevision", { id, version: 1 })
    expect(restored.body.error).toBe("reviewer_required")
    const { body: request } = await call(ben, "POST", "/api/v1/change-requests", {
      kind: "update",
      entityId: id,
      payload: { description: "Bright." }
    })
    expect(await itemOf(ann, "change_request", request.id)).toMatchObject({ mine: true })
    expect((await inbox(ann)).counts.mine).toBe(1)
    expect((await inbox(ben)).counts.mine).toBe(0)
    expect((await call(ann, "POST", `/api/v1/change-requests/${request.id}/approve`, {})).status).toBe(200)
    expect((await call(ann, "GET", `/api/v1/entities/${id}`)).body.description).toBe("Bright.")
    expect((await inbox(ann)).counts.mine).toBe(0)
  })

  it("gets another owner from an administrator, and is changed by keys as the API says", async () => {
    const id = await owned("Beacon")
    expect((await call(ada, "DELETE", `/api/v1/entities/${id}`)).status).toBe(409)
    expect((await call(ada, "POST", `/api/v1/entities/${id}/owner`, { ownerId: ids.ben })).status).toBe(200)
    expect((await api("PATCH", `/entities/${id}`, { description: "By a key." })).status).toBe(200)
    expect((await call(ben, "PATCH", `/api/v1/entities/${id}`, { description: "By Ben." })).status).toBe(200)
  })

  it("tells its owner of each change by another one until that is done", async () => {
    const id = await owned("Anchor")
    expect(await itemOf(ann, "change", id)).toBeUndefined()
    await api("PATCH", `/entities/${id}`, { description: "Heavy." })
    expect(await itemOf(ann, "change", id)).toMatchObject({
      mine: true,
      title: "Anchor",
      data: { version: 3, changeKind: "update" }
    })
    expect(await itemOf(ben, "change", id)).toBeUndefined()
    expect((await mark(ben, { kind: "change", id, state: "done" })).status).toBe(404)
    expect((await mark(ann, { kind: "change", id, state: "done" })).status).toBe(200)
    expect(await itemOf(ann, "change", id)).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await api("PATCH", `/entities/${id}`, { description: "Heavier." })
    expect(await itemOf(ann, "change", id)).toMatchObject({ data: { version: 4 } })
  })
})

describe("a document that a member verified", () => {
  const docOf = async (path: string, verifier: Browser | undefined) => {
    const { body } = await call(ann, "POST", "/api/v1/documents", {
      path,
      content: "# Mooring\n\nTwo lines.\n"
    })
    await call(verifier, "POST", `/api/v1/documents/${body.docId}/verify`, { verification: "verified" })
    return body.docId as string
  }
  const propose = async (page: Browser | undefined, body: object) =>
    (await call(page, "POST", "/proposals/documents", body)).body.id as string
  const approve = async (page: Browser | undefined, id: string) => {
    const { body, status } = await call(page, "POST", `/proposals/${id}/approve`, {})
    return [status, body.error]
  }

  it("is changed by that member, and by other members only through a proposal", async () => {
    const id = await docOf("mooring.md", ann)
    const tries: ReadonlyArray<readonly [string, string, unknown]> = [
      ["PATCH", `/documents/${id}`, { content: "# Mooring\n\nThree lines.\n" }],
      ["POST", `/documents/${id}/move`, { path: "other.md" }],
      ["POST", `/documents/${id}/verify`, { verification: "unverified" }],
      ["DELETE", `/documents/${id}`, undefined]
    ]
    for (const [method, path, body] of tries) {
      const { body: refused, status } = await call(ben, method, `/api/v1${path}`, body)
      expect([path, status, refused.error]).toEqual([path, 409, "reviewer_required"])
    }
    const change = { docId: id, change: "write", content: "# Mooring\n\nThree lines.\n", note: "Counted." }
    expect((await call(ben, "POST", "/proposals/documents", { ...change, expectVersion: 2 })).status).toBe(
      409
    )
    const request = await propose(ben, { ...change, expectVersion: 1 })
    expect(await itemOf(ann, "proposal", request)).toMatchObject({
      mine: true,
      data: { change: "write", blocked: null, note: "Counted.", proposedBy: ids.ben }
    })
    expect(await itemOf(ben, "proposal", request)).toMatchObject({
      mine: false,
      data: { blocked: "reviewer_required" }
    })
    const { body: shown } = await call(ann, "GET", `/proposals/${request}`)
    expect([shown.base, shown.content]).toEqual(["# Mooring\n\nTwo lines.\n", change.content])
    expect(await approve(ben, request)).toEqual([409, "reviewer_required"])
    expect(await approve(ada, request)).toEqual([409, "reviewer_required"])
    expect(await approve(ann, request)).toEqual([200, undefined])
    const { body: now } = await call(ben, "GET", `/api/v1/documents/${id}`)
    expect([now.content, now.version, now.verification]).toEqual([change.content, 2, "unverified"])
    expect(await itemOf(ann, "proposal", request)).toBeUndefined()
  })

  it("moves and goes to the trash when its verifier approves, and neither once it has changed", async () => {
    const id = await docOf("cleats.md", ann)
    const move = await propose(ben, { docId: id, change: "move", path: "deck/cleats.md" })
    const removal = await propose(ada, { docId: id, change: "delete" })
    expect(await itemOf(ann, "proposal", move)).toMatchObject({
      data: { from: "cleats.md", path: "deck/cleats.md" }
    })
    expect(await approve(ann, move)).toEqual([200, undefined])
    expect((await call(ben, "GET", `/api/v1/documents/${id}`)).body.path).toBe("deck/cleats.md")
    await call(ann, "PATCH", `/api/v1/documents/${id}`, { content: "# Cleats\n\nFour.\n" })
    expect(await approve(ann, removal)).toEqual([409, "conflict"])
    await call(ann, "POST", `/api/v1/documents/${id}/verify`, { verification: "certified" })
    const again = await propose(ada, { docId: id, change: "delete" })
    expect((await call(ada, "GET", `/proposals/${removal}`)).body.status).toBe("withdrawn")
    expect(await approve(ann, again)).toEqual([200, undefined])
    expect((await call(ann, "GET", `/api/v1/documents/${id}`)).status).toBe(404)
  })

  it("is taken over by an administrator, changed by keys as the API says, and free after an edit", async () => {
    const id = await docOf("winches.md", ann)
    const verify = (page: Browser | undefined, verification: string) =>
      call(page, "POST", `/api/v1/documents/${id}/verify`, { verification })
    const write = (page: Browser | undefined, text: string) =>
      call(page, "PATCH", `/api/v1/documents/${id}`, { content: `# Winches\n\n${text}\n` })
    expect((await write(ada, "One.")).status).toBe(409)
    expect((await verify(ada, "verified")).status).toBe(200)
    expect((await write(ann, "One.")).body.error).toBe("reviewer_required")
    expect((await api("PATCH", `/documents/${id}`, { content: "# Winches\n\nBy a key.\n" })).status).toBe(200)
    expect((await write(ben, "By Ben.")).status).toBe(200)
    // A key or the host that verified could approve nothing, so nobody is kept out.
    await api("POST", `/documents/${id}/verify`, { verification: "verified" })
    expect((await write(ben, "By Ben again.")).status).toBe(200)
  })

  it("hides proposals from members who may not read it", async () => {
    const id = await docOf("secret.md", ann)
    const request = await propose(ada, { docId: id, change: "write", content: "# Secret\n" })
    await call(ada, "PUT", `/documents/${id}/access`, { read: [`user:${ids.ann}`] })
    expect((await call(ben, "GET", `/proposals/${request}`)).status).toBe(404)
    expect(await itemOf(ben, "proposal", request)).toBeUndefined()
    expect((await call(ben, "POST", "/proposals/documents", { docId: id, change: "delete" })).status).toBe(
      404
    )
    expect(await itemOf(ann, "proposal", request)).toMatchObject({ mine: true })
  })
})

describe("the inbox", () => {
  it("belongs to the member that an item is assigned to, and counts what is mine", async () => {
    const { body: request } = await call(ann, "POST", "/api/v1/change-requests", {
      kind: "create",
      payload: { name: "Winch", type: "product" }
    })
    const item = { kind: "change_request", id: request.id }
    expect((await mark(ann, { ...item, assignedTo: "usr_nobody" })).status).toBe(400)
    expect((await mark(ann, { ...item, state: "done" })).body.message).toContain("proposer")
    const before = (await inbox(ben)).counts.mine
    await mark(ann, { ...item, assignedTo: ids.ben })
    expect(await itemOf(ben, "change_request", request.id)).toMatchObject({
      mine: true,
      assignedTo: ids.ben
    })
    expect((await inbox(ben)).counts.mine).toBe(before + 1)
    await mark(ann, { ...item, assignedTo: null })
    expect((await inbox(ben)).counts.mine).toBe(before)
    const { body: audit } = await call(ada, "GET", "/api/v1/audit?action=inbox.mark")
    expect(audit.total).toBeGreaterThan(0)
  })

  it("remembers that two entities are two", async () => {
    const id = pair.sort().join(" ")
    expect(await itemOf(ben, "duplicate", id)).toMatchObject({ kind: "duplicate" })
    expect((await mark(ben, { kind: "duplicate", id, state: "rejected" })).status).toBe(200)
    expect(await itemOf(ann, "duplicate", id)).toBeUndefined()
    const { body } = await call(ann, "POST", "/operations/listDuplicates", { id: pair[0], minScore: 0.3 })
    expect(body.items).toEqual([])
    await mark(ben, { kind: "duplicate", id, state: "open" })
    expect(await itemOf(ann, "duplicate", id)).toMatchObject({ kind: "duplicate" })
  })

  it("shows a complaint with its correction once, with what follows from it", async () => {
    await call(ann, "POST", "/api/v1/documents", {
      path: "battery.md",
      content: "# Battery\n\nA battery may be stored for 18 months at 15 °C.\n"
    })
    const asked = await call(ben, "POST", "/api/v1/query", { question: "How long may a battery be stored?" })
    const answerId = asked.headers.get("x-answer-id") ?? ""
    const given = await call(ben, "POST", `/answers/${answerId}/feedback`, {
      kind: "correction",
      value: { text: "A battery may be stored for 12 months." }
    })
    expect(given.status).toBe(201)
    const { items } = await inbox(ann, "?limit=200")
    const about = items.filter(({ kind }) => kind === "feedback" || kind === "judgment")
    expect(about.map(({ kind }) => kind)).toEqual(["feedback"])
    const id = about[0]?.id ?? ""
    expect((await mark(ann, { kind: "feedback", id, state: "rejected" })).status).toBe(200)
    expect(await itemOf(ben, "feedback", id)).toBeUndefined()
    const after = (await inbox(ann, "?limit=200")).items
    expect(after.filter(({ kind }) => kind === "feedback" || kind === "judgment")).toEqual([])
  })

  it("works for members from whom documents are hidden", async () => {
    const { body: made } = await call(ann, "POST", "/api/v1/documents", {
      path: "own.md",
      content: "# Own\n"
    })
    const access = { read: [`user:${ids.ann}`] }
    expect((await call(ada, "PUT", `/documents/${made.docId}/access`, access)).status).toBe(200)
    expect((await call(ben, "GET", `/api/v1/documents/${made.docId}`)).status).toBe(404)
    const id = await owned("Fender")
    await api("PATCH", `/entities/${id}`, { description: "Soft." })
    expect(await itemOf(ann, "change", id)).toMatchObject({ mine: true })
    const { body: request } = await call(ben, "POST", "/api/v1/change-requests", {
      kind: "create",
      payload: { name: "Bollard", type: "product" }
    })
    const marked = await mark(ben, { kind: "change_request", id: request.id, assignedTo: ids.ben })
    expect(marked.status).toBe(200)
    expect(await itemOf(ben, "change_request", request.id)).toMatchObject({ assignedTo: ids.ben, mine: true })
  })
})
