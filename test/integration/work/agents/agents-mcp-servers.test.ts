import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ScriptedTurn, scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { createEngine, type Engine } from "../../../../adapters/sqlite/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { type LoopbackServer, listenOnLoopback } from "../../../support/loopback.js"
import { root } from "../../../support/tree.js"

const folder = temporaryFolder("mcp-servers")
const notes = join(folder, "notes.txt")
const program = join(root, "test", "support", "mcp-odd-main.mjs")
let engine: Engine
let server: LoopbackServer
let script: (turn: number) => ScriptedTurn = () => "Done."
const model = scriptedAgentModel((turn) => script(turn))
/** Counts of the long call, as the server over HTTP sees them. */
const http = { calls: 0, closed: 0 }

beforeAll(async () => {
  writeFileSync(notes, "")
  mkdirSync(join(folder, "vault"))
  server = await listenOnLoopback((request, response, body) => {
    if (request.method !== "POST") {
      response.writeHead(405).end()
      return
    }
    const { id, method, params } = JSON.parse(String(body))
    if (method === "tools/call") {
      http.calls += 1
      response.on("close", () => {
        http.closed += 1
      })
      return
    }
    if (id === undefined) {
      response.writeHead(202).end()
      return
    }
    const result =
      method === "initialize"
        ? {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "hangs", version: "1" }
          }
        : { tools: [{ name: "slow", inputSchema: { type: "object" } }] }
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  })
  engine = await createEngine({
    vault: join(folder, "vault"),
    data: join(folder, "data"),
    models: { chat: model },
    mcpCommands: [[process.execPath, program, notes]]
  })
  const readOnly = { effect: "read_only" } as const
  await engine.updateWorkspace({
    mcpServers: {
      odd: {
        transport: "stdio",
        command: process.execPath,
        args: [program, notes],
        tools: {
          "files.read": readOnly,
          "files/read": readOnly,
          bare: readOnly,
          slow: readOnly,
          grow: readOnly,
          late: readOnly
        }
      },
      far: { transport: "http", url: `${server.url}/mcp`, tools: { slow: readOnly } }
    }
  })
})
afterAll(async () => {
  await engine.close()
  await server.close()
})

const put = async (tools: ReadonlyArray<string>) => {
  const { version } = await engine.agents.put("caller", {
    name: "Caller",
    instructions: "Call.",
    tools: tools.map((name) => ({ name }))
  })
  return version.tools.map(({ name }) => name)
}
const start = async (name: string) => {
  script = (turn) => (turn === 0 ? { calls: [{ name, arguments: {} }] } : "Done.")
  return (await engine.runs.start("caller", "Go.")).runId
}
const end = async (runId: string) => {
  for await (const _ of engine.runs.events(runId));
  return engine.runs.get(runId)
}
const noted = () => readFileSync(notes, "utf8").split("\n").filter(Boolean)

describe("tools of MCP servers as strangers write them", () => {
  it("with dots and slashes in their names are called under names that providers take", async () => {
    const listed = (await engine.agents.tools()).filter(({ name }) => name.startsWith("odd__files"))
    expect(new Set(listed.map(({ name }) => name)).size).toBe(2)
    for (const { name } of listed) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    await put(listed.map(({ name }) => name))
    const called = []
    for (const { name } of listed) {
      const { steps } = await end(await start(name))
      called.push(steps.find(({ kind }) => kind === "mcp_call")?.output)
    }
    expect(called).toEqual([
      expect.objectContaining({ result: "called files.read" }),
      expect.objectContaining({ result: "called files/read" })
    ])
  })

  it("without an input schema are left out alone, by name", async () => {
    const offered = (await engine.agents.tools()).map(({ name }) => name)
    expect(offered).toContain("odd__slow")
    expect(offered).not.toContain("odd__bare")
    await expect(put(["odd__bare"])).rejects.toMatchObject({ code: "invalid_body" })
  })

  it("that are added later are offered once the server says that its list changed", async () => {
    await expect(put(["odd__late"])).rejects.toMatchObject({ code: "invalid_body" })
    await put(["odd__grow"])
    await end(await start("odd__grow"))
    expect(await put(["odd__late"])).toEqual(["odd__late"])
    const { steps } = await end(await start("odd__late"))
    expect(steps.find(({ kind }) => kind === "mcp_call")).toMatchObject({ status: "ok" })
  })
})

describe("a cancelled run ends the tool that it waits for", () => {
  const cancelled = async (name: string, isCalled: () => boolean) => {
    await put([name])
    const runId = await start(name)
    await expect.poll(isCalled).toBe(true)
    const since = performance.now()
    await engine.runs.cancel(runId)
    const { run } = await end(runId)
    expect(run.status).toBe("interrupted")
    expect(performance.now() - since).toBeLessThan(2_000)
  }

  it("over stdio: the server is told which call", async () => {
    await cancelled("odd__slow", () => noted().includes("tools/call slow"))
    await expect.poll(() => noted().at(-1)).toMatch(/^notifications\/cancelled \d+$/)
  })

  it("over HTTP: the request of the call ends", async () => {
    await cancelled("far__slow", () => http.calls > 0)
    await expect.poll(() => http.closed).toBe(http.calls)
  })
})
