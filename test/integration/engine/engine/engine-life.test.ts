import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { beforeEach, describe, expect, it } from "vitest"
import type { Engine, EngineOptions, IngestReport } from "../../../../adapters/sqlite/index.js"
import { surfaceKey } from "../../../../core/knowledge/entities/index.js"
import { builtInExtractor, Extractor } from "../../../../core/knowledge/extraction/index.js"
import { createEngine, rowsBeside } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

let vault = ""
beforeEach(() => {
  vault = temporaryFolder("life")
  for (const craft of ["pottery", "sailing"])
    writeFileSync(join(vault, `${craft}.md`), `# On ${craft}\n\nMuch can be said about ${craft}.\n`)
})

const using = async <A>(
  use: (engine: Engine) => Promise<A>,
  options: Omit<EngineOptions, "vault"> = {}
): Promise<A> => {
  const engine = await createEngine({ vault, ...options })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

const paths = async (engine: Engine) => (await engine.search("pottery")).results.map(({ docPath }) => docPath)

describe("a start", () => {
  it("makes a text index that does not hold what the documents do anew, and says so once", async () => {
    await using((engine) => engine.ingest())
    await rowsBeside(join(vault, ".kanon"), "delete from posting_segment")
    await using(async (engine) => {
      expect(engine.repairs).toEqual([
        { code: "text_index_rebuilt", message: "made the text index anew from the passages" }
      ])
      expect(await paths(engine)).toEqual(["pottery.md"])
    })
    await using(async (engine) => expect(engine.repairs).toEqual([]))
  })
})

describe("a watched vault", () => {
  it("is ingested at once and after each change, also when the listener throws", () =>
    using(async (engine) => {
      const reports: Array<IngestReport> = []
      const told: Array<() => void> = []
      const next = () => new Promise<void>((resolve) => told.push(resolve))
      const first = next()
      await engine.watch((report) => {
        reports.push(report)
        for (const tell of told.splice(0)) tell()
        throw new Error("a listener's own mistake")
      })
      await first
      expect(reports[0]?.documents.created).toBe(2)
      for (const place of [1, 2]) {
        const change = next()
        appendFileSync(join(vault, "pottery.md"), `\nAnd more ${place}.\n`)
        await change
      }
      expect(reports.slice(1).every(({ documents }) => documents.created === 0)).toBe(true)
      expect((await engine.documents.getByPath("pottery.md")).content).toContain("And more 2.")
    }))
})

describe("a logger of one's own", () => {
  it("is told of a listener that throws, which is no failed ingest, and the standard error is left alone", async () => {
    const said: Array<string> = []
    const logger = Logger.make(({ message }) => void said.push(String(message)))
    await using(
      async (engine) => {
        const rounds: Array<number> = []
        await new Promise<void>((resolve) => {
          void engine.watch(({ documents }) => {
            rounds.push(documents.created)
            if (rounds.length === 1) appendFileSync(join(vault, "sailing.md"), "\nAnd more.\n")
            else resolve()
            throw new Error("a listener's own mistake")
          })
        })
        expect(rounds[0]).toBe(2)
      },
      { logger, worker: false }
    )
    // Postgres tells at each start where vectors are searched.
    const told = said.filter((line) => !line.startsWith("Vectors: "))
    expect(told.length).toBeGreaterThan(0)
    expect(new Set(told.map((line) => line.includes("listener of its changes threw")))).toEqual(
      new Set([true])
    )
  })
})

describe("an extractor of one's own", () => {
  const extractor: EngineOptions["extractor"] = {
    read: (document, chunks) =>
      Extractor.pipe(
        Effect.flatMap((builtIn) => builtIn.read(document, chunks)),
        Effect.map((facts) => ({
          ...facts,
          terms: [...facts.terms, { key: surfaceKey(name), name, prose: 2, headings: 0 }]
        })),
        Effect.provide(builtInExtractor)
      )
  }
  const name = "Slow Craft"

  it.each([
    ["makes entities of its terms", { extractor }, [name]],
    ["is not missed where there is none", {}, []]
  ])("%s", (_, options, found) =>
    using(async (engine) => {
      await engine.ingest()
      const { candidates } = await engine.entities.resolve(name)
      expect(candidates.map((candidate) => candidate.name)).toEqual(found)
    }, options)
  )
})

describe("an engine without a worker", () => {
  it("does not wait for work that nobody does, and leaves it to one that has a worker", async () => {
    const idle = await createEngine({ vault, worker: false })
    try {
      expect((await idle.ingest()).documents.created).toBe(2)
      expect(await paths(idle)).toEqual(["pottery.md"])
      expect((await idle.jobs.list()).queueDepth).toBeGreaterThan(0)
    } finally {
      await idle.close()
    }
    await using(async (engine) => {
      await engine.ingest()
      // Scheduled jobs may wait at any moment, but the queue always empties.
      await expect.poll(async () => (await engine.jobs.list()).queueDepth).toBe(0)
    })
  })
})

describe("a closed engine", () => {
  it("refuses every call in plain words, and may be closed again", async () => {
    const engine = await createEngine({ vault })
    await engine.close()
    await engine.close()
    await expect(engine.search("pottery")).rejects.toThrow("The engine is closed.")
    await expect(engine.ingest()).rejects.toThrow("The engine is closed.")
  })
})
