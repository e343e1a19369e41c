import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { beforeEach, describe, expect, it } from "vitest"
import { scriptedEmbedder } from "../../../../adapters/models/index.js"
import type { Engine, EngineOptions } from "../../../../adapters/sqlite/index.js"
import { builtInExtractor, Extractor } from "../../../../core/knowledge/extraction/index.js"
import { createEngine, rowsBeside } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs, testDatabase } from "../../../support/runs.js"

const crafts = ["pottery", "sailing", "weaving", "joinery", "masonry", "farming"]
const [first = "", second = ""] = crafts

let vault = ""
beforeEach(() => {
  vault = temporaryFolder("jobs")
  for (const craft of crafts)
    writeFileSync(
      join(vault, `${craft}.md`),
      `# On ${craft}\n\n${`Much can be said about ${craft}, its Old Masters and [[pottery]]. `.repeat(9)}\n`
    )
})

const using = async <A>(
  use: (engine: Engine) => Promise<A>,
  options: Omit<EngineOptions, "vault"> = {}
): Promise<A> => {
  const engine = await createEngine({ vault, thread: false, ...options })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** Waits until no job waits or runs. */
const idle = (engine: Engine) =>
  new Promise<void>((resolve) => {
    const off = engine.on("queue", ({ running, waiting }) => {
      if (running + waiting > 0) return
      queueMicrotask(() => off())
      resolve()
    })
  })

const idOf = async (engine: Engine, craft: string) => (await engine.documents.getByPath(`${craft}.md`)).id

/** Starts a job and waits for all that follows; its item then. */
const done = async (
  engine: Engine,
  kind: Parameters<Engine["jobs"]["start"]>[0],
  ids?: ReadonlyArray<string>
) => {
  const { items } = await engine.jobs.start(kind, ids)
  await idle(engine)
  const all = await engine.jobs.list({ kind, limit: 200 })
  const mine = all.items.filter(({ id }) => items.some(({ jobId }) => jobId === id))
  expect(mine.map(({ error, status }) => ({ error, status }))).toEqual(
    items.map(() => ({ error: null, status: "succeeded" }))
  )
  return mine
}

const differences = async (engine: Engine) =>
  (await engine.doctor()).findings.filter(({ severity }) => severity === "difference")

/** Changes rows behind the back of the engine; Postgres may want other words. */
const tamper = (statement: string, onPostgres = statement) =>
  rowsBeside(join(vault, ".kanon"), `${testDatabase === "sqlite" ? statement : onPostgres} returning 1`)

const found = async (engine: Engine, words: string) =>
  (await engine.search(words, { limit: 50 })).results.map(({ docPath }) => docPath)

const countingEmbedder = () => {
  const texts: Array<string> = []
  const { embed, ...rest } = scriptedEmbedder()
  return {
    texts,
    embedder: {
      ...rest,
      embed: (batch: ReadonlyArray<string>, purpose: "passage" | "query") => {
        if (purpose === "passage") texts.push(...batch)
        return embed(batch, purpose)
      }
    }
  }
}

const countingExtractor = () => {
  const read: Array<string> = []
  const built = Effect.runSync(Effect.provide(Extractor, builtInExtractor))
  const extractor: typeof built = {
    read: (document, chunks) => {
      read.push(document.path)
      return built.read(document, chunks)
    }
  }
  return { read, extractor }
}

describe("a job that is started", () => {
  it("ingests what changed among the files, or the file of one document alone", () =>
    using(async (engine) => {
      await engine.ingest()
      writeFileSync(join(vault, `${first}.md`), "# On pottery\n\nZirconium glazes.\n")
      writeFileSync(join(vault, `${second}.md`), "# On sailing\n\nZirconium anchors.\n")
      const [one] = await done(engine, "ingest", [await idOf(engine, first)])
      expect(one?.progress).toEqual({ done: 1, total: 1, note: "files" })
      expect(await found(engine, "zirconium")).toEqual([`${first}.md`])
      await done(engine, "ingest")
      expect((await found(engine, "zirconium")).toSorted()).toEqual([`${first}.md`, `${second}.md`])
      expect(await differences(engine)).toEqual([])
    }))

  it("cuts and indexes documents anew after another setting, and searches miss nothing meanwhile", () =>
    using(async (engine) => {
      await engine.ingest()
      const before = (await engine.status()).counts.chunks
      await tamper(
        "update workspace set settings = json_set(settings, '$.chunking.maxChars', 200)",
        "update workspace set settings = jsonb_set(settings::jsonb, '{chunking,maxChars}', '200')::text"
      )
      let isOver = false
      const misses: Array<ReadonlyArray<string>> = []
      let looks = 0
      const looking = (async () => {
        while (!isOver) {
          const paths = new Set(await found(engine, "masters"))
          looks += 1
          if (paths.size !== crafts.length) misses.push([...paths])
        }
      })()
      await done(engine, "reindex", [await idOf(engine, first)])
      const between = (await engine.status()).counts.chunks
      const [job] = await done(engine, "reindex")
      isOver = true
      await looking
      expect(misses).toEqual([])
      expect(looks).toBeGreaterThan(0)
      expect(between).toBeGreaterThan(before)
      expect((await engine.status()).counts.chunks).toBeGreaterThan(between)
      expect(job?.progress).toEqual({ done: crafts.length, total: crafts.length, note: "documents" })
      expect(await differences(engine)).toEqual([])
    }))

  it("makes a damaged text index whole", () =>
    using(async (engine) => {
      await engine.ingest()
      const harmed = await tamper(
        "update posting_block set bytes = x'00'",
        "update posting_block set bytes = '\\x00'::bytea"
      )
      expect(harmed.length).toBeGreaterThan(0)
      expect(await differences(engine)).not.toEqual([])
      await done(engine, "reindex")
      expect(await differences(engine)).toEqual([])
      expect(await found(engine, "sailing")).toContain("sailing.md")
    }))

  it("makes vectors anew: each text is asked for again once, of one document or of all", async () => {
    const { embedder, texts } = countingEmbedder()
    await using(
      async (engine) => {
        await engine.ingest()
        const all = texts.splice(0).toSorted()
        expect(all.length).toBeGreaterThanOrEqual(crafts.length)
        await engine.ingest()
        expect(texts).toEqual([])
        await done(engine, "reembed", [await idOf(engine, first)])
        expect(texts.length).toBeGreaterThan(0)
        expect(texts.splice(0).every((text) => text.includes("On pottery"))).toBe(true)
        const [job] = await done(engine, "reembed")
        expect(texts.splice(0).toSorted()).toEqual(all)
        expect(job?.progress).toEqual({ done: all.length, total: all.length, note: "passages" })
        expect(await differences(engine)).toEqual([])
      },
      { models: { embedder } }
    )
  })

  it("puts vectors right that were damaged", () =>
    using(async (engine) => {
      // The built-in model learns from so many passages on.
      for (let page = 0; page < 120; page += 1)
        writeFileSync(
          join(vault, `page-${page}.md`),
          `# Page ${page}\n\n${crafts.join(" and ")} ${page % 7}.\n`
        )
      await engine.ingest()
      expect((await engine.status()).vectors.model).not.toBeNull()
      await tamper(
        "update vector set vector = zeroblob(length(vector)) where vector is not null",
        "update vector set vector = decode(repeat('00', length(vector)), 'hex') where vector is not null"
      )
      expect(await differences(engine)).not.toEqual([])
      await done(engine, "reembed")
      expect(await differences(engine)).toEqual([])
    }))

  it("reads documents for the graph anew, one or all, and draws the same graph", async () => {
    const { extractor, read } = countingExtractor()
    await using(
      async (engine) => {
        await engine.ingest()
        expect(read.splice(0).toSorted()).toEqual(crafts.map((craft) => `${craft}.md`).toSorted())
        const graph = async () => ({
          entities: (await engine.entities.list({ limit: 200 })).entities,
          relations: (await engine.relations.list({ limit: 200 })).items
        })
        const before = await graph()
        expect(before.relations.length).toBeGreaterThan(0)
        await done(engine, "reextract", [await idOf(engine, second)])
        expect(read.splice(0)).toEqual([`${second}.md`])
        const [job] = await done(engine, "reextract")
        expect(read.splice(0).toSorted()).toEqual(crafts.map((craft) => `${craft}.md`).toSorted())
        expect(job?.progress).toMatchObject({ note: "documents" })
        expect(await graph()).toEqual(before)
      },
      { extractor }
    )
  })

  it("computes ranks", () =>
    using(async (engine) => {
      await engine.ingest()
      const ranks = async () =>
        (await engine.entities.list({ limit: 200 })).entities.map(({ pagerank }) => pagerank)
      const before = await ranks()
      await tamper("update entity set pagerank = 0.5")
      expect(await ranks()).not.toEqual(before)
      const [job] = await done(engine, "graph_analytics")
      expect(await ranks()).toEqual(before)
      expect(job?.progress).toMatchObject({ note: "ranks" })
    }))

  it("mends what a crash left", () =>
    using(async (engine) => {
      await engine.ingest()
      const staged = join(vault, ".kanon", "staged")
      mkdirSync(staged, { recursive: true })
      await tamper("delete from posting_segment")
      const [job] = await done(engine, "reconcile")
      expect(job?.progress).toEqual({ done: 1, total: 1, note: "repairs" })
      expect(await found(engine, "weaving")).toContain("weaving.md")
      expect(readdirSync(vault).filter((name) => name.endsWith(".md"))).toHaveLength(crafts.length)
    }))
})

describe("starting jobs", () => {
  const documentKinds = ["ingest", "reindex", "reembed", "reextract"] as const
  const wholeKinds = ["graph_analytics", "reconcile"] as const

  it("gives an equal job that waits instead of a second one, whatever was started before", () =>
    using(
      async (engine) => {
        await engine.ingest()
        const ids = await Promise.all(crafts.map((craft) => idOf(engine, craft)))
        const command = fc.oneof(
          fc.record({
            kind: fc.constantFrom(...documentKinds),
            ids: fc.option(fc.subarray(ids, { minLength: 1 }), { nil: undefined })
          }),
          fc.record({ kind: fc.constantFrom(...wholeKinds), ids: fc.constant(undefined) })
        )
        const known = new Map<string, string>()
        await fc.assert(
          fc.asyncProperty(fc.array(command, { maxLength: 8 }), async (commands) => {
            for (const { ids: subjects, kind } of commands) {
              const { items, total } = await engine.jobs.start(kind, subjects)
              expect(items.map(({ subjectId }) => subjectId)).toEqual(subjects ?? [null])
              expect(total).toBe(items.length)
              for (const { jobId, kind: given, subjectId } of items) {
                expect(given).toBe(kind)
                const key = `${kind} ${subjectId}`
                expect(known.get(key) ?? jobId).toBe(jobId)
                known.set(key, jobId)
              }
            }
            const waiting = await engine.jobs.list({ status: "queued", limit: 200 })
            const asked = waiting.items.filter(({ id }) => [...known.values()].includes(id))
            expect(asked).toHaveLength(known.size)
          }),
          { numRuns: runs(30) }
        )
      },
      { worker: false }
    ))

  it("refuses subjects that are unknown, gone, or make no sense", () =>
    using(
      async (engine) => {
        await engine.ingest()
        const [id, gone] = [await idOf(engine, first), await idOf(engine, second)]
        await engine.documents.remove(gone)
        const unknown = "doc_00000000000000000000000000"
        const other = "ent_00000000000000000000000000"
        for (const kind of documentKinds)
          for (const bad of [[unknown], [other], ["x"], [id, gone]])
            await expect(engine.jobs.start(kind, bad)).rejects.toMatchObject({ code: "not_found" })
        expect((await engine.jobs.list({ kind: "ingest" })).total).toBe(0)
        const job = (await engine.jobs.list()).items[0]?.id ?? ""
        const odd = [
          ["reindex", [job]],
          ["reindex", []],
          ["reindex", Array.from({ length: 1001 }, () => id)],
          ["graph_analytics", [id]],
          ["reconcile", [id]]
        ] as const
        for (const [kind, ids] of odd)
          await expect(engine.jobs.start(kind, ids), `${kind} ${ids[0]}`).rejects.toMatchObject({
            code: "invalid_body"
          })
        await expect(engine.jobs.retry([id])).rejects.toMatchObject({ code: "invalid_body" })
      },
      { worker: false }
    ))

  it("refuses to make vectors or the graph anew where no model is left to do it", async () => {
    await using(
      async (engine) => {
        await engine.ingest()
        for (const kind of ["reembed", "reextract"] as const)
          await expect(engine.jobs.start(kind)).rejects.toMatchObject({ code: "no-model-configured" })
        await done(engine, "reindex")
        expect((await engine.status()).vectors).toEqual({ model: null, dimensions: null, upToDate: true })
        expect((await engine.entities.list()).total).toBeGreaterThan(0)
        expect(await found(engine, "sailing")).toContain("sailing.md")
        await expect(engine.ask("What of sailing?")).rejects.toMatchObject({ code: "no-model-configured" })
      },
      { builtInModels: false }
    )
    await using((engine) => engine.jobs.start("reembed"), {
      builtInModels: false,
      models: { embedder: scriptedEmbedder() }
    })
  })
})
