import type { EmbeddingModel, LanguageModel, RerankingModel } from "ai"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import {
  type ChatMessage,
  ChatModel,
  type ChatReply,
  type ChatRequest,
  costOf,
  Embedder,
  estimateTokens,
  listPriceOf,
  type Price,
  Reranker,
  type Usage
} from "../../core/models/index.js"
import { AttemptFailed } from "./failure.js"
import { defaultPatience, modelCall, modelFailed, type Patience } from "./resilience.js"

/** How a model is asked for JSON: by schema, by JSON mode, or by the prompt alone. */
export type Structured = "schema" | "json" | "prompt"

/** What every adapter of this file takes. */
export interface AdapterOptions {
  readonly patience?: Partial<Patience>
  /** Texts that must never show up in a failure, such as the key. */
  readonly secrets?: ReadonlyArray<string>
}

export interface ChatOptions extends AdapterOptions {
  /** Overrides the list price; a model without either costs 0, and says so once in the log. */
  readonly price?: Price
  /** Where to begin; a server that refuses it is asked one step lower, and remembered. Default: schema. */
  readonly structured?: Structured
}

export interface EmbeddingOptions extends AdapterOptions {
  /** Put before each text, for models trained so ("query: ", "passage: "). Part of the id: others, other vectors. */
  readonly prefixes?: { readonly query: string; readonly passage: string }
  /** Most texts in one call; the model's own limit when it tells one, else 96. */
  readonly batchMax?: number
}

/** A model, or how to make one when it is first needed: importing Kanon loads no vendor's code. */
export type Lazily<Model> = Model | (() => Promise<Model>)

const resolve = <Model>(model: Lazily<Model>): Promise<Model> =>
  typeof model === "function" ? (model as () => Promise<Model>)() : Promise.resolve(model)

/** Makes a chat model of any language model of the AI SDK. */
export const fromLanguageModel = (
  model: Exclude<LanguageModel, string>,
  options: ChatOptions = {}
): Context.Tag.Service<ChatModel> => chatModel(model.modelId, model, options)

/** The same for a model that is made when it is first called. */
export const chatModel = (
  modelId: string,
  model: Lazily<LanguageModel>,
  options: ChatOptions
): Context.Tag.Service<ChatModel> => {
  const call = modelCall({ ...defaultPatience, ...options.patience }, options.secrets ?? [])
  const price = options.price ?? listPriceOf(modelId)
  const mode = Ref.unsafeMake<Structured>(options.structured ?? "schema")
  const warned = Ref.unsafeMake(price !== undefined)

  const attempt = (request: ChatRequest, structured: Structured): Effect.Effect<ChatReply, AttemptFailed> =>
    call((signal) => generate(model, request, structured, signal)).pipe(
      Effect.map((result) => ({
        text: result.text,
        modelId,
        finishReason: result.finishReason,
        usage: usageOf(result, request, price)
      })),
      Effect.tap(Ref.set(mode, structured)),
      Effect.catchIf(refusesFormat, (failure) => {
        const lower = structured === "schema" ? "json" : structured === "json" ? "prompt" : null
        return lower === null ? Effect.fail(failure) : attempt(request, lower)
      })
    )

  const warnOnce = Effect.gen(function* () {
    const known = yield* Ref.getAndSet(warned, true)
    if (!known)
      yield* Effect.logWarning(`No price is known for the model ${modelId}: its calls count as free.`)
  })

  return ChatModel.of({
    modelId,
    generate: (request) =>
      Effect.flatMap(Ref.get(mode), (structured) => attempt(request, structured)).pipe(
        Effect.zipLeft(warnOnce),
        Effect.mapError(modelFailed(modelId))
      )
  })
}

/** A server that does not know `response_format` answers with one of these. */
const refusesFormat = ({ status }: AttemptFailed): boolean =>
  status === 400 || status === 415 || status === 422 || status === 501

interface Generated {
  readonly text: string
  readonly finishReason: ChatReply["finishReason"]
  readonly input: number | undefined
  readonly cachedInput: number | undefined
  readonly output: number | undefined
}

const generate = async (
  model: Lazily<LanguageModel>,
  request: ChatRequest,
  structured: Structured,
  signal: AbortSignal
): Promise<Generated> => {
  const { generateText } = await import("ai")
  const messages = request.messages.flatMap(({ content, role }) =>
    role === "system" ? [] : [{ role, content }]
  )
  const result = await generateText({
    model: await resolve(model),
    system: systemOf(request, structured),
    messages,
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal,
    ...(structured === "prompt" ? {} : { output: rawJson(request, structured) })
  })
  const { finishReason, text, usage } = result
  return {
    text,
    finishReason: finishReason === "stop" || finishReason === "length" ? finishReason : "other",
    input: usage.inputTokens,
    cachedInput: usage.inputTokenDetails.cacheReadTokens,
    output: usage.outputTokens
  }
}

