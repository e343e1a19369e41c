import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import {
  ChatModel,
  type ChatRequest,
  Embedder,
  parseUsd,
  Reranker
} from "../../core/platform/models/index.js"
import { contractTestsFor } from "./contract-tests.js"

const request: ChatRequest = {
  messages: [
    { role: "system", content: "Answer with JSON." },
    { role: "user", content: "Say yes." }
  ],
  schema: {
    name: "reply",
    json: {
      type: "object",
      properties: { reply: { type: "string" } },
      required: ["reply"],
      additionalProperties: false
    }
  },
  maxOutputTokens: 200
}

/** The laws of `ChatModel`, for an adapter whose model answers the request above with JSON of its schema. */
export const chatModelContract = <LayerError>(
  name: string,
  layer: () => Layer.Layer<ChatModel, LayerError>
) =>
  describe(`ChatModel: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives text that parses as JSON of the schema", function* () {
      const reply = yield* (yield* ChatModel).generate(request)
      expect(JSON.parse(reply.text)).toMatchObject({ reply: expect.any(String) })
      expect(reply.finishReason).toBe("stop")
    })

    law("names its model and counts tokens and an exact cost", function* () {
      const model = yield* ChatModel
      const { usage } = yield* model.generate(request)
      expect(model.modelId).not.toBe("")
      expect(Number.isSafeInteger(usage.inputTokens) && usage.inputTokens > 0).toBe(true)
      expect(Number.isSafeInteger(usage.outputTokens) && usage.outputTokens > 0).toBe(true)
      expect(parseUsd(usage.costUsd)).toBeGreaterThanOrEqual(0n)
    })

    law("serves calls side by side", function* () {
      const model = yield* ChatModel
      const replies = yield* Effect.all(
        Array.from({ length: 4 }, () => model.generate(request)),
        { concurrency: 4 }
      )
      for (const { text } of replies) expect(JSON.parse(text)).toHaveProperty("reply")
    })
  })

/** The laws of `Embedder`. */
export const embedderContract = <LayerError>(name: string, layer: () => Layer.Layer<Embedder, LayerError>) =>
  describe(`Embedder: ${name}`, () => {
    const law = contractTestsFor(layer)
    const texts = ["The archive keeps invoices.", "你好世界", "", "The archive keeps invoices."]

    law("gives one unit vector per text, all of one length", function* () {
      const vectors = yield* (yield* Embedder).embed(texts, "passage")
      expect(vectors).toHaveLength(texts.length)
      expect(new Set(vectors.map(({ length }) => length)).size).toBe(1)
      for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
    })

    law("keeps the order: equal texts get equal vectors, alone or in a batch", function* () {
      const embedder = yield* Embedder
      const [first, second, , last] = yield* embedder.embed(texts, "passage")
      const [alone] = yield* embedder.embed(["你好世界"], "passage")
      const cosine = (a: Float32Array = new Float32Array(), b: Float32Array = a) =>
        a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
      expect(cosine(first, last)).toBeCloseTo(1, 3)
      expect(cosine(second, alone)).toBeCloseTo(1, 3)
      expect(cosine(first, second)).toBeLessThan(0.999)
    })

    law("takes a whole batch and an empty one", function* () {
      const embedder = yield* Embedder
      expect(embedder.batchMax).toBeGreaterThanOrEqual(1)
      const batch = Array.from({ length: Math.min(embedder.batchMax, 64) }, (_, at) => `text ${at}`)
      expect(yield* embedder.embed(batch, "query")).toHaveLength(batch.length)
      expect(yield* embedder.embed([], "query")).toEqual([])
    })
  })

/** The laws of `Reranker`. */
export const rerankerContract = <LayerError>(name: string, layer: () => Layer.Layer<Reranker, LayerError>) =>
  describe(`Reranker: ${name}`, () => {
    const law = contractTestsFor(layer)
    const query = "How long does the archive keep invoices?"
    const passages = [
      "Bread needs flour and water.",
      "The archive keeps invoices for ten years.",
      "Cats sleep."
    ]

    law("gives one finite score per passage, in their order", function* () {
      const scores = yield* (yield* Reranker).rerank(query, passages)
      expect(scores).toHaveLength(passages.length)
      expect(scores.every(Number.isFinite)).toBe(true)
      expect(scores.indexOf(Math.max(...scores))).toBe(1)
    })

    law("takes no passages at all", function* () {
      expect(yield* (yield* Reranker).rerank(query, [])).toEqual([])
    })
  })
