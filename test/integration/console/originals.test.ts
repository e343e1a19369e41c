import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { syncVault } from "../../../core/files/vault-sync/index.js"
import type { WorkspaceId } from "../../../core/platform/kernel/index.js"
import { type Browser, browser, origin } from "../../support/browser.js"
import { pdfOfLines } from "../../support/scanned-pages.js"
import { startServer, type TestServer } from "../../support/server.js"

// Pictures are documents only where this stands when the module of the folder is loaded.
vi.hoisted(() => {
  process.env["KANON_READ_PICTURES"] = "1"
})

// Files of other formats that people bring: kept, read, and given back.

/** A white page of 120 by 80 pixels. */
const blankPage =
  "iVBORw0KGgoAAAANSUhEUgAAAHgAAABQCAAAAAD38O5VAAAAO0lEQVR42u3NMQEAAAwCIPuX1ncN9kAB0icRi8VisVgsFovFYrFYLBaLxWKxWCwWi8VisVgsFovFYvE1jXBcrNzmFTwAAAAASUVORK5CYII="

let server: TestServer
let workspace: WorkspaceId
let page: Browser
beforeAll(async () => {
  server = await startServer({ consoleSettings: { origin } })
  workspace = await server.workspace("one")
  page = await browser(server, {
    key: await server.userKey(await server.user("Ann", [workspace], "admin"), [workspace])
  })
  await page.call("POST", "/console/api/v1/documents", { body: { path: "top.md", content: "# Top" } })
  const img = join(server.folder, workspace, "img")
  mkdirSync(img, { recursive: true })
  writeFileSync(join(img, "plan.png"), "png")
})
afterAll(async () => {
  delete process.env["KANON_READ_PICTURES"]
  await server.close()
})

describe("a file of another format", () => {
  it("is kept as it is, read page by page, and given back to those who may read it", async () => {
    const pdf = new Uint8Array(pdfOfLines(["The harbour crane lifts 63 tonnes.", "It was built in 1998."]))
    const file = Buffer.from(pdf).toString("base64")
    const make = (body: object) => page.call("POST", "/console/api/v1/documents", { body })
    const made = await make({ path: "plans/crane.pdf", file })
    expect([made.status, made.body.path]).toEqual([201, "plans/crane.pdf"])
    const found = await page.call("GET", "/console/api/v1/search?q=harbour crane tonnes")
    expect(found.body.results[0]).toMatchObject({ docId: made.body.docId, page: 1 })
    const { body: shown } = await page.call("GET", `/console/api/v1/documents/${made.body.docId}`)
    expect([shown.mediaType, shown.content.includes("63 tonnes")]).toEqual(["application/pdf", true])
    const key = await server.key(workspace, ["kb:read"])
    const get = (as: string, path: string) =>
      server.fetch(
        new Request(`${origin}/api/v1/files?path=${encodeURIComponent(path)}`, {
          headers: { authorization: `Bearer ${as}` }
        })
      )
    for (const answer of [
      await get(key, "plans/crane.pdf"),
      await page.call("GET", `/console/files/${workspace}/plans/crane.pdf`)
    ]) {
      expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
        200,
        "attachment; filename*=UTF-8''crane.pdf"
      ])
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
      expect(answer.headers.get("content-security-policy")).toContain("sandbox")
    }
    expect(new Uint8Array(await (await get(key, "plans/crane.pdf")).arrayBuffer())).toEqual(pdf)
    const image = await get(key, "img/plan.png")
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"])
    for (const path of ["top.md", ".kanon/kanon.db", "../x.png", "", "plans/none.pdf"])
      expect((await get(key, path)).status, path).toBe(404)
    const blind = await server.key(workspace, ["agents:run"])
    expect((await get(blind, "plans/crane.pdf")).status).toBe(403)
    expect((await get("svc_sk_none", "plans/crane.pdf")).status).toBe(401)
    // Hidden with its document.
    const [reader, owner] = [
      await server.user("Rea", [workspace], "reader"),
      await server.user("Own", [workspace], "member")
    ]
    const hidden = await page.call("PUT", `/console/documents/${made.body.docId}/access`, {
      body: { read: [`user:${owner}`] }
    })
    expect(hidden.status).toBe(200)
    const hers = await browser(server, { key: await server.userKey(reader, [workspace]) })
    expect((await hers.call("GET", `/console/files/${workspace}/plans/crane.pdf`)).status).toBe(404)
    expect((await get(await server.userKey(reader, [workspace]), "plans/crane.pdf")).status).toBe(404)
    // So is an image that is a document with readers of its own, and not one beside it.
    writeFileSync(join(server.folder, workspace, "plans", "scan.png"), Buffer.from(blankPage, "base64"))
    await server.as(workspace, syncVault())
    const { body: listed } = await page.call("GET", "/console/api/v1/documents?folder=plans")
    const scan = listed.items.find((item: { readonly path: string }) => item.path === "plans/scan.png")
    await page.call("PUT", `/console/documents/${scan.id}/access`, {
      body: { read: [`user:${owner}`] }
    })
    for (const [user, path, status] of [
      [reader, "plans/scan.png", 404],
      [owner, "plans/scan.png", 200],
      [reader, "img/plan.png", 200]
    ] as const)
      expect((await get(await server.userKey(user, [workspace]), path)).status, path).toBe(status)
    // What cannot be read becomes nothing.
    for (const [body, code] of [
      [{ path: "plans/broken.docx", file: Buffer.from("no document").toString("base64") }, "file_broken"],
      [{ path: "plans/tool.exe", file }, "format_unknown"],
      [{ path: "plans/x.pdf", file: "no Base64 at all" }, "invalid_base64"],
      [{ file }, "required"],
      [{ path: "plans/x.pdf", file, content: "x" }, "either"]
    ] as const) {
      const refused = await make(body)
      expect([refused.status, refused.body.issues?.[0]?.code]).toEqual([400, code])
    }
    expect((await make({ path: "plans/crane.pdf", file })).status).toBe(409)
  })
})
