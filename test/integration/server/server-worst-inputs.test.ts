import { setTimeout } from "node:timers/promises"
import { zipSync } from "fflate"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  callsReply,
  startWorstWorld,
  textReply,
  type WorstInput,
  type WorstWorld
} from "../../support/worst-inputs.js"

// A place where a caller or a stranger chooses a pattern, a size or a count gets a row here.

/** How long another workspace may wait for its manifest, in CPU time of this process: others may have the processor. */
const waitMs = 250

const patterned = (
  name: string,
  pattern: string,
  value: unknown,
  statuses: ReadonlyArray<number>
): WorstInput => ({
  name: `the pattern of a query parameter: ${name}`,
  send: async ({ connectorId, key, server }) => {
    const path = "/api/v1/data/queries/worst"
    const body = {
      title: "Worst",
      connectorId,
      sql: "select a from t where a in (:p)",
      params: [{ name: "p", type: "string[]", pattern }]
    }
    const put = await server.call("PUT", path, { key, body })
    const run =
      put.status < 300
        ? await server.call("POST", `${path}/run`, { key, body: { params: { p: value } } })
        : put
    expect(statuses).toContain(run.status)
  }
})

const patterns: ReadonlyArray<WorstInput> = [
  patterned("26 optional characters", `${".?".repeat(26)}b`, Array(100).fill("a".repeat(500)), [400]),
  patterned("nested repetitions", "(a+)+b", Array(1000).fill("a".repeat(9_000)), [400]),
  patterned("many counted repetitions", ".{1,1000}".repeat(55), ["a".repeat(500)], [400]),
  patterned("counts within counts", "(((a|b){1,10}){1,10}){1,9}c", Array(1000).fill("a".repeat(500)), [400])
]

const keys = `{${Array.from({ length: 700_000 }, (_, at) => `"k${at}":1`).join(",")}}`
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

const modelReply = (name: string, reply: () => string, check: RegExp): WorstInput => ({
  name: `a reply of a model: ${name}`,
  send: async ({ runAgent, says }) => {
    const text = reply()
    says(({ before }) => (before === 0 ? text : textReply("Done.")))
    const { size, status, text: run } = await runAgent(["svc_search"])
    expect(["succeeded", "failed"]).toContain(status)
    expect(run).toMatch(check)
    expect(size).toBeLessThan(300_000)
  }
})

const models: ReadonlyArray<WorstInput> = [
  modelReply(
    "3 MB of brackets as arguments",
    () => callsReply([{ name: "svc_search", text: "[".repeat(3e6) }]),
    /exceed the limit of/
  ),
  modelReply(
    "6 MB of brackets as arguments",
    () => callsReply([{ name: "svc_search", text: "[".repeat(6e6) }]),
    /more than \d+ bytes/
  ),
  modelReply(
    "16 MB of brackets as arguments",
    () => callsReply([{ name: "svc_search", text: "[".repeat(16e6) }]),
    /more than \d+ bytes/
  ),
  modelReply(
    "arguments with 700,000 keys",
    () => callsReply([{ name: "svc_search", text: keys }]),
    /more than \d+ bytes|exceed the limit/
  ),
  modelReply(
    "200,000 characters of nested arguments",
    () => callsReply([{ name: "svc_search", text: deep(100_000) }]),
    /exceed the limit of depth/
  ),
  modelReply("a body nested 1,000,000 deep", () => deep(1e6), /exceeds the limit of depth/),
  modelReply(
    "3,000 calls in one turn",
    () => callsReply(Array(3_000).fill({ name: "svc_search", text: '{"q":"a"}' })),
    /"droppedCalls":2968/
  )
]

/** Lists of tools are kept by the name of their server. */
let servers = 0
const nextServer = (): number => {
  servers += 1
  return servers
}
const server =
  (answer: (method: string, id: unknown, before: number) => object | string) =>
  async ({ key, runAgent, says, server: { call }, strangersUrl }: WorstWorld) => {
    const name = `w${nextServer()}`
    let turns = 0
    says(({ before, id, method, path }) => {
      if (path.startsWith("/v1")) turns += 1
      if (path.startsWith("/v1"))
        return turns === 1 ? callsReply([{ name: `${name}__t`, text: "{}" }]) : textReply("Done.")
      if (method === "initialize")
        return JSON.stringify({
          jsonrpc: "2.0",
          id,
          result: {
            protocolVersion: "2025-06-18",
            capabilities: { tools: {} },
            serverInfo: { name: "w", version: "1" }
          }
        })
      const result = answer(method ?? "", id, before)
      return typeof result === "string" ? result : JSON.stringify({ jsonrpc: "2.0", id, result })
    })
    const mcpServers = {
      [name]: { transport: "http", url: `${strangersUrl}/mcp`, tools: { t: { effect: "read_only" } } }
    }
    expect((await call("PATCH", "/api/v1/workspace", { key, body: { mcpServers } })).status).toBe(200)
    const { size, text } = await runAgent([`${name}__t`])
    expect(size).toBeLessThan(500_000)
    expect(
      (await call("PATCH", "/api/v1/workspace", { key, body: { mcpServers: { [name]: null } } })).status
    ).toBe(200)
    return text
  }
const tool = { name: "t", inputSchema: { type: "object" } }

