import { join } from "node:path"
import Sqlite from "better-sqlite3"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { type ApiOperation, apiDocument, nameAt, operationsOf } from "../../../tools/api-document.js"
import { type RawRequest, requestsTo } from "../../support/api-fuzz.js"
import { schemaChecks } from "../../support/api-schemas.js"
import { temporaryFolder } from "../../support/folders.js"
import { isLong, testDatabase } from "../../support/runs.js"
import { startServer, type TestServer } from "../../support/server.js"
import { type Seed, seedWorkspace } from "../../support/workspace-seed.js"

const document = apiDocument()
const operations = operationsOf(document)
const { complaintsOf } = schemaChecks(document)
/** Requests over all operations: on Postgres a fraction, since the rules are core's on both. */
const requestsInAll = testDatabase === "postgres" ? (isLong ? 4_000 : 400) : isLong ? 20_000 : 1_000
const pool = new Map<string, ReadonlyArray<unknown>>()
const statuses = new Map<string, Set<number>>()

const data = temporaryFolder("fuzz")
let server: TestServer
let [home, other]: [Seed | undefined, Seed | undefined] = [undefined, undefined]
beforeAll(async () => {
  // A server in memory on Postgres has no key to seal credentials with.
  server = await startServer({ data })
  other = await seedWorkspace(server, "other")
  home = await seedWorkspace(server, "home")
  for (const [prefix, id] of Object.entries(home.ids)) pool.set(prefix, [id])
  const file = join(server.folder, "fuzz.sqlite")
  new Sqlite(file).exec("create table one (n integer)").close()
  // Values that random text does not hit.
  pool.set("slug", ["live-secrets", "researcher"])
  pool.set("settings", [{ path: file }])
  pool.set("files", [[{ path: "uploaded.md", content: "An uploaded text." }]])
})
afterAll(() => server.close())

/** Sends what a client could send: what `Request` itself refuses, no client of this kind can. */
const send = async ({ body, headers, method, target }: RawRequest) => {
  const hasBody = body !== null && method !== "GET" && method !== "HEAD"
  const request = new Request(`http://kanon.test${target}`, {
    method,
    headers: { authorization: `Bearer ${home?.key}`, ...headers },
    ...(hasBody ? { body } : {})
  })
  const response = await server.fetch(request)
  return { url: new URL(request.url), response, text: await response.text() }
}

/** The operations that an address may belong to, by method. */
const operationsAt = (path: string): ReadonlyMap<string, ApiOperation> => {
  const parts = path.split("/")
  const fits = operations.filter((one) => {
    const wanted = one.path.split("/")
    return (
      wanted.length === parts.length &&
      wanted.every((part, place) => part === parts[place] || (part.startsWith("{") && parts[place] !== ""))
    )
  })
  const literal = fits.filter((one) => one.path === path)
  return new Map((literal.length > 0 ? literal : fits).map((one) => [one.method, one]))
}

/** Returns the lines that are not a JSON object with an id. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => (z.looseObject({ id: z.string() }).safeParse(JSON.parse(line)).success ? [] : [line]))

/** Returns what is wrong with server-sent events: each is a comment or one line of JSON. */
const eventProblems = (text: string): ReadonlyArray<string> =>
  text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((event) =>
      event.startsWith(":") || z.looseObject({ type: z.string() }).safeParse(jsonOf(event)).success
        ? []
        : [event]
    )
const jsonOf = (event: string): unknown =>
  /^data: .+$/.test(event) ? JSON.parse(event.slice("data: ".length)) : undefined

/** Returns the problems of a response; empty when the document promises it. */
const complaints = (
  path: string,
  method: string,
  response: Response,
  text: string
): ReadonlyArray<string> => {
  const { headers, status } = response
  const found: Array<string> = []
  const claim = (holds: boolean, what: string) => {
    if (!holds) found.push(what)
  }
  claim(status < 500, `status ${status}`)
  claim(/^[\w.:-]{1,128}$/.test(headers.get("x-request-id") ?? ""), "no request id")
  claim(headers.get("x-content-type-options") === "nosniff", "may be sniffed")
  claim(headers.get("set-cookie") === null, "a cookie")
  claim(headers.get("access-control-allow-origin") === null, "CORS")
  if (method === "HEAD" || status === 304) return found
  if (headers.get("content-type") === "application/x-ndjson") return [...found, ...linesOf(text)]
  if (headers.get("content-type") === "text/plain; charset=utf-8") return found
  if (headers.get("content-type") === "text/event-stream; charset=utf-8")
    return [...found, ...eventProblems(text)]
  claim(headers.get("content-type") === "application/json; charset=utf-8", "no JSON")
  const body: unknown = JSON.parse(text)
  const here = operationsAt(path)
  const operation = here.get(method)
  if (operation === undefined) {
    const error = z.object({ error: z.string() }).safeParse(body).data?.error
    const wanted = here.size === 0 ? [404, "not_found"] : [405, "method_not_allowed"]
    // An id that cannot be decoded is nobody's.
    claim([String(wanted), "404,not_found"].includes(`${status},${error}`), `${status} ${error}`)
    claim(status !== 405 || headers.get("allow") === [...here.keys()].sort().join(", "), "wrong Allow")
    return found
  }
  statuses.set(operation.operationId, (statuses.get(operation.operationId) ?? new Set()).add(status))
  const documented = operation.responses[String(status)]
  if (status < 300 && documented !== undefined && "content" in documented)
    return [
      ...found,
      ...complaintsOf(
        documented.content?.["application/json"]?.schema ?? {},
        operation.operationId === "getOpenApi" ? {} : body
      )
    ]
  if (documented === undefined) {
    const isForeignPath = status === 404 && operation.path.includes("{")
    return isForeignPath ? found : [...found, `undocumented ${status} ${text.slice(0, 200)}`]
  }
  const described = "$ref" in documented ? document.components.responses[nameAt(documented.$ref)] : documented
  const codes = Object.keys(described?.content?.["application/json"]?.examples ?? {})
  const { error } = z.object({ error: z.string() }).parse(body)
  claim(codes.includes(error), `undocumented ${status} ${error}`)
  return [...found, ...complaintsOf({ $ref: "#/components/schemas/ErrorEnvelope" }, body)]
}

