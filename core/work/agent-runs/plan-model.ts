import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { PolicyBlock } from "../../answers/policy/index.js"
import {
  ChatModel,
  ModelFailed,
  type RequestedCall,
  type TurnMessage,
  type TurnRequest,
  withTemplateTokens
} from "../../platform/models/index.js"
import { Groundedness } from "./model.js"

/** The model id of runs that follow the built-in plan. */
export const planModelId = "builtin/plan-1"

/** The tool by which the plan answers; a run that may search may use it. */
export const planTool = "svc_query"

/** Earlier questions of a conversation that complete the present one. */
const turnsMax = 20

/**
 * Stands in for a chat model: resolves the entities of the question, asks it like `POST /query`, and gives that answer,
 * abstentions included. It uses read tools alone and follows no instructions.
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
  const questionAt = messages.findLastIndex(({ role }) => role === "user")
  const question = messages[questionAt]?.content ?? ""
  const results = messages.slice(questionAt + 1).filter((message) => message.role === "tool")
  const offered = (name: string) => tools.some((tool) => tool.name === name)
  const call = (name: string, input: unknown, at = 0): RequestedCall => ({
    id: `plan_${results.length}_${at}`,
    name,
    arguments: input
  })
  if (results.length === 0) {
    const calls = [
      ...(offered("svc_resolve_entity") ? [call("svc_resolve_entity", { q: question.slice(0, 400) })] : []),
      ...(offered(planTool)
        ? [
            call(
              planTool,
              { question: question.slice(0, 4000), turns: turnsOf(messages.slice(0, questionAt)) },
              1
            )
          ]
        : [])
    ]
    if (calls.length > 0) return { text: "", toolCalls: calls }
  }
  return { text: planAnswerOf(messages)?.answer ?? nothing, toolCalls: [] }
}

const nothing = "Nothing in the workspace was found that answers this."

const turnsOf = (earlier: ReadonlyArray<TurnMessage>) =>
  earlier
    .flatMap(({ content, role }, at) => {
      const next = earlier[at + 1]
      if (role !== "user" || content === "") return []
      const answer = next?.role === "assistant" ? next.content : ""
      return [
        { question: content.slice(0, 4000), ...(answer === "" ? {} : { answer: answer.slice(0, 4000) }) }
      ]
    })
    .slice(-turnsMax)

const Answer = z.looseObject({
  answer: z.string(),
  sources: z.array(z.looseObject({ id: z.string(), cite: z.string().optional() })),
  claims: z.array(z.looseObject({ text: z.string(), status: z.string().optional() })),
  groundedness: Groundedness,
  policy: PolicyBlock
})

/** The answer that the plan got to the last question, its markers those of the run; null where there is none. */
export const planAnswerOf = (messages: ReadonlyArray<TurnMessage>): z.infer<typeof Answer> | null => {
  const last = messages.findLast((message) => message.role === "tool" && message.name === planTool)
  const read = Answer.safeParse(parsed(last?.content ?? ""))
  if (!read.success) return null
  const { answer, sources } = read.data
  const cites = new Map(sources.map(({ cite, id }) => [id, cite]))
  const citedAnswer = answer.replaceAll(/\[([SD]\d+)\]/gu, (_, id: string) => {
    const cite = cites.get(id)
    return cite === undefined ? "" : `[${cite}]`
  })
  return { ...read.data, answer: citedAnswer }
}

const parsed = (content: string): unknown => {
  try {
    return JSON.parse(withTemplateTokens(content.replace(/^<content[^>]*>\n|\n<\/content>$/g, "")))
  } catch {
    return null
  }
}
