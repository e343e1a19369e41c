import { readUIMessageStream } from "ai"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { type ScriptedTurn, scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { handlers } from "../../../../core/engine/engine/index.js"
import { DocumentStore } from "../../../../core/files/documents/index.js"
import { startWorker } from "../../../../core/platform/jobs/index.js"
import { DocumentId, type RunId, scopeOf, type WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { driveRun } from "../../../../core/work/agent-runs/index.js"
import { createClient, readEvents, uiMessageStream } from "../../../../server/client/index.js"
import { startServer, type TestServer } from "../../../support/server.js"

let server: TestServer
let workspace: WorkspaceId
let key: string
let worker: Fiber.RuntimeFiber<unknown, unknown>
let script: (turn: number) => ScriptedTurn | Promise<ScriptedTurn> = () => "unscripted"
const model = scriptedAgentModel((turn) => script(turn))

beforeAll(async () => {
  server = await startServer({ models: { chat: model } })
  workspace = await server.workspace("agents")
  key = await server.key(workspace)
  worker = server.runtime.runFork(
    Effect.scoped(Effect.zipRight(startWorker(handlers, { owner: "test" }), Effect.never))
  )
  await server.call("POST", "/api/v1/documents", {
    key,
    body: { path: "a.md", content: "# Laksa\n\nLaksa is a soup." }
  })
  await server.call("PUT", "/api/v1/agents/writer", {
    key,
    body: {
      name: "Writer",
      instructions: "Write.",
      tools: [{ name: "svc_search" }, { name: "svc_create_document" }]
    }
  })
})
afterAll(async () => {
  await Effect.runPromise(Fiber.interrupt(worker))
  await server.close()
})

const client = () =>
  createClient({
    baseUrl: "http://kanon.test",
    key,
    fetch: (url, init) => server.fetch(new Request(url, init))
  })

const stream = async (path: string, init: RequestInit = {}, bearer = key) => {
  const response = await server.fetch(
    new Request(`http://kanon.test${path}`, {
      ...init,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" }
    })
  )
  return response
}
const eventsOf = async (response: Response) => {
  const events: Array<{ readonly type: string }> = []
  if (response.body !== null)
    for await (const { data } of readEvents(response.body)) events.push(JSON.parse(data))
  return events
}

describe("agents over HTTP", () => {
  it("an agent is made, versioned by behaviour and never edited", async () => {
    const body = { name: "V", instructions: "One.", tools: [{ name: "svc_search" }] }
    const put = (more: object) =>
      server.call("PUT", "/api/v1/agents/versioned", { key, body: { ...body, ...more } })
    expect((await put({})).status).toBe(201)
    expect(await put({})).toMatchObject({ status: 200, body: { created: false, version: { number: 1 } } })
    expect(await put({ instructions: "Two." })).toMatchObject({ body: { version: { number: 2 } } })
    expect(await put({ enabled: false, instructions: "Two." })).toMatchObject({
      body: { version: { number: 2 }, agent: { enabled: false } }
    })
    expect((await put({ expectVersion: 1 })).status).toBe(409)
    expect(await put({ tools: [{ name: "svc_none" }] })).toMatchObject({
      status: 400,
      body: { error: "invalid_body" }
    })
    expect(
      (await server.call("POST", "/api/v1/agents/versioned/runs", { key, body: { input: "x" } })).status
    ).toBe(409)
    const { body: listed } = await server.call("GET", "/api/v1/agents", { key })
    expect((listed as { items: ReadonlyArray<{ slug: string }> }).items.map(({ slug }) => slug)).toEqual([
      "researcher",
      "versioned",
      "writer"
    ])
  })

  it("a run is queued, streamed from its start with one terminal event, and read again", async () => {
    script = (turn) =>
      turn === 0 ? { calls: [{ name: "svc_search", arguments: { q: "laksa" } }] } : "A soup [S1]."
    const started = await server.call("POST", "/api/v1/agents/writer/runs", { key, body: { input: "What?" } })
    expect(started).toMatchObject({ status: 202, body: { status: "queued" } })
    const { runId, stream: path } = started.body as { readonly runId: string; readonly stream: string }
    const response = await stream(path)
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    expect([response.headers.get("cache-control"), response.headers.get("x-accel-buffering")]).toEqual([
      "no-store",
      "no"
    ])
    const events = await eventsOf(response)
    expect(events.map(({ type }) => type)).toEqual(["model_call", "tool_call", "model_call", "final"])
    expect(await eventsOf(await stream(path))).toEqual(events)
    expect((await server.call("GET", `/api/v1/runs/${runId}`, { key })).body).toMatchObject({
      run: { status: "succeeded", trigger: "api", output: { text: "A soup [S1]." } }
    })
    const unknown = await stream("/api/v1/runs/run_00000000000000000000000000/stream")
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: "not_found" }])
  })

  it("an inline run streams within the request", async () => {
    script = () => "Inline."
    const response = await stream("/api/v1/agents/writer/runs?stream=inline", {
      method: "POST",
      body: JSON.stringify({ input: "Now." })
    })
    expect(response.status).toBe(200)
    expect((await eventsOf(response)).at(-1)).toMatchObject({
      type: "final",
      status: "succeeded",
      text: "Inline."
    })
  })

  it("an inline run of the client streams, also where the connection breaks, and starts one run", async () => {
    script = (turn) =>
      turn === 0 ? { calls: [{ name: "svc_search", arguments: { q: "laksa" } }] } : "Inline."
    const asked: Array<string> = []
    const breaking = createClient({
      baseUrl: "http://kanon.test",
      key,
      fetch: async (url, init) => {
        asked.push(`${init.method} ${new URL(url).pathname}`)
        const response = await server.fetch(new Request(url, init))
        if (asked.length > 1 || response.body === null) return response
        // The first event arrives, then the connection is gone.
        const reader = response.body.getReader()
        let text = ""
        while (!text.includes("data:")) text += new TextDecoder().decode((await reader.read()).value)
        await reader.cancel()
        const broken = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
          pull: (controller) => controller.error(new TypeError("reset"))
        })
        return new Response(broken, response)
      }
    })
    const events: Array<string> = []
    for await (const event of breaking.startRun({ slug: "writer", input: "Now.", stream: "inline" }))
      events.push(event.type)
    expect(events).toEqual(["model_call", "tool_call", "model_call", "final"])
    expect(asked[0]).toBe("POST /api/v1/agents/writer/runs")
    expect(asked.slice(1)).toEqual([expect.stringMatching(/^GET \/api\/v1\/runs\/run_\w+\/stream$/)])
    const refused = client().startRun({ slug: "nobody", input: "x", stream: "inline" })
    await expect(refused.next()).rejects.toMatchObject({ status: 404 })
  })

  it("the client reads the document of the API", async () => {
    expect(await client().getOpenApi()).toMatchObject({ openapi: "3.1.0" })
  })

  it("a run whose set-up fails ends its stream with an error and the reason, also later", async () => {
    const idle = await startServer({ models: { chat: model } })
    try {
      const own = await idle.workspace("idle")
      const bearer = await idle.key(own)
      const call = (method: string, path: string, body?: unknown) =>
        idle.call(method, `/api/v1${path}`, { key: bearer, ...(body === undefined ? {} : { body }) })
      const start = await call("POST", "/agents/researcher/runs", { input: "x" })
      const { runId } = start.body as { readonly runId: RunId }
      await call("PATCH", "/workspace", { models: { chat: { enabled: false } } })
      await idle.as(own, driveRun(runId))
      for (const _attempt of [1, 2]) {
        const { body } = await call("GET", `/runs/${runId}/stream`)
        expect(String(body)).toContain(
          `data: {"type":"error","message":"no-model-configured","error":{"code":"no-model-configured","message":"No chat model is enabled."}}`
        )
      }
      expect((await call("GET", `/runs/${runId}`)).body).toMatchObject({
        run: { status: "failed", error: { code: "no-model-configured" } }
      })
    } finally {
      await idle.close()
    }
  })

  it("the last event of a run that failed carries the reason", async () => {
    script = () => ""
    const { runId } = await client().startRun({ slug: "writer", input: "Say nothing." })
    const events = []
    for await (const event of client().streamRun({ id: runId })) events.push(event)
    expect(events.at(-1)).toMatchObject({
      type: "final",
      status: "failed",
      error: { code: "empty_reply", message: expect.stringMatching(/\w/) }
    })
  })

  it("the client streams, and its UI messages are read by the AI SDK", async () => {
    script = (turn) =>
      turn === 0
        ? { calls: [{ name: "svc_create_document", arguments: { path: `ui-${turn}.md`, content: "# UI" } }] }
        : "Done."
    const { runId } = await client().startRun({ slug: "writer", input: "Write." })
    const chunks = uiMessageStream(client(), runId, client().streamRun({ id: runId }))
    let parts: ReadonlyArray<{ readonly type: string }> = []
    for await (const message of readUIMessageStream({ stream: chunks as never })) parts = message.parts
    expect(parts.at(-1)).toMatchObject({ type: "tool-svc_create_document", state: "approval-requested" })
    const { items } = await client().listRuns({ status: "suspended" })
    const approvalId = items[0]?.pendingApproval?.approvalId ?? ""
    expect(await client().approveRunStep({ id: runId, approvalId, decision: "allow" })).toEqual({
      runId,
      approvalId,
      status: "queued"
    })
    const texts: Array<string> = []
    for await (const event of client().streamRun({ id: runId })) texts.push(event.type)
    expect(texts).toEqual(["model_call", "tool_call", "model_call", "final"])
  })

  it("a run has no more rights than its key, and ends when the key is revoked", async () => {
    const narrow = await server.key(workspace, ["agents:run", "runs:read"])
    script = (turn) =>
      turn === 0 ? { calls: [{ name: "svc_search", arguments: { q: "laksa" } }] } : "No rights."
    const started = await server.call("POST", "/api/v1/agents/writer/runs", {
      key: narrow,
      body: { input: "What?" }
    })
    const { runId, stream: path } = started.body as { readonly runId: string; readonly stream: string }
    await eventsOf(await stream(path, {}, narrow))
    const { body } = await server.call("GET", `/api/v1/runs/${runId}/steps`, { key: narrow })
    const { steps } = body as {
      readonly steps: ReadonlyArray<{ readonly kind: string; readonly error: { code: string } | null }>
    }
    expect(steps.find(({ kind }) => kind === "tool_call")?.error?.code).toBe("insufficient_scope")
    expect(model.requests.at(-1)?.tools).toEqual([])

    script = () => new Promise<ScriptedTurn>((resolve) => setTimeout(() => resolve("late"), 20_000))
    const slow = await server.call("POST", "/api/v1/agents/writer/runs", {
      key: narrow,
      body: { input: "Slow." }
    })
    const { runId: slowId } = slow.body as { readonly runId: string }
    await expect.poll(async () => model.requests.length > 0).toBe(true)
    const { body: keys } = await server.call("GET", "/api/v1/keys", { key })
    const narrowId = (
      keys as { items: ReadonlyArray<{ id: string; scopes: ReadonlyArray<string> }> }
    ).items.find(({ scopes }) => scopes.length === 2)?.id
    await server.call("DELETE", `/api/v1/keys/${narrowId}`, { key })
    await expect
      .poll(async () => (await server.call("GET", `/api/v1/runs/${slowId}`, { key })).body)
      .toMatchObject({ run: { status: "interrupted", error: { code: "key_revoked" } } })
  })

  it("starts beyond the caps are refused with 429 and 402, also inline", async () => {
    script = () => new Promise<ScriptedTurn>((resolve) => setTimeout(() => resolve("late"), 3_000))
    await server.call("PATCH", "/api/v1/workspace", { key, body: { caps: { activeRuns: 1 } } })
    const starts = await Promise.all(
      [1, 2, 3].map(() => server.call("POST", "/api/v1/agents/writer/runs", { key, body: { input: "x" } }))
    )
    expect(starts.map(({ status }) => status).sort()).toEqual([202, 429, 429])
    const full = starts.find(({ status }) => status === 429)
    expect(full?.body).toMatchObject({ error: "run_capacity_full" })
    expect(Number(full?.headers.get("retry-after"))).toBeGreaterThan(0)
    await server.call("PATCH", "/api/v1/workspace", {
      key,
      body: { caps: { activeRuns: 8, agentSpendUsd: "0" } }
    })
    const inline = await stream("/api/v1/agents/writer/runs?stream=inline", {
      method: "POST",
      body: JSON.stringify({ input: "x" })
    })
    expect([inline.status, await inline.json()]).toMatchObject([402, { error: "spend_cap_exceeded" }])
    await server.call("PATCH", "/api/v1/workspace", { key, body: { caps: { agentSpendUsd: "100" } } })
  })
})