const mcpServers: ReadonlyArray<WorstInput> = [
  {
    name: "an MCP server: a list of tools without end",
    send: async (world) => {
      await server((method, _, before) =>
        method === "tools/list" ? { tools: [{ ...tool, name: `t${before}` }], nextCursor: `c${before}` } : {}
      )(world)
    }
  },
  {
    name: "an MCP server: a list of tools with 700,000 keys",
    send: async (world) => {
      await server((method, id) =>
        method === "tools/list" ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${keys}}` : {}
      )(world)
    }
  },
  {
    name: "an MCP server: a schema of 3 MB",
    send: async (world) => {
      const properties = Object.fromEntries(
        Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: "string" }])
      )
      await server((method) =>
        method === "tools/list"
          ? { tools: [{ ...tool, inputSchema: { type: "object", properties, pattern: "(a+)+$" } }] }
          : { content: [{ type: "text", text: "x" }] }
      )(world)
    }
  },
  {
    name: "an MCP server: a result nested 20,000 deep",
    send: async (world) => {
      const text = await server((method, id) =>
        method === "tools/list"
          ? { tools: [tool] }
          : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":{"a":${deep(20_000)}}}}`
      )(world)
      expect(text).toContain("exceeds the limit of depth")
      expect(text).not.toContain("call stack")
    }
  }
]

const response = (href: string, isFolder = false) =>
  `<d:response><d:href>/dav/${href}</d:href><d:propstat><d:prop><d:resourcetype>${isFolder ? "<d:collection/>" : ""}</d:resourcetype></d:prop></d:propstat></d:response>`
const listing = (responses: string) => `<d:multistatus xmlns:d="DAV:">${responses}</d:multistatus>`

const folder = (
  name: string,
  answer: (path: string, before: number) => string,
  check: RegExp,
  paths?: ReadonlyArray<string>
): WorstInput => ({
  name: `a folder of WebDAV: ${name}`,
  send: async ({ says, syncFolder }) => {
    says(({ before, path }) => answer(path, before))
    expect(await syncFolder(paths)).toMatch(check)
  }
})

const million = listing(response("a.md").repeat(100_000) + "<d:response/>".repeat(900_000))
const many = listing(Array.from({ length: 80_000 }, (_, at) => response(`${at}.md`)).join(""))
const long = listing(
  Array.from({ length: 3_000 }, (_, at) => response(`${"a".repeat(240)}${at}.md`)).join("")
)

const folders: ReadonlyArray<WorstInput> = [
  folder("a listing of a million entries", () => million, /more than 500000 elements|has more than/),
  folder("a listing of 80,000 documents", () => many, /"status":"(?:running|failed)"/),
  folder(
    "100 patterns of 500 characters for long names",
    () => long,
    /takes too long to read|"status":"(?:running|succeeded)"/,
    Array(100).fill(`${"*a".repeat(249)}*b`)
  ),
  folder(
    "folders within folders without end",
    (path) => listing(response(`${path.slice(5).replace(/\/?$/, "/")}deeper/`.replace(/^\//, ""), true)),
    /nested too deeply|"status":"running"/
  )
]

/** An archive of one stored file without content under each of so many names. */
const archiveOf = (count: number): Uint8Array => {
  const [locals, central]: [Array<Buffer>, Array<Buffer>] = [[], []]
  let at = 0
  for (let place = 0; place < count; place += 1) {
    const name = Buffer.from(`${place}.bin`)
    const local = Buffer.alloc(30 + name.length)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(name.length, 26)
    name.copy(local, 30)
    const entry = Buffer.alloc(46 + name.length)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    name.copy(entry, 46)
    locals.push(local)
    central.push(entry)
    at += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, directory, end])
}

const archive = (name: string, made: Uint8Array, check: RegExp): WorstInput => ({
  name: `an upload: ${name}`,
  send: async ({ syncArchive }) => expect(await syncArchive(made)).toMatch(check)
})

/** Packed once more, so that it is small. */
const within = (inner: Uint8Array): Uint8Array => zipSync({ "inner.zip": inner })

const archives: ReadonlyArray<WorstInput> = [
  archive(
    "a zip that unpacks to a thousand times its size",
    zipSync({ "bomb.md": new Uint8Array(32 * 1024 * 1024) }, { level: 1 }),
    /unpacks to more than|decompression bomb/
  ),
  // The last one: its run goes on while the connector is disabled.
  archive(
    "a zip of 60,000 files within a zip",
    within(archiveOf(60_000)),
    /"status":"(?:running|succeeded|failed|partial)"/
  )
]

describe("the worst that one workspace and its strangers send", () => {
  let world: WorstWorld
  beforeAll(async () => {
    world = await startWorstWorld()
  })
  afterAll(() => world.close())

  it.each([...patterns, ...models, ...mcpServers, ...folders, ...archives])(
    "leaves others their manifest during $name",
    async ({ send }) => {
      let isOver = false
      const waits: Array<number> = []
      const asks = async () => {
        while (!isOver) {
          const before = process.cpuUsage()
          expect(await world.manifest()).toBe(200)
          const { system, user } = process.cpuUsage(before)
          waits.push((user + system) / 1000)
          await setTimeout(25)
        }
      }
      const asking = asks()
      await send(world).finally(() => {
        isOver = true
      })
      await asking
      expect(Math.max(...waits)).toBeLessThan(waitMs)
    },
    60_000
  )
})
