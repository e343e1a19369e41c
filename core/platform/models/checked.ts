import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { mapTexts, storableText, type WorkspaceScope } from "../kernel/index.js"
import { boundedCalls, repliedCallsMax } from "./bounded-calls.js"
import { modelRoles } from "./choices.js"
import { withoutReasoning } from "./reasoning.js"
import {
  type ChatModel,
  givenModels,
  type Judge,
  type ModelFailed,
  Models,
  type PricedChoices,
  type WorkspaceModels
} from "./store.js"
import { checkedUsage } from "./usage.js"

/** Removes a model's reasoning from its reply. Text of a prompt has broken tags and stays. */
const answerText = ({ finishReason, text }: { readonly finishReason: string; readonly text: string }) =>
  withoutReasoning(text, finishReason === "length")

const textOf = (text: string): string => withTemplateTokens(storableText(text))
const jsonOf = (value: unknown): unknown => mapTexts(value, textOf)

/**
 * Returns the models with replies that can be shown and stored, whatever they return: text holds no reasoning, is
 * well-formed and has no NUL, and usage consists of counts and an amount of money.
 */
const checkedModels = (models: WorkspaceModels): WorkspaceModels => ({
  ...models,
  chat: Option.map(models.chat, checkedChat),
  judge: Option.map(models.judge, checkedJudge),
  ...(models.extraction === undefined ? {} : { extraction: Option.map(models.extraction, checkedChat) })
})

/** Escapes of NUL and of lone surrogates in JSON, which the reply is. */
const unstorableEscape =
  /\\u0000|\\ud[89ab][\da-f]{2}(?!\\ud[c-f][\da-f]{2})|(?<!\\ud[89ab][\da-f]{2})\\ud[c-f][\da-f]{2}/giu

const checkedChat = (model: Context.Tag.Service<ChatModel>): Context.Tag.Service<ChatModel> => {
  const { converse } = model
  return {
    ...model,
    generate: (request) =>
      model.generate(request).pipe(
        Effect.map((reply) => ({
          ...reply,
          text: textOf(answerText(reply)).replace(unstorableEscape, "\\ufffd"),
          usage: checkedUsage(reply.usage)
        })),
        Effect.mapError(checkedFailure)
      ),
    ...(converse === undefined
      ? {}
      : {
          converse: (request) =>
            converse(request).pipe(
              Effect.map((reply) => ({
                ...reply,
                text: textOf(answerText(reply)),
                droppedCalls:
                  (reply.droppedCalls ?? 0) + Math.max(0, reply.toolCalls.length - repliedCallsMax),
                toolCalls: boundedCalls(reply.toolCalls).map((call) => ({
                  ...call,
                  id: textOf(call.id),
                  name: textOf(call.name),
                  arguments: jsonOf(call.arguments)
                })),
                usage: checkedUsage(reply.usage)
              })),
              Effect.mapError(checkedFailure)
            )
        })
  }
}

const checkedJudge = (model: Context.Tag.Service<Judge>): Context.Tag.Service<Judge> => ({
  ...model,
  judge: (claims) =>
    model.judge(claims).pipe(
      Effect.map(({ judgements, usage }) => ({
        judgements: judgements.map((one) => ({ ...one, quote: textOf(one.quote) })),
        usage: checkedUsage(usage)
      })),
      Effect.mapError(checkedFailure)
    )
})

const checkedFailure = (failure: ModelFailed): ModelFailed => {
  const { usage } = failure
  return usage === undefined ? failure : Object.assign(failure, { usage: checkedUsage(usage) })
}

/** Returns the models of a workspace with these choices. Reads nothing without choices. */
export const modelsFor = (
  workspace: WorkspaceScope,
  choices: PricedChoices
): Effect.Effect<WorkspaceModels, never, Models> =>
  Effect.flatMap(Models, (given) =>
    Effect.map(
      given.of === undefined || modelRoles.every((role) => choices[role] === null)
        ? Effect.succeed(givenModels(given))
        : given.of(workspace, choices),
      (models) => checkedModels(choices.chatEnabled === false ? { ...models, chat: Option.none() } : models)
    )
  )

/** Separates the characters of a token for a model's tokenizer; a reader does not see it. */
const joiner = "\u2060"

/** Special tokens of chat templates: ChatML, Llama, Mistral, Gemma, DeepSeek and their like. */
const specialToken =
  /<(?=[|\uff5c])|(?<=[|\uff5c])>|\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])|<(?=<\/?SYS>>)|<(?=\/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|tool_call|tool_response|function_calls|system|user|assistant|human|developer|instructions?)>)/giu

/** Names of roles where a turn would begin, also in a line of a JSON string. */
const roleAtLineStart =
  /((?:^|\\n)[ \t]{0,20})((?:#{1,6}[ \t]{0,4})?(?:system|user|assistant|human|developer|tool|instruction|response))(?=[ \t]{0,4}:)/gimu

/**
 * Returns text of others as it may stand in a prompt: what a model or its server could take for the end of a message
 * or the beginning of another is broken up by an invisible character. The visible text stays the same.
 */
export const withoutTemplateTokens = (text: string): string =>
  text
    .replace(specialToken, (token) => (token === ">" ? `${joiner}>` : `${token}${joiner}`))
    .replace(roleAtLineStart, `$1$2${joiner}`)

/** Returns text of a model without the characters that `withoutTemplateTokens` inserted into what it copies. */
export const withTemplateTokens = (text: string): string => text.replaceAll(joiner, "")
