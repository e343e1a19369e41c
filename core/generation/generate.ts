import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Evidence } from "../evidence/index.js"
import { type ChatModel, type ChatReply, ModelFailed, sumOfUses, type Usage } from "../models/index.js"
import { isInOtherLanguage } from "../text-analysis/index.js"
import { answerTextOf, TextListener } from "./answer-text.js"
import { answerMessages, repairMessages } from "./prompt.js"
import { type ModelReply, modelReplySchema, type ParsedReply, parseReply, replyFromProse } from "./reply.js"

/** What a chat model made of the evidence, after at most one repair. */
export interface Generation {
  readonly reply: ModelReply
  readonly usage: Usage
  readonly calls: number
  /** What was wrong with what was finally used; empty for a sound reply. */
  readonly violations: ReadonlyArray<string>
}

/** Room for a few sentences, their claims, and the thoughts of a model that thinks first. */
const maxOutputTokens = 4096

/**
 * One generation, and one more with the list of violations when the first is not as asked; then on with what is
 * valid. Fails when neither gave anything that can be read; the failure then tells what the replies used.
 *
 * @param boundary Random text that fences the evidence in the prompt.
 */
export const generate = (
  model: Context.Tag.Service<ChatModel>,
  evidence: Evidence,
  boundary: string
): Effect.Effect<Generation, ModelFailed> =>
  Effect.gen(function* () {
    const messages = answerMessages(evidence, boundary)
    const listener = yield* TextListener
    const call = (more: typeof messages) =>
      model.generate({
        messages: [...messages, ...more],
        schema: modelReplySchema,
        maxOutputTokens,
        ...(listener === null ? {} : { onText: answerTextOf(listener) })
      })
    const read = (reply: ChatReply) => readReply(reply, evidence)
    const first = yield* call([])
    const parsed = read(first)
    if (parsed.reply !== null && parsed.violations.length === 0)
      return { reply: parsed.reply, usage: first.usage, calls: 1, violations: [] }
    // A repair that cannot be had leaves what the first reply was good for.
    const second = yield* Effect.option(call(repairMessages(first.text, parsed.violations)))
    const replies = second._tag === "Some" ? [second.value, first] : [first]
    const usage = sumOfUses(replies.map((reply) => reply.usage))
    const readings = replies.map(read)
    const best =
      readings.find(({ reply, violations }) => reply !== null && violations.length === 0) ??
      readings.find(({ reply }) => reply !== null)
    const reply = best?.reply ?? replies.map(({ text }) => replyFromProse(text)).find((one) => one !== null)
    if (reply === undefined || reply === null)
      return yield* new ModelFailed({
        modelId: model.modelId,
        message: "The model gave no reply that can be read.",
        retryable: true,
        usage
      })
    return {
      reply,
      usage,
      calls: replies.length,
      violations: best?.violations ?? ["The reply is not a JSON object."]
    }
  })

/** What is wrong with a reply in another language than the question's. */
export const otherLanguage = "sentences: are not in the language of the question."

const readReply = ({ finishReason, text }: ChatReply, { question }: Evidence): ParsedReply => {
  const { reply, violations } = parseReply(text, finishReason === "length")
  const said = (reply?.sentences ?? []).map((one) => one.text).join(" ")
  const isOther = said !== "" && isInOtherLanguage(said, question.text)
  return { reply, violations: isOther ? [...violations, otherLanguage] : violations }
}
