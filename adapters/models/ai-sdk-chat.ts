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
  estimateTokens,
  listPriceOf,
  ModelFailed,
  type Price,
  type TokenCounts,
  type TurnReply,
  type TurnRequest,
  type Usage
} from "../../core/platform/models/index.js"
import {
  type Generated,
  type LanguageModel,
  type Lazily,
  type ProviderOptions,
  requireSpecification,
  resolveModel,
  withoutWarnings
} from "./ai-sdk-call.js"
import { converseOnce, type GeneratedTurn } from "./ai-sdk-turn.js"
import type { AttemptFailed } from "./failure.js"
import { type AdapterOptions, callWith, warnOfNoPrice } from "./metered-call.js"
import { modelFailed } from "./resilience.js"

/** How a model is asked for JSON: by schema, by JSON mode, or by the prompt alone. */
export type Structured = "schema" | "json" | "prompt"

/** Options of a chat model of the AI SDK. */
export interface ChatOptions extends AdapterOptions {
  /** First mode to try; when a server rejects it, the next lower one is used from then on. Default: schema. */
  readonly structured?: Structured
  /** Passed to the provider's package with each call. */
  readonly providerOptions?: ProviderOptions
}

/** Makes a chat model from any language model of the AI SDK. */
export const fromLanguageModel = (
  model: LanguageModel,
  options: ChatOptions = {}
): Context.Tag.Service<ChatModel> => {
  requireSpecification(model)
  return chatModel(model.modelId, model, options)
}

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
                ({ droppedCalls, generated, toolCalls, finishReason }): TurnReply => ({
                  text: generated.text.slice(0, replyMaxChars),
                  toolCalls,
                  droppedCalls,
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
