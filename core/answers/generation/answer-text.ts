import * as Context from "effect/Context"
import { withoutReasoning } from "../../platform/models/index.js"

/**
 * Called with each part of an answer's text as a model writes it, and with the text so far. A second attempt starts
 * anew. The text is not checked yet: claims, citations and addresses are checked in the answer that is returned.
 */
export type OnText = (part: string, soFar: string) => void

/** Receives the text of an answer as it is written; by default nobody does. */
export class TextListener extends Context.Reference<TextListener>()("kanon/TextListener", {
  defaultValue: (): OnText | null => null
}) {}

/**
 * Returns a function that takes the parts of a model's reply and passes on the text of its answer: the field `answer`
 * of the JSON object, or all of a reply that is no JSON.
 */
export const answerTextOf = (onText: OnText): ((part: string) => void) => {
  let reply = ""
  let sentText = ""
  return (part) => {
    reply += part
    const text = answerIn(withoutReasoning(reply, true))
    if (text.length <= sentText.length || !text.startsWith(sentText)) return
    const fresh = text.slice(sentText.length)
    sentText = text
    try {
      onText(fresh, text)
    } catch {
      // The listener's mistake is not the answer's.
    }
  }
}

/** Returns the text of the answer as far as a reply has come. */
const answerIn = (reply: string): string => {
  const start = reply.trimStart()
  if (start === "") return ""
  if (!/^(?:\{|`)/u.test(start)) return reply
  const opening = /"answer"\s*:\s*"/u.exec(reply)
  if (opening === null) return ""
  const from = opening.index + opening[0].length
  let end = from
  while (end < reply.length && reply.charAt(end) !== '"') end += reply.charAt(end) === "\\" ? 2 : 1
  // An escape at the end may not have come whole.
  const escapedText = reply.slice(from, Math.min(end, reply.length)).replace(/\\(?:u[\da-fA-F]{0,3})?$/u, "")
  try {
    return JSON.parse(`"${escapedText.replace(/[\0-\x1f]/gu, " ")}"`)
  } catch {
    return ""
  }
}
