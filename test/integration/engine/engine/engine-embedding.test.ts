import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import { type GivenChat, openAiCompatibleChat, scriptedChatModel } from "../../../../adapters/models/index.js"
import {
  createEngine as createOnSqlite,
  type Engine,
  type EngineOptions
} from "../../../../adapters/sqlite/index.js"
import type { DataBusy, FaultCode, InvalidInput } from "../../../../core/platform/kernel/index.js"
import { KanonError } from "../../../../core/platform/kernel/index.js"
import { createEngine } from "../../../support/database.js"
import { fakeOpenAi } from "../../../support/fake-openai.js"
import { temporaryFolder } from "../../../support/folders.js"

let vault = ""
beforeAll(() => {
  vault = temporaryFolder("embedding")
  const note = (name: string, ...lines: ReadonlyArray<string>) =>
    writeFileSync(join(vault, name), `${lines.join("\n\n")}\n`)
  note(
    "crane.md",
    "---\ntags: [north]\n---",
    "# Kestrel crane",
    "The Kestrel crane lifts 40 tonnes. It was built in 1974."
  )
  note(
    "gantry.md",
    "---\ntags: [south/pier]\n---",
    "# Merrow gantry",
    "The Merrow gantry lifts 25 tonnes. It was built in 1988."
  )
})

const using = async <A>(options: Partial<EngineOptions>, use: (engine: Engine) => Promise<A>): Promise<A> => {
  const engine = await createEngine({ vault, data: ":memory:", worker: false, ...options })
  try {
    await engine.ingest()
    return await use(engine)
  } finally {
    await engine.close()
  }
}
const cited = ({ sources }: { readonly sources: ReadonlyArray<{ readonly docPath: string }> }) => [
  ...new Set(sources.map(({ docPath }) => docPath))
]

describe("functions that return promises", () => {
  const dimensions = 8
  const vectorOf = (text: string) =>
    Array.from({ length: dimensions }, (_, at) => 1 + (text.charCodeAt(at % text.length) % 7))

  it("serve as embedder, reranker and extractor", async () => {
    const asked = { embedder: 0, reranker: 0, extractor: 0 }
    await using(
      {
        worker: true,
        models: {
          embedder: {
            modelId: "test/promise",
            embed: async (texts) => {
              asked.embedder += texts.length
              return texts.map(vectorOf)
            }
          },
          reranker: {
            modelId: "test/promise-reranker",
            rerank: async (_, passages) => {
              asked.reranker += 1
              return passages.map((passage) => (passage.includes("Merrow") ? 1 : 0))
            }
          }
        },
        extractor: {
          read: async (_document, _chunks, builtIn) => {
            asked.extractor += 1
            const facts = await builtIn()
            return { ...facts, tags: [...facts.tags, "by promise"] }
          }
        }
      },
      async (engine) => {
        expect((await engine.status()).vectors).toMatchObject({ model: "test/promise", dimensions })
        const { results } = await engine.search("lifts tonnes", { rerank: true })
        expect(results[0]?.docPath).toBe("gantry.md")
        const { trace } = await engine.askTraced("What lifts 25 tonnes?", { policyMode: "shadow" })
        // The cosines of an embedder are of another scale than those that the calibration was fitted on.
        expect(trace.gate?.features.evidence.bestCosine).toBeGreaterThan(0)
        expect(trace.gate?.features.values).toMatchObject({ cosine: 0 })
        expect((await engine.entities.resolve("by promise")).candidates).not.toEqual([])
        expect(Object.values(asked).every((count) => count > 0)).toBe(true)
      }
    )
  })

  it.each([
    [
      "embedder",
      {
        models: {
          embedder: {
            modelId: "test/broken",
            embed: async () => {
              throw new Error("no quota left for kestrel")
            }
          }
        }
      }
    ],
    [
      "extractor",
      {
        extractor: {
          read: async () => {
            throw new Error("no quota left for kestrel")
          }
        }
      }
    ]
  ] satisfies ReadonlyArray<readonly [string, Partial<EngineOptions>]>)(
    "of an %s that throw leave their message in the job",
    async (_, options) => {
      const engine = await createEngine({ vault, data: ":memory:", ...options })
      try {
        await engine.ingest({ wait: false })
        await expect
          .poll(async () => (await engine.jobs.list({})).items.map(({ error }) => error ?? "").join())
          .toContain("no quota left for kestrel")
      } finally {
        await engine.close()
      }
    }
  )
})

