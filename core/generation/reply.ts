import { z } from "zod"
import type { Claim } from "../evidence/index.js"
import { matchesOf, statesNothing } from "../languages/index.js"
import { textUnits } from "../text-analysis/index.js"

/** What a chat model is asked to write: sentences in order, each with the ids of the evidence that supports it. */
export const ModelReply = z.object({
  answerable: z.boolean(),
  missing: z.string().nullable(),
  sentences: z.array(z.object({ text: z.string(), citations: z.array(z.string()) }))
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

const LenientSentence = z.object({
  text: z.string(),
  citations: z.union([z.array(z.union([z.string(), z.number()])), z.string()]).nullish()
})

/**
 * Models forget empty fields, give single ids as strings, and write the answer as prose (`answer`), with its statements
 * in a list of their own (`claims`) or not.
 */
const LenientReply = z.object({
  answerable: z.boolean().optional(),
  missing: z.string().nullish(),
  sentences: z.array(z.union([LenientSentence, z.string()])).optional(),
  answer: z.string().optional(),
  claims: z.array(LenientSentence).optional()
})

/** A longer reply is no answer to a question. */
const answerMaxChars = 20_000
const sentencesMax = 200

/**
 * Reads a reply: JSON alone, in a code fence or with prose around it. `cutOff` says that the model ran out of
 * tokens, which makes the reply invalid even if it parses.
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
  const { answerable = true, missing = null } = parsed.data
  const sentences = sentencesOf(parsed.data)
  if (sentences === null && answerable) return { reply: null, violations: ["sentences: is missing."] }
  const chars = (sentences ?? []).reduce((sum, one) => sum + one.text.length, parsed.data.answer?.length ?? 0)
  if (chars > answerMaxChars || (sentences ?? []).length > sentencesMax)
    return { reply: null, violations: ["The reply is too long."] }
  const reply: ModelReply = { answerable, missing, sentences: sentences ?? [] }
  const violations = [
    ...(cutOff ? ["The reply was cut off."] : []),
    ...(answerable && reply.sentences.length === 0
      ? ["sentences: is empty although answerable is true."]
      : []),
    ...(answerable && reply.sentences.length > 0 && reply.sentences.every(citesNothing)
      ? ["sentences: none has a citation."]
      : [])
  ]
  return { reply, violations }
}

const citesNothing = ({ citations, text }: Claim): boolean =>
  citations.length === 0 && markersIn(text).length === 0

/** Prose without markers is left out where the statements are listed beside it with their citations. */
const sentencesOf = ({
  answer,
  claims,
  sentences
}: z.infer<typeof LenientReply>): ModelReply["sentences"] | null => {
  const isProse = answer !== undefined && (claims === undefined || markersIn(answer).length > 0)
  const listed = sentences ?? (isProse ? undefined : claims)
  if (listed !== undefined)
    return listed.flatMap((one) => {
      const { citations, text } = typeof one === "string" ? { text: one, citations: [] } : one
      return text.trim() === "" ? [] : [{ text: text.trim(), citations: citationsOf(citations ?? []) }]
    })
  return answer === undefined ? null : claimsOfProse(answer)
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

/** Markers that prose may hold: [S1], [S1, D2]. */
export const markerPattern = /\[([SD]\d{1,6}(?:\s*[,;]\s*[SD]\d{1,6})*)\]/gu

/** The ids that prose cites, in order, each once. */
export const markersIn = (prose: string): ReadonlyArray<string> =>
  prose.includes("[")
    ? [...new Set(matchesOf(markerPattern, prose).flatMap((match) => (match[1] ?? "").split(/\s*[,;]\s*/u)))]
    : []

/** The ids that an answer cites, in its claims or its prose. */
export const citedIds = ({
  answer,
  claims
}: {
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
}): ReadonlySet<string> => new Set([...claims.flatMap(({ citations }) => citations), ...markersIn(answer)])

/**
 * The last resort for a reply without JSON: its sentences with their markers. Null for an empty reply and for one that
 * cites nothing.
 */
export const replyFromProse = (text: string): ModelReply | null => {
  const answer = text.replace(/```[a-z]*\n?/giu, "").trim()
  // Half a JSON object is no prose.
  if (answer === "" || answer.length > answerMaxChars || /^\s*[{[]\s*"/u.test(answer)) return null
  const sentences = claimsOfProse(answer)
  return sentences.every(citesNothing) ? null : { answerable: true, missing: null, sentences }
}

/**
 * Cuts prose into statements with their markers: sentences, list items, table rows. A list with an introducing sentence
 * is one statement with it, because neither says anything alone. Headings are left out.
 */
export const claimsOfProse = (prose: string): Array<Claim> => {
  // A marker behind the full stop belongs to the sentence before it.
  const text = prose.replace(
    /(?<![.!?。！？])([.!?。！？]+)((?:\s*\[[SD]\d{1,6}(?:\s*[,;]\s*[SD]\d{1,6})*\])+)/gu,
    " $2$1"
  )
  const units = textUnits(text)
  const whole = units.filter(({ kind, lead }) => kind === "list" && lead !== "")
  return units.flatMap((unit): Array<Claim> => {
    const { end, kind, start } = unit
    const isInWhole = whole.some(
      (list) =>
        list !== unit &&
        ((list.start <= start && end <= list.end) || (end <= list.start && list.lead === unit.text))
    )
    if (isInWhole || (kind === "list" && !whole.includes(unit))) return []
    const words = unit.text
      .replace(/\s*[[(][SD]\d{1,6}(?:\s*[,;]\s*[SD]\d{1,6})*[\])]/gu, "")
      .replace(/\s+/gu, " ")
      .trim()
    return /[\p{L}\p{N}]/u.test(words)
      ? [{ text: words, citations: [...markersIn(text.slice(start, end))] }]
      : []
  })
}

/**
 * The statements of a reply, one sentence each: a text of several sentences is cut, its citations hold for each that has
 * no markers of its own, and what states nothing is left out.
 */
export const statementsOf = ({ sentences }: ModelReply): Array<Claim> =>
  sentences.flatMap(({ citations, text }) => {
    const cut = claimsOfProse(text)
    return cut.flatMap((one) => {
      const cites =
        cut.length === 1
          ? [...new Set([...citations, ...one.citations])]
          : one.citations.length > 0
            ? one.citations
            : citations
      return statesNothing(one.text) ? [] : [{ text: one.text, citations: cites }]
    })
  })

export interface CheckedCitations {
  readonly claims: ReadonlyArray<Claim>
  /** How many citations named nothing in the registry. */
  readonly dropped: number
  /** `citation_mismatch` when a citation named nothing. */
  readonly reasons: ReadonlyArray<string>
}

/** Keeps the citations that name something. A claim left with none stays, and is not verified. */
export const checkCitations = (
  stated: ReadonlyArray<Claim>,
  registry: ReadonlySet<string>
): CheckedCitations => {
  let dropped = 0
  const claims = stated
    .filter(({ text }) => text !== "")
    .map(({ citations, text }) => {
      const known = citations.filter((id) => registry.has(id))
      dropped += citations.length - known.length
      return { text, citations: [...new Set(known)] }
    })
  return { claims, dropped, reasons: dropped === 0 ? [] : ["citation_mismatch"] }
}
