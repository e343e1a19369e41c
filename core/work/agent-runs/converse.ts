import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  boundedCalls,
  type ChatMessage,
  type ChatModel,
  type ModelFailed,
  type TurnMessage,
  type TurnReply,
  type TurnRequest
} from "../../platform/models/index.js"

/** One turn of any chat model. One that cannot be given tools is asked for its calls as JSON. */
export const converse = (
  model: Context.Tag.Service<ChatModel>,
  request: TurnRequest
): Effect.Effect<TurnReply, ModelFailed> =>
  model.converse === undefined ? converseAsJson(model, request) : model.converse(request)

const JsonTurn = z.object({
  text: z.string().catch(""),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.unknown() })).catch([])
})

const schema = {
  name: "turn",
  json: {
    type: "object",
    required: ["text", "toolCalls"],
    additionalProperties: false,
    properties: {
      text: { type: "string", description: "The answer; empty while tools are called." },
      toolCalls: {
        type: "array",
        items: {
          type: "object",
          required: ["name", "arguments"],
          additionalProperties: false,
          properties: { name: { type: "string" }, arguments: { type: "object" } }
        }
      }
    }
  }
} as const

const converseAsJson = (model: Context.Tag.Service<ChatModel>, request: TurnRequest) =>
  Effect.map(
    model.generate({
      messages: [
        { role: "system", content: `Tools that you may call:\n${JSON.stringify(request.tools)}` },
        ...request.messages.map(asChatMessage)
      ],
      schema,
      maxOutputTokens: request.maxOutputTokens
    }),
    ({ finishReason, modelId, text, usage }): TurnReply => {
      const parsedTurn = readTurn(text)
      return {
        text: parsedTurn.text,
        toolCalls: boundedCalls(
          parsedTurn.toolCalls.map((call, at) => ({ ...call, id: `call_${request.messages.length}_${at}` }))
        ),
        modelId,
        finishReason: parsedTurn.toolCalls.length > 0 ? "tool_calls" : finishReason,
        usage
      }
    }
  )

/** Text that is no JSON object is the answer itself. */
const readTurn = (text: string): z.infer<typeof JsonTurn> => {
  try {
    const read = JsonTurn.safeParse(JSON.parse(text.replace(/^```(?:json)?\s*|\s*```$/g, "")))
    return read.success ? read.data : { text, toolCalls: [] }
  } catch {
    return { text, toolCalls: [] }
  }
}

const asChatMessage = (message: TurnMessage): ChatMessage => {
  if (message.role === "tool")
    return {
      role: "user",
      content: `Result of ${message.name}${message.isError ? " (failed)" : ""}:\n${message.content}`
    }
  if (message.role === "assistant" && message.toolCalls.length > 0)
    return {
      role: "assistant",
      content: JSON.stringify({ text: message.content, toolCalls: message.toolCalls })
    }
  return message.role === "assistant"
    ? { role: "assistant", content: message.content }
    : { role: message.role, content: message.content }
}
