import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WorkspaceId } from "../../../core/platform/kernel/index.js"
import { startServer, type TestServer } from "../../support/server.js"

// Bodies that a server holds at once are bounded in sum; no workspace takes the room of another one.

const kibibyte = 1024
const bodyBytes = 512 * kibibyte

describe("bodies in flight", () => {
  let server: TestServer
  let [busy, other]: Array<string> = []
  beforeAll(async () => {
    server = await startServer({ limits: { bodyBytes, bodiesBytes: 4 * bodyBytes, bodyMs: 3_000 } })
    const workspaces: ReadonlyArray<WorkspaceId> = [
      await server.workspace("busy"),
      await server.workspace("other")
    ]
    ;[busy, other] = await Promise.all(workspaces.map((workspace) => server.key(workspace)))
  })
  afterAll(() => server.close())

  const text = JSON.stringify({ content: "a ".repeat(200 * kibibyte) })
  /** A request whose body comes to its end when it is told to. */
  const slow = (key: string | undefined, path: string, length: number | null = text.length) => {
    let finish = (): void => undefined
    const started = { pulled: false }
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (started.pulled) return
          started.pulled = true
          controller.enqueue(new TextEncoder().encode(text))
          finish = () => controller.close()
        }
      },
      { highWaterMark: 0 }
    )
    const answer = server.fetch(
      new Request(`http://kanon.test${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(length === null ? {} : { "content-length": String(length) })
        },
        body,
        duplex: "half"
      } as RequestInit)
    )
    return { answer, started, finish: () => finish() }
  }
  const post = (key: string | undefined, content = "a ".repeat(200 * kibibyte)) =>
    server.call("POST", "/api/v1/documents", {
      key: key ?? "",
      body: { content },
      headers: { "content-length": String(content.length) }
    })

  it.each([
    ["of a known length", "/api/v1/documents", text.length],
    ["of an unknown length", "/api/v1/documents", null],
    ["of MCP", "/api/mcp", text.length]
  ])("%s wait for room, and are refused with 503 after a while", async (_name, path, length) => {
    const holder = slow(busy, path, length)
    await expect.poll(() => holder.started.pulled).toBe(true)
    const waiting = slow(busy, path, length)
    const refused = await waiting.answer
    expect(refused.status).toBe(503)
    expect(refused.headers.get("retry-after")).toBe("5")
    // A body of a known length was not read at all.
    expect(waiting.started.pulled).toBe(length === null)
    holder.finish()
    const held = await holder.answer
    expect([408, 201, 400, 404]).toContain(held.status)
    // The room is free when an answer has been read.
    await Promise.all([held.text(), refused.text()])
  })

  it("leave room to small bodies of the workspace, and to large ones of others", async () => {
    const holder = slow(busy, "/api/v1/documents")
    await expect.poll(() => holder.started.pulled).toBe(true)
    expect((await post(busy, "small")).status).toBe(201)
    expect((await post(other)).status).toBe(201)
    holder.finish()
    await holder.answer
  })

  it("that waited are served when there is room again", async () => {
    const holder = slow(busy, "/api/v1/documents")
    await expect.poll(() => holder.started.pulled).toBe(true)
    const waiting = post(busy)
    holder.finish()
    expect((await holder.answer).status).toBe(201)
    expect((await waiting).status).toBe(201)
    expect((await Promise.all([post(busy), post(busy), post(busy)])).map(({ status }) => status)).toEqual([
      201, 201, 201
    ])
  })
})