describe("what a run quotes of a deleted document", () => {
  it("is read by an administrator alone, in results, texts and arguments, and goes with the document", async () => {
    const made = await server.call("POST", "/api/v1/documents", {
      key,
      body: { path: "safe.md", content: "# Safe\n\nThe safe opens with the code zebra." }
    })
    const { docId } = z.object({ docId: DocumentId }).parse(made.body)
    await server.call("PUT", "/api/v1/agents/copier", {
      key,
      body: {
        name: "Copier",
        instructions: "Copy.",
        tools: [{ name: "svc_search" }, { name: "svc_create_document", approval: "never" }]
      }
    })
    script = (turn) =>
      turn === 0
        ? { calls: [{ name: "svc_search", arguments: { q: "safe code" } }] }
        : turn === 1
          ? {
              text: "It is zebra.",
              calls: [
                {
                  name: "svc_create_document",
                  arguments: { path: "copy.md", content: "# Copy\n\nThe code is zebra." }
                }
              ]
            }
          : "The code is zebra [S1]."
    const started = await server.call("POST", "/api/v1/agents/copier/runs", {
      key,
      body: { input: "Which?" }
    })
    const { runId, stream: path } = z.object({ runId: z.string(), stream: z.string() }).parse(started.body)
    await eventsOf(await stream(path))
    const reader = await server.key(workspace, ["kb:read", "runs:read"])
    const read = async (bearer: string) => {
      const [run, steps] = [
        await server.call("GET", `/api/v1/runs/${runId}`, { key: bearer }),
        await server.call("GET", `/api/v1/runs/${runId}/steps`, { key: bearer })
      ]
      expect([run.status, steps.status]).toEqual([200, 200])
      return JSON.stringify([run.body, steps.body, await eventsOf(await stream(path, {}, bearer))])
    }
    const before = await read(reader)
    expect(before.split("zebra").length).toBeGreaterThan(5)
    await server.call("DELETE", `/api/v1/documents/${docId}`, { key })
    expect(await read(key)).toBe(before)
    const hidden = await read(reader)
    expect(hidden).not.toContain("zebra")
    expect(hidden).toContain("[deleted]")
    expect(hidden).toContain("safe.md")
    await server.as(
      workspace,
      Effect.flatMap(DocumentStore, (store) =>
        store.purge(scopeOf(workspace), [docId], "2999-01-01T00:00:00.000Z")
      )
    )
    const erased = await read(key)
    expect(erased).not.toContain("zebra")
    expect(erased).toContain("[deleted]")
  })
})
