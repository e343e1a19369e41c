import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  ChatModel,
  ModelFailed,
  type RequestedCall,
  type TurnMessage,
  type TurnRequest
} from "../models/index.js"

/** The model id of runs that follow the built-in plan. */
export const planModelId = "builtin/plan-1"

/** Passages that the plan reads in full. */
const readMax = 3
/** Sentences of its answer. */
const sentencesMax = 3

/**
 * Stands in for a chat model: resolves the entities of the question, searches, reads the best passages, and answers with
 * their sentences that are nearest to it. It uses read tools alone and follows no instructions.
 */
export const planModel: Context.Tag.Service<ChatModel> = ChatModel.of({
  modelId: planModelId,
  generate: () =>
    Effect.fail(
      new ModelFailed({
        modelId: planModelId,
        message: "The built-in plan writes no free text.",
        retryable: false
      })
    ),
  converse: (request) =>
    Effect.sync(() => {
      const { text, toolCalls } = nextTurn(request)
      return {
        text,
        toolCalls,
        modelId: planModelId,
        finishReason: toolCalls.length > 0 ? "tool_calls" : "stop",
        usage: { inputTokens: 0, outputTokens: 0, costUsd: "0", estimated: false }
      } as const
    })
})

const nextTurn = ({
  messages,
  tools
}: TurnRequest): { readonly text: string; readonly toolCalls: ReadonlyArray<RequestedCall> } => {
  const asked = messages.findLastIndex(({ role }) => role === "user")
  const question = messages[asked]?.content ?? ""
  const results = messages.slice(asked + 1).filter((message) => message.role === "tool")
  const offered = (name: string) => tools.some((tool) => tool.name === name)
  const call = (name: string, given: unknown, at = 0): RequestedCall => ({
    id: `plan_${results.length}_${at}`,
    name,
    arguments: given
  })
  if (results.length === 0) {
    const q = question.slice(0, 400)
    const first = [
      ...(offered("svc_resolve_entity") ? [call("svc_resolve_entity", { q })] : []),
      ...(offered("svc_search") ? [call("svc_search", { q, limit: 8 }, 1)] : [])
    ]
    if (first.length > 0) return { text: "", toolCalls: first }
  }
  const found = passagesOf(results.filter(({ name }) => name === "svc_search"))
  const isRead = results.some(({ name }) => name === "svc_get_chunk")
  if (!isRead && found.length > 0 && offered("svc_get_chunk"))
    return {
      text: "",
      toolCalls: found.slice(0, readMax).map(({ id }, at) => call("svc_get_chunk", { id }, at))
    }
  const read = passagesOf(results.filter(({ name }) => name === "svc_get_chunk"))
  return { text: answerOf(question, read.length > 0 ? read : found), toolCalls: [] }
}

interface Passage {
  readonly id: string
  readonly cite: string
  readonly text: string
}

const Found = z.looseObject({
  cite: z.string(),
  chunkId: z.string().optional(),
  id: z.string().optional(),
  text: z.string().optional(),
  snippet: z.string().optional()
})
const Result = z.union([z.looseObject({ results: z.array(Found) }), Found])

const passagesOf = (results: ReadonlyArray<TurnMessage>): ReadonlyArray<Passage> =>
  results.flatMap(({ content }) => {
    const read = Result.safeParse(parsed(content))
    if (!read.success) return []
    const found = Array.isArray(read.data["results"])
      ? z.array(Found).parse(read.data["results"])
      : [Found.parse(read.data)]
    return found.map(({ chunkId, cite, id, snippet, text }) => ({
      id: chunkId ?? id ?? "",
      cite,
      text: text ?? snippet ?? ""
    }))
  })

const parsed = (content: string): unknown => {
  try {
    return JSON.parse(content.replace(/^<content[^>]*>\n|\n<\/content>$/g, ""))
  } catch {
    return null
  }
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => word.length > 3)
      .map((word) => word.slice(0, 6))
  )

const answerOf = (question: string, passages: ReadonlyArray<Passage>): string => {
  const asked = wordsOf(question)
  const sentences = passages.flatMap(({ cite, text }, place) =>
    text
      .replace(/^#+ .*$/gmu, "")
      .split(/(?<=[.!?])\s+|\n{2,}/u)
      .map((sentence) => sentence.replace(/\s+/gu, " ").trim())
      .filter((sentence) => sentence.length > 0)
      .map((sentence) => ({ sentence, cite, score: shareOf(asked, wordsOf(sentence)) - place / 100 }))
  )
  const best = sentences
    .filter(({ score }) => score > 0.1)
    .sort((a, b) => b.score - a.score)
    .slice(0, sentencesMax)
  const said = new Set<string>()
  const lines = best.flatMap(({ cite, sentence }) => {
    if (said.has(sentence)) return []
    said.add(sentence)
    return [`${sentence} [${cite}]`]
  })
  return lines.length === 0 ? "Nothing in the workspace was found that answers this." : lines.join(" ")
}

const shareOf = (asked: ReadonlySet<string>, words: ReadonlySet<string>): number =>
  [...asked].filter((word) => words.has(word)).length / Math.max(1, asked.size)
