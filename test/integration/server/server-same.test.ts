import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { faultCodes, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { catalog } from "../../../server/catalog/index.js"
import { parametersOf, placeOf, type Row } from "../../../server/catalog/row.js"
import { createClient, KanonApiError } from "../../../server/client/index.js"
import { type Fields, story } from "../../support/catalog-story.js"
import { startServer, type TestServer } from "../../support/server.js"

/** Result of a call over any interface. */
type Result = { readonly value: unknown } | { readonly error: string; readonly existingId?: string }
type Call = (row: Row, input: Fields) => Promise<Result>

const Refused = z.object({ error: z.string(), existingId: z.string().optional() })
const refusedAs = (body: unknown): Result => {
  const { error, existingId } = Refused.parse(body)
  return { error: family(error), ...(existingId === undefined ? {} : { existingId }) }
}
/** One and the same refusal of an input, which the contract spells by where it stands on the wire. */
const family = (code: string): string =>
  /^invalid[-_](body|params|pagination)$/.test(code) ? "invalid" : code

const viaRest =
  (server: TestServer, key: string): Call =>
  async (row, input) => {
    const at = (place: "query" | "body") =>
      Object.entries(input).filter(([name]) => placeOf(row, name) === place)
    const path = parametersOf(row.path).reduce(
      (text, name) => text.replace(`{${name}}`, String(input[name])),
      row.path
    )
    const query = new URLSearchParams(
      Object.fromEntries(at("query").map(([name, value]) => [name, String(value)]))
    )
    const hasBody = row.method !== "GET" && row.method !== "DELETE"
    const { body, status } = await server.call(row.method, `${path}?${query}`, {
      key,
      ...(hasBody ? { body: Object.fromEntries(at("body")) } : {})
    })
    return status < 300 ? { value: body } : refusedAs(body)
  }

const viaClient = (server: TestServer, key: string): Call => {
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init))
  const { each: _, ...operations } = createClient({ baseUrl: "http://kanon.test", key, fetch })
  const methods: Readonly<Record<string, (input: never) => unknown>> = operations
  return async (row, input) => {
    const method = methods[row.operation.name]
    try {
      const value: unknown = await Reflect.apply(method ?? (() => undefined), undefined, [input])
      return { value }
    } catch (error) {
      if (!(error instanceof KanonApiError)) throw error
      return refusedAs({
        error: error.code,
        ...(error.existingId === null ? {} : { existingId: error.existingId })
      })
    }
  }
}

const viaEngine =
  (server: TestServer, workspace: WorkspaceId): Call =>
  async (row, input) => {
    const result = await server.as(workspace, Effect.either(row.run(input)))
    if (Either.isRight(result)) return { value: JSON.parse(JSON.stringify(result.right)) }
    const fault = result.left
    return refusedAs({
      error: faultCodes[fault._tag],
      ...("existingId" in fault && fault.existingId !== undefined ? { existingId: fault.existingId } : {})
    })
  }

const viaMcp = async (server: TestServer, key: string): Promise<Call> => {
  const client = new Client({ name: "test", version: "0.0.0" })
  const transport = new StreamableHTTPClientTransport(new URL("http://kanon.test/api/mcp"), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (url, init) => server.fetch(new Request(url, init))
  })
  await client.connect(transport as Parameters<Client["connect"]>[0])
  const rest = viaRest(server, key)
  return async (row, input) => {
    // Operations that MCP does not offer are called over REST, so that the story goes on.
    if (row.tool === null) return rest(row, input)
    const result = await client.callTool({ name: row.tool.name, arguments: { ...input } })
    if (result.isError !== true) return { value: result.structuredContent }
    const [{ text }] = z.tuple([z.object({ text: z.string() })]).parse(result.content)
    return refusedAs(JSON.parse(text))
  }
}

