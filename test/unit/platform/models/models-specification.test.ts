import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { describe, expect, it } from "vitest"
import {
  fromEmbeddingModel,
  fromLanguageModel,
  fromRerankingModel
} from "../../../../adapters/models/index.js"

const provider = createOpenAICompatible({ name: "p", baseURL: "http://127.0.0.1:9/v1" })
const ofNextGeneration = { modelId: "m", provider: "p", specificationVersion: "v5" } as unknown

describe("a model object of the AI SDK", () => {
  it("of a generation that cannot be called is refused when it is handed over", () => {
    for (const make of [fromLanguageModel, fromEmbeddingModel, fromRerankingModel])
      expect(() => make(ofNextGeneration as never)).toThrow(
        /The model m follows the specification v5 of the AI SDK; Kanon calls models of v2, v3, v4/u
      )
  })

  it("of a supported generation is taken", () => {
    expect(fromLanguageModel(provider("m")).modelId).toBe("m")
    expect(fromEmbeddingModel(provider.textEmbeddingModel("e")).modelId).toContain("e")
  })
})
