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
} from "../../core/models/index.js"

/** What a script says to one request: a text, a reply with its end and price, or a failure. */
export type ScriptedReply = string | ModelFailed | (Partial<ChatReply> & { readonly text: string })

/** A chat model without a network, for tests and benches: equal requests get equal replies if the script is pure. */
export const scriptedChatModel = (
  script: (request: ChatRequest) => ScriptedReply,
  modelId = "scripted/chat"
): Context.Tag.Service<ChatModel> =>
  ChatModel.of({
    modelId,
    generate: (request) =>
      Effect.suspend(() => {
        const said = script(request)
        if (typeof said === "object" && "_tag" in said) return Effect.fail(said)
        const given = typeof said === "string" ? { text: said } : said
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

/** What a scripted agent model says in one turn: a text, calls of tools, or a failure. */
export type ScriptedTurn =
  | string
  | ModelFailed
  | {
      readonly text?: string
      readonly calls?: ReadonlyArray<{ readonly name: string; readonly arguments: unknown }>
      readonly usage?: Partial<TurnReply["usage"]>
    }

/** A scripted agent model, with the turns that it was asked for. */
export type ScriptedAgentModel = Context.Tag.Service<ChatModel> & {
  readonly requests: ReadonlyArray<TurnRequest>
}

/**
 * A chat model for agents without a network. The script says each turn by what was said since the last question, so that
 * a run that is taken up again gets the same turns.
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
        const asked = request.messages.findLastIndex(({ role }) => role === "user")
        const turn = request.messages.slice(asked + 1).filter(({ role }) => role === "assistant").length
        const made = script(turn, request)
        const said = made instanceof Promise ? yield* Effect.promise(() => made) : made
        if (typeof said === "object" && "_tag" in said) return yield* Effect.fail(said)
        const { calls = [], text = "", usage = {} } = typeof said === "string" ? { text: said } : said
        const counted = {
          inputTokens: estimateTokens(JSON.stringify(request.messages)),
          outputTokens: estimateTokens(text + JSON.stringify(calls)),
          ...usage
        }
        const tokens = { input: counted.inputTokens, cachedInput: 0, output: counted.outputTokens }
        return {
          text,
          toolCalls: calls.map((call, at) => ({ ...call, id: `call_${turn}_${at}` })),
          modelId,
          finishReason: calls.length > 0 ? ("tool_calls" as const) : ("stop" as const),
          usage: { costUsd: costOf?.(tokens) ?? "0", estimated: false, ...counted }
        }
      })
  }
}

/** An embedder without a network: hashed words and their three-letter parts, so that alike texts lie near. */
export const scriptedEmbedder = (
  dimensions = 64,
  modelId = `scripted/embedder-${dimensions}`
): Context.Tag.Service<Embedder> =>
  Embedder.of({
    modelId,
    batchMax: 16,
    embed: (texts) => Effect.sync(() => texts.map((text) => hashedVector(text, dimensions)))
  })

/** A reranker without a network: the share of the query's words that a passage holds. */
export const scriptedReranker = (modelId = "scripted/reranker"): Context.Tag.Service<Reranker> =>
  Reranker.of({
    modelId,
    rerank: (query, passages) =>
      Effect.sync(() => {
        const asked = wordsOf(query)
        return passages.map((passage) => {
          const held = new Set(wordsOf(passage))
          return asked.filter((word) => held.has(word)).length / Math.max(1, asked.length)
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