describe("a question", () => {
  it("takes the filters of a search", () =>
    using({}, async (engine) => {
      const question = "How many tonnes does it lift?"
      expect(cited(await engine.ask(question))).toHaveLength(2)
      expect(cited(await engine.ask(question, { pathPrefix: "crane" }))).toEqual(["crane.md"])
      expect(cited(await engine.ask(question, { tag: "south" }))).toEqual(["gantry.md"])
      expect(cited(await engine.ask(question, { verification: "certified" }))).toEqual([])
    }))

  it("is completed from earlier ones, given or of the same conversation", () =>
    using({}, async (engine) => {
      const first = "How many tonnes does the Kestrel crane lift?"
      const given = await engine.ask("And the Merrow gantry?", { turns: [{ question: first }] })
      expect(given.standaloneQuestion).toBe("How many tonnes does the Merrow gantry lift?")
      expect(given.answer).toContain("25 tonnes")

      const conversationId = "chat-1"
      const alone = await engine.ask(first, { conversationId })
      expect(alone.standaloneQuestion).toBeUndefined()
      expect(alone.conversationId).toBe(conversationId)
      const when = await engine.ask("When was it built?", { conversationId })
      expect(when.standaloneQuestion).toBe("When was the Kestrel crane built?")
      expect(when.answer).toContain("1974")
      // A chain: the last question is the completed one.
      const then = await engine.ask("What about the Merrow gantry?", { conversationId })
      expect(then.answer).toContain("1988")
      // Another conversation knows nothing of it.
      expect((await engine.ask("When was it built?", { conversationId: "chat-2" })).standaloneQuestion).toBe(
        undefined
      )
    }))

  it("is rewritten by a chat model where there is one", async () => {
    const asked: Array<string> = []
    const chat = scriptedChatModel(({ messages, schema }) => {
      asked.push(schema.name)
      return schema.name === "standalone_question"
        ? JSON.stringify({ question: "How many tonnes does the Merrow gantry lift?" })
        : JSON.stringify({
            answerable: true,
            missing: null,
            answer: "25 tonnes. [S1]",
            claims: [
              {
                text: "The Merrow gantry lifts 25 tonnes.",
                citations: [/begin (S\d+)\ntitle: Merrow/u.exec(messages.at(-1)?.content ?? "")?.[1] ?? "S1"]
              }
            ]
          })
    })
    await using({ models: { chat } }, async (engine) => {
      const answer = await engine.ask("And the other one?", {
        turns: [{ question: "How much does the crane lift?" }]
      })
      expect(answer.standaloneQuestion).toBe("How many tonnes does the Merrow gantry lift?")
      expect(asked[0]).toBe("standalone_question")
      expect(answer.usage.inputTokens).toBeGreaterThan(0)
    })
  })

  it("may be a function that promises its text", async () => {
    const aborted: Array<boolean> = []
    const text = JSON.stringify({
      answerable: true,
      missing: null,
      answer: "It lifts 40 tonnes. [S1]",
      claims: [{ text: "The Kestrel crane lifts 40 tonnes.", citations: ["S1"] }]
    })
    const ask = (generate: GivenChat["generate"]) =>
      using({ models: { chat: { modelId: "house/chat", generate } } }, (engine) =>
        engine.ask("How many tonnes does the Kestrel crane lift?")
      )
    const plain = await ask(async (_, signal) => {
      aborted.push(signal.aborted)
      return text
    })
    expect(plain).toMatchObject({ answer: "It lifts 40 tonnes. [S1]", model: { chat: "house/chat" } })
    expect(plain.usage.outputTokens).toBeGreaterThan(10)
    expect(aborted).toEqual([false])
    const counted = await ask(async () => ({
      text,
      usage: { inputTokens: 7, outputTokens: 3, costUsd: "0.25" }
    }))
    expect(counted.usage).toMatchObject({ inputTokens: 7, outputTokens: 3, costUsd: 0.25 })
    const failing = await ask(() => Promise.reject(new Error("The service is away.")))
    expect(failing.policy.reasons).toContain("chat_model_unavailable")
  })

  it("tells its text as it is written, from a provider that streams", async () => {
    const reply = JSON.stringify({
      answerable: true,
      missing: null,
      answer: 'It lifts "40 tonnes". [S1]',
      claims: [{ text: "The Kestrel crane lifts 40 tonnes.", citations: ["S1"] }]
    })
    const provider = await fakeOpenAi(() => ({ events: reply.match(/[\s\S]{1,7}/gu) ?? [] }))
    const chat = openAiCompatibleChat({ baseUrl: provider.baseUrl, model: "fake" })
    try {
      await using({ models: { chat } }, async (engine) => {
        const parts: Array<string> = []
        let last = ""
        const answer = await engine.ask("How many tonnes does the Kestrel crane lift?", {
          onText: (part, soFar) => {
            parts.push(part)
            last = soFar
            throw new Error("A listener's own mistake.")
          }
        })
        expect(parts.length).toBeGreaterThan(2)
        expect(parts.join("")).toBe(last)
        expect(last).toBe('It lifts "40 tonnes". [S1]')
        expect(answer.answer).toBe('It lifts "40 tonnes". [S1]')
        expect(answer.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
        expect(provider.requests.at(-1)?.body).toMatchObject({ stream: true })
      })
    } finally {
      await provider.close()
    }
  })
})

describe("a KanonError", () => {
  it("has a code that tells the type of its fault", () => {
    const error = Object.assign({}) as KanonError
    expectTypeOf<KanonError["code"]>().toEqualTypeOf<FaultCode>()
    if (error.code === "busy") expectTypeOf(error.fault).toEqualTypeOf<DataBusy>()
    if (error.code === "invalid_body") expectTypeOf(error.fault).toEqualTypeOf<InvalidInput>()
    // @ts-expect-error There is no such code.
    if (error.code === "invalid_boddy") expect.unreachable()
  })

  it("rejects a vault without a name, and a data folder that is a file", async () => {
    const file = join(vault, "crane.md")
    for (const [options, field] of [
      [{ vault: "" }, "vault"],
      [{ vault: " " }, "vault"],
      [{ vault, data: file }, "data"]
    ] as const) {
      const error = await createOnSqlite({ ...options }).then(
        async (engine) => void (await engine.close()),
        (thrown: unknown) => thrown
      )
      expect(error).toBeInstanceOf(KanonError)
      expect(error).toMatchObject({ code: "invalid_body", fault: { issues: [{ path: [field] }] } })
    }
  })

  it("names the remedy where a native module is missing", async () => {
    const adapter = new URL("../../../../adapters/sqlite/index.ts", import.meta.url).href
    const program = `
      import { createRequire } from "node:module"
      const require = createRequire(createRequire(${JSON.stringify(import.meta.url)}).resolve("better-sqlite3"))
      require("bindings")
      require.cache[require.resolve("bindings")].exports = () => {
        throw new Error("Could not locate the bindings file. Tried:\\n → build/better_sqlite3.node")
      }
      const { createEngine, KanonError } = await import(${JSON.stringify(adapter)})
      const error = await createEngine({ vault: process.argv[1], data: ":memory:" }).catch((thrown) => thrown)
      console.log(JSON.stringify({ isKanonError: error instanceof KanonError, code: error.code, message: error.message }))`
    const args = ["--import", "tsx", "--input-type=module", "--eval", program, vault]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(JSON.parse(stdout)).toMatchObject({
      isKanonError: true,
      code: "module_missing",
      message: expect.stringContaining("npm rebuild better-sqlite3")
    })
  })
})
