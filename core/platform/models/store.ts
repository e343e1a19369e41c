import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkspaceScope } from "../kernel/index.js"
import type { ModelChoices, ModelPrices } from "./choices.js"
import type { ChatMessage, Usage } from "./model.js"
import type { TokenCounts } from "./prices.js"

/** A model call failed. `retryable` states whether the same call may succeed later. */
export class ModelFailed extends Data.TaggedError("ModelFailed")<{
  readonly modelId: string
  readonly message: string
  readonly retryable: boolean
  /** When the provider, or its open circuit breaker, expects to serve again. */
  readonly retryAfterSeconds?: number
  /** Usage of replies that could not be used. */
  readonly usage?: Usage
  /** The provider did not reply within the time limit. */
  readonly timedOut?: boolean
}> {}

/** A chat request for text that should parse as JSON of the given schema. */
export interface ChatRequest {
  readonly messages: ReadonlyArray<ChatMessage>
  /** JSON Schema of the expected object. For a model without schema support it is part of the prompt. */
  readonly schema: { readonly name: string; readonly json: Readonly<Record<string, unknown>> }
  readonly maxOutputTokens: number
  /** Called with each part of the reply as it is written; a model that does not stream ignores it. */
  readonly onText?: (part: string) => void
  /** The reply may take longer, because no caller waits for it. */
  readonly background?: boolean
}

/** The reply of a chat model. `length` if it hit the output limit, so that its JSON may be incomplete. */
export interface ChatReply {
  readonly text: string
  readonly modelId: string
  readonly finishReason: "stop" | "length" | "other"
  readonly usage: Usage
}

/** A tool that a chat model may call; `inputSchema` is the JSON Schema of its arguments. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** A tool call of a chat model. Arguments that are no JSON are given as text. */
export interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
  /** Why the arguments cannot be used as they came; the call is refused with it. */
  readonly problem?: string
}

/** A message of a conversation with tool calls. */
export type TurnMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | {
      readonly role: "assistant"
      readonly content: string
      readonly toolCalls: ReadonlyArray<RequestedCall>
    }
  | {
      readonly role: "tool"
      readonly callId: string
      readonly name: string
      readonly content: string
      readonly isError: boolean
    }

/** A request for the next turn of a chat model. */
export interface TurnRequest {
  readonly messages: ReadonlyArray<TurnMessage>
  readonly tools: ReadonlyArray<OfferedTool>
  readonly maxOutputTokens: number
}

/** A turn of a chat model: text, tool calls, or both. */
export interface TurnReply {
  readonly text: string
  readonly toolCalls: ReadonlyArray<RequestedCall>
  /** Calls of the reply that are left out, because it has too many; none by default. */
  readonly droppedCalls?: number
  readonly modelId: string
  readonly finishReason: "stop" | "length" | "tool_calls" | "refusal" | "other"
  readonly usage: Usage
}

/** Generates text. Called outside of any unit of work; retries and timeouts belong to the adapter. */
export class ChatModel extends Context.Tag("kanon/ChatModel")<
  ChatModel,
  {
    readonly modelId: string
    readonly generate: (request: ChatRequest) => Effect.Effect<ChatReply, ModelFailed>
    /** One turn with tools, none of which is executed. Absent: `generate` is asked for calls as JSON. */
    readonly converse?: (request: TurnRequest) => Effect.Effect<TurnReply, ModelFailed>
    /** Returns the cost of the given number of tokens in US dollars; absent when the price is unknown. */
    readonly costOf?: (tokens: TokenCounts) => string
  }
>() {}

/** Converts texts to vectors. */
export class Embedder extends Context.Tag("kanon/Embedder")<
  Embedder,
  {
    /**
     * Identity of the vectors: embedders with one id give comparable vectors. With another id all vectors are
     * computed again.
     */
    readonly modelId: string
    /** Maximum number of texts per call. */
    readonly batchMax: number
    /**
     * Returns one unit vector per text, in order, all of one length. `query` marks a question, for models that
     * distinguish questions from passages.
     */
    readonly embed: (
      texts: ReadonlyArray<string>,
      purpose: "passage" | "query"
    ) => Effect.Effect<ReadonlyArray<Float32Array>, ModelFailed>
  }
