import type * as Context from "effect/Context"
import { z } from "zod"
import {
  type ChatModel,
  type ChatRequest,
  type Embedder,
  estimateTokens
} from "../../core/platform/models/index.js"
import type { Generated } from "./ai-sdk-call.js"
import { chatOver, type Structured, systemOf } from "./ai-sdk-chat.js"
import { type EmbeddingOptions, embedderOver } from "./ai-sdk-embedder.js"
import { optionsOf, type ServerSettings } from "./metered-call.js"
import { type Endpoint, postJson, under } from "./post-json.js"
import { ownChatFetch, ownVectorFetch } from "./provider-fetch.js"

/** Settings of a model behind Ollama's own protocol; `/api/chat` or `/api/embed` is appended to `baseUrl`. */
export type Ollama = ServerSettings

/** Settings of a chat model of an Ollama server; `baseUrl` defaults to this host, port 11434. */
export type OllamaChat = Ollama

/**
 * Settings of an embedding model of an Ollama server. The prefixes are part of its id: changing them makes all vectors
 * again.
 */
export type OllamaEmbedder = Ollama & Pick<EmbeddingOptions, "prefixes" | "batchMax">

const ownAddress = "http://127.0.0.1:11434"

const ChatResponse = z.object({
  message: z.object({ content: z.string() }),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional(),
  eval_count: z.number().optional()
})

/**
 * Makes a chat model. Each request sets a sufficient context size, because by default the server silently cuts the
 * beginning of a long prompt.
 */
export const ollamaChat = (settings: OllamaChat): Context.Tag.Service<ChatModel> =>
  chatOver(
    settings.model,
    async (request, structured, signal): Promise<Generated> => {
      const messages = [
        { role: "system", content: systemOf(request, structured) },
        ...request.messages.filter(({ role }) => role !== "system")
      ]
      const body = {
        model: settings.model,
        messages,
        stream: false,
        ...formatOf(request, structured),
        options: { num_predict: request.maxOutputTokens, num_ctx: contextFor(request) }
      }
      const given = ChatResponse.parse(await postJson(endpoint(settings, "api/chat"), body, signal))
      return {
        text: given.message.content,
        finishReason:
          given.done_reason === "length"
            ? "length"
            : (given.done_reason ?? "stop") === "stop"
              ? "stop"
              : "other",
        input: given.prompt_eval_count,
        cachedInput: undefined,
        output: given.eval_count
      }
    },
    optionsOf(settings)
  )

const formatOf = ({ schema }: ChatRequest, structured: Structured) =>
  structured === "schema" ? { format: schema.json } : structured === "json" ? { format: "json" } : {}

const leastContext = 8192
const mostContext = 131_072

/**
 * Returns the context size for prompt and reply, doubled until it fits: an unchanged size avoids reloading the model.
 */
const contextFor = ({ maxOutputTokens, messages, schema }: ChatRequest): number => {
  const text = messages.map(({ content }) => content).join("\n") + JSON.stringify(schema.json)
  // The estimate from bytes is low for code and tables.
  const wanted = Math.ceil(estimateTokens(text) * 1.3) + maxOutputTokens
  let size = leastContext
  while (size < wanted && size < mostContext) size *= 2
  return size
}

const EmbedResponse = z.object({
  embeddings: z.array(z.array(z.number())),
  prompt_eval_count: z.number().min(0).optional().catch(undefined)
})
/** Makes an embedder. */
export const ollamaEmbedder = (settings: OllamaEmbedder): Context.Tag.Service<Embedder> =>
  embedderOver(
    settings.model,
    async (values, signal) => {
      const body = { model: settings.model, input: values }
      const given = EmbedResponse.parse(await postJson(endpoint(settings, "api/embed"), body, signal))
      return { embeddings: given.embeddings, tokens: given.prompt_eval_count }
    },
    optionsOf(settings)
  )

const endpoint = (
  { apiKey, baseUrl = ownAddress, fetch }: Ollama,
  path: "api/chat" | "api/embed"
): Endpoint => ({
  url: under(baseUrl, path),
  apiKey,
  fetch: fetch ?? (path === "api/chat" ? ownChatFetch : ownVectorFetch)
})
