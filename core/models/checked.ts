import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { mapTexts, storableText } from "../kernel/index.js"
import { checkedUsage } from "./checked-usage.js"
import type { ChatModel, Judge, ModelFailed, WorkspaceModels } from "./store.js"
import { withTemplateTokens } from "./template-tokens.js"

const textOf = (text: string): string => withTemplateTokens(storableText(text))
const jsonOf = (value: unknown): unknown => mapTexts(value, textOf)

/**
 * Returns the models with replies that can be stored, whatever they return: text is well-formed and has no NUL, and
 * usage consists of counts and an amount of money.
 */
export const checkedModels = (models: WorkspaceModels): WorkspaceModels => ({
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
          text: textOf(reply.text).replace(unstorableEscape, "\\ufffd"),
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
                text: textOf(reply.text),
                toolCalls: reply.toolCalls.map((call) => ({
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
