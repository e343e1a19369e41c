import type * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import type { ChatModel, Embedder } from "../../core/platform/models/index.js"
import { chatModel, type Structured } from "./ai-sdk-chat.js"
import { type EmbeddingOptions, embedder } from "./ai-sdk-embedder.js"
import type { ServerSettings } from "./metered-call.js"
import { ownChatFetch, ownVectorFetch, tolerantOfReplies } from "./provider-fetch.js"

/**
 * Settings of a model behind an OpenAI-compatible server: OpenAI itself, Ollama, vLLM, LM Studio, LiteLLM and many
 * others.
 */
export interface OpenAiCompatible extends ServerSettings {
  /** `/chat/completions` or `/embeddings` is appended; usually ends in `/v1`. */
  readonly baseUrl: string
  readonly headers?: Readonly<Record<string, string>>
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
  chatModel(
    settings.model,
    async () =>
      (await provider(settings, tolerantOfReplies(settings.fetch ?? ownChatFetch))).chatModel(settings.model),
    {
      ...settings,
      secrets: secretsOf(settings)
    }
  )

/** Makes an embedder. */
export const openAiCompatibleEmbedder = (settings: OpenAiCompatibleEmbedder): Context.Tag.Service<Embedder> =>
  embedder(
    settings.model,
    async () => (await provider(settings, settings.fetch ?? ownVectorFetch)).embeddingModel(settings.model),
    {
      ...settings,
      secrets: secretsOf(settings)
    }
  )

const provider = async ({ apiKey, baseUrl, headers }: OpenAiCompatible, fetch: typeof globalThis.fetch) => {
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
