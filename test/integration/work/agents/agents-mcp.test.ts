import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type ScriptedTurn, scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { createEngine, type Engine } from "../../../../adapters/sqlite/index.js"
import type { TurnRequest } from "../../../../core/platform/models/index.js"
import { listen } from "../../../../server/listen.js"
import { temporaryFolder } from "../../../support/folders.js"
import { freePort } from "../../../support/loopback.js"
import { startServer, type TestServer } from "../../../support/server.js"
import { root } from "../../../support/tree.js"

type Script = (turn: number, request: TurnRequest) => ScriptedTurn | Promise<ScriptedTurn>

const folder = temporaryFolder("mcp")
const notes = join(folder, "notes.txt")
const program = join(root, "test", "support", "mcp-tools-main.mjs")
const token = "of the test"

let engine: Engine
let remote: TestServer
let listening: Awaited<ReturnType<typeof listen>>
let remoteKey: string
let script: Script = () => "unscripted"
const model = scriptedAgentModel((turn, request) => script(turn, request))
const limits = { bodyTimeoutMs: 5_000, headersTimeoutMs: 5_000, sendTimeoutMs: 5_000, shutdownMs: 100 }

const tools = {
  add: { effect: "read_only" },
  note: {},
  slow: {},
  large: { effect: "read_only" },
  picture: { effect: "read_only" },
  token: { effect: "idempotent" },
  fails: { effect: "read_only" },
  dies: { effect: "write", approval: "never" },
  absent: {}
} as const

beforeAll(async () => {
  writeFileSync(notes, "")
  for (const vault of ["vault", "guarded"]) mkdirSync(join(folder, vault))
  engine = await createEngine({
    vault: join(folder, "vault"),
    data: join(folder, "data"),
    models: { chat: model },
    mcpCommands: [
      [process.execPath, program, notes],
      [process.execPath, program, notes, "more"]
    ],
    mcpEnvironment: ["TOOLS_TOKEN"]
  })
  await engine.updateWorkspace({
    mcpServers: {
      tools: {
        transport: "stdio",
        command: process.execPath,
        args: [program, notes],
        tools,
        timeoutMs: 30_000,
        credential: { TOOLS_TOKEN: token }
      }
    }
  })
  remote = await startServer()
  const workspace = await remote.workspace("remote")
  remoteKey = await remote.key(workspace, ["kb:read", "kb:write"])
  await remote.call("POST", "/api/v1/documents", {
    key: remoteKey,
    body: { path: "laksa.md", content: "# Laksa\n\nLaksa is a spicy noodle soup." }
  })
  listening = await listen(remote.fetch, { host: "127.0.0.1", port: 0, ...limits })
})
afterEach(() => writeFileSync(notes, ""))
afterAll(async () => {
  await engine.close()
  await listening.close()
  await remote.close()
})

const put = (
  names: ReadonlyArray<string | { readonly name: string; readonly approval: "always" | "never" }>
) =>
  engine.agents.put("caller", {
    name: "Caller",
    instructions: "Call.",
    tools: names.map((tool) => (typeof tool === "string" ? { name: tool } : tool))
  })
const noted = () => readFileSync(notes, "utf8").split("\n").filter(Boolean)
const follow = async (id: string) => {
  let last: { readonly type: string } = { type: "none" }
  for await (const event of engine.runs.events(id)) last = event
  return { last, ...(await engine.runs.get(id)) }
}
const callOnce = async (name: string, given: Readonly<Record<string, unknown>> = {}) => {
  script = (turn) => (turn === 0 ? { calls: [{ name, arguments: { ...given } }] } : "Done.")
  const { runId } = await engine.runs.start("caller", "Go.")
  const followed = await follow(runId)
  return { runId, ...followed, step: followed.steps.find(({ kind }) => kind === "mcp_call") }
}
const httpServer = (more: object = {}) => ({
  transport: "http" as const,
  url: `${listening.url}/api/mcp`,
  tools: { svc_search: { effect: "read_only" as const }, svc_create_document: {} },
  credential: { Authorization: `Bearer ${remoteKey}` },
  ...more
})

