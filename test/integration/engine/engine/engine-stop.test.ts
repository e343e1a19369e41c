import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openAiCompatibleChat } from "../../../../adapters/models/index.js"
import type { Engine, EngineOptions } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { completion, type FakeOpenAi, type FakeReply, fakeOpenAi } from "../../../support/fake-openai.js"
import { temporaryFolder } from "../../../support/folders.js"

let vault = ""
let provider: FakeOpenAi
let reply: FakeReply = "hang"
let cut = 0
beforeAll(async () => {
  vault = temporaryFolder("stop")
  for (let page = 0; page < 300; page++)
    writeFileSync(join(vault, `page-${page}.md`), `# Page ${page}\n\nThe lantern of page ${page} is green.\n`)
  provider = await fakeOpenAi(() => reply, { onClose: () => (cut += 1) })
})
afterAll(() => provider.close())

const question = "Which colour is the lantern of page 7?"
const opened = (options: Partial<EngineOptions> = {}) =>
  createEngine({ vault, data: ":memory:", worker: false, ...options })
const chat = () => openAiCompatibleChat({ baseUrl: provider.baseUrl, model: "slow" })
const using = async <A>(options: Partial<EngineOptions>, use: (engine: Engine) => Promise<A>): Promise<A> => {
  const engine = await opened(options)
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** A chat model that tells when it is asked and when its call was stopped. */
const watched = (answer: Effect.Effect<string>) => {
  const seen = { asked: 0, stopped: 0 }
  const model: ReturnType<typeof chat> = {
    modelId: "test/watched",
    generate: () =>
      Effect.suspend(() => {
        seen.asked += 1
        return Effect.map(answer, (text) => ({
          text,
          modelId: "test/watched",
          finishReason: "stop" as const,
          usage: { inputTokens: 1, outputTokens: 1, costUsd: "0", estimated: true }
        }))
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => (seen.stopped += 1))))
  }
  return { model, seen }
}
const unanswerable = JSON.stringify({ answerable: false, missing: "all", answer: "Unknown.", claims: [] })

describe("the signal of a call", () => {
  it("stops a question and the model call behind it", async () => {
    const { model, seen } = watched(Effect.never)
    await using({ models: { chat: model } }, async (engine) => {
      await engine.ingest()
      const control = new AbortController()
      const asked = engine.ask(question, { signal: control.signal })
      await expect.poll(() => seen.asked).toBe(1)
      const reason = new Error("The reader left.")
      control.abort(reason)
      await expect(asked).rejects.toBe(reason)
      expect(seen.stopped).toBe(1)
      // The engine serves on.
      expect((await engine.search("lantern")).results).not.toEqual([])
    })
  })

  it("that was aborted before starts nothing", () =>
    using({}, async (engine) => {
      const reason = new Error("Too late.")
      const signal = AbortSignal.abort(reason)
      await expect(engine.ingest({ signal })).rejects.toBe(reason)
      await expect(engine.search("lantern", { signal })).rejects.toBe(reason)
      await expect(engine.ask(question, { signal })).rejects.toBe(reason)
      expect((await engine.status()).counts.documents).toBe(0)
    }))

  it("stops an ingest between two commits, and the next one completes it", () =>
    using({}, async (engine) => {
      const control = new AbortController()
      const stopped = engine.ingest({
        signal: control.signal,
        onProgress: ({ done }) => {
          if (done > 0) control.abort(new Error("Enough."))
        }
      })
      await expect(stopped).rejects.toThrow("Enough.")
      const { documents } = (await engine.status()).counts
      expect(documents).toBeGreaterThan(0)
      expect(documents).toBeLessThan(300)
      await engine.ingest()
      expect((await engine.status()).counts.documents).toBe(300)
    }))
})

describe("close", () => {
  it("waits for the calls that run", async () => {
    const { model, seen } = watched(Effect.delay(Effect.succeed(unanswerable), 300))
    const engine = await opened({ models: { chat: model } })
    await engine.ingest()
    const asked = engine.ask(question)
    await expect.poll(() => seen.asked).toBe(1)
    await engine.close()
    expect(await asked).toMatchObject({ model: { chat: "test/watched" } })
    expect(seen.stopped).toBe(0)
    await expect(engine.ask(question)).rejects.toMatchObject({ name: "KanonError", code: "engine_closed" })
  })

  it("stops those that take longer than it waits, down to the connection of the provider", async () => {
    reply = "hang"
    const engine = await opened({ models: { chat: chat() }, closeTimeoutMs: 200 })
    await engine.ingest()
    const before = [provider.requests.length, cut]
    const asked = engine.ask(question)
    const failed = expect(asked).rejects.toMatchObject({
      name: "KanonError",
      code: "engine_closed",
      message: "The engine was closed before the call ended."
    })
    await expect.poll(() => provider.requests.length).toBe((before[0] ?? 0) + 1)
    await engine.close()
    await failed
    await expect.poll(() => cut).toBe((before[1] ?? 0) + 1)
  })
})

describe("a provider that never answers", () => {
  it("is given up after 30 seconds by default", async () => {
    reply = "hang"
    const before = provider.requests.length
    const failure = await Effect.runPromise(
      Effect.gen(function* () {
        const request = {
          messages: [{ role: "user" as const, content: "Question." }],
          schema: { name: "reply", json: { type: "object" } },
          maxOutputTokens: 10
        }
        const call = yield* Effect.fork(Effect.flip(chat().generate(request)))
        yield* Effect.promise(() => expect.poll(() => provider.requests.length).toBe(before + 1))
        yield* TestClock.adjust("29 seconds")
        expect(yield* Fiber.poll(call)).toMatchObject({ _tag: "None" })
        yield* TestClock.adjust("1 seconds")
        return yield* Fiber.join(call)
      }).pipe(Effect.provide(TestContext.TestContext))
    )
    expect(failure).toMatchObject({ _tag: "ModelFailed", timedOut: true })
  })

  it("is told of in the answer that the built-in model gives instead", async () => {
    reply = "hang"
    const patience = { attemptTimeoutMs: 200, callTimeoutMs: 200 }
    const slow = openAiCompatibleChat({ baseUrl: provider.baseUrl, model: "slow", patience })
    await using({ models: { chat: slow } }, async (engine) => {
      await engine.ingest()
      const { model, policy } = await engine.ask(question)
      expect(model.chat).toBe("builtin/extractive-5")
      expect(policy.reasons).toEqual(
        expect.arrayContaining(["chat_model_unavailable", "chat_model_timed_out"])
      )
    })
    reply = completion(unanswerable)
  })
})
