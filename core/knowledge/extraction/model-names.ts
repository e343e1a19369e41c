import { z } from "zod"
import { type DocumentId, nameNorm, normalForm } from "../../platform/kernel/index.js"
import { claimKey, isDetectable } from "../entities/index.js"
import type { KeptNames, NameClaim, NamedThing, ReadByModel, RelatedThings } from "../graph/index.js"

/** The expected reply of the model, where relations of these types are kept. */
export const namesReply = (types: ReadonlyArray<string>) =>
  z.object({
    names: z.array(
      z.object({
        name: z.string().describe("As it is written in the text."),
        type: z.string().describe("One or two words in small letters: person, organisation, place, product."),
        quote: z.string().describe("The words of the text around the name, exactly as they stand.")
      })
    ),
    relations: z
      .array(
        z.object({
          from: z.string().describe("One of the names."),
          type: z.string().describe(`One of: ${types.join(", ")}.`),
          to: z.string().describe("Another of the names."),
          quote: z.string().describe("The sentence of the text that states it, exactly as it stands.")
        })
      )
      .default([])
  })
export type NamesReply = z.infer<ReturnType<typeof namesReply>>

const nameMax = 120
const typeMax = 60
const quoteMax = 300
/** Maximum number of names per document. */
export const namesMax = 200
const relationsMax = 200

/**
 * Keeps the proposals that the texts confirm: the quote occurs in one of them, ignoring white space, and contains the
 * name as a whole word. The first type of a name wins. Pure.
 */
export const confirmedNames = (
  proposals: NamesReply["names"],
  texts: ReadonlyArray<string>
): ReadonlyArray<NamedThing> => {
  const sources = texts.map(collapsed)
  const thingByName = new Map<string, NamedThing>()
  for (const given of proposals) {
    const [name, quote] = [collapsed(given.name), collapsed(given.quote)]
    const type = typeOf(given.type)
    const key = claimKey(name)
    if (name.length > nameMax || type === "" || !isDetectable(key) || thingByName.has(key)) continue
    if (!holdsWord(quote, name) || !sources.some((text) => text.includes(quote))) continue
    thingByName.set(key, { name, type, quote: quote.slice(0, quoteMax) })
    if (thingByName.size === namesMax) break
  }
  return [...thingByName.values()]
}

/**
 * Keeps the names and relations that the texts confirm: a relation whose quote stands in one of them, between two names
 * that are kept, of one of these types. Pure.
 */
export const confirmed = (
  reply: NamesReply,
  texts: ReadonlyArray<string>,
  types: ReadonlyArray<string>
): ReadByModel => {
  const names = confirmedNames(reply.names, texts)
  const nameOf = new Map(names.map(({ name }) => [claimKey(name), name]))
  const sources = texts.map(collapsed)
  const relations = new Map<string, RelatedThings>()
  for (const given of reply.relations) {
    const [from, to] = [nameOf.get(claimKey(given.from)), nameOf.get(claimKey(given.to))]
    const [quote, type] = [collapsed(given.quote), nameNorm(given.type).replace(/[\s-]+/gu, "_")]
    if (from === undefined || to === undefined || from === to || !types.includes(type)) continue
    if (quote === "" || !sources.some((text) => text.includes(quote)) || relations.size === relationsMax)
      continue
    relations.set(`${from}\n${type}\n${to}`, { from, type, to, quote: quote.slice(0, quoteMax) })
  }
  const dropped = reply.names.length + reply.relations.length - names.length - relations.size
  return { names, relations: [...relations.values()], dropped }
}

export const collapsed = (text: string): string => normalForm(text, "NFC").replace(/\s+/gu, " ").trim()

/** Reduces a type to letters, digits, blanks and hyphens. */
const typeOf = (given: string): string => {
  const type = nameNorm(given).slice(0, typeMax).trim()
  return /^\p{L}[\p{L}\p{N} _-]*$/u.test(type) ? type : ""
}

const holdsWord = (text: string, name: string): boolean => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = [text.slice(0, at).at(-1), text[at + name.length]]
    if (around.every((sign) => sign === undefined || !/[\p{L}\p{N}]/u.test(sign))) return true
  }
  return false
}

/** Returns the name claims that result from a model's names. */
export const namedClaims = (documentId: DocumentId, kept: KeptNames | undefined): ReadonlyArray<NameClaim> =>
  (kept?.names ?? []).map(({ name, type }) => ({
    documentId,
    key: claimKey(name),
    role: "named",
    type,
    name,
    subject: "",
    prose: 0,
    headings: 0
  }))