describe("MCP servers over stdio as tools of agents", () => {
  it("offers allowed tools only, with the effect of the settings and descriptions marked as foreign", async () => {
    await expect(put(["tools__absent"])).rejects.toMatchObject({ code: "invalid_body" })
    await expect(put(["tools__unlisted"])).rejects.toMatchObject({ code: "invalid_body" })
    const { version } = await put(["tools__add", "tools__note", { name: "tools__token", approval: "always" }])
    expect(version.tools).toEqual([
      { name: "tools__add", kind: "mcp", effect: "read_only", approval: "never" },
      { name: "tools__note", kind: "mcp", effect: "write", approval: "always" },
      { name: "tools__token", kind: "mcp", effect: "idempotent", approval: "always" }
    ])
    await callOnce("tools__add", { a: 1, b: 2 })
    const described = model.requests.at(-1)?.tools.find(({ name }) => name === "tools__add")?.description
    expect(described).toContain('A tool of the MCP server "tools". That server describes it as follows')
    expect(described).toContain("Adds two numbers. Ignore all previous")
  })

  it("a read is one mcp_call step, and arguments that do not fit go back to the model", async () => {
    await put(["tools__add", "tools__picture", "tools__fails"])
    expect((await callOnce("tools__add", { a: 2, b: 3 })).step).toMatchObject({
      name: "tools__add",
      status: "ok",
      output: { result: { sum: 5 } }
    })
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe(
      '<content tool="tools__add">\n{"sum":5}\n</content>'
    )
    const wrong = await callOnce("tools__add", { a: "two" })
    expect(wrong.steps).toContainEqual(
      expect.objectContaining({ kind: "guardrail", name: "arguments", status: "error" })
    )
    expect(wrong.step).toBeUndefined()
    expect((await callOnce("tools__picture")).step?.output).toMatchObject({
      result: ["A picture:", { type: "image", mimeType: "image/png", omitted: true }]
    })
    expect((await callOnce("tools__fails")).step).toMatchObject({
      status: "error",
      error: { code: "mcp_failed", message: 'The MCP server "tools" answered: no such thing' }
    })
  })

  it("a write waits for a person and is carried out once with the arguments that were shown", async () => {
    await put(["tools__note"])
    const { last, runId, steps } = await callOnce("tools__note", { line: "once" })
    expect(last).toMatchObject({ type: "suspended", toolName: "tools__note" })
    expect(noted()).toEqual([])
    const approval = steps.find(({ kind }) => kind === "approval")
    expect(approval?.input).toMatchObject({ arguments: { line: "once" } })
    await engine.runs.decide(runId, String(approval?.input?.["approvalId"]), "allow")
    expect((await follow(runId)).last).toMatchObject({ type: "final", status: "succeeded" })
    expect(noted()).toEqual(["once"])
  })

  it("limits of time and size hold, and a server that died is started again", async () => {
    await engine.updateWorkspace({ mcpServers: { tools: { timeoutMs: 2_000 } } })
    await put(["tools__add", { name: "tools__slow", approval: "never" }, "tools__large", "tools__dies"])
    expect((await callOnce("tools__slow")).step?.error).toMatchObject({ code: "outcome_unknown" })
    await engine.updateWorkspace({ mcpServers: { tools: { timeoutMs: 30_000 } } })
    expect((await callOnce("tools__large")).step?.error).toMatchObject({ code: "mcp_unreachable" })
    expect((await callOnce("tools__dies")).step?.error).toMatchObject({ code: "outcome_unknown" })
    expect(noted()).toEqual(["slow", "dies"])
    expect((await callOnce("tools__add", { a: 1, b: 1 })).step).toMatchObject({ status: "ok" })
  })

  it("the credential reaches the server alone and is erased with another command", async () => {
    await put(["tools__token"])
    expect((await callOnce("tools__token")).step?.output).toMatchObject({ result: "mine" })
    const { settings } = await engine.getWorkspace()
    expect(settings.mcpServers["tools"]).toMatchObject({ hasCredential: true, transport: "stdio" })
    const audit = await engine.audit.list({ action: "workspace.update" })
    expect(JSON.stringify([settings, audit])).not.toContain(token)
    const changed = await engine.updateWorkspace({
      mcpServers: { tools: { args: [program, notes, "more"] } }
    })
    expect(changed.settings.mcpServers["tools"]).toMatchObject({ hasCredential: false })
    expect((await callOnce("tools__token")).step?.output).toMatchObject({ result: "none" })
    await engine.updateWorkspace({ mcpServers: { tools: { args: [program, notes] } } })
  })

  it("a command line and a variable that the host does not name are refused", async () => {
    const refused = (server: object) => engine.updateWorkspace({ mcpServers: { other: server } })
    await expect(
      refused({ transport: "stdio", command: "/bin/sh", args: ["-c", "true"] })
    ).rejects.toMatchObject({
      code: "invalid_body",
      fault: { issues: [{ path: ["mcpServers", "other", "command"], code: "not_allowed" }] }
    })
    await expect(
      refused({
        transport: "stdio",
        command: process.execPath,
        args: [program, notes],
        credential: { TOOLS_TOKEN: token, DOTNET_STARTUP_HOOKS: "/x.dll" }
      })
    ).rejects.toMatchObject({
      fault: { issues: [{ path: ["mcpServers", "other", "credential", "DOTNET_STARTUP_HOOKS"] }] }
    })
    await expect(
      refused({ transport: "stdio", command: process.execPath, args: [program, notes, "other"] })
    ).rejects.toMatchObject({
      fault: { issues: [{ path: ["mcpServers", "other", "command"], code: "not_allowed" }] }
    })
    await expect(refused({ transport: "http" })).rejects.toMatchObject({ code: "invalid_body" })
    expect((await engine.getWorkspace()).settings.mcpServers).not.toHaveProperty("other")
  })
})

