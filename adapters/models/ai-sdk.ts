import type { RerankingModelV3 } from "@ai-sdk/provider"
import type { StreamTextResult, ToolSet } from "ai"
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
  ModelFailed,
  ModelMeter,
  type ModelUse,
  type Price,
  Reranker,
  type TokenCounts,
  type TurnReply,
  type TurnRequest,
  type Usage
} from "../../core/models/index.js"
import {
  type EmbeddingModel,
  type Generated,
  type LanguageModel,
  type Lazily,
  type ProviderOptions,
  resolveModel,
  withoutWarnings
} from "./ai-sdk-call.js"
import { converseOnce, type GeneratedTurn } from "./ai-sdk-turn.js"
import { AttemptFailed } from "./failure.js"
import { modelCall, modelFailed, type Patience } from "./resilience.js"

/** How a model is asked for JSON: by schema, by JSON mode, or by the prompt alone. */
export type Structured = "schema" | "json" | "prompt"

/** Options common to the adapters of this file. */
export interface AdapterOptions {
  readonly patience?: Partial<Patience>
  /** Texts that must never appear in a failure, such as the key. */
  readonly secrets?: ReadonlyArray<string>
  /** Limits concurrent calls to one provider, shared by its models. By default each model has its own. */
  readonly lane?: Effect.Semaphore
  /** Overrides the list price; a model without a price costs 0, which is logged once. */
  readonly price?: Price
}

/** Options of a chat model of the AI SDK. */
export interface ChatOptions extends AdapterOptions {
  /** First mode to try; when a server rejects it, the next lower one is used from then on. Default: schema. */
  readonly structured?: Structured
  /** Passed to the provider's package with each call. */
  readonly providerOptions?: ProviderOptions
}

/** Options of an embedding model of the AI SDK. */
export interface EmbeddingOptions extends AdapterOptions {
  /**
   * Prepended to each text, for models trained with prefixes ("query: ", "passage: "). Part of the id, because other
   * prefixes give other vectors.
   */
  readonly prefixes?: { readonly query: string; readonly passage: string }
  /** Maximum number of texts per call; the model's own limit if known, else 96. */
  readonly batchMax?: number
}

/** Makes a chat model from any language model of the AI SDK. */
export const fromLanguageModel = (
  model: LanguageModel,
  options: ChatOptions = {}
): Context.Tag.Service<ChatModel> => chatModel(model.modelId, model, options)

/** The same for a model that is made on first use. */
export const chatModel = (
  modelId: string,
  model: Lazily<LanguageModel>,
  options: ChatOptions
): Context.Tag.Service<ChatModel> =>
  chatOver(
    modelId,
    (request, structured, signal) => generate(model, request, structured, signal, options.providerOptions),
    options,
    (request, signal) => converseOnce(model, request, signal, options.providerOptions)
  )

/** Maximum length of a reply that is read; far more than any answer has. */
const replyMaxChars = 200_000

/**
 * Makes a chat model from a single-call function; adds time limits, retries, prices and the fallback to plain prompts.
 */
export const chatOver = (
  modelId: string,
  ask: (request: ChatRequest, structured: Structured, signal: AbortSignal) => Promise<Generated>,
  options: ChatOptions,
  turn?: (request: TurnRequest, signal: AbortSignal) => Promise<GeneratedTurn>
): Context.Tag.Service<ChatModel> => {
  const call = callWith(options)
  const price = options.price ?? listPriceOf(modelId)
  const mode = Ref.unsafeMake<Structured>(options.structured ?? "schema")
  const warnOnce = warnOfNoPrice(modelId, price)

  const attempt = (request: ChatRequest, structured: Structured): Effect.Effect<ChatReply, AttemptFailed> =>
    call((signal) => ask(request, structured, signal), request.background).pipe(
      Effect.map((result) => ({
        text: result.text,
        modelId,
        finishReason: result.finishReason,
        usage: usageOf(
          result,
          () => request.messages.map(({ content }) => content).join("\n"),
          () => result.text,
          price
        )
      })),
      Effect.tap(Ref.set(mode, structured)),
      Effect.catchIf(refusesFormat, (failure) => {
        const lower = structured === "schema" ? "json" : structured === "json" ? "prompt" : null
        return lower === null ? Effect.fail(failure) : attempt(request, lower)
      })
    )

  return ChatModel.of({
    modelId,
    ...(price === undefined ? {} : { costOf: (tokens: TokenCounts) => costOf(price, tokens) }),
    ...(turn === undefined
      ? {}
      : {
          converse: (request: TurnRequest) =>
            call((signal) => turn(request, signal), true).pipe(
              Effect.map(
                ({ generated, toolCalls, finishReason }): TurnReply => ({
                  text: generated.text.slice(0, replyMaxChars),
                  toolCalls,
                  finishReason,
                  modelId,
                  usage: usageOf(
                    generated,
                    () => JSON.stringify(request.messages),
                    () => generated.text + JSON.stringify(toolCalls),
                    price
                  )
                })
              ),
              Effect.zipLeft(warnOnce),
              Effect.mapError(modelFailed(modelId))
            )
        }),
    generate: (request) =>
      Effect.flatMap(Ref.get(mode), (structured) => attempt(request, structured)).pipe(
        Effect.zipLeft(warnOnce),
        Effect.mapError(modelFailed(modelId)),
        Effect.filterOrFail(
          ({ text }) => text.length <= replyMaxChars,
          ({ text, usage }) =>
            new ModelFailed({
              modelId,
              message: `The model wrote ${text.length} characters, more than are read.`,
              retryable: false,
              usage
            })
        )
      )
  })
}

