import { z } from "zod"
import { statesNothing } from "../../language/languages/index.js"
import { textUnits } from "../../language/text-analysis/index.js"
import type { Claim } from "../evidence/index.js"
import { markersIn, withMarkersInside, withPlainMarkers } from "./markers.js"

/** Schema of a chat model's reply: sentences in order, each with the ids of the evidence that supports it. */
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
  /** The answer as the model wrote it, with our markers; absent where it wrote sentences alone. */
  readonly prose?: string
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
  const value = readJson(text, cutOff)
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
  const { answer, answerable = true, missing = null } = parsed.data
  const { prose, sentences } = writtenIn(parsed.data)
  if (sentences === null && answerable) return { reply: null, violations: ["sentences: is missing."] }
  const chars = (sentences ?? []).reduce((sum, one) => sum + one.text.length, answer?.length ?? 0)
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
  return { reply, ...(prose === undefined ? {} : { prose }), violations }
}

export const citesNothing = ({ citations, text }: Claim): boolean =>
  citations.length === 0 && markersIn(text).length === 0

/** Prose without markers is left out where the statements are listed beside it with their citations. */
const writtenIn = ({
  answer,
  claims,
  sentences
}: z.infer<typeof LenientReply>): {
  readonly prose?: string
  readonly sentences: ModelReply["sentences"] | null
} => {
  const prose = answer === undefined ? undefined : withPlainMarkers(answer)
  const isProse = prose !== undefined && (claims === undefined || markersIn(prose).length > 0)
  const listed = sentences ?? (isProse ? undefined : claims)
  if (listed === undefined)
    return prose === undefined ? { sentences: null } : { prose, sentences: claimsOfProse(prose) }
  return { sentences: listed.flatMap(readSentence) }
}

const readSentence = (
  one: string | z.infer<typeof LenientSentence>
): ReadonlyArray<ModelReply["sentences"][number]> => {
  const { citations, text } = typeof one === "string" ? { text: one, citations: [] } : one
  return text.trim() === ""
    ? []
    : [{ text: withPlainMarkers(text.trim()), citations: citationsOf(citations ?? []) }]
}

/** The sentence that an object of a reply is, by itself; none where it is no sentence. */
export const sentencesOf = (json: string): ReadonlyArray<ModelReply["sentences"][number]> => {
  const parsed = LenientSentence.safeParse(tryJson(json))
  return parsed.success ? readSentence(parsed.data) : []
}

/** "S1", 1 and "[S1], [S2]" are all seen in the wild. */
const citationsOf = (citations: string | ReadonlyArray<string | number>): Array<string> =>
  [citations].flat().flatMap((one) => {
    if (typeof one === "number") return [`S${one}`]
    const ids = one.match(/\b[SD]\d{1,6}\b/giu)
    if (ids !== null) return ids.map((id) => id.toUpperCase())
    const number = /^\W{0,3}(\d{1,2})\W{0,3}$/u.exec(one)?.[1]
    return [number === undefined ? one.trim() : `S${number}`]
  })

const readJson = (text: string, cutOff: boolean): unknown => {
  const whole = tryJson(text)
  if (whole !== undefined) return whole
  const fenced = fencedText(text)
  const inFence = fenced === undefined ? undefined : tryJson(fenced)
  if (inFence !== undefined) return inFence
  // The last try: from the first brace, or the bracket of a list, to its partner; braces in strings left aside.
  const open = text.search(/\{|\[\s*\{/u)
  if (open < 0) return undefined
  const { last, text: completed } = mendedJson(text.slice(open), cutOff)
  return tryJson(completed) ?? (cutOff ? tryJson(last) : undefined)
}

/**
 * Returns the text between the first opening fence and the next fence that begins a line. It is searched for step by
 * step, since one regular expression for the whole takes cubic time on a long run of line breaks.
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
    // A list alone is that of the sentences.
    if (Array.isArray(value))
      return value.some((one) => typeof one === "object") ? { sentences: value } : undefined
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the first JSON value of a text, without commas before a closing bracket. Of a text that was cut off what is
 * open is closed; `last` is the same up to the last comma, for one that ends in half a value.
 */
const mendedJson = (text: string, cutOff: boolean): { readonly text: string; readonly last: string } => {
  const open: Array<string> = []
  const closed = (until: string, isQuoted = false) =>
    until + (isQuoted ? '"' : "") + open.toReversed().join("")
  let [out, last, quoted] = ["", "", false]
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (quoted) {
      const escaped = char === "\\" ? text.charAt(++at) : ""
      out += escaped === "" && char === "\\" ? "" : char + escaped
      if (char === '"') quoted = false
      continue
    }
    if (char === '"') quoted = true
    else if (char === "{" || char === "[") open.push(char === "{" ? "}" : "]")
    else if (char === "}" || char === "]") {
      out = out.replace(/,\s*$/u, "")
      open.pop()
      if (open.length === 0) return { text: out + char, last }
    } else if (char === "," && cutOff) last = closed(out)
    out += char
  }
  return { text: cutOff ? closed(out, quoted) : out, last }
}

/** The ids that an answer cites, in its claims or its prose. */
export const citedIds = ({
  answer,
  claims
}: {
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
}): ReadonlySet<string> => new Set([...claims.flatMap(({ citations }) => citations), ...markersIn(answer)])

/** Reads a reply without JSON: its sentences with their markers. Null for an empty reply and for half a JSON object. */
export const replyFromProse = (
  text: string
): { readonly reply: ModelReply; readonly prose: string } | null => {
  const prose = withPlainMarkers(
    text.replace(/^\s*```(?:markdown|md|text)?\n([\s\S]*?)\n```\s*$/iu, "$1").trim()
  )
  if (prose === "" || prose.length > answerMaxChars || /^[{[]\s*["{]/u.test(prose)) return null
  const sentences = claimsOfProse(prose)
  return sentences.length === 0 ? null : { reply: { answerable: true, missing: null, sentences }, prose }
}

/**
 * The prose of a reply that gave sentences: in their order as they are written, each with the markers that it lacks.
 * Blocks of Markdown keep their lines.
 */
export const proseOfSentences = ({ sentences }: ModelReply): string =>
  sentences.reduce((prose, { citations, text }) => {
    // A citation that is no id would be read as Markdown together with the markers beside it.
    const lacking = citations.filter(
      (id) => markersIn(`[${id}]`).includes(id) && !markersIn(text).includes(id)
    )
    const marked = `${text.trimEnd()}${lacking.length === 0 ? "" : ` ${lacking.map((id) => `[${id}]`).join("")}`}`
    const gap =
      prose === "" ? "" : isBlock(text) || isBlock(prose.slice(prose.lastIndexOf("\n") + 1)) ? "\n" : " "
    return `${prose}${gap}${marked}`
  }, "")

const isBlock = (line: string): boolean => /^\s{0,8}(?:[-*+•] |\d{1,3}[.)] |#{1,6} |> |\||```)/u.test(line)

/**
 * Cuts prose into statements with their markers: sentences, list items, table rows. A list with an introducing sentence
 * is one statement with it, because neither says anything alone. Headings are left out.
 */
export const claimsOfProse = (prose: string): Array<Claim> => {
  const text = withMarkersInside(prose)
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
  /** Number of citations that named nothing in the registry. */
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