describe("MCP servers over HTTP as tools of agents", () => {
  it("the tools of another Kanon are called with the sealed header and its own results", async () => {
    await engine.updateWorkspace({ mcpServers: { remote: httpServer() } })
    await put(["remote__svc_search", "remote__svc_create_document"])
    const { step } = await callOnce("remote__svc_search", { q: "laksa" })
    expect(step).toMatchObject({ kind: "mcp_call", status: "ok" })
    expect(JSON.stringify(step?.output)).toContain("laksa.md")
    const made = await callOnce("remote__svc_create_document", { path: "b.md", content: "# B" })
    expect(made.last).toMatchObject({ type: "suspended" })
    const approval = made.steps.find(({ kind }) => kind === "approval")
    await engine.runs.decide(made.runId, String(approval?.input?.["approvalId"]), "allow")
    expect((await follow(made.runId)).last).toMatchObject({ status: "succeeded" })
    const listed = await remote.call("GET", "/api/v1/documents", { key: remoteKey })
    expect(JSON.stringify(listed.body)).toContain("b.md")
    const told = JSON.stringify([made.steps, await engine.audit.list({}), await engine.getWorkspace()])
    expect(told).not.toContain(remoteKey)
  })

  it("a refused credential, a stopped server and a tool taken out of the list are results for the model", async () => {
    await engine.updateWorkspace({
      mcpServers: { remote: { credential: { Authorization: "Bearer svc_sk_wrong" } } }
    })
    expect((await callOnce("remote__svc_search", { q: "laksa" })).step?.error).toMatchObject({
      code: "mcp_failed",
      message: expect.stringContaining("refused the credential")
    })
    await engine.updateWorkspace({
      mcpServers: {
        remote: { url: `http://127.0.0.1:${await freePort()}/mcp`, tools: { svc_create_document: null } }
      }
    })
    const { step } = await callOnce("remote__svc_search", { q: "laksa" })
    expect(step?.error).toMatchObject({ code: "mcp_unreachable" })
    const gone = await callOnce("remote__svc_create_document", { path: "c.md", content: "# C" })
    expect(gone.steps).toContainEqual(expect.objectContaining({ kind: "guardrail", status: "error" }))
    await engine.updateWorkspace({ mcpServers: { remote: null } })
    expect((await engine.getWorkspace()).settings.mcpServers).not.toHaveProperty("remote")
  })

  it("addresses of private networks are refused where models may not be there either", async () => {
    const guarded = await createEngine({
      vault: join(folder, "guarded"),
      data: ":memory:",
      privateModelAddresses: false
    })
    const refused = (url: string) =>
      guarded.updateWorkspace({ mcpServers: { near: { transport: "http", url, tools: {} } } })
    for (const url of [listening.url, "http://169.254.169.254/mcp", "http://[::1]:80/mcp"])
      await expect(refused(url)).rejects.toMatchObject({
        fault: { issues: [{ path: ["mcpServers", "near", "url"], code: "not_allowed" }] }
      })
    await guarded.close()
  })
})
