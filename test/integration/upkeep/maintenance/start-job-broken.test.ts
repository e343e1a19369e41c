import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { scriptedEmbedder } from "../../../../adapters/models/index.js"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { openEngine } from "../../../../core/engine/engine/index.js"
import { CrashPoints } from "../../../../core/platform/kernel/index.js"
import { portsOf } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"

const pages = 40

/** Breaks off at the moment when a crash would matter that comes so many visits from now; never while null. */
let breaksIn: number | null = null
let visits = 0
const visit = (name: string) => {
  // The queue's own points are for processes that die: see the crash suite.
  if (name.startsWith("job.")) return
  visits += 1
  if (breaksIn === null) return
  breaksIn -= 1
  if (breaksIn > 0) return
  breaksIn = null
  throw new Error("broken off by the test")
}

let vault = ""
let engine: Engine
beforeAll(async () => {
  vault = temporaryFolder("broken")
  for (let page = 0; page < pages; page += 1)
    writeFileSync(
      join(vault, `page-${page}.md`),
      `# Page ${page}\n\nThe Main Pump stands on [[Page ${(page * 7) % pages}]], and page ${page} says so.\n`
    )
  const logger = Logger.make(() => undefined)
  const ports = portsOf({ vault, data: ":memory:", logger, models: { embedder: scriptedEmbedder() } })
  engine = await openEngine(Layer.merge(ports, Layer.succeed(CrashPoints, visit)), {
    name: "broken",
    worker: true,
    owner: "test"
  })
  await engine.ingest()
})
afterAll(() => engine.close())

const idle = () =>
  new Promise<void>((resolve) => {
    const off = engine.on("queue", ({ running, waiting }) => {
      if (running + waiting > 0) return
      queueMicrotask(() => off())
      resolve()
    })
  })

const graph = async () => ({
  entities: (await engine.entities.list({ limit: 200 })).entities,
  relations: (await engine.relations.list({ limit: 200 })).items,
  found: (await engine.search("main pump", { limit: 50 })).results.map(({ docPath }) => docPath).toSorted()
})

describe("a job that breaks off anywhere", () => {
  it("is tried again, and leaves everything as if it had not", async () => {
    const before = await graph()
    let broken = 0
    const kinds = ["ingest", "reindex", "reembed", "reextract", "graph_analytics", "reconcile"] as const
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...kinds),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: pages - 1 }),
        async (kind, breaks, page) => {
          // Something for an ingest to do.
          writeFileSync(
            join(vault, `page-${page}.md`),
            `# Page ${page}\n\nThe Main Pump stands on [[Page ${(page * 7) % pages}]], and page ${page} says so.\n\n`
          )
          breaksIn = breaks
          const { items } = await engine.jobs.start(kind)
          await idle()
          if (breaksIn === null) broken += 1
          breaksIn = null
          const jobs = await engine.jobs.list({ limit: 200 })
          expect(jobs.items.filter(({ status }) => status === "dead")).toEqual([])
          expect(jobs.items.find(({ id }) => id === items[0]?.jobId)?.status).toBe("succeeded")
          await engine.ingest()
          const { findings } = await engine.doctor()
          expect(findings.filter(({ severity }) => severity === "difference")).toEqual([])
          expect(await graph()).toEqual(before)
        }
      ),
      // The first breaks something off, whatever chance gives the others.
      { numRuns: Math.max(6, runs(12)), examples: [["reindex", 1, 0]] }
    )
    expect(visits).toBeGreaterThan(0)
    expect(broken).toBeGreaterThan(0)
  })
})
