import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Logger from "effect/Logger"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Engine, IngestProgress } from "../../../../adapters/sqlite/index.js"
import { collectMetrics, type EngineEvents, type QueueState } from "../../../../core/engine/engine/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

let vault = ""
let engine: Engine
const lines: Array<string> = []
const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))

beforeEach(async () => {
  lines.length = 0
  vault = temporaryFolder("events")
  for (const craft of ["pottery", "sailing", "weaving"])
    writeFileSync(join(vault, `${craft}.md`), `# On ${craft}\n\nMuch can be said about ${craft}.\n`)
  engine = await createEngine({ vault, logger })
})
afterEach(() => engine.close())

describe("the events of an engine", () => {
  it("tell of each search and question, with its time, and of none once the listener is gone", async () => {
    await engine.ingest()
    const searches: Array<EngineEvents["search"]> = []
    const asked: Array<EngineEvents["ask"]> = []
    const offs = [
      engine.on("search", (one) => searches.push(one)),
      engine.on("ask", (one) => asked.push(one))
    ]
    const { total } = await engine.search("pottery", { limit: 1 })
    const { claims, sources, usage } = await engine.ask("What can be said about sailing?")
    expect(searches).toEqual([{ durationMs: expect.any(Number), results: 1, total }])
    expect(searches[0]?.durationMs).toBeGreaterThan(0)
    expect(asked).toEqual([
      {
        durationMs: expect.any(Number),
        answerId: expect.stringMatching(/^ans_/),
        verdict: "answer",
        claims: claims.length,
        sources: sources.length,
        usage
      }
    ])
    for (const off of offs) off()
    await engine.search("pottery")
    expect(searches).toHaveLength(1)
  })

  it("tell of what was refused, by its code", async () => {
    const failures: Array<EngineEvents["failure"]> = []
    engine.on("failure", (one) => failures.push(one))
    await expect(engine.ask("")).rejects.toMatchObject({ code: "invalid_body" })
    await expect(engine.search("x", { limit: 51 })).rejects.toMatchObject({ code: "invalid_body" })
    await expect(engine.ingest({ path: "../away" })).rejects.toMatchObject({ code: "invalid_body" })
    expect(failures.map(({ code, operation }) => [operation, code])).toEqual([
      ["ask", "invalid_body"],
      ["search", "invalid_body"],
      ["ingest", "invalid_body"]
    ])
  })

  it("tell how far an ingest is and how it ended, also of one that a watch began", async () => {
    const progress: Array<IngestProgress> = []
    const ended = new Promise<EngineEvents["ingested"]>((resolve) => engine.on("ingested", resolve))
    engine.on("ingestProgress", (one) => progress.push(one))
    const watch = await engine.watch()
    expect((await ended).documents).toMatchObject({ created: 3, failed: 0 })
    expect(progress).toContainEqual({ phase: "files", done: 3, total: 3 })
    await watch.close()
  })

  it("tell of the queue at once and until it is empty, to as many as listen", async () => {
    await engine.ingest({ wait: false })
    const states: Array<QueueState> = []
    await new Promise<void>((resolve) => {
      engine.on("queue", (state) => {
        states.push(state)
        if (state.waiting + state.running === 0) resolve()
      })
    })
    expect(states.at(-1)).toMatchObject({ waiting: 0, running: 0, dead: 0, oldestQueuedAt: null, work: [] })
    // A late listener gets the present state too.
    const late = await new Promise<QueueState>((resolve) => engine.on("queue", resolve))
    expect(late.dead).toBe(0)
  })

  it("survive a listener that throws, which is told in the log", async () => {
    const heard: Array<number> = []
    engine.on("search", () => {
      throw new Error("a broken dashboard")
    })
    engine.on("search", ({ results }) => heard.push(results))
    await engine.search("pottery")
    expect(heard).toHaveLength(1)
    expect(lines.join("\n")).toContain("A listener of 'search' threw an error.")
  })
})

describe("collected metrics", () => {
  it("count and time what was done while the collector was there", async () => {
    const metrics = collectMetrics(engine)
    expect(metrics.snapshot().search).toEqual({
      count: 0,
      p50Ms: null,
      p95Ms: null,
      p99Ms: null,
      maxMs: null
    })
    await engine.ingest()
    for (let i = 0; i < 5; i++) await engine.search("weaving")
    await engine.ask("What can be said about weaving?")
    await engine.search("x", { limit: 0 }).catch(() => undefined)
    const { ask, failures, ingest, queue, search } = metrics.snapshot()
    expect(search.count).toBe(5)
    const times = [search.p50Ms, search.p95Ms, search.p99Ms, search.maxMs].map(Number)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times[0]).toBeGreaterThan(0)
    expect(ask).toMatchObject({ count: 1, verdicts: { answer: 1 } })
    expect(ingest).toMatchObject({ count: 1, documents: 3, failedDocuments: 0 })
    expect(failures).toEqual({ "search invalid_body": 1 })
    expect(queue).toMatchObject({ dead: 0 })
    metrics.close()
    await engine.search("weaving")
    expect(metrics.snapshot().search.count).toBe(5)
  })
})

describe("the status of an engine", () => {
  it("agrees with what the workspace holds", async () => {
    const report = await engine.ingest()
    // Scheduled jobs may wait at any moment, but the queue always empties.
    await expect
      .poll(() => engine.status())
      .toMatchObject({
        workspace: engine.workspace,
        counts: {
          documents: 3,
          chunks: report.chunks,
          entities: report.entities,
          relations: report.relations
        },
        queue: { waiting: 0, running: 0, dead: 0, work: [] },
        textIndex: { passages: report.chunks },
        vectors: { upToDate: true }
      })
    const [first] = (await engine.documents.list()).items
    await engine.documents.remove(first?.id ?? "")
    expect((await engine.status()).counts.documents).toBe(2)
  })
})
