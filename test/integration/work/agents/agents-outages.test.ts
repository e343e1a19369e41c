import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { createEngine } from "../../../../adapters/postgres/index.js"
import { leaseMs, type RunEvent } from "../../../../core/work/agent-runs/index.js"
import { bundled } from "../../../support/bundled.js"
import { cutProxy } from "../../../support/cut-proxy.js"
import { temporaryFolder } from "../../../support/folders.js"
import { dropDatabase, makeMigrated } from "../../../support/postgres.js"
import { isLong, sampled } from "../../../support/runs.js"

const databases: Array<string> = []
afterAll(async () => {
  for (const database of databases) await dropDatabase(database)
})
const place = async () => {
  const folder = temporaryFolder("agent-outage")
  const vault = join(folder, "vault")
  mkdirSync(vault)
  const database = await makeMigrated()
  databases.push(database)
  return { vault, database }
}

describe("a worker that stalls beyond its lease", () => {
  let child: Awaited<ReturnType<typeof bundled>>
  const started: Array<ChildProcess> = []
  beforeAll(async () => {
    child = await bundled("agent-child")
  })
  afterAll(() => {
    for (const one of started) one.kill("SIGKILL")
    child.drop()
  })

  const start = (vault: string, database: string, more: Readonly<Record<string, string>> = {}) => {
    const process_ = spawn(process.execPath, [child.file, vault, database], {
      env: { ...process.env, ...more },
      stdio: ["ignore", "pipe", "inherit"]
    })
    started.push(process_)
    let out = ""
    const said = once(process_.stdout, "data")
    process_.stdout.on("data", (chunk) => {
      out += String(chunk)
    })
    return { process: process_, said, out: once(process_, "close").then(() => out) }
  }
  const outcomeIn = (out: string) => JSON.parse(out.trim().split("\n").at(-1) ?? "")

  /** Lets the leases of run and job lapse: by waiting, or, in a short run of the tests, by setting them back. */
  const lapse = async (database: string) => {
    if (isLong) return setTimeout(leaseMs + 5_000)
    const client = new pg.Client(database)
    await client.connect()
    // Does what the database itself does after a minute, since the worker may have stopped in the middle of a
    // transaction.
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`
    )
    for (const table of ["agent_run", "job"])
      await client.query(
        `update ${table} set lease_until = '2000-01-01T00:00:00.000Z' where lease_until is not null`
      )
    await client.end()
  }

  // The second and the fourth turn ask for a write, the third comes between the two.
  it.each(isLong ? [0, 1, 2, 3, 4] : [3])(
    "in turn %i, is replaced, and stores nothing when it comes back",
    async (turn) => {
      const { database, vault } = await place()
      const stalled = start(vault, database, { KANON_TEST_STALL: String(turn) })
      await stalled.said
      stalled.process.kill("SIGSTOP")
      await lapse(database)
      const outcome = outcomeIn(await start(vault, database).out)
      expect(outcome).toMatchObject({
        status: "succeeded",
        text: "All is written.",
        created: 2,
        documents: ["first.md 1", "second.md 1"],
        open: 0
      })
      stalled.process.kill("SIGCONT")
      // The stopped worker sees the same end and has changed nothing.
      expect(outcomeIn(await stalled.out)).toEqual(outcome)
    }
  )
})

describe("a database that is cut off", () => {
  /** Moments: before the reply of a turn is journalled, or beside the calls of that turn. */
  const moments = [0, 1, 2, 3].flatMap((turn) => [`reply ${turn}`, `calls ${turn}`])
  it.each(isLong ? moments : sampled(["calls 1", "reply 3"], 2))(
    "at '%s' leaves a run that ends as if it had not been, and each write is done once",
    async (moment) => {
      const { database, vault } = await place()
      const proxy = await cutProxy(database)
      let isDone = false
      const cutOnce = (at: string) => {
        if (at !== moment || isDone) return
        isDone = true
        void proxy.cut(1_500)
      }
      const chat = scriptedAgentModel((turn) => {
        cutOnce(`reply ${turn}`)
        const write = (path: string) => ({
          name: "svc_create_document",
          arguments: { path, content: `# ${path}\n\nWritten once.\n` }
        })
        if (turn > 3) return "All is written."
        const cut = { name: "cut", arguments: { turn } }
        return { calls: turn % 2 === 0 ? [cut] : [cut, write(turn === 1 ? "first.md" : "second.md")] }
      })
      const tools = [
        {
          name: "cut",
          description: "Cuts the database off.",
          input: z.object({ turn: z.number() }),
          effect: "read_only" as const,
          run: ({ turn }: { readonly turn: number }) => {
            cutOnce(`calls ${turn}`)
            return "cut"
          }
        }
      ]
      const engine = await createEngine({ vault, database: proxy.url, models: { chat }, tools })
      await engine.agents.put("writer", {
        name: "Writer",
        instructions: "Write.",
        tools: [{ name: "cut" }, { name: "svc_create_document", approval: "never" }]
      })
      const { runId } = await engine.runs.start("writer", "Go.")
      let last: RunEvent | undefined
      const watch = async () => {
        for await (const event of engine.runs.events(runId)) last = event
      }
      while (last?.type !== "final") await watch().catch(() => setTimeout(100))
      expect(last).toMatchObject({ status: "succeeded", text: "All is written." })
      expect(isDone).toBe(true)
      const { items } = await engine.documents.list()
      expect(items.map(({ path, version }) => `${path} ${version}`).sort()).toEqual([
        "first.md 1",
        "second.md 1"
      ])
      expect((await engine.audit.list({ action: "document.create" })).items).toHaveLength(2)
      const { steps } = await engine.runs.get(runId)
      expect(steps.filter(({ status }) => status === "pending")).toEqual([])
      await engine.close()
      await proxy.close()
    }
  )
})
