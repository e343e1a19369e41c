// Models of the AI SDK as packages of its majors make them, in an engine.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createOpenAICompatible as sixth } from "@ai-sdk/openai-compatible"
import { createOpenAICompatible as seventh } from "ai-sdk-7-openai-compatible"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fromEmbeddingModel, fromLanguageModel, pricePerMillion } from "../../../../adapters/models/index.js"
import { type AskEvent, createEngine } from "../../../../adapters/sqlite/index.js"
import { type FakeOpenAi, fakeOpenAi } from "../../../support/fake-openai.js"
import { temporaryFolder } from "../../../support/folders.js"

const reply = JSON.stringify({
  answerable: true,
  missing: null,
  sentences: [{ text: "The crane lifts 40 tonnes.", citations: ["S1"] }]
})
const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 }

let api: FakeOpenAi
const vault = temporaryFolder("majors")
beforeAll(async () => {
  writeFileSync(join(vault, "crane.md"), "# Crane\n\nThe crane lifts 40 tonnes.\n")
  api = await fakeOpenAi(({ body, path }) => {
    if (path.endsWith("/embeddings")) {
      const input = [body["input"]].flat()
      const data = input.map((_, index) => ({ object: "embedding", index, embedding: [1, index + 1, 2] }))
      return { json: { object: "list", model: "e", data, usage: { prompt_tokens: 5, total_tokens: 5 } } }
    }
    if (body["stream"] === true) {
      return { events: reply.match(/.{1,20}/gsu) ?? [] }
    }
    const message = { role: "assistant", content: reply }
    return { json: { id: "1", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }], usage } }
  })
})
afterAll(() => api.close())

describe.each([
  { major: 6, version: "v3", make: sixth },
  { major: 7, version: "v4", make: seventh }
])("a provider package for AI SDK $major", ({ make, version }) => {
  it("gives models that an engine asks, streams, pays and embeds with", async () => {
    const provider = make({ name: "p", baseURL: api.baseUrl, apiKey: "k", includeUsage: true })
    const language = provider("m")
    expect(language.specificationVersion).toBe(version)
    const engine = await createEngine({
      vault,
      data: ":memory:",
      worker: false,
      models: {
        chat: fromLanguageModel(language, { price: pricePerMillion({ input: 3, output: 15 }) }),
        embedder: fromEmbeddingModel(provider.textEmbeddingModel("e"))
      }
    })
    await engine.ingest()
    const question = "How many tonnes does the crane lift?"
    const answer = await engine.ask(question)
    expect(answer).toMatchObject({
      answer: "The crane lifts 40 tonnes. [S1]",
      claims: [{ status: "supported" }],
      model: { chat: "m" },
      usage: { inputTokens: expect.any(Number), outputTokens: 20 }
    })
    expect(answer.usage.costUsd).toBeCloseTo((1000 * 3 + 20 * 15) / 1e6, 5)
    const told: Array<AskEvent> = []
    for await (const event of engine.ask(question)) told.push(event)
    expect(told.map(({ type }) => type)).toContain("claim")
    expect(told.at(-1)).toMatchObject({ answer: { model: { chat: "m" }, claims: [{ status: "supported" }] } })
    expect(api.requests.some(({ body }) => body["stream"] === true)).toBe(true)
    await engine.close()
  })
})
