import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { scriptedEmbedder } from "../../../../adapters/models/index.js"
import type { Engine, EngineOptions } from "../../../../adapters/sqlite/index.js"
import { ModelFailed, ModelMeter } from "../../../../core/platform/models/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

type Embedder = NonNullable<NonNullable<EngineOptions["models"]>["embedder"]>
const newVault = () => {
  const vault = temporaryFolder("models")
  const crafts = ["pottery", "sailing", "weaving", "masonry", "baking", "smithing"]
  for (const [place, craft] of crafts.entries()) {
    mkdirSync(join(vault, craft))
    for (let page = 0; page < 10; page++) {
      const text = `# ${craft} ${page}\n\nThe ${craft} of day ${page} needs tool${place} and care${page}.\n`
      writeFileSync(join(vault, craft, `${page}.md`), text)
    }
  }
  return vault
}

/** An embedder that counts what it is asked, and waits or fails when told to. */
const watched = (dimensions: number) => {
  const inner = scriptedEmbedder(dimensions)
  const asked = { passage: 0, query: 0 }
  const state: { gate: Promise<void>; fails: boolean } = { gate: Promise.resolve(), fails: false }
  const embedder: Embedder = {
    ...inner,
    embed: (texts, purpose) =>
      Effect.gen(function* () {
        if (purpose === "passage") yield* Effect.promise(() => state.gate)
        if (state.fails) {
          return yield* new ModelFailed({ modelId: inner.modelId, message: "no such key", retryable: false })
        }
        // How long its vectors are is asked by every refresh; that is neither a passage nor a question.
        if (texts.join() !== "dimensions") asked[purpose] += texts.length
        return yield* inner.embed(texts, purpose)
      })
  }
  return { asked, embedder, state }
}

const opened = async <A>(
  vault: string,
  embedder: Embedder | undefined,
  use: (engine: Engine) => Promise<A>
): Promise<A> => {
  const engine = await createEngine({ vault, models: embedder === undefined ? {} : { embedder } })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

const channelsOf = async (engine: Engine) =>
  new Set((await engine.search("care of pottery")).results.flatMap(({ channels }) => channels))

describe("a changed embedding model", () => {
  it("is noticed at the start, embeds every passage anew and takes over when it is complete", async () => {
    const vault = newVault()
    const [first, second] = [watched(64), watched(32)]
    const chunks = await opened(vault, first.embedder, async (engine) => {
      const report = await engine.ingest()
      expect(await channelsOf(engine)).toEqual(new Set(["fts", "vector"]))
      return report.chunks
    })
    expect(first.asked.passage).toBeGreaterThanOrEqual(chunks)
    expect(first.asked.query).toBe(1)

    let open = () => {}
    second.state.gate = new Promise((resolve) => {
      open = resolve
    })
    await opened(vault, second.embedder, async (engine) => {
      // The old vectors lead on, by the words' first hits: neither model is asked for a question's vector.
      expect(await channelsOf(engine)).toEqual(new Set(["fts", "vector"]))
      expect(second.asked).toEqual({ passage: 0, query: 0 })
      open()
      const report = await engine.ingest()
      expect(report.documents).toMatchObject({ created: 0, updated: 0, unchanged: 60 })
      expect(second.asked.passage).toBeGreaterThanOrEqual(chunks)
      expect(await channelsOf(engine)).toEqual(new Set(["fts", "vector"]))
      expect(second.asked.query).toBe(1)
    })
    const embedded = second.asked.passage
    await opened(vault, second.embedder, (engine) => engine.ingest())
    expect(second.asked.passage).toBe(embedded)

    await opened(vault, undefined, async (engine) => {
      await engine.ingest()
      expect(await channelsOf(engine)).toEqual(new Set(["fts", "vector"]))
    })
    expect([first.asked.query, second.asked.query]).toEqual([1, 1])
  })

  it("that was down when its job died is asked again at the next start, though no file changed", async () => {
    const vault = newVault()
    const { asked, embedder, state } = watched(64)
    state.fails = true
    await opened(vault, embedder, async (engine) => {
      const report = await engine.ingest()
      expect(report.errors.map(({ code }) => code)).toEqual(["job_dead:embedding"])
      expect(await channelsOf(engine)).toEqual(new Set(["fts"]))
    })
    state.fails = false
    await opened(vault, embedder, async (engine) => {
      const report = await engine.ingest()
      expect(report.errors).toEqual([])
      expect(asked.passage).toBeGreaterThanOrEqual(report.chunks)
      expect(await channelsOf(engine)).toEqual(new Set(["fts", "vector"]))
    })
  })
})

describe("an embedding model that is paid for", () => {
  it("is counted to the token: by the job, in searches and in answers", async () => {
    const inner = scriptedEmbedder(16)
    let tokens = 0
    const paid: Embedder = {
      ...inner,
      embed: (texts, purpose) =>
        Effect.gen(function* () {
          tokens += texts.length
          const use = { inputTokens: texts.length, outputTokens: 0, costUsd: `0.00${texts.length}` }
          const told = { role: "embedding" as const, modelId: inner.modelId, estimated: false, ...use }
          yield* (yield* ModelMeter)(told)
          return yield* inner.embed(texts, purpose)
        })
    }
    await opened(newVault(), paid, async (engine) => {
      const usage = async () => (await engine.getWorkspace()).usage
      await engine.ingest()
      expect(tokens).toBeGreaterThan(60)
      expect((await usage()).inputTokens).toBe(tokens)
      await engine.search("care of pottery")
      expect((await usage()).inputTokens).toBe(tokens)
      const before = tokens
      const { answer, trace } = await engine.askTraced("Which tool does pottery of day 3 need?")
      expect(tokens).toBeGreaterThan(before)
      expect(answer.usage.inputTokens).toBe(tokens - before)
      expect(trace.explanation.models).toMatchObject([
        { role: "embedding", model: inner.modelId, inputTokens: tokens - before, estimated: false }
      ])
      expect(trace.explanation.stages.find(({ name }) => name === "gather")?.costUsd).toBe("0.001")
      expect(trace.costUsd).toBe("0.001")
      expect((await usage()).inputTokens).toBe(tokens)
      await engine.grounding.check("Pottery of day 3 needs tool0.")
      expect((await usage()).inputTokens).toBe(tokens)
      const { decision } = await engine.decisions.get(trace.decisionId ?? "")
      expect(decision.usage.inputTokens).toBe(answer.usage.inputTokens)
    })
  })
})
