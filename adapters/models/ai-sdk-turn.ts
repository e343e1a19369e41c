import type { ModelMessage, ToolSet } from "ai"
import type { TurnMessage, TurnReply, TurnRequest } from "../../core/models/index.js"
import {
  type Generated,
  type LanguageModel,
  type Lazily,
  type ProviderOptions,
  resolveModel
} from "./ai-sdk-call.js"

/** Result of one turn with tools. */
export interface GeneratedTurn {
  readonly generated: Generated
  readonly toolCalls: TurnReply["toolCalls"]
  readonly finishReason: TurnReply["finishReason"]
}

/** Runs one step of the SDK. The tools have no `execute`, so it returns the requested calls without running them. */
export const converseOnce = async (
  model: Lazily<LanguageModel>,
  request: TurnRequest,
  signal: AbortSignal,
  providerOptions: ProviderOptions | undefined
): Promise<GeneratedTurn> => {
  const { generateText, jsonSchema, tool } = await import("ai")
  const tools: ToolSet = Object.fromEntries(
    request.tools.map(({ description, inputSchema, name }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) })
    ])
  )
  const system = request.messages.flatMap(({ content, role }) => (role === "system" ? [content] : []))
  const result = await generateText({
    model: await resolveModel(model),
    system: system.join("\n\n"),
    messages: request.messages.flatMap(sdkMessage),
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal,
    ...(request.tools.length === 0 ? {} : { tools }),
    ...(providerOptions === undefined ? {} : { providerOptions })
  })
  const { finishReason, text, toolCalls, usage } = result
  return {
    generated: {
      text,
      finishReason: "other",
      input: usage.inputTokens,
      cachedInput: usage.inputTokenDetails.cacheReadTokens,
      output: usage.outputTokens
    },
    toolCalls: toolCalls.map(({ input, toolCallId, toolName }) => ({
      id: toolCallId,
      name: toolName,
      arguments: input
    })),
    finishReason: finishReasons[finishReason] ?? "other"
  }
}

const finishReasons: Readonly<Record<string, TurnReply["finishReason"]>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "refusal"
}

const sdkMessage = (message: TurnMessage): ReadonlyArray<ModelMessage> => {
  if (message.role === "system") return []
  if (message.role === "user") return [{ role: "user", content: message.content }]
  if (message.role === "assistant")
    return [
      {
        role: "assistant",
        content: [
          ...(message.content === "" ? [] : [{ type: "text" as const, text: message.content }]),
          ...message.toolCalls.map((call) => ({
            type: "tool-call" as const,
            toolCallId: call.id,
            toolName: call.name,
            input: call.arguments
          }))
        ]
      }
    ]
  return [
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: message.callId,
          toolName: message.name,
          output: { type: message.isError ? "error-text" : "text", value: message.content }
        }
      ]
    }
  ]
}