/** Remembers what was made, so that later requests can be about it. */
const remember = (text: string): void => {
  for (const [id, prefix] of text.matchAll(
    /\b(doc|ent|rel|chk|job|key|con|qry|dcl|cr|evl|src|rep|aud|dec)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
  )) {
    const known = pool.get(prefix ?? "") ?? []
    if (!known.includes(id) && !Object.values(other?.ids ?? {}).includes(id) && prefix !== "key")
      pool.set(prefix ?? "", [...known.slice(-60), id])
  }
}

const read = async (seed: Seed | undefined, path: string) =>
  (await server.call("GET", `/api/v1${path}`, { key: seed?.key ?? null })).body

const everything = async (seed: Seed | undefined) =>
  JSON.stringify(
    await Promise.all(
      ["/documents?limit=200", "/entities?limit=200", "/relations?limit=200", "/jobs?limit=200"].map((path) =>
        read(seed, path)
      )
    )
  )

describe("any request at all", () => {
  let [before, answered] = ["", 0]
  beforeAll(async () => {
    before = await everything(other)
  })

  it.each(operations.map((one) => [one.operationId, one] as const))(
    "to %s is answered as the document says",
    async (_operationId, operation) => {
      const requests = requestsTo(document, operation, (prefix) => pool.get(prefix) ?? [])
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const { response, text, url } = await send(request)
          answered += 1
          const found = complaints(url.pathname, request.method, response, text)
          expect(found, `${request.method} ${request.target.slice(0, 300)} ${text.slice(0, 300)}`).toEqual([])
          if (request.method !== "DELETE") remember(text)
        }),
        // Each request finds what those before it left: a smaller one proves nothing.
        { numRuns: Math.ceil(requestsInAll / operations.length), endOnFailure: true }
      )
    }
  )

  it("came through to the work behind, and to no other workspace", async () => {
    const done = operations.filter(({ operationId }) =>
      [...(statuses.get(operationId) ?? [])].some((status) => status < 300)
    )
    expect(done.length).toBeGreaterThan(operations.length / 2)
    const seen = new Set([...statuses.values()].flatMap((one) => [...one]))
    expect([...seen]).toEqual(expect.arrayContaining([200, 201, 400, 404]))
    expect(await everything(other)).toBe(before)
    expect(answered).toBeGreaterThanOrEqual(requestsInAll)
  })

  it("leaves a workspace that agrees with itself", async () => {
    const Total = z.object({ total: z.number() })
    // Earlier requests may have deleted everything.
    const made = await server.call("POST", "/api/v1/documents", {
      key: home?.key ?? null,
      body: { title: "Still there" }
    })
    expect(made.status).toBe(201)
    const manifest = z
      .object({ counts: z.object({ documents: z.number(), entities: z.number(), chunks: z.number() }) })
      .parse(await read(home, "/manifest"))
    expect(manifest.counts.documents).toBe(Total.parse(await read(home, "/documents")).total)
    expect(manifest.counts.entities).toBe(Total.parse(await read(home, "/entities")).total)
    const { items } = z
      .object({ items: z.array(z.object({ id: z.string(), path: z.string(), contentHash: z.string() })) })
      .parse(await read(home, "/documents?limit=200"))
    expect(items.length).toBeGreaterThan(0)
    for (const { contentHash, id, path } of items)
      expect(await read(home, `/documents/${id}`)).toMatchObject({ id, path, contentHash, missing: false })
    const polluted: Readonly<Record<string, unknown>> = {}
    expect([polluted["admin"], polluted["x"], polluted["question"]]).toEqual([
      undefined,
      undefined,
      undefined
    ])
  })
})