/** Rules in one system text; the schema joins them for a model that is not given it otherwise. */
const systemOf = ({ messages, schema }: ChatRequest, structured: Structured): string => {
  const rules = messages.filter(({ role }: ChatMessage) => role === "system").map(({ content }) => content)
  const shape = `Reply with one JSON object, and nothing else, of this JSON Schema:\n${JSON.stringify(schema.json)}`
  return (structured === "schema" ? rules : [...rules, shape]).join("\n\n")
}

/** Asks for JSON but leaves the text as it is: reading and repairing it is the caller's. */
const rawJson = ({ schema }: ChatRequest, structured: "schema" | "json") => ({
  name: schema.name,
  responseFormat: Promise.resolve(
    structured === "schema"
      ? { type: "json" as const, schema: schema.json, name: schema.name }
      : { type: "json" as const }
  ),
  parseCompleteOutput: ({ text }: { readonly text: string }) => Promise.resolve(text),
  parsePartialOutput: () => Promise.resolve(undefined),
  createElementStreamTransform: () => undefined
})

const usageOf = (result: Generated, request: ChatRequest, price: Price | undefined): Usage => {
  const input = result.input ?? estimateTokens(request.messages.map(({ content }) => content).join("\n"))
  const output = result.output ?? estimateTokens(result.text)
  const tokens = { input, cachedInput: result.cachedInput ?? 0, output }
  return {
    inputTokens: input,
    outputTokens: output,
    costUsd: price === undefined ? "0" : costOf(price, tokens),
    estimated: result.input === undefined || result.output === undefined
  }
}

/** Makes an embedder of any embedding model of the AI SDK. Vectors come out with length 1. */
export const fromEmbeddingModel = (
  model: Exclude<EmbeddingModel, string>,
  options: EmbeddingOptions = {}
): Context.Tag.Service<Embedder> => embedder(model.modelId, model, options)

const defaultBatchMax = 96

/** The same for a model that is made when it is first called. */
export const embedder = (
  modelId: string,
  model: Lazily<EmbeddingModel>,
  options: EmbeddingOptions
): Context.Tag.Service<Embedder> => {
  const call = modelCall({ ...defaultPatience, ...options.patience }, options.secrets ?? [])
  const { prefixes } = options
  return Embedder.of({
    modelId:
      prefixes === undefined ? modelId : `${modelId} ${JSON.stringify([prefixes.query, prefixes.passage])}`,
    batchMax: options.batchMax ?? defaultBatchMax,
    embed: (texts, purpose) => {
      if (texts.length === 0) return Effect.succeed([])
      const prefix = prefixes?.[purpose] ?? ""
      return call(async (signal) => {
        const { embedMany } = await import("ai")
        const values = texts.map((text) => prefix + text)
        const { embeddings } = await embedMany({
          model: await resolve(model),
          values,
          maxRetries: 0,
          abortSignal: signal
        })
        return embeddings
      }).pipe(
        Effect.flatMap((embeddings) => unitVectors(embeddings, texts.length)),
        Effect.mapError(modelFailed(modelId))
      )
    }
  })
}

const unusable = (message: string) =>
  new AttemptFailed({ message, retryable: false, status: null, retryAfterMs: null, paused: false })

const unitVectors = (embeddings: ReadonlyArray<ReadonlyArray<number>>, count: number) => {
  const dimensions = embeddings[0]?.length ?? 0
  if (embeddings.length !== count)
    return Effect.fail(unusable(`The model gave ${embeddings.length} vectors for ${count} texts`))
  const vectors = embeddings.map(unitVector)
  const usable = vectors.every((vector) => vector !== null && vector.length === dimensions && dimensions > 0)
  return usable
    ? Effect.succeed(vectors.flatMap((vector) => (vector === null ? [] : [vector])))
    : Effect.fail(unusable("The model gave a vector that is empty, zero, not finite or of another length"))
}

const unitVector = (values: ReadonlyArray<number>): Float32Array | null => {
  const norm = Math.hypot(...values)
  if (!Number.isFinite(norm) || norm === 0) return null
  return Float32Array.from(values, (value) => value / norm)
}

/** Makes a reranker of any reranking model of the AI SDK. A passage that the model leaves out comes last. */
export const fromRerankingModel = (
  model: Exclude<RerankingModel, string>,
  options: AdapterOptions = {}
): Context.Tag.Service<Reranker> => {
  const call = modelCall({ ...defaultPatience, ...options.patience }, options.secrets ?? [])
  return Reranker.of({
    modelId: model.modelId,
    rerank: (query, passages) => {
      if (passages.length === 0) return Effect.succeed([])
      return call(async (signal) => {
        const { rerank } = await import("ai")
        const { ranking } = await rerank({
          model,
          query,
          documents: [...passages],
          maxRetries: 0,
          abortSignal: signal
        })
        const scores = new Map(ranking.map(({ originalIndex, score }) => [originalIndex, score]))
        const lowest = ranking.reduce((least, { score }) => Math.min(least, score), 0)
        return passages.map((_, index) => scores.get(index) ?? lowest - 1)
      }).pipe(
        Effect.filterOrFail(
          (scores) => scores.every(Number.isFinite),
          () => unusable("The model gave a score that is not a number")
        ),
        Effect.mapError(modelFailed(model.modelId))
      )
    }
  })
}
