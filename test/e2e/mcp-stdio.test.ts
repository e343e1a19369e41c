import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { Progress } from "@modelcontextprotocol/sdk/types.js"
import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { command, kanon, plainEnvironment, start, vault } from "../support/cli.js"
import { serverShapes } from "../support/cli-shapes.js"
import { fences } from "../support/docs.js"

const files = { "oil.md": "# Gearbox\n\nThe gearbox takes four litres of oil.\n" }
const AddressOf = z.object({ port: z.int() })
const Hits = z.object({ results: z.array(z.object({ docPath: z.string() })) })

/** Asks by MCP, with what was told of the progress so far, and the means to cancel. */
const askWatched = (client: Client, question: string) => {
  const seen: Array<Progress> = []
  const cancel = new AbortController()
  const pending = client.callTool({ name: "svc_query", arguments: { question } }, undefined, {
    signal: cancel.signal,
    onprogress: (progress) => seen.push(progress)
  })
  return { cancel, pending, seen }
}

const clients: Array<Client> = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const environment = Object.fromEntries(
  Object.entries(plainEnvironment()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
)

/** Starts `kanon mcp` as an application on a desk does. */
const connect = (...args: ReadonlyArray<string>) => connectIn({}, ...args)

const connectIn = async (more: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, "mcp", ...args],
    env: { ...environment, ...more },
    stderr: "pipe"
  })
  const said: Array<string> = []
  transport.stderr?.on("data", (chunk) => said.push(String(chunk)))
  const client = new Client({ name: "test", version: "0.0.0" })
  const wrong: Array<Error> = []
  client.onerror = (error) => wrong.push(error)
  await client.connect(transport)
  clients.push(client)
  return { client, said, wrong }
}

const found = async (client: Client, q: string) =>
  Hits.parse((await client.callTool({ name: "svc_search", arguments: { q } })).structuredContent).results.map(
    ({ docPath }) => docPath
  )

/** Speaks to `kanon mcp` line by line. */
const talk = (folder: string) => {
  const child = spawn(process.execPath, [command, "mcp", "--vault", folder], {
    env: environment,
    stdio: ["pipe", "pipe", "pipe"]
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  const send = (...messages: ReadonlyArray<unknown>) => {
    for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
  }
  return { child, ended, send }
}

const begin = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } }
  },
  { jsonrpc: "2.0", method: "notifications/initialized" }
]

