import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import {
  ChatModel,
  type ChatReply,
  type ChatRequest,
  Embedder,
  estimateTokens,
  ModelFailed,
  Reranker,
  type TokenCounts,
  type TurnReply,
  type TurnRequest
} from "../../core/platform/models/index.js"

/** A scripted reply to one request: a text, a reply with finish reason and price, or a failure. */
export type ScriptedReply = string | ModelFailed | (Partial<ChatReply> & { readonly text: string })

/** A chat model without a network, for tests and benchmarks: deterministic if the script is pure. */
export const scriptedChatModel = (
  script: (request: ChatRequest) => ScriptedReply,
  modelId = "scripted/chat"
): Context.Tag.Service<ChatModel> =>
  ChatModel.of({
    modelId,
    generate: (request) =>
      Effect.suspend(() => {
        const reply = script(request)
        if (typeof reply === "object" && "_tag" in reply) return Effect.fail(reply)
        const given = typeof reply === "string" ? { text: reply } : reply
        for (const part of given.text.match(/[\s\S]{1,16}/gu) ?? []) request.onText?.(part)
        const input = request.messages.map(({ content }) => content).join("\n")
        return Effect.succeed({
          modelId,
          finishReason: "stop" as const,
          usage: {
            inputTokens: estimateTokens(input),
            outputTokens: estimateTokens(given.text),
            costUsd: "0",
            estimated: true
          },
          ...given
        })
      })
  })

/** A scripted turn of an agent model: a text, tool calls, or a failure. */
export type ScriptedTurn =
  | string
  | ModelFailed
  | {
      readonly text?: string
      readonly calls?: ReadonlyArray<{ readonly name: string; readonly arguments: unknown }>
      readonly usage?: Partial<TurnReply["usage"]>
    }

/** A scripted agent model that records its requests. */
export type ScriptedAgentModel = Context.Tag.Service<ChatModel> & {
  readonly requests: ReadonlyArray<TurnRequest>
}

/**
 * A chat model for agents without a network. The script receives the number of turns since the last question, so that a
 * resumed run gets the same turns.
 */
export const scriptedAgentModel = (
  script: (turn: number, request: TurnRequest) => ScriptedTurn | Promise<ScriptedTurn>,
  options: { readonly modelId?: string; readonly costOf?: (tokens: TokenCounts) => string } = {}
): ScriptedAgentModel => {
  const { costOf, modelId = "scripted/agent" } = options
  const requests: Array<TurnRequest> = []
  return {
    modelId,
    requests,
    ...(costOf === undefined ? {} : { costOf }),
    generate: () =>
      Effect.fail(new ModelFailed({ modelId, message: "This model only takes turns.", retryable: false })),
    converse: (request) =>
      Effect.gen(function* () {
        requests.push(request)
        const lastUserIndex = request.messages.findLastIndex(({ role }) => role === "user")
        const turnNumber = request.messages
          .slice(lastUserIndex + 1)
          .filter(({ role }) => role === "assistant").length
        const made = script(turnNumber, request)
        const scriptedReply = made instanceof Promise ? yield* Effect.promise(() => made) : made
        if (typeof scriptedReply === "object" && "_tag" in scriptedReply)
          return yield* Effect.fail(scriptedReply)
        const {
          calls = [],
          text = "",
          usage = {}
        } = typeof scriptedReply === "string" ? { text: scriptedReply } : scriptedReply
        const counted = {
          inputTokens: estimateTokens(JSON.stringify(request.messages)),
          outputTokens: estimateTokens(text + JSON.stringify(calls)),
          ...usage
        }
        const tokens = { input: counted.inputTokens, cachedInput: 0, output: counted.outputTokens }
        return {
          text,
          toolCalls: calls.map((call, at) => ({ ...call, id: `call_${turnNumber}_${at}` })),
          modelId,
          finishReason: calls.length > 0 ? ("tool_calls" as const) : ("stop" as const),
          usage: { costUsd: costOf?.(tokens) ?? "0", estimated: false, ...counted }
        }
      })
  }
}

/** An embedder without a network: hashed words and trigrams, so that similar texts have similar vectors. */
export const scriptedEmbedder = (
  dimensions = 64,
  modelId = `scripted/embedder-${dimensions}`
): Context.Tag.Service<Embedder> =>
  Embedder.of({
    modelId,
    batchMax: 16,
    embed: (texts) => Effect.sync(() => texts.map((text) => hashedVector(text, dimensions)))
  })

/** A reranker without a network: the share of the query's words in a passage. */
export const scriptedReranker = (modelId = "scripted/reranker"): Context.Tag.Service<Reranker> =>
  Reranker.of({
    modelId,
    rerank: (query, passages) =>
      Effect.sync(() => {
        const queryWords = wordsOf(query)
        return passages.map((passage) => {
          const passageWords = new Set(wordsOf(passage))
          return queryWords.filter((word) => passageWords.has(word)).length / Math.max(1, queryWords.length)
        })
      })
  })

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const hashedVector = (text: string, dimensions: number): Float32Array => {
  const vector = new Float32Array(dimensions)
  const add = (feature: string, weight: number) => {
    const hash = fnv1a(feature)
    const at = hash % dimensions
    vector[at] = (vector[at] ?? 0) + (hash & 0x10000 ? weight : -weight)
  }
  for (const word of wordsOf(text)) {
    add(word, 1)
    for (let at = 0; at + 3 <= word.length; at++) add(`#${word.slice(at, at + 3)}`, 0.3)
  }
  const norm = Math.hypot(...vector)
  // A text without words needs a direction, too.
  if (norm === 0) vector[0] = 1
  return norm === 0 ? vector : vector.map((value) => value / norm)
}

/** FNV-1a over UTF-16 units, 32 bits. */
const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
