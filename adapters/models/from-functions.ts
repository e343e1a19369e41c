import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import {
  ChatModel,
  type ChatReply,
  type ChatRequest,
  Embedder,
  ModelFailed,
  Reranker,
  type TokenCounts,
  type TurnReply,
  type TurnRequest
} from "../../core/platform/models/index.js"

/** The reply of a chat function: its text, or its text with the reason why it ended and the tokens that it used. */
export type GivenReply =
  | string
  | {
      readonly text: string
      /** `length` when the reply was cut off; `stop` by default. */
      readonly finishReason?: ChatReply["finishReason"]
      /** Counted from the texts where it is left out. */
      readonly usage?: {
        readonly inputTokens: number
        readonly outputTokens: number
        readonly costUsd?: string
      }
    }

/** A chat model of the host. Its functions may return promises or effects. */
export interface GivenChat {
  readonly modelId: string
  /** Writes a reply. The signal is aborted when nobody waits any more. */
  readonly generate: (
    request: ChatRequest,
    signal: AbortSignal
  ) => Effect.Effect<ChatReply, ModelFailed> | Promise<GivenReply>
  /** One turn with tools, none of which is executed. Absent: `generate` is asked for calls as JSON. */
  readonly converse?: (
    request: TurnRequest,
    signal: AbortSignal
  ) => Effect.Effect<TurnReply, ModelFailed> | Promise<TurnReply>
  /** Returns the price of a number of tokens in US dollars; leave it out if the price is unknown. */
  readonly costOf?: (tokens: TokenCounts) => string
}

/** An embedding model of the host. Its function may return a promise or an effect. */
export interface GivenEmbedder {
  /** Identity of the vectors: with another id all vectors are computed again. */
  readonly modelId: string
  /** Maximum number of texts per call; default 96. */
  readonly batchMax?: number
  /** Returns one vector per text, in order, all of one length. The signal is aborted when nobody waits any more. */
  readonly embed: (
    texts: ReadonlyArray<string>,
    purpose: "passage" | "query",
    signal: AbortSignal
  ) =>
    | Effect.Effect<ReadonlyArray<Float32Array>, ModelFailed>
    | Promise<ReadonlyArray<ReadonlyArray<number> | Float32Array>>
}

/** A reranking model of the host. Its function may return a promise or an effect. */
export interface GivenReranker {
  readonly modelId: string
  /** Returns one score per passage, in order; higher is better. */
  readonly rerank: (
    query: string,
    passages: ReadonlyArray<string>,
    signal: AbortSignal
  ) => Effect.Effect<ReadonlyArray<number>, ModelFailed> | Promise<ReadonlyArray<number>>
}

const batchMax = 96

/** Characters of a token, about, where a model does not count. */
const tokenCharacters = 4

/** Returns a chat model; its functions may return effects or promises. */
export const chatOf = (given: GivenChat): Context.Tag.Service<ChatModel> => {
  const { converse, costOf, modelId } = given
  return ChatModel.of({
    modelId,
    generate: (request) =>
      Effect.map(
        either<GivenReply | ChatReply>(modelId, (signal) => given.generate(request, signal)),
        (reply) => wholeReply(given, request, reply)
      ),
    ...(converse === undefined
      ? {}
      : {
          converse: (request: TurnRequest) =>
            either<TurnReply>(modelId, (signal) => converse(request, signal))
        }),
    ...(costOf === undefined ? {} : { costOf })
  })
}

const wholeReply = (
  { costOf, modelId }: GivenChat,
  { messages }: ChatRequest,
  reply: GivenReply | ChatReply
): ChatReply => {
  if (typeof reply !== "string" && "modelId" in reply) return reply
  const { finishReason = "stop", text, usage } = typeof reply === "string" ? { text: reply } : reply
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0)
  const tokens = usage ?? {
    inputTokens: Math.ceil(characters / tokenCharacters),
    outputTokens: Math.ceil(text.length / tokenCharacters)
  }
  const { inputTokens, outputTokens } = tokens
  const costUsd =
    usage?.costUsd ?? costOf?.({ input: inputTokens, cachedInput: 0, output: outputTokens }) ?? "0"
  return {
    text,
    modelId,
    finishReason,
    usage: { inputTokens, outputTokens, costUsd, estimated: usage === undefined }
  }
}

/** Returns an embedder; its functions may return effects or promises. */
export const embedderOf = (given: GivenEmbedder): Context.Tag.Service<Embedder> =>
  Embedder.of({
    modelId: given.modelId,
    batchMax: given.batchMax ?? batchMax,
    embed: (texts, purpose) =>
      Effect.map(
        either<ReadonlyArray<ReadonlyArray<number> | Float32Array>>(given.modelId, (signal) =>
          given.embed(texts, purpose, signal)
        ),
        (vectors) =>
          vectors.map((vector) => (vector instanceof Float32Array ? vector : Float32Array.from(vector)))
      )
  })

/** Returns a reranker; its function may return an effect or a promise. */
export const rerankerOf = (given: GivenReranker): Context.Tag.Service<Reranker> =>
  Reranker.of({
    modelId: given.modelId,
    rerank: (query, passages) => either(given.modelId, (signal) => given.rerank(query, passages, signal))
  })

/** Runs a function that returns an effect or a promise. What it throws is a failure of the model, with its message. */
const either = <A>(
  modelId: string,
  call: (signal: AbortSignal) => Effect.Effect<A, ModelFailed> | Promise<A>
): Effect.Effect<A, ModelFailed> =>
  Effect.suspend(() => {
    const control = new AbortController()
    const made = call(control.signal)
    return Effect.isEffect(made)
      ? made
      : Effect.onInterrupt(
          Effect.tryPromise({ try: () => made, catch: (thrown) => failureOf(modelId, thrown) }),
          () => Effect.sync(() => control.abort())
        )
  }).pipe(Effect.catchAllDefect((thrown) => Effect.fail(failureOf(modelId, thrown))))

const failureOf = (modelId: string, thrown: unknown): ModelFailed =>
  thrown instanceof ModelFailed
    ? thrown
    : new ModelFailed({
        modelId,
        message: thrown instanceof Error ? thrown.message : String(thrown),
        retryable: true
      })
