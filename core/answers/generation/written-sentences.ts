import * as Context from "effect/Context"
import { isInOtherLanguage } from "../../language/text-analysis/index.js"
import { withoutReasoning } from "../../platform/models/index.js"
import type { Claim, Evidence } from "../evidence/index.js"
import { sampleOfLanguage } from "./abstain.js"
import { withPlainMarkers } from "./markers.js"
import { isDeclined } from "./refusal.js"
import { citesNothing, claimsOfProse, type ModelReply, sentencesOf, statementsOf } from "./reply.js"
import { shownClaims, showRules } from "./shown-claims.js"

/** Called for each reply of a model that begins; what it returns takes the parts of the reply as they come. */
type OnReply = () => (part: string) => void

/** Receives the replies of a chat model as they are written; by default nobody does. */
export class ReplyListener extends Context.Reference<ReplyListener>()("kanon/ReplyListener", {
  defaultValue: (): OnReply | null => null
}) {}

/**
 * Returns a function that takes the parts of a reply and returns the claims that have ended since, in order, as the
 * answer will show them. It holds back what the whole reply may still change: a reply that so far refuses, cites nothing,
 * or is in another language than the question.
 */
export const claimsAsWritten = (
  evidence: Evidence,
  boundary: string
): ((part: string) => ReadonlyArray<Claim>) => {
  const rules = showRules(evidence, boundary)
  const sentences = endedSentences()
  let isSettled = false
  let told = 0
  return (part) => {
    const stated = sentences(part)
    if (stated.length <= told) return []
    isSettled ||= isSettledBy(stated, evidence)
    if (!isSettled) return []
    const fresh = stated.slice(told)
    told = stated.length
    return shownClaims(replyOf(fresh), rules).claims
  }
}

const isSettledBy = (stated: ModelReply["sentences"], evidence: Evidence): boolean => {
  const sample = sampleOfLanguage(evidence)
  return (
    !stated.every(citesNothing) &&
    !isDeclined(statementsOf(replyOf(stated))) &&
    !(sample !== null && isInOtherLanguage(stated.map(({ text }) => text).join(" "), sample))
  )
}

const replyOf = (sentences: ModelReply["sentences"]): ModelReply => ({
  answerable: true,
  missing: null,
  sentences
})

/** A reply without reasoning is JSON or prose; what it begins with tells. */
const endedSentences = (): ((part: string) => ModelReply["sentences"]) => {
  let [raw, seen] = ["", 0]
  let json: ReturnType<typeof sentencesInJson> | null = null
  return (part) => {
    raw += part
    // A sentence of prose ends with one of these, and an object with a brace; nothing else is worth a look.
    if (!/[}.!?…。！？\n]/u.test(part)) return []
    const reply = withoutReasoning(raw, true).trimStart()
    if (reply === "") return []
    if (json === null && !/^[{[`]/u.test(reply)) return proseUpToLast(reply)
    json ??= sentencesInJson()
    // Reasoning that is taken out later never stands before what was read.
    const fresh = reply.slice(seen)
    seen = reply.length
    return json(fresh)
  }
}

/** The statements of prose but the last, which may go on or get its markers yet. */
const proseUpToLast = (text: string): ModelReply["sentences"] =>
  claimsOfProse(withPlainMarkers(text)).slice(0, -1)

/** Longest object that is read as a sentence. */
const objectMaxChars = 20_000

/**
 * Reads a JSON reply part by part, each character once, and returns its whole sentences so far: the objects of the list
 * `sentences`, or of a list that is the reply. A reply that says before them that it does not answer has none.
 */
const sentencesInJson = (): ((part: string) => ModelReply["sentences"]) => {
  const open: Array<string> = []
  const found: ModelReply["sentences"] = []
  let [head, object, depth, key, text] = ["", "", -1, "", ""]
  let [quoted, escaped] = [false, false]
  return (part) => {
    for (const char of part) {
      if (depth >= 0) object += char
      else head += char
      if (quoted) {
        if (escaped) escaped = false
        else if (char === "\\") escaped = true
        else if (char === '"') {
          quoted = false
          if (open.length === 1) key = text
        } else if (open.length === 1) text += char
        continue
      }
      if (char === '"') {
        quoted = true
        text = ""
      } else if (char === "{" || char === "[") {
        if (char === "{" && depth < 0 && isListOfSentences(open, key)) {
          depth = open.length
          object = char
        }
        open.push(char)
      } else if (char === "}" || char === "]") {
        open.pop()
        if (depth === open.length) {
          if (object.length <= objectMaxChars) found.push(...sentencesOf(object))
          depth = -1
        }
      }
    }
    return /"answerable"\s*:\s*false/u.test(head) ? [] : found
  }
}

const isListOfSentences = (open: ReadonlyArray<string>, key: string): boolean =>
  (open.length === 2 && open[0] === "{" && open[1] === "[" && key === "sentences") ||
  (open.length === 1 && open[0] === "[")
