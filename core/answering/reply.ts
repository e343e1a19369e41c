import { z } from "zod"
import type { Claim } from "../evidence/index.js"
import { matchesOf, plain, sentences } from "../text-analysis/index.js"

/** What a chat model is asked to write. */
export const ModelReply = z.object({
  answerable: z.boolean(),
  missing: z.string().nullable(),
  answer: z.string(),
  claims: z.array(z.object({ text: z.string(), citations: z.array(z.string()) }))
})
export type ModelReply = z.infer<typeof ModelReply>

/** The same as JSON Schema, for models that take one. */
export const modelReplySchema: { readonly name: string; readonly json: Readonly<Record<string, unknown>> } = {
  name: "cited_answer",
  json: z.toJSONSchema(ModelReply)
}

/** A reply that could be read, and what was wrong with it; null when nothing could be read. */
export interface ParsedReply {
  readonly reply: ModelReply | null
  readonly violations: ReadonlyArray<string>
}

/** Models forget fields that are empty and give single ids as strings: read as they were meant. */
const LenientReply = z.object({
  answerable: z.boolean().optional(),
  missing: z.string().nullish(),
  answer: z.string(),
  claims: z
    .array(
      z.object({
        text: z.string(),
        citations: z.union([z.array(z.union([z.string(), z.number()])), z.string()]).optional()
      })
    )
    .optional()
})

/** Far more than a few sentences and their statements take: what is longer is no answer. */
const answerMaxChars = 20_000
const claimsMax = 200

/**
 * Reads a reply: JSON alone, in a code fence or with prose around it. `cutOff` says that the model ran out of
 * tokens: what it gave is then invalid even where it parses.
 */
export const parseReply = (text: string, cutOff: boolean): ParsedReply => {
  const value = readJson(text)
  if (value === undefined)
    return {
      reply: null,
      violations: [cutOff ? "The reply was cut off." : "The reply is not a JSON object."]
    }
  const parsed = LenientReply.safeParse(value)
  if (!parsed.success) {
    const violations = parsed.error.issues.map(
      (issue) => `${issue.path.join(".") || "reply"}: ${issue.message}`
    )
    return { reply: null, violations }
  }
  const { answer, answerable = true, claims = [], missing = null } = parsed.data
  const claimsChars = claims.reduce((sum, { text }) => sum + text.length, 0)
  if (answer.length > answerMaxChars || claims.length > claimsMax || claimsChars > answerMaxChars)
    return { reply: null, violations: ["The reply is too long."] }
  const reply: ModelReply = {
    answerable,
    missing,
    answer: answer.trim(),
    claims: claims.map((claim) => ({
      text: claim.text.trim(),
      citations: citationsOf(claim.citations ?? [])
    }))
  }
  const violations = [
    ...(cutOff ? ["The reply was cut off."] : []),
    ...(reply.answer === "" ? ["answer: is empty."] : []),
    ...(reply.answerable && reply.claims.length === 0
      ? ["claims: is empty although answerable is true."]
      : [])
  ]
  return { reply, violations }
}

/** "S1", 1 and "[S1], [S2]" are all seen in the wild. */
const citationsOf = (given: string | ReadonlyArray<string | number>): Array<string> =>
  [given].flat().flatMap((one) => {
    if (typeof one === "number") return [`S${one}`]
    const ids = one.match(/\b[SD]\d{1,6}\b/giu)
    return ids === null ? [one.trim()] : ids.map((id) => id.toUpperCase())
  })

const readJson = (text: string): unknown => {
  const whole = tryJson(text)
  if (whole !== undefined) return whole
  const fenced = fencedText(text)
  const inFence = fenced === undefined ? undefined : tryJson(fenced)
  if (inFence !== undefined) return inFence
  // The last try: from the first brace to its partner, braces in strings left aside.
  const open = text.indexOf("{")
  return open < 0 ? undefined : tryJson(text.slice(open, objectEnd(text, open)))
}

