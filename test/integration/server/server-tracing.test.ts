import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ServerConfig, ServerSettings } from "../../../server/config.js"
import { type Running, startServer as startReal } from "../../../server/main.js"
import { exporterFrom } from "../../../server/telemetry/environment.js"
import { placeOf } from "../../support/database.js"
import { temporaryFolder } from "../../support/folders.js"
import { type CollectedSpan, startCollector } from "../../support/otlp.js"
import { testDatabase } from "../../support/runs.js"
import { startServer, type TestServer } from "../../support/server.js"

const folder = temporaryFolder("tracing")
type Collector = Awaited<ReturnType<typeof startCollector>>

let admin: TestServer
let key = ""
let collector: Collector
let running: Running
const lines: Array<string> = []

const open = async (config: Partial<ServerConfig>, log: (line: string) => void, environment = {}) =>
  startReal({
    place: { ...(await placeOf(join(folder, "data"))), vault: folder },
    config: ServerSettings.parse({ port: 0, worker: false, logLevel: "warning", ...config }),
    version: "1.2.3",
    environment: { OTEL_BSP_SCHEDULE_DELAY: "20", ...environment },
    log
  })

beforeAll(async () => {
  mkdirSync(join(folder, "data"))
  admin = await startServer({ data: join(folder, "data") })
  const workspace = await admin.workspace("Workshop")
  key = await admin.key(workspace)
  const body = { path: "oil.md", content: "# Gearbox\n\nThe gearbox takes four litres of oil.\n" }
  expect((await admin.call("POST", "/api/v1/documents", { key, body })).status).toBe(201)
  collector = await startCollector()
  running = await open({ otlpEndpoint: collector.url }, (line) => lines.push(line), {
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20c2VjcmV0",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test"
  })
})
afterAll(async () => {
  await running.close()
  await collector.close()
  await admin.close()
})

