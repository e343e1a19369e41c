import type { EmbeddingModel, generateText, LanguageModel, ModelMessage, RerankingModel, ToolSet } from "ai"
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
  type TurnMessage,
  type TurnReply,
  type TurnRequest,
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
  /** Shared by all models of one provider: how many calls are under way at once. One of its own by default. */
  readonly lane?: Effect.Semaphore
  /** Overrides the list price; a model without either costs 0, and says so once in the log. */
  readonly price?: Price
}

/** How a chat model of the AI SDK is called, beside what every adapter takes. */
export interface ChatOptions extends AdapterOptions {
  /** Where to begin; a server that refuses it is asked one step lower, and remembered. Default: schema. */
  readonly structured?: Structured
  /** Handed to the provider's package with each call. */
  readonly providerOptions?: ProviderOptions
}

/** Settings of the AI SDK for one provider, under its name. */
type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>

/** How an embedding model of the AI SDK is called, beside what every adapter takes. */
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
): Context.Tag.Service<ChatModel> =>
  chatOver(
    modelId,
    (request, structured, signal) => generate(model, request, structured, signal, options.providerOptions),
    options,
    (request, signal) => converseOnce(model, request, signal, options.providerOptions)
  )

/** Characters of a reply that are read: far more than any answer has, and few enough to be worked on. */
const replyMaxChars = 200_000

/** A chat model over whatever asks once; time limits, retries, prices and the way down to plain prompts are ours. */
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
    call((signal) => ask(request, structured, signal)).pipe(
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
            call((signal) => turn(request, signal)).pipe(
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

/** Says once that a model counts as free because nobody knows its price. */
const warnOfNoPrice = (modelId: string, price: Price | undefined): Effect.Effect<void> => {
  const warned = Ref.unsafeMake(price !== undefined)
  return Effect.flatMap(Ref.getAndSet(warned, true), (known) =>
    known
      ? Effect.void
      : Effect.logWarning(`No price is known for the model ${modelId}: its calls count as free.`)
  )
}

/** Tells what each call of an embedding model or a reranker used; estimated where the provider did not. */
const meterFor = (role: ModelUse["role"], modelId: string, given: Price | undefined) => {
  const price = given ?? listPriceOf(modelId)
  const warnOnce = warnOfNoPrice(modelId, price)
  return ({ calls, tokens }: Counted, texts: () => string): Effect.Effect<void> =>
    Effect.gen(function* () {
      yield* warnOnce
      const told = tokens !== undefined && Number.isFinite(tokens)
      const input = told ? tokens : estimateTokens(texts())
      const costUsd =
        price === undefined ? "0" : costOf(price, { input, cachedInput: 0, output: 0, calls: calls ?? 1 })
      yield* (yield* ModelMeter)({
        role,
        modelId,
        inputTokens: input,
        outputTokens: 0,
        costUsd,
        estimated: !told
      })
    })
}

/** What a call used, as far as the provider told it. */
export interface Counted {
  readonly tokens?: number | undefined
  /** Calls as the provider bills them; one by default. */
  readonly calls?: number | undefined
}

const callWith = ({ lane, patience, secrets = [] }: AdapterOptions) =>
  modelCall({ ...defaultPatience, ...patience }, secrets, lane)

/** A server that does not know `response_format` answers with one of these. */
const refusesFormat = ({ status }: AttemptFailed): boolean =>
  status === 400 || status === 415 || status === 422 || status === 501

/** What one call gave; counts that the provider did not tell are undefined. */
export interface Generated {
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
  signal: AbortSignal,
  providerOptions: ProviderOptions | undefined
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
    ...(providerOptions === undefined ? {} : { providerOptions }),
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

/** What one turn with tools gave. */
export interface GeneratedTurn {
  readonly generated: Generated
  readonly toolCalls: TurnReply["toolCalls"]
  readonly finishReason: TurnReply["finishReason"]
}

/** One step of the SDK: tools have no `execute`, so it gives the calls that the model asks for and runs none. */
const converseOnce = async (
  model: Lazily<LanguageModel>,
  request: TurnRequest,
  signal: AbortSignal,
  providerOptions: ProviderOptions | undefined
): Promise<GeneratedTurn> => {
  const { generateText, jsonSchema, tool } = await import("ai")
  const tools: ToolSet = Object.fromEntries(
    request.tools.map(({ description, inputSchema, name }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) })
    ])
  )
  const system = request.messages.flatMap(({ content, role }) => (role === "system" ? [content] : []))
  const result = await generateText({
    model: await resolve(model),
    system: system.join("\n\n"),
    messages: request.messages.flatMap(sdkMessage),
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal,
    ...(request.tools.length === 0 ? {} : { tools }),
    ...(providerOptions === undefined ? {} : { providerOptions })
  })
  const { finishReason, text, toolCalls, usage } = result
  return {
    generated: {
      text,
      finishReason: "other",
      input: usage.inputTokens,
      cachedInput: usage.inputTokenDetails.cacheReadTokens,
      output: usage.outputTokens
    },
    toolCalls: toolCalls.map(({ input, toolCallId, toolName }) => ({
      id: toolCallId,
      name: toolName,
      arguments: input
    })),
    finishReason: finishReasons[finishReason] ?? "other"
  }
}

const finishReasons: Readonly<Record<string, TurnReply["finishReason"]>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "refusal"
}

const sdkMessage = (message: TurnMessage): ReadonlyArray<ModelMessage> => {
  if (message.role === "system") return []
  if (message.role === "user") return [{ role: "user", content: message.content }]
  if (message.role === "assistant")
    return [
      {
        role: "assistant",
        content: [
          ...(message.content === "" ? [] : [{ type: "text" as const, text: message.content }]),
          ...message.toolCalls.map((call) => ({
            type: "tool-call" as const,
            toolCallId: call.id,
            toolName: call.name,
            input: call.arguments
          }))
        ]
      }
    ]
  return [
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: message.callId,
          toolName: message.name,
          output: { type: message.isError ? "error-text" : "text", value: message.content }
        }
      ]
    }
  ]
}

/** Rules in one system text; the schema joins them for a model that is not given it otherwise. */
export const systemOf = ({ messages, schema }: ChatRequest, structured: Structured): string => {
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
): Context.Tag.Service<Embedder> =>
  embedderOver(
    modelId,
    async (values, signal) => {
      const { embedMany } = await import("ai")
      const { embeddings, usage } = await embedMany({
        model: await resolve(model),
        values: [...values],
        maxRetries: 0,
        abortSignal: signal
      })
      return { embeddings, tokens: usage.tokens }
    },
    options
  )

/** One vector per text, and what they took. */
export interface Embeddings extends Counted {
  readonly embeddings: ReadonlyArray<ReadonlyArray<number>>
}

/** An embedder over whatever embeds once. Vectors come out with length 1. */
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
      return call((signal) => ask(values, signal)).pipe(
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

/** Makes a reranker of any reranking model of the AI SDK. A passage that the model leaves out comes last. */
export const fromRerankingModel = (
  model: Exclude<RerankingModel, string>,
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

/** Passages with their scores, and what that took. */
export interface Ranking extends Counted {
  readonly ranking: ReadonlyArray<{ readonly index: number; readonly score: number }>
}

/** A reranker over whatever scores once. A passage that is left out comes last. */
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