/** Logs once that a model counts as free because its price is unknown. */
const warnOfNoPrice = (modelId: string, price: Price | undefined): Effect.Effect<void> => {
  const warned = Ref.unsafeMake(price !== undefined)
  return Effect.flatMap(Ref.getAndSet(warned, true), (known) =>
    known
      ? Effect.void
      : Effect.logWarning(`No price is known for the model ${modelId}: its calls count as free.`)
  )
}

/**
 * Records the usage of each call of an embedding model or reranker; estimated when the provider does not report it.
 */
const meterFor = (role: ModelUse["role"], modelId: string, given: Price | undefined) => {
  const price = given ?? listPriceOf(modelId)
  const warnOnce = warnOfNoPrice(modelId, price)
  return ({ calls, tokens }: Counted, texts: () => string): Effect.Effect<void> =>
    Effect.gen(function* () {
      yield* warnOnce
      const isReported = tokens !== undefined && Number.isFinite(tokens)
      const input = isReported ? tokens : estimateTokens(texts())
      const costUsd =
        price === undefined ? "0" : costOf(price, { input, cachedInput: 0, output: 0, calls: calls ?? 1 })
      yield* (yield* ModelMeter)({
        role,
        modelId,
        inputTokens: input,
        outputTokens: 0,
        costUsd,
        estimated: !isReported
      })
    })
}

/** Usage of a call as reported by the provider. */
export interface Counted {
  readonly tokens?: number | undefined
  /** Number of billed calls; one by default. */
  readonly calls?: number | undefined
}

const callWith = ({ lane, patience, secrets = [] }: AdapterOptions) =>
  modelCall(patience ?? {}, secrets, lane)

/** Status codes of servers that do not support `response_format`. */
const refusesFormat = ({ status }: AttemptFailed): boolean =>
  status === 400 || status === 415 || status === 422 || status === 501

const generate = async (
  model: Lazily<LanguageModel>,
  request: ChatRequest,
  structured: Structured,
  signal: AbortSignal,
  providerOptions: ProviderOptions | undefined
): Promise<Generated> => {
  const { generateText, streamText } = await import("ai")
  const messages = request.messages.flatMap(({ content, role }) =>
    role === "system" ? [] : [{ role, content }]
  )
  const call = {
    model: await withoutWarnings(await resolveModel(model)),
    system: systemOf(request, structured),
    messages,
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal,
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(structured === "prompt" ? {} : { output: rawJson(request, structured) })
  }
  const { finishReason, text, usage } =
    request.onText === undefined
      ? await generateText(call)
      : await readStream(streamText({ ...call, onError: () => undefined }), request.onText)
  return {
    text,
    finishReason: finishReason === "stop" || finishReason === "length" ? finishReason : "other",
    input: usage.inputTokens,
    cachedInput: usage.inputTokenDetails.cacheReadTokens,
    output: usage.outputTokens
  }
}

/** Reads a streamed reply to its end and passes on its parts. */
const readStream = async <Tools extends ToolSet>(
  stream: Pick<StreamTextResult<Tools, never>, "fullStream" | "finishReason" | "usage">,
  onText: (part: string) => void
) => {
  let text = ""
  for await (const part of stream.fullStream) {
    if (part.type === "error") throw part.error
    if (part.type !== "text-delta") continue
    text += part.text
    onText(part.text)
  }
  return { text, finishReason: await stream.finishReason, usage: await stream.usage }
}

/** Returns the rules as one system text, with the schema for a model that does not get it otherwise. */
export const systemOf = ({ messages, schema }: ChatRequest, structured: Structured): string => {
  const rules = messages.filter(({ role }: ChatMessage) => role === "system").map(({ content }) => content)
  const shape = `Reply with one JSON object, and nothing else, of this JSON Schema:\n${JSON.stringify(schema.json)}`
  return (structured === "schema" ? rules : [...rules, shape]).join("\n\n")
}

/** Requests JSON but returns the text unparsed: the caller parses and repairs it. */
const rawJson = ({ schema }: ChatRequest, structured: "schema" | "json") => ({
  name: schema.name,
  responseFormat: Promise.resolve(
    structured === "schema"
      ? { type: "json" as const, schema: schema.json, name: schema.name }
      : { type: "json" as const }
  ),
  parseCompleteOutput: ({ text }: { readonly text: string }) => Promise.resolve(text),
  // The SDK passes on a part when the partial output differs from the last one.
  parsePartialOutput: ({ text }: { readonly text: string }) => Promise.resolve({ partial: text.length }),
  createElementStreamTransform: () => undefined
})