/** Plays the story; ids stand as the first, second … of their kind, secrets and moments as what they are. */
const play = async (steps: ReturnType<typeof story>, call: Call): Promise<ReadonlyArray<unknown>> => {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const named = (id: string): string => {
    const prefix = id.slice(0, id.indexOf("_"))
    const count = (counts.get(prefix) ?? 0) + (names.has(id) ? 0 : 1)
    const name = names.get(id) ?? `${prefix}_${count}`
    counts.set(prefix, count)
    names.set(id, name)
    return name
  }
  const seen = (label: string): string => [...names].find(([, name]) => name === label)?.[0] ?? label
  const results: Array<unknown> = []
  for (const [name, input] of steps) {
    const row = catalog.find(({ operation }) => operation.name === name)
    if (row === undefined) throw new RangeError(`The catalog has no ${name}.`)
    const text = JSON.stringify(await call(row, input(seen)))
      .replaceAll(/"key":(null|\{[^}]*\})/g, '"key":"whose"')
      .replaceAll(/svc_[su]k_[\w-]+/g, "secret")
      .replaceAll(/urn:uuid:[0-9a-f-]{36}/g, "urn")
      .replaceAll(/"(hash|prevHash|head)":"[0-9a-f]{64}"/g, '"$1":"hash"')
      .replaceAll(/"configDigest":"[0-9a-f]{64}"/g, '"configDigest":"of ids"')
      .replaceAll(/"requestId":(null|"[^"]*")/g, '"requestId":"which"')
      .replaceAll(
        /"(actor|verifiedBy|deletedBy|changedBy|proposedBy|reviewedBy|createdBy|calledBy|judge)":"[^"]*"/g,
        '"$1":"who"'
      )
      .replaceAll(/"askedBy":"[^"]*"/g, '"askedBy":"who"')
      .replaceAll(/"durationMs":[\d.]+/g, '"durationMs":0')
      .replaceAll(/"activity":"(ui|api|mcp)"/g, '"activity":"who"')
      .replaceAll(/\b[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, (id) => named(id))
      .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "moment")
      .replaceAll(/"fingerprint":"[0-9a-f]{16}"/g, '"fingerprint":"of a secret"')
      .replaceAll(/"trigger":"\w+"/g, '"trigger":"which"')
      .replaceAll(/"apiKeyId":(null|"[^"]*")/g, '"apiKeyId":"whose"')
      .replaceAll(/"(lastUsedAt|startedAt)":(null|"moment")/g, '"$1":"whenever"')
    results.push([name, JSON.parse(text)])
  }
  return results
}

let server: TestServer
let steps: ReturnType<typeof story>
let expected: ReadonlyArray<unknown>
const begin = async () => {
  const workspace = await server.workspace("the same")
  return { workspace, key: await server.key(workspace) }
}
beforeAll(async () => {
  server = await startServer()
  const shop = join(server.folder, "shop.sqlite")
  steps = story(shop)
  new Sqlite(shop)
    .exec(
      "create table album (artist text, title text); insert into album values ('Ada', 'One'), ('Ada', 'Two')"
    )
    .close()
  const { key } = await begin()
  expected = await play(steps, viaRest(server, key))
})
afterAll(() => server.close())

describe("the same calls", () => {
  it("are all of the catalog, and most of them do something", () => {
    const told = new Set<string>(steps.map(([name]) => name))
    // A stream has no result to compare; a decision needs a call that waits (agents-server.test.ts).
    const apart = ["streamRun"]
    // Nor do evaluation runs end without a worker (evaluation-runs.test.ts).
    const refused = ["approveRunStep", "compareEvals"]
    expect(catalog.map(({ operation }) => operation.name).filter((name) => !told.has(name))).toEqual(apart)
    const done = z.array(z.tuple([z.string(), z.looseObject({ value: z.unknown() })]))
    const worked = expected.filter((one) => done.element.safeParse(one).data?.[1].value !== undefined)
    expect(new Set(worked.map((one) => done.element.parse(one)[0])).size).toBe(
      catalog.length - apart.length - refused.length
    )
    expect(worked.length).toBeLessThan(steps.length - 9)
  })

  it.each([
    ["MCP", ({ key }: { readonly key: string }) => viaMcp(server, key)],
    ["the client", async ({ key }: { readonly key: string }) => viaClient(server, key)],
    [
      "the engine in process",
      async ({ workspace }: { readonly workspace: WorkspaceId }) => viaEngine(server, workspace)
    ]
  ] as const)("give the same over %s as over REST", async (_way, callOf) => {
    expect(await play(steps, await callOf(await begin()))).toEqual(expected)
  })
})
