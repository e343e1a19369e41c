import { join } from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { createEngine, type EngineOptions } from "../../../../adapters/sqlite/index.js"
import { rolePresets } from "../../../../core/platform/identity/index.js"
import type { WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { startServer, type TestServer } from "../../../support/server.js"

// A member starts runs over a server that works on none; an engine on the same data, with a setting of its own for
// what roles may do, works on them.

const chat = scriptedAgentModel((turn) =>
  turn === 0
    ? {
        text: "I write it down.",
        calls: [{ name: "svc_create_document", arguments: { path: "note.md", content: "# Note\n" } }]
      }
    : "Done."
)

let data: string
let server: TestServer
let here: WorkspaceId
let admin: string
beforeAll(async () => {
  data = temporaryFolder("role-scopes")
  server = await startServer({ data, models: { chat } })
  here = await server.workspace("here")
  admin = await server.key(here)
  const tools = [{ name: "svc_create_document" }]
  const body = { name: "Writer", instructions: "Write.", tools }
  await server.call("PUT", "/api/v1/agents/writer", { key: admin, body })
})
afterAll(() => server.close())

interface Shown {
  readonly run: { readonly status: string }
  readonly steps: ReadonlyArray<{
    readonly kind: string
    readonly input: { readonly approvalId?: string }
  }>
}

/** Runs the agent for a member on an engine with such a setting; returns how many documents there are then. */
const documentsAfterRun = async (roles: Pick<EngineOptions, "roleScopes">): Promise<number> => {
  const member = await server.userKey(await server.user("Ann", [here]), [here])
  const started = await server.call("POST", "/api/v1/agents/writer/runs", {
    key: member,
    body: { input: "Write." }
  })
  expect(started.status).toBe(202)
  const path = `/api/v1/runs/${(started.body as { readonly runId: string }).runId}`
  const vault = join(server.folder, here)
  const engine = await createEngine({ vault, data, models: { chat }, thread: false, ...roles })
  try {
    const shown = async () => (await server.call("GET", path, { key: admin })).body as Shown
    const resting = () =>
      vi.waitFor(async () => {
        const now = await shown()
        expect(["queued", "running"]).not.toContain(now.run.status)
        return now
      }, 60_000)
    const { run, steps } = await resting()
    if (run.status === "suspended") {
      const approvalId = steps.find(({ kind }) => kind === "approval")?.input.approvalId
      await server.call("POST", `${path}/approve`, { key: admin, body: { approvalId, decision: "allow" } })
      await resting()
    }
    expect((await shown()).run.status).not.toBe("suspended")
    return (await engine.documents.list()).total
  } finally {
    await engine.close()
  }
}

it("works on the runs of members with the rights that roleScopes gives them", async () => {
  const roleScopes = { ...rolePresets, member: ["agents:run", "runs:read", "kb:read"] as const }
  expect(await documentsAfterRun({ roleScopes })).toBe(0)
  expect(await documentsAfterRun({})).toBe(1)
})
