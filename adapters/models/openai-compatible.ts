import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ChatModel, Embedder, Price } from "../../core/models/index.js"
import { chatModel, type Structured } from "./ai-sdk-chat.js"
import { type EmbeddingOptions, embedder } from "./ai-sdk-embedder.js"
import { guardedFetch, responseMaxBytes } from "./guarded-fetch.js"
import type { Patience } from "./resilience.js"

/**
 * Settings of a model behind an OpenAI-compatible server: OpenAI itself, Ollama, vLLM, LM Studio, LiteLLM and many
 * others.
 */
export interface OpenAiCompatible {
  /** `/chat/completions` or `/embeddings` is appended; usually ends in `/v1`. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token; local servers need none. */
  readonly apiKey?: Redacted.Redacted<string>
  readonly headers?: Readonly<Record<string, string>>
  readonly patience?: Partial<Patience>
  /** Limits concurrent calls, when several models share the provider. */
  readonly lane?: Effect.Semaphore
  /** Overrides the list price. */
  readonly price?: Price
  readonly fetch?: typeof globalThis.fetch
}

/** Settings of a chat model; `structured` is the first mode for JSON replies. */
export interface OpenAiCompatibleChat extends OpenAiCompatible {
  readonly structured?: Structured
}

/** Settings of an embedding model. The prefixes are part of its id: changing them makes all vectors again. */
export type OpenAiCompatibleEmbedder = OpenAiCompatible & Pick<EmbeddingOptions, "prefixes" | "batchMax">

/**
 * Makes a chat model. It starts with a strict schema and falls back to JSON mode and plain prompt when that is
 * rejected.
 */
export const openAiCompatibleChat = (settings: OpenAiCompatibleChat): Context.Tag.Service<ChatModel> =>
  chatModel(settings.model, async () => (await provider(settings)).chatModel(settings.model), {
    secrets: secretsOf(settings),
    ...(settings.patience === undefined ? {} : { patience: settings.patience }),
    ...(settings.lane === undefined ? {} : { lane: settings.lane }),
    ...(settings.price === undefined ? {} : { price: settings.price }),
    ...(settings.structured === undefined ? {} : { structured: settings.structured })
  })

/** Makes an embedder. */
export const openAiCompatibleEmbedder = (settings: OpenAiCompatibleEmbedder): Context.Tag.Service<Embedder> =>
  embedder(settings.model, async () => (await provider(settings)).embeddingModel(settings.model), {
    secrets: secretsOf(settings),
    ...(settings.patience === undefined ? {} : { patience: settings.patience }),
    ...(settings.lane === undefined ? {} : { lane: settings.lane }),
    ...(settings.price === undefined ? {} : { price: settings.price }),
    ...(settings.prefixes === undefined ? {} : { prefixes: settings.prefixes }),
    ...(settings.batchMax === undefined ? {} : { batchMax: settings.batchMax })
  })

/**
 * The host's own configuration is trusted, so private addresses are allowed; the response size is limited
 * nevertheless.
 */
const ownFetch = guardedFetch({ privateAddresses: true, responseMaxBytes })

const provider = async ({ apiKey, baseUrl, fetch = ownFetch, headers }: OpenAiCompatible) => {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
  return createOpenAICompatible({
    name: "openai-compatible",
    baseURL: baseUrl.replace(/\/+$/u, ""),
    supportsStructuredOutputs: true,
    // The usage of streamed replies, too.
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey: Redacted.value(apiKey) }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    fetch
  })
}

const secretsOf = ({ apiKey, baseUrl, headers }: OpenAiCompatible): ReadonlyArray<string> => {
  const credentials = /\/\/([^/@]+)@/u.exec(baseUrl)?.[1]
  return [
    ...(apiKey === undefined ? [] : [Redacted.value(apiKey)]),
    ...Object.values(headers ?? {}),
    ...(credentials === undefined ? [] : [credentials])
  ]
}
