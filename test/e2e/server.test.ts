import { once } from "node:events"
import { cpSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { kanon, start as startCommand } from "../support/cli.js"
import { serverShapes } from "../support/cli-shapes.js"
import { commandEnvironment } from "../support/database.js"
import { temporaryFolder } from "../support/folders.js"

const folder = temporaryFolder("serve")
const notes = join(folder, "notes")
const data = join(notes, ".kanon")
type Started = ReturnType<typeof startCommand>
const children: Array<Started> = []
let url = ""
let env: Readonly<Record<string, string>> = {}
let admin = ""

/** Starts the server as a user does, and waits until it says where it listens. */
const start = async (...args: ReadonlyArray<string>) => {
  const started = startCommand(["serve", "--data", data, "--port", "0", "--json", ...args], {
    cwd: folder,
    env
  })
  children.push(started)
  return { started, at: serverShapes.serve.parse(JSON.parse(await started.firstLine)) }
}

const json = <Schema extends z.ZodType>(schema: Schema, ...args: ReadonlyArray<string>): z.output<Schema> => {
  const { status, stderr, stdout } = kanon([...args, "--data", data, "--json"], { cwd: folder, env })
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: "" })
  return schema.parse(JSON.parse(stdout))
}

const call = async (method: string, path: string, key: string | null, body?: unknown, headers = {}) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) }
}

beforeAll(async () => {
  cpSync("demo/vault", notes, { recursive: true })
  env = await commandEnvironment()
  const made = kanon(["init", "--vault", notes, "--json"], { cwd: folder, env })
  admin = z.object({ key: z.string() }).parse(JSON.parse(made.stdout)).key
  expect(kanon(["ingest", "--vault", notes], { cwd: folder, env }).status).toBe(0)
  url = (await start()).at.url
})

afterAll(() => {
  for (const one of children) one.signal("SIGKILL")
})

describe("kanon serve", () => {
  it("is alive, ready and counts what it does", async () => {
    expect((await call("GET", "/healthz", null)).status).toBe(200)
    await expect.poll(async () => (await call("GET", "/readyz", null)).status).toBe(200)
    await call("GET", "/api/v1/manifest", admin)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('route="/api/v1/manifest",status="200"')
  })

  it("answers a question with what carries it, as the command line does", async () => {
    const question = "Who was the project manager of Project Heron?"
    const { body, status } = await call("POST", "/api/v1/query", admin, { question })
    expect(status).toBe(200)
    const Answer = z.object({ answer: z.string(), claims: z.array(z.object({ text: z.string() })) })
    const asked = kanon(["ask", question, "--data", data, "--json"], { cwd: folder, env })
    expect(Answer.parse(body)).toEqual(Answer.parse(JSON.parse(asked.stdout)))
    expect(Answer.parse(body).answer).toContain("Bethan Oakshott")
  })

  it("keeps two workspaces apart, and lets a user into both", async () => {
    const second = json(serverShapes.workspace, "workspaces", "create", "--name", "Handbook")
    const user = json(serverShapes.user, "users", "create", "--name", "Ada")
    json(serverShapes.member, "members", "add", "--user", user.id)
    json(serverShapes.member, "members", "add", "--user", user.id, "--workspace", second.id)
    const make = (...args: ReadonlyArray<string>) => json(serverShapes.key, "keys", "create", ...args).key
    const both = make(
      "--kind",
      "user",
      "--user",
      user.id,
      "--workspaces",
      "all",
      "--scopes",
      "kb:read,kb:write"
    )
    const own = make("--workspaces", second.id, "--scopes", "kb:read")
    const there = { "x-workspace-id": second.id }
    expect((await call("GET", "/api/v1/documents", both)).body).toMatchObject({ error: "workspace_required" })
    const saved = await call("POST", "/api/v1/documents", both, { title: "Welcome" }, there)
    expect(saved.status).toBe(201)
    const id = z.object({ docId: z.string() }).parse(saved.body).docId
    expect((await call("GET", `/api/v1/documents/${id}`, own)).status).toBe(200)
    expect((await call("GET", `/api/v1/documents/${id}`, admin)).status).toBe(404)
    expect((await call("POST", "/api/v1/documents", own, { title: "No" })).body).toMatchObject({
      error: "insufficient_scope"
    })
    json(z.looseObject({}), "members", "remove", "--user", user.id, "--workspace", second.id)
    expect((await call("GET", "/api/v1/documents", both, undefined, there)).body).toMatchObject({
      error: "workspace_forbidden"
    })
  })

  it("stops taking a key in the moment in which it is revoked", async () => {
    const { id, key } = json(serverShapes.key, "keys", "create", "--scopes", "kb:read")
    expect((await call("GET", "/api/v1/documents", key)).status).toBe(200)
    json(serverShapes["key-revoked"], "keys", "revoke", id)
    expect((await call("GET", "/api/v1/documents", key)).status).toBe(401)
  })

  it("says what it did in JSON, and nothing that is nobody's business", async () => {
    const { at, started } = await start("--no-worker")
    const secretWord = "thequestionthatnobodyreads"
    await fetch(`${at.url}/api/v1/query`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${admin}`,
        "content-type": "application/json",
        "x-request-id": "walk-1"
      },
      body: JSON.stringify({ question: `What about ${secretWord}?` })
    })
    started.signal("SIGTERM")
    const { status, stderr } = await started.ended
    expect(status).toBe(0)
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => z.looseObject({ message: z.string() }).parse(JSON.parse(line)))
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: "request",
        requestId: "walk-1",
        route: "/api/v1/query",
        status: 200
      })
    )
    expect(stderr).not.toContain(secretWord)
    expect(stderr).not.toContain(admin)
  })

  it("says what is wrong before it starts, all at once", () => {
    const { status, stderr } = kanon(["serve", "--data", data, "--port", "x", "--host", ""], {
      cwd: folder,
      env: { ...env, KANON_LOG_LEVEL: "loud" }
    })
    expect(status).toBe(2)
    for (const place of ["--port", "KANON_LOG_LEVEL"]) expect(stderr).toContain(place)
  })

  it("says so when the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const address = other.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const { status, stderr } = kanon(["serve", "--data", data, "--port", `${port}`, "--json"], {
      cwd: folder,
      env
    })
    other.close()
    expect([
      status,
      z.object({ error: z.string() }).parse(JSON.parse(stderr.trim().split("\n").at(-1) ?? "")).error
    ]).toEqual([1, "not_serving"])
  })
})
