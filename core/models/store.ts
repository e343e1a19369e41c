import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { ChatMessage, Usage } from "./model.js"

/** A model did not give what was asked. `retryable` tells whether the same call may succeed later. */
export class ModelFailed extends Data.TaggedError("ModelFailed")<{
  readonly modelId: string
  readonly message: string
  readonly retryable: boolean
  /** When the provider, or the open circuit before it, expects to serve again. */
  readonly retryAfterSeconds?: number
  /** What was used all the same: by replies that came, but were of no use. */
  readonly usage?: Usage
}> {}

/** What a chat model is asked for: text that should parse as JSON of the given schema. */
export interface ChatRequest {
  readonly messages: ReadonlyArray<ChatMessage>
  /** JSON Schema of the wanted object. A model without schema support finds it in the prompt. */
  readonly schema: { readonly name: string; readonly json: Readonly<Record<string, unknown>> }
  readonly maxOutputTokens: number
}

export interface ChatReply {
  readonly text: string
  readonly modelId: string
  readonly finishReason: "stop" | "length" | "other"
  readonly usage: Usage
}

/** Writes text. Called outside every unit of work; retries and time limits are the adapter's. */
export class ChatModel extends Context.Tag("kanon/ChatModel")<
  ChatModel,
  {
    readonly modelId: string
    readonly generate: (request: ChatRequest) => Effect.Effect<ChatReply, ModelFailed>
  }
>() {}

/** Turns texts into vectors. */
export class Embedder extends Context.Tag("kanon/Embedder")<
  Embedder,
  {
    /** Names the vectors: two embedders of one id give comparable ones. With another id all are made anew. */
    readonly modelId: string
    /** Most texts that one call may carry. */
    readonly batchMax: number
    /**
     * One unit vector per text, in the order of the texts, all of one length. `query` marks a question
     * for models that tell questions from passages.
     */
    readonly embed: (
      texts: ReadonlyArray<string>,
      purpose: "passage" | "query"
    ) => Effect.Effect<ReadonlyArray<Float32Array>, ModelFailed>
  }
>() {}

/** Scores passages against a query; higher is better, the scale is the model's own. */
export class Reranker extends Context.Tag("kanon/Reranker")<
  Reranker,
  {
    readonly modelId: string
    /** One finite score per passage, in their order. */
    readonly rerank: (
      query: string,
      passages: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<number>, ModelFailed>
  }
>() {}

/** The models that this engine was given. What is absent is done without: see each user. */
export class Models extends Context.Tag("kanon/Models")<
  Models,
  {
    /** None: the built-in extractive model answers. */
    readonly chat: Option<Context.Tag.Service<ChatModel>>
    /** None: vectors are learned from the workspace itself (latent semantic analysis). */
    readonly embedder: Option<Context.Tag.Service<Embedder>>
    /** None: results keep their fused order. */
    readonly reranker: Option<Context.Tag.Service<Reranker>>
    /**
     * False: the built-in models stand in for nothing. Without a chat model nobody answers, without an embedder
     * searches go by words alone; vectors that were learned before stay as they are, unused. True by default.
     */
    readonly builtIn?: boolean
  }
>() {}
