import type { LanguageModelV2, LanguageModelV3 } from "@ai-sdk/provider"
import type { ModelMessage, ToolSet } from "ai"
import { brokenBound, foreignJsonBounds } from "../../core/platform/kernel/index.js"
import {
  repliedCallsMax,
  type TurnMessage,
  type TurnReply,
  type TurnRequest
} from "../../core/platform/models/index.js"
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
  readonly droppedCalls: number
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
  const problems: Array<string | null> = []
  const calls = { problems, asked: 0 }
  const result = await generateText({
    model: withBoundedCalls(await resolveModel(model), calls),
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
    toolCalls: toolCalls.map((call, at) => {
      const problem = problems[at] ?? (call.invalid === true && !isObject(call.input) ? noJson : null)
      return {
        id: call.toolCallId,
        name: call.toolName,
        arguments: problem === null ? call.input : {},
        ...(problem === null ? {} : { problem })
      }
    }),
    droppedCalls: Math.max(0, calls.asked - repliedCallsMax),
    finishReason: finishReasons[finishReason] ?? "other"
  }
}

const noJson = "The arguments are no JSON object."
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null

/** Bytes of the arguments of one call that are read. */
const argumentsMaxBytes = 262_144

/** Tool calls of a model, before the SDK parses them. */
interface AskedCalls {
  /** Problem of the arguments of each call that is kept; null when there is none. */
  readonly problems: Array<string | null>
  asked: number
}

/** Leaves out calls beyond those that are ever carried out. Replaces arguments that are too large by none before the SDK parses them, and notes what was wrong with each call. */
const withBoundedCalls = <Model extends object>(model: Model, calls: AskedCalls): Model =>
  new Proxy(model, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (name !== "doGenerate" || typeof value !== "function")
        return typeof value === "function" ? value.bind(target) : value
      return async (options: unknown) => {
        const result: Awaited<ReturnType<(LanguageModelV2 | LanguageModelV3)["doGenerate"]>> =
          await value.call(target, options)
        return { ...result, content: result.content.flatMap((part) => bounded(part, calls)) }
      }
    }
  })

const bounded = <Part extends { readonly type: string }>(
  part: Part,
  calls: AskedCalls
): ReadonlyArray<Part> => {
  if (part.type !== "tool-call" || !("input" in part) || typeof part.input !== "string") return [part]
  calls.asked += 1
  if (calls.asked > repliedCallsMax) return []
  const bytes = Buffer.from(part.input)
  const broken = bytes.length > argumentsMaxBytes ? "size" : brokenBound(bytes, foreignJsonBounds)
  calls.problems.push(broken === null ? null : `The arguments exceed the limit of ${broken}.`)
  return [broken === null ? part : { ...part, input: "{}" }]
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
