import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkspaceScope } from "../kernel/index.js"
import { type ModelChoices, type ModelPrices, modelRoles } from "./choices.js"
import type { ChatMessage, Usage } from "./model.js"
import type { TokenCounts } from "./prices.js"

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

/**
 * What a chat model wrote. `length` where it was cut off at the most that it may write, so that its JSON may be
 * torn.
 */
export interface ChatReply {
  readonly text: string
  readonly modelId: string
  readonly finishReason: "stop" | "length" | "other"
  readonly usage: Usage
}

/** A tool that a chat model may ask for; `inputSchema` is the JSON Schema of its arguments. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** A call that a chat model asks for. Arguments that were no JSON stand there as the text that was written. */
export interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

/** One message of a conversation in which tools are called. */
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

/** What a chat model is asked to go on with. */
export interface TurnRequest {
  readonly messages: ReadonlyArray<TurnMessage>
  readonly tools: ReadonlyArray<OfferedTool>
  readonly maxOutputTokens: number
}

/** One turn of a chat model: text, calls that it asks for, or both. */
export interface TurnReply {
  readonly text: string
  readonly toolCalls: ReadonlyArray<RequestedCall>
  readonly modelId: string
  readonly finishReason: "stop" | "length" | "tool_calls" | "refusal" | "other"
  readonly usage: Usage
}

/** Writes text. Called outside every unit of work; retries and time limits are the adapter's. */
export class ChatModel extends Context.Tag("kanon/ChatModel")<
  ChatModel,
  {
    readonly modelId: string
    readonly generate: (request: ChatRequest) => Effect.Effect<ChatReply, ModelFailed>
    /** One turn with tools, none of which is executed. Absent: `generate` is asked for calls as JSON. */
    readonly converse?: (request: TurnRequest) => Effect.Effect<TurnReply, ModelFailed>
    /** What so many tokens cost, in US dollars; absent where the price is unknown. */
    readonly costOf?: (tokens: TokenCounts) => string
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

/** A claim, and the texts that it cites under their registry ids. */
export interface JudgedClaim {
  readonly text: string
  readonly evidence: ReadonlyArray<{ readonly id: string; readonly text: string }>
}

/** What a judge says of one claim. */
export interface Judgement {
  readonly supported: "yes" | "partial" | "no"
  /** The words of the evidence that it rests on; whether they stand there is the caller's to check. */
  readonly quote: string
}

/** Says of claims whether the evidence that they cite carries them. */
export class Judge extends Context.Tag("kanon/Judge")<
  Judge,
  {
    readonly modelId: string
    /** One judgement per claim, in their order, in one call; the evidence is data to it, never an instruction. */
    readonly judge: (
      claims: ReadonlyArray<JudgedClaim>
    ) => Effect.Effect<{ readonly judgements: ReadonlyArray<Judgement>; readonly usage: Usage }, ModelFailed>
  }
>() {}

/** The models that answer for a workspace. What is absent is done without: see each user. */
export interface WorkspaceModels {
  /** None: the built-in extractive model answers. */
  readonly chat: Option.Option<Context.Tag.Service<ChatModel>>
  /** None: claims are compared with what they cite by rules alone. */
  readonly judge: Option.Option<Context.Tag.Service<Judge>>
  /** None: vectors are learned from the workspace itself (latent semantic analysis). */
  readonly embedder: Option.Option<Context.Tag.Service<Embedder>>
  /** None: results keep their fused order. */
  readonly reranker: Option.Option<Context.Tag.Service<Reranker>>
  /** None, or absent: what documents name is read by rules alone. */
  readonly extraction?: Option.Option<Context.Tag.Service<ChatModel>>
  /**
   * False: the built-in models stand in for nothing. Without a chat model nobody answers, without an embedder
   * searches go by words alone; vectors that were learned before stay as they are, unused.
   */
  readonly builtIn: boolean
}

/** What a workspace has chosen, and what it says that costs. */
export type PricedChoices = ModelChoices & { readonly prices?: ModelPrices }

/** The models that this engine was given, and how it makes those that a workspace has chosen. */
export class Models extends Context.Tag("kanon/Models")<
  Models,
  Omit<WorkspaceModels, "judge" | "builtIn"> & {
    /** None by default. */
    readonly judge?: WorkspaceModels["judge"]
    /** True by default. */
    readonly builtIn?: boolean
    /**
     * The models of a workspace that has chosen some, each in the place of what the engine was given. One that
     * cannot be had (its credential cannot be opened) is there and fails when it is called. By default nothing that
     * is chosen is heeded.
     */
    readonly of?: (workspace: WorkspaceScope, choices: PricedChoices) => Effect.Effect<WorkspaceModels>
    /** Why the host would not call this address; null where it would. */
    readonly refuses?: (baseUrl: string) => string | null
  }
>() {}

/** The models that answer for a workspace with these choices. Reads nothing where nothing is chosen. */
export const modelsFor = (
  workspace: WorkspaceScope,
  choices: PricedChoices
): Effect.Effect<WorkspaceModels, never, Models> =>
  Effect.flatMap(Models, (given) =>
    given.of === undefined || modelRoles.every((role) => choices[role] === null)
      ? Effect.succeed(givenModels(given))
      : given.of(workspace, choices)
  )

/** What the engine was given, for every workspace that has chosen nothing. */
export const givenModels = ({
  builtIn = true,
  chat,
  embedder,
  judge = Option.none(),
  reranker
}: Context.Tag.Service<Models>): WorkspaceModels => ({ builtIn, chat, embedder, judge, reranker })
