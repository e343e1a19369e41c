import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isInOtherLanguage } from "../../language/text-analysis/index.js"
import {
  type ChatModel,
  type ChatReply,
  ModelFailed,
  sumOfUses,
  type Usage
} from "../../platform/models/index.js"
import type { Evidence } from "../evidence/index.js"
import { sampleOfLanguage } from "./abstain.js"
import { answerTextOf, TextListener } from "./answer-text.js"
import { answerMessages, repairMessages } from "./prompt.js"
import { isDeclined } from "./refusal.js"
import {
  citesNothing,
  type ModelReply,
  modelReplySchema,
  type ParsedReply,
  parseReply,
  proseOfSentences,
  replyFromProse,
  statementsOf
} from "./reply.js"
import { ReplyListener } from "./written-sentences.js"

/** Result of a chat model for the evidence, after at most one repair. */
export interface Generation {
  readonly reply: ModelReply
  /** The answer as the model wrote it, with our markers. */
  readonly prose: string
  /** The model says in prose that it does not answer. */
  readonly declined: boolean
  /** The model ran out of tokens: the end of the reply is missing. */
  readonly cutOff: boolean
  readonly usage: Usage
  readonly calls: number
  /** Violations in the reply that was finally used; empty for a valid reply. */
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
export const generateReply = (
  model: Context.Tag.Service<ChatModel>,
  evidence: Evidence,
  boundary: string
): Effect.Effect<Generation, ModelFailed> =>
  Effect.gen(function* () {
    const messages = answerMessages(evidence, boundary)
    const [onText, onReply] = [yield* TextListener, yield* ReplyListener]
    const call = (more: typeof messages) => {
      const listeners = [onText === null ? null : answerTextOf(onText), onReply?.() ?? null].filter(
        (one) => one !== null
      )
      return model.generate({
        messages: [...messages, ...more],
        schema: modelReplySchema,
        maxOutputTokens,
        ...(listeners.length === 0
          ? {}
          : {
              onText: (part: string) => {
                for (const listener of listeners) listener(part)
              }
            })
      })
    }
    const read = (reply: ChatReply) => readReply(reply, evidence)
    const first = yield* call([])
    const reading = read(first)
    if (isSound(reading)) return { ...reading, usage: first.usage, calls: 1 }
    // A repair that cannot be had leaves what the first reply was good for.
    const second = yield* Effect.option(call(repairMessages(first.text, reading.violations)))
    const replies = second._tag === "Some" ? [second.value, first] : [first]
    const usage = sumOfUses(replies.map((reply) => reply.usage))
    const readings = replies.map(read).filter(isReadable)
    const best = readings.find(isSound) ?? readings.find(({ cites }) => cites) ?? readings[0]
    if (best === undefined)
      return yield* new ModelFailed({
        modelId: model.modelId,
        message: "The model gave no reply that can be read.",
        retryable: true,
        usage
      })
    return { ...best, usage, calls: replies.length }
  })

/** The readable part of a reply, and whether it cites anything. */
type Reading = Omit<Generation, "reply" | "usage" | "calls"> & {
  readonly reply: ModelReply | null
  readonly cites: boolean
}

const isReadable = (reading: Reading): reading is Reading & { readonly reply: ModelReply } =>
  reading.reply !== null && (!reading.reply.answerable || reading.reply.sentences.length > 0)

const isSound = (reading: Reading): reading is Reading & { readonly reply: ModelReply } =>
  isReadable(reading) && reading.violations.length === 0

/** Violation of a reply in another language than the question's. */
export const otherLanguage = "sentences: are not in the language that the answer is to be in."

const readReply = ({ finishReason, text }: ChatReply, evidence: Evidence): Reading => {
  const cutOff = finishReason === "length"
  const { prose, reply, violations } = parsedReply(text, cutOff)
  const sentences = reply?.sentences ?? []
  const sentencesText = sentences.map((one) => one.text).join(" ")
  const declined = reply?.answerable === true && isDeclined(statementsOf(reply))
  const sample = sampleOfLanguage(evidence)
  const isOther = sentencesText !== "" && sample !== null && isInOtherLanguage(sentencesText, sample)
  return {
    reply,
    prose: prose ?? (reply === null ? "" : proseOfSentences(reply)),
    declined,
    cutOff,
    cites: !sentences.every(citesNothing),
    // A refusal is understood in any form and language.
    violations: declined ? [] : isOther ? [...violations, otherLanguage] : violations
  }
}

/** Prose is a reply, too; asked for again only where it cites nothing or was cut off. */
const parsedReply = (text: string, cutOff: boolean): ParsedReply => {
  const parsed = parseReply(text, cutOff)
  if (parsed.reply !== null) return parsed
  const read = replyFromProse(text)
  if (read === null) return parsed
  const isWhole = !cutOff && !read.reply.sentences.every(citesNothing)
  return { ...read, violations: isWhole ? [] : parsed.violations }
}