const call = (path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}) =>
  fetch(`${running.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers }
  })

/** The spans of a trace, once its outermost one is there. */
const traceOf = async (isRoot: (span: CollectedSpan) => boolean) => {
  await expect.poll(() => collector.spans.filter(isRoot).length).toBe(1)
  const [root] = collector.spans.filter(isRoot)
  if (root === undefined) throw new Error("The trace has no outermost span.")
  return { root, all: collector.spans.filter(({ traceId }) => traceId === root.traceId) }
}

/** The names of a span and of all above it, from the outermost one. */
const path = (span: CollectedSpan, all: ReadonlyArray<CollectedSpan>): ReadonlyArray<string> => {
  const above = all.find(({ spanId }) => spanId === span.parentSpanId)
  return above === undefined ? [span.name] : [...path(above, all), span.name]
}

describe("traces", () => {
  it("go from a request, below the trace of its caller, down to SQL", async () => {
    const [trace, caller] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]
    const response = await call("/api/v1/query", {
      method: "POST",
      headers: { traceparent: `00-${trace}-${caller}-01`, "x-request-id": "walk-7" },
      body: JSON.stringify({ question: "How much oilforthegearbox does it take?" })
    })
    expect(response.status).toBe(200)
    const { all, root } = await traceOf(({ name, traceId }) => name.startsWith("POST") && traceId === trace)
    expect(root).toMatchObject({
      name: "POST /api/v1/query",
      parentSpanId: caller,
      kind: 2,
      status: {},
      attributes: {
        "http.request.method": "POST",
        "http.route": "/api/v1/query",
        "http.response.status_code": 200,
        "kanon.request_id": "walk-7",
        "kanon.workspace": expect.stringMatching(/^ws_/),
        "kanon.key_id": expect.stringMatching(/^key_/)
      }
    })
    const paths = all.map((span) => path(span, all))
    expect(paths).toContainEqual([root.name, "identity.admit", "sql.execute"])
    expect(paths).toContainEqual(
      expect.arrayContaining([root.name, "answering.ask", "answering.gather", "sql.execute"])
    )
    const sql = all.filter(({ name }) => name === "sql.execute")
    for (const { attributes, kind } of sql) {
      expect(kind).toBe(3)
      expect(attributes).toMatchObject({
        "db.system.name": testDatabase === "sqlite" ? "sqlite" : "postgresql",
        "db.query.text": expect.any(String)
      })
    }
    expect(sql.some(({ attributes }) => /= (\?|\$1)/.test(String(attributes["db.query.text"])))).toBe(true)
  })

  it("say what went wrong without a word of what was said", async () => {
    const refused = { method: "POST", body: JSON.stringify({ question: "How much?" }) }
    expect((await call("/api/v1/query?fromtheaddress=1", refused)).status).toBe(400)
    expect((await call("/api/v1/documents/doc_00000000000000000000000000")).status).toBe(404)
    const { all, root } = await traceOf(({ name }) => name === "GET /api/v1/documents/{id}")
    expect(root).toMatchObject({ status: {}, attributes: { "kanon.error": "not_found" } })
    expect(all.find(({ name }) => name === "documents.get")).toMatchObject({
      status: { code: 2 },
      attributes: { "error.type": "NotFound" }
    })
    const said = [key, "oilforthegearbox", "four litres", "Gearbox", "doc_0000", "fromtheaddress", "oil.md"]
    for (const body of collector.bodies) for (const word of said) expect(body).not.toContain(word)
    for (const body of collector.bodies) expect(body).not.toMatch(/node_modules|\.ts\b|exception/)
  })

  it("go through MCP as well", async () => {
    const transport = new StreamableHTTPClientTransport(new URL(`${running.url}/api/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } }
    })
    const client = new Client({ name: "test", version: "0.0.0" })
    await client.connect(transport as Parameters<Client["connect"]>[0])
    await client.callTool({ name: "svc_get_document", arguments: { id: "doc_00000000000000000000000000" } })
    await client.close()
    const isTool = ({ name }: CollectedSpan) => name === "mcp svc_get_document"
    await expect.poll(() => collector.spans.filter(isTool).length).toBe(1)
    const [tool] = collector.spans.filter(isTool)
    const { all } = await traceOf(
      ({ spanId, traceId }) => traceId === tool?.traceId && spanId === tool.parentSpanId
    )
    expect(all.map((span) => path(span, all))).toContainEqual([
      "POST /api/mcp",
      "mcp svc_get_document",
      "documents.get",
      "sql.execute"
    ])
  })

  it("leave out what their caller leaves out, and work of the server's own", async () => {
    const trace = "1af7651916cd43dd8448eb211c80319c"
    await call("/api/v1/manifest", { headers: { traceparent: `00-${trace}-b7ad6b7169203331-00` } })
    await call("/api/v1/members")
    await traceOf(({ name }) => name === "GET /api/v1/members")
    expect(collector.spans.filter(({ traceId }) => traceId === trace)).toEqual([])
    const outermost = collector.spans.filter(
      ({ parentSpanId }) => !collector.spans.some(({ spanId }) => spanId === parentSpanId)
    )
    expect([...new Set(outermost.map(({ kind }) => kind))]).toEqual([2])
  })

  it("begin anew where the caller's trace is none", async () => {
    const nothing = "0".repeat(32)
    for (const traceparent of [`00-${nothing}-b7ad6b7169203331-01`, "gibberish"]) {
      expect((await call("/api/v1/jobs", { headers: { traceparent } })).status).toBe(200)
    }
    const isJobs = ({ name }: CollectedSpan) => name === "GET /api/v1/jobs"
    await expect.poll(() => collector.spans.filter(isJobs).length).toBe(2)
    for (const { parentSpanId, traceId } of collector.spans.filter(isJobs)) {
      expect(parentSpanId).toBeUndefined()
      expect(traceId).not.toBe(nothing)
    }
  })

  it("tell of the process, with the headers that the collector wants", () => {
    expect(new Set(collector.authorizations)).toEqual(new Set(["Basic c2VjcmV0"]))
    expect(collector.resources[0]).toEqual({
      "service.name": "kanon",
      "service.version": "1.2.3",
      "deployment.environment": "test"
    })
    expect(lines).toEqual([])
  })

  it.each([503, 400, null])("never hurt a request when the collector answers %s", async (status) => {
    const away = await startCollector()
    if (status === null) await away.close()
    else away.answerWith(status)
    const said: Array<string> = []
    const server = await open({ otlpEndpoint: away.url }, (line) => said.push(line))
    const ask = () => fetch(`${server.url}/api/v1/manifest`, { headers: { authorization: `Bearer ${key}` } })
    for (let i = 0; i < 5; i += 1) expect((await ask()).status).toBe(200)
    await expect.poll(() => said.length).toBe(1)
    expect(JSON.parse(said[0] ?? "")).toMatchObject({
      level: "warning",
      message: expect.stringContaining("Traces are not exported")
    })
    expect((await ask()).status).toBe(200)
    await server.close()
    if (status !== null) await away.close()
  })

  it("are sent when the server stops", async () => {
    const late = await startCollector()
    const server = await open({ otlpEndpoint: late.url }, () => undefined)
    await fetch(`${server.url}/api/v1/manifest`, { headers: { authorization: `Bearer ${key}` } })
    await server.close()
    expect(late.spans.map(({ name }) => name)).toContain("GET /api/v1/manifest")
    await late.close()
  })

  it("are of each run of a job too, which names the request that asked for it", async () => {
    const working = await startCollector()
    const server = await open({ otlpEndpoint: working.url, worker: true }, (line) => lines.push(line))
    const body = { path: "valve.md", content: "# Valve\n\nThe [[Gearbox]] has one valve.\n" }
    const created = await fetch(`${server.url}/api/v1/documents`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    expect(created.status).toBe(201)
    const named = (name: string) => working.spans.filter((span) => span.name === name)
    const linked = () => named("jobs.extraction").find(({ links }) => links !== undefined)
    await expect.poll(() => linked() !== undefined).toBe(true)
    await server.close()
    const [request] = named("POST /api/v1/documents")
    const run = linked()
    expect(run).toMatchObject({
      kind: 5,
      status: {},
      attributes: {
        "kanon.workspace": expect.stringMatching(/^ws_/),
        "kanon.job_id": expect.stringMatching(/^job_/),
        "kanon.job_attempt": 1
      }
    })
    expect(run?.parentSpanId).toBeUndefined()
    expect(run?.traceId).not.toBe(request?.traceId)
    const [link] = run?.links ?? []
    expect(link?.traceId).toBe(request?.traceId)
    expect(working.spans.some(({ spanId }) => spanId === link?.spanId)).toBe(true)
    const below = working.spans.filter(({ traceId }) => traceId === run?.traceId)
    expect(below.map((span) => path(span, below).at(-1))).toContain("sql.execute")
    // A whole tree, however many spans there were: one outermost, and nothing that hangs in the air.
    const orphans = below.filter(({ parentSpanId }) => !below.some(({ spanId }) => spanId === parentSpanId))
    expect(orphans).toEqual([run])
    for (const text of working.bodies) expect(text).not.toMatch(/one valve|valve\.md/)
    await working.close()
  })

  it("go where the variables of OpenTelemetry say", () => {
    const at = (config: Partial<ServerConfig>, environment: Readonly<Record<string, string>>) =>
      exporterFrom(ServerSettings.parse(config), environment, "1")?.url
    const whole = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a.test/traces" }
    expect(at({}, {})).toBeUndefined()
    expect(at({ otlpEndpoint: "http://b.test:4318/" }, {})).toBe("http://b.test:4318/v1/traces")
    expect(at({}, whole)).toBe("http://a.test/traces")
    expect(at({ otlpEndpoint: "http://b.test" }, whole)).toBe("http://a.test/traces")
    expect(at({ otlpEndpoint: "http://b.test" }, { OTEL_SDK_DISABLED: "true" })).toBeUndefined()
    expect(() => ServerSettings.parse({ otlpEndpoint: "http://user:word@b.test" })).toThrow("Credentials")
    expect(() => ServerSettings.parse({ otlpEndpoint: "grpc://b.test" })).toThrow()
  })
})