const usageOf = (
  result: Generated,
  asked: () => string,
  said: () => string,
  price: Price | undefined
): Usage => {
  const input = result.input ?? estimateTokens(asked())
  const output = result.output ?? estimateTokens(said())
  const tokens = { input, cachedInput: result.cachedInput ?? 0, output }
  return {
    inputTokens: input,
    outputTokens: output,
    costUsd: price === undefined ? "0" : costOf(price, tokens),
    estimated: result.input === undefined || result.output === undefined
  }
}

/** Makes an embedder from any embedding model of the AI SDK. Vectors are normalized to length 1. */
export const fromEmbeddingModel = (
  model: EmbeddingModel,
  options: EmbeddingOptions = {}
): Context.Tag.Service<Embedder> => embedder(model.modelId, model, options)

const defaultBatchMax = 96

/** The same for a model that is made on first use. */
export const embedder = (
  modelId: string,
  model: Lazily<EmbeddingModel>,
  options: EmbeddingOptions
): Context.Tag.Service<Embedder> =>
  embedderOver(
    modelId,
    async (values, signal) => {
      const { embedMany } = await import("ai")
      const { embeddings, usage } = await embedMany({
        model: await resolveModel(model),
        values: [...values],
        maxRetries: 0,
        abortSignal: signal
      })
      return { embeddings, tokens: usage.tokens }
    },
    options
  )

/** One vector per text, with the usage. */
export interface Embeddings extends Counted {
  readonly embeddings: ReadonlyArray<ReadonlyArray<number>>
}

/** Makes an embedder from a single-call function. Vectors are normalized to length 1. */
export const embedderOver = (
  modelId: string,
  ask: (values: ReadonlyArray<string>, signal: AbortSignal) => Promise<Embeddings>,
  options: EmbeddingOptions
): Context.Tag.Service<Embedder> => {
  const call = callWith(options)
  const meter = meterFor("embedding", modelId, options.price)
  const { prefixes } = options
  return Embedder.of({
    modelId:
      prefixes === undefined ? modelId : `${modelId} ${JSON.stringify([prefixes.query, prefixes.passage])}`,
    batchMax: options.batchMax ?? defaultBatchMax,
    embed: (texts, purpose) => {
      if (texts.length === 0) return Effect.succeed([])
      const prefix = prefixes?.[purpose] ?? ""
      const values = texts.map((text) => prefix + text)
      return call((signal) => ask(values, signal), purpose === "passage").pipe(
        Effect.tap((made) => meter(made, () => values.join(""))),
        Effect.flatMap(({ embeddings }) => unitVectors(embeddings, texts.length)),
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

/** Makes a reranker from any reranking model of the AI SDK. A passage without a score comes last. */
export const fromRerankingModel = (
  model: RerankingModelV3,
  options: AdapterOptions = {}
): Context.Tag.Service<Reranker> =>
  rerankerOver(
    model.modelId,
    async (query, passages, signal) => {
      const { rerank } = await import("ai")
      const { ranking } = await rerank({
        model,
        query,
        documents: [...passages],
        maxRetries: 0,
        abortSignal: signal
      })
      return { ranking: ranking.map(({ originalIndex, score }) => ({ index: originalIndex, score })) }
    },
    options
  )

/** Passages with their scores, and the usage. */
export interface Ranking extends Counted {
  readonly ranking: ReadonlyArray<{ readonly index: number; readonly score: number }>
}

/** Makes a reranker from a single-call function. A passage without a score comes last. */
export const rerankerOver = (
  modelId: string,
  ask: (query: string, passages: ReadonlyArray<string>, signal: AbortSignal) => Promise<Ranking>,
  options: AdapterOptions
): Context.Tag.Service<Reranker> => {
  const call = callWith(options)
  const meter = meterFor("reranker", modelId, options.price)
  return Reranker.of({
    modelId,
    rerank: (query, passages) => {
      if (passages.length === 0) return Effect.succeed([])
      return call((signal) => ask(query, passages, signal)).pipe(
        Effect.tap((made) => meter(made, () => passages.map((passage) => query + passage).join(""))),
        Effect.map(({ ranking }) => {
          const scores = new Map(ranking.map(({ index, score }) => [index, score]))
          const lowest = ranking.reduce((least, { score }) => Math.min(least, score), 0)
          return passages.map((_, index) => scores.get(index) ?? lowest - 1)
        }),
        Effect.filterOrFail(
          (scores) => scores.every(Number.isFinite),
          () => unusable("The model gave a score that is not a number")
        ),
        Effect.mapError(modelFailed(modelId))
      )
    }
  })
}