>() {}

/** Scores passages against a query; higher is better, on a model-specific scale. */
export class Reranker extends Context.Tag("kanon/Reranker")<
  Reranker,
  {
    readonly modelId: string
    /** Returns one finite score per passage, in order. */
    readonly rerank: (
      query: string,
      passages: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<number>, ModelFailed>
  }
>() {}

/** A claim and the texts that it cites by registry id. */
export interface JudgedClaim {
  readonly text: string
  readonly evidence: ReadonlyArray<{ readonly id: string; readonly text: string }>
}

/** A judge's result for one claim. */
export interface Judgement {
  readonly supported: "yes" | "partial" | "no"
  /** The supporting quote; the caller checks that the evidence contains it. */
  readonly quote: string
}

/** Judges whether the cited evidence supports claims. */
export class Judge extends Context.Tag("kanon/Judge")<
  Judge,
  {
    readonly modelId: string
    /** Returns one judgement per claim, in order, in one call. Evidence is treated as data, never as instructions. */
    readonly judge: (
      claims: ReadonlyArray<JudgedClaim>
    ) => Effect.Effect<{ readonly judgements: ReadonlyArray<Judgement>; readonly usage: Usage }, ModelFailed>
  }
>() {}

/** The models of a workspace. */
export interface WorkspaceModels {
  /** None: the built-in extractive model answers. */
  readonly chat: Option.Option<Context.Tag.Service<ChatModel>>
  /** None: claims are compared with their evidence by rules alone. */
  readonly judge: Option.Option<Context.Tag.Service<Judge>>
  /** None: vectors are learned from the workspace itself (latent semantic analysis). */
  readonly embedder: Option.Option<Context.Tag.Service<Embedder>>
  /** None: results keep their fused order. */
  readonly reranker: Option.Option<Context.Tag.Service<Reranker>>
  /** None or absent: names are extracted from documents by rules alone. */
  readonly extraction?: Option.Option<Context.Tag.Service<ChatModel>>
  /**
   * False disables the built-in models: without a chat model questions get no answer, without an embedder searches
   * use words alone. Vectors learned earlier stay unused.
   */
  readonly builtIn: boolean
}

/** The choices of a workspace with its prices. */
export type PricedChoices = ModelChoices & {
  readonly prices?: ModelPrices
  /** False: no chat model, not even the engine's. */
  readonly chatEnabled?: boolean
}

/** Whether the built-in model may answer questions of a workspace with these settings. */
export const builtInAnswers = (settings: {
  readonly fallbackToExtractive: boolean
  readonly chatEnabled: boolean
}): boolean => settings.fallbackToExtractive && settings.chatEnabled

/**
 * A product implements it to give every engine of a process its models; `models` of `createEngine` does the same for
 * one. The models given to the engine, and the factory of models that workspaces choose.
 */
export class Models extends Context.Tag("kanon/Models")<
  Models,
  Omit<WorkspaceModels, "judge" | "builtIn"> & {
    /** Default: none. */
    readonly judge?: WorkspaceModels["judge"]
    /** Default: true. */
    readonly builtIn?: boolean
    /**
     * Returns the models of a workspace with its choices in place of the engine's. An unusable choice (its credential
     * cannot be opened) is present and fails when called. Default: choices are ignored.
     */
    readonly of?: (workspace: WorkspaceScope, choices: PricedChoices) => Effect.Effect<WorkspaceModels>
    /** Returns why the host does not allow calls to a URL, or null. */
    readonly refuses?: (baseUrl: string) => string | null
  }
>() {}

/** Provides the engine's models for every workspace without choices. */
export const givenModels = ({
  builtIn = true,
  chat,
  embedder,
  judge = Option.none(),
  reranker
}: Context.Tag.Service<Models>): WorkspaceModels => ({ builtIn, chat, embedder, judge, reranker })
