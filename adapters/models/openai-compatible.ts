import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ChatModel, Embedder, Price } from "../../core/models/index.js"
import { chatModel, type EmbeddingOptions, embedder, type Structured } from "./ai-sdk.js"
import { guardedFetch, responseMaxBytes } from "./guarded-fetch.js"
import type { Patience } from "./resilience.js"

/** A model behind an OpenAI-compatible server: OpenAI itself, Ollama, vLLM, LM Studio, LiteLLM and many others. */
export interface OpenAiCompatible {
  /** `/chat/completions` resp. `/embeddings` is added to it; usually ends in `/v1`. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token; local servers need none. */
  readonly apiKey?: Redacted.Redacted<string>
  readonly headers?: Readonly<Record<string, string>>
  readonly patience?: Partial<Patience>
  /** Bounds the calls under way, where several models share the provider. */
  readonly lane?: Effect.Semaphore
  /** Overrides the list price. */
  readonly price?: Price
  readonly fetch?: typeof globalThis.fetch
}

/** A chat model behind the protocol of OpenAI; `structured` says where to begin asking for JSON. */
export interface OpenAiCompatibleChat extends OpenAiCompatible {
  readonly structured?: Structured
}

/**
 * An embedding model behind the protocol of OpenAI. The prefixes are part of its id: with others all vectors are
 * made anew.
 */
export type OpenAiCompatibleEmbedder = OpenAiCompatible & Pick<EmbeddingOptions, "prefixes" | "batchMax">

/** A chat model. It begins with a strict schema and goes down to JSON mode and plain prompt where that is refused. */
export const openAiCompatibleChat = (settings: OpenAiCompatibleChat): Context.Tag.Service<ChatModel> =>
  chatModel(settings.model, async () => (await provider(settings)).chatModel(settings.model), {
    secrets: secretsOf(settings),
    ...(settings.patience === undefined ? {} : { patience: settings.patience }),
    ...(settings.lane === undefined ? {} : { lane: settings.lane }),
    ...(settings.price === undefined ? {} : { price: settings.price }),
    ...(settings.structured === undefined ? {} : { structured: settings.structured })
  })

/** An embedding model. */
export const openAiCompatibleEmbedder = (settings: OpenAiCompatibleEmbedder): Context.Tag.Service<Embedder> =>
  embedder(settings.model, async () => (await provider(settings)).embeddingModel(settings.model), {
    secrets: secretsOf(settings),
    ...(settings.patience === undefined ? {} : { patience: settings.patience }),
    ...(settings.lane === undefined ? {} : { lane: settings.lane }),
    ...(settings.price === undefined ? {} : { price: settings.price }),
    ...(settings.prefixes === undefined ? {} : { prefixes: settings.prefixes }),
    ...(settings.batchMax === undefined ? {} : { batchMax: settings.batchMax })
  })

/** Whoever sets the address up for this host knows where it leads; how much comes back is bounded all the same. */
const ownFetch = guardedFetch({ privateAddresses: true, responseMaxBytes })

const provider = async ({ apiKey, baseUrl, fetch = ownFetch, headers }: OpenAiCompatible) => {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
  return createOpenAICompatible({
    name: "openai-compatible",
    baseURL: baseUrl.replace(/\/+$/u, ""),
    supportsStructuredOutputs: true,
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