describe("kanon mcp", () => {
  it("makes a workspace of a new vault, ingests it, and answers from it with progress", async () => {
    const folder = vault(files)
    const { client, said, wrong } = await connect("--vault", folder)
    expect(client.getInstructions()).toContain("[S1]")
    await expect.poll(() => found(client, "gearbox oil")).toEqual(["oil.md"])
    const { pending, seen } = askWatched(client, "How much oil does the gearbox take?")
    const { structuredContent } = await pending
    expect(structuredContent).toMatchObject({ answer: expect.stringContaining("four litres") })
    expect(seen.map(({ progress }) => progress)).toEqual([1, 2, 3, 4, 5, 6, 7])
    // Every right: it writes too, as the local user.
    const made = await client.callTool({
      name: "svc_create_document",
      arguments: { path: "new.md", content: "# New\n" }
    })
    expect(made.isError).not.toBe(true)
    expect(readFileSync(join(folder, "new.md"), "utf8")).toBe("# New\n")
    expect(wrong).toEqual([])
    expect(said).toEqual([])
  })

  it("stops the work of a cancelled call, tells no more of it, and goes on", async () => {
    // A model that never answers.
    const model = createServer().listen(0, "127.0.0.1")
    await once(model, "listening")
    const { port } = AddressOf.parse(model.address())
    const chat = { KANON_CHAT_MODEL: "fake", KANON_CHAT_BASE_URL: `http://127.0.0.1:${port}/v1` }
    const { client, said, wrong } = await connectIn(chat, "--vault", vault(files))
    await expect.poll(() => found(client, "gearbox oil")).toEqual(["oil.md"])
    const asked = once(model, "request")
    const { cancel, pending, seen } = askWatched(client, "How much oil does the gearbox take?")
    const [, response] = await asked
    const stopped = once(response, "close")
    cancel.abort("the user pressed stop")
    await expect(pending).rejects.toThrow("the user pressed stop")
    await stopped
    expect(await found(client, "gearbox oil")).toEqual(["oil.md"])
    expect(seen.map(({ progress }) => progress)).toEqual([1, 2, 3, 4])
    const { contents } = await client.readResource({ uri: "svc://workspace/manifest" })
    expect(contents).toHaveLength(1)
    expect({ said, wrong }).toEqual({ said: [], wrong: [] })
    model.close()
  })

  it("sees what changes in the vault, beside a server and another of its kind", async () => {
    const folder = vault(files)
    expect(kanon(["ingest", "--vault", folder]).status).toBe(0)
    const server = start(["serve", "--vault", folder, "--port", "0", "--json"])
    serverShapes.serve.parse(JSON.parse(await server.firstLine))
    const [one, other] = await Promise.all([connect("--vault", folder), connect("--vault", folder)])
    writeFileSync(join(folder, "zebra.md"), "# Zebra\n\nA zebra has stripes.\n")
    for (const { client } of [one, other])
      await expect.poll(() => found(client, "zebra stripes")).toEqual(["zebra.md"])
    expect([...one.wrong, ...other.wrong]).toEqual([])
    server.signal("SIGTERM")
    expect((await server.ended).status).toBe(0)
    expect(await found(one.client, "zebra stripes")).toEqual(["zebra.md"])
  })

  it("offers only what changes nothing with --read-only", async () => {
    const folder = vault(files)
    const { client } = await connect("--vault", folder, "--read-only")
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["svc_query", "svc_search"]))
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
    const made = client.callTool({ name: "svc_create_document", arguments: { path: "no.md", content: "" } })
    await expect(made).rejects.toThrow("no tool svc_create_document")
  })

  it("serves the workspace that is named", async () => {
    const folder = vault(files)
    kanon(["init", "--vault", folder])
    const data = join(folder, ".kanon")
    const made = kanon(["workspaces", "create", "--name", "Other", "--data", data, "--json"])
    const { id } = z.object({ id: z.string() }).parse(JSON.parse(made.stdout))
    const { client } = await connect("--data", data, "--workspace", id)
    const { contents } = await client.readResource({ uri: "svc://workspace/manifest" })
    expect(JSON.stringify(contents)).toContain(id)
    expect(await found(client, "gearbox oil")).toEqual([])
  })

  it("says in the protocol's own words nothing but the protocol, and answers before it ends", async () => {
    const { child, ended, send } = talk(vault(files))
    send(...begin)
    child.stdin.write("this is no message\n")
    send({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "svc_search", arguments: { q: "oil" } }
    })
    child.stdin.end()
    const [stdout, stderr, [status]] = await ended
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map((line) => z.looseObject({ jsonrpc: z.literal("2.0"), id: z.int() }).parse(JSON.parse(line)))
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2])
    expect(stderr).toContain("MCP:")
    expect(status).toBe(0)
  })

  it.each(["SIGTERM", "SIGINT"] as const)("ends well by %s", async (signal) => {
    const { child, ended, send } = talk(vault(files))
    send(...begin)
    await once(child.stdout, "data")
    child.kill(signal)
    const [, stderr, [status]] = await ended
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  })

  it("is started by the settings of clients that docs/mcp.md shows", async () => {
    const Server = z.looseObject({ command: z.literal("kanon"), args: z.array(z.string()) })
    const Settings = z.looseObject({
      mcpServers: z.record(z.string(), Server).optional(),
      servers: z.record(z.string(), Server).optional()
    })
    const shown = fences().filter(({ attributes }) => attributes["client"]?.startsWith("stdio") === true)
    expect(shown.map(({ page }) => page)).toEqual(["docs/embedding.md", "docs/mcp.md", "docs/mcp.md"])
    for (const { text: json } of shown) {
      const { mcpServers, servers } = Settings.parse(JSON.parse(json))
      const [server] = Object.values(mcpServers ?? servers ?? {})
      const [name, ...args] = server?.args ?? []
      expect(name).toBe("mcp")
      const folder = vault(files)
      // The folder of notes is somewhere else on every machine.
      const own = args.map((arg) => (/^(?:\/|\$\{workspaceFolder\})/.test(arg) ? folder : arg))
      expect(own).toContain(folder)
      const { client } = await connect(...own)
      await expect.poll(() => found(client, "gearbox oil")).toEqual(["oil.md"])
    }
  })

  it("tells on the standard error why it cannot serve", async () => {
    const { status, stderr, stdout } = kanon(["mcp", "--data", join(vault({}), "missing")])
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stderr).toContain("holds no workspace")
  })
})