/**
 * What stands between the first fence that opens a block and the next one that begins a line. Searched for piece
 * by piece, since one expression for the whole takes the cube of the time of a long run of line breaks.
 */
const fencedText = (text: string): string | undefined => {
  const opening = /```(?:json)?\s*\n/iu.exec(text)
  if (opening === null) return undefined
  const from = opening.index + opening[0].length
  for (let fence = text.indexOf("```", from); fence >= 0; fence = text.indexOf("```", fence + 1)) {
    const body = text.slice(from, fence)
    const newline = body.indexOf("\n", body.trimEnd().length)
    if (newline >= 0) return body.slice(0, newline)
  }
  return undefined
}

const tryJson = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const objectEnd = (text: string, open: number): number => {
  let depth = 0
  let quoted = false
  for (let at = open; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === "\\") at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{") depth++
    else if (char === "}" && --depth === 0) return at + 1
  }
  return text.length
}

const markerPattern = /\[([SD]\d{1,6}(?:\s*[,;]\s*[SD]\d{1,6})*)\]/gu

/** The ids that prose cites, in order, each once. */
export const markersIn = (prose: string): ReadonlyArray<string> =>
  prose.includes("[")
    ? [...new Set(matchesOf(markerPattern, prose).flatMap((match) => (match[1] ?? "").split(/\s*[,;]\s*/u)))]
    : []

/** The last resort for a reply without JSON: each sentence with its markers is a claim. Null for an empty reply. */
export const replyFromProse = (text: string): ModelReply | null => {
  const answer = text.replace(/```[a-z]*\n?/giu, "").trim()
  // Half a JSON object is no prose.
  if (answer === "" || answer.length > answerMaxChars || /^\s*[{[]\s*"/u.test(answer)) return null
  const claims = claimsOfProse(answer).filter(({ citations }) => citations.length > 0)
  return claims.length === 0 ? null : { answerable: true, missing: null, answer, claims: [...claims] }
}

/** Each sentence with its markers as a claim; a sentence without markers is one that cites nothing. */
export const claimsOfProse = (prose: string): Array<Claim> => {
  // A marker behind the full stop belongs to the sentence before it.
  const text = prose.replace(
    /(?<![.!?。！？])([.!?。！？]+)((?:\s*\[[SD]\d{1,6}(?:\s*[,;]\s*[SD]\d{1,6})*\])+)/gu,
    " $2$1"
  )
  return sentences(text).flatMap(({ end, start }) => {
    const sentence = text.slice(start, end)
    const words = plain(sentence.replace(markerPattern, " ")).replace(/\s+(?=[.!?。！？]+$)/u, "")
    return /[\p{L}\p{N}]/u.test(words) ? [{ text: words, citations: [...markersIn(sentence)] }] : []
  })
}

export interface CheckedCitations {
  readonly claims: ReadonlyArray<Claim>
  /** How many citations named nothing in the registry. */
  readonly dropped: number
  /** `citation_mismatch` when prose and claims do not cite the same set. */
  readonly reasons: ReadonlyArray<string>
}

/** Keeps the citations that name something; a claim left with none stays, and will not be verified. */
export const checkCitations = (reply: ModelReply, registry: ReadonlySet<string>): CheckedCitations => {
  let dropped = 0
  const claims = reply.claims
    .filter(({ text }) => text !== "")
    .map(({ citations, text }) => {
      const known = citations.filter((id) => registry.has(id))
      dropped += citations.length - known.length
      return { text, citations: [...new Set(known)] }
    })
  const inClaims = new Set(reply.claims.flatMap(({ citations }) => citations))
  const inProse = markersIn(reply.answer)
  const same = inProse.length === inClaims.size && inProse.every((id) => inClaims.has(id))
  return { claims, dropped, reasons: same ? [] : ["citation_mismatch"] }
}
