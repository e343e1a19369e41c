import { claimKey, groupBy, stopWords, surfaceKey } from "../entities/index.js"
import type { DocumentId } from "../kernel/index.js"
import type { Facts, Reference } from "./document-facts.js"

/**
 * What one document says about one name. `self`: it is about it; `alias`: another name of what it is about
 * (`subject` is the key of that); `tag`; `link`: it links to it by name and no document has that name;
 * `term`: its prose uses it like a name; `named`: a model says that it names a thing of that type.
 */
export interface NameClaim {
  readonly documentId: DocumentId
  readonly key: string
  readonly role: "self" | "alias" | "tag" | "link" | "term" | "named"
  readonly type: string
  readonly name: string
  readonly subject: string
  readonly prose: number
  readonly headings: number
}

export const tagType = "tag"
const conceptType = "concept"

/** The claims of a document, but for its links: those depend on the other documents. */
export const claimsOf = (documentId: DocumentId, facts: Facts): ReadonlyArray<NameClaim> => {
  const { aliases, name, type } = facts.self
  const own = claimKey(name)
  const none = { documentId, subject: "", prose: 0, headings: 0 }
  return [
    { ...none, key: own, role: "self", type, name },
    ...aliases.map(
      (alias): NameClaim => ({
        ...none,
        key: claimKey(alias),
        role: "alias",
        type,
        name: alias,
        subject: own
      })
    ),
    ...facts.tags.map(
      (tag): NameClaim => ({ ...none, key: claimKey(tag), role: "tag", type: tagType, name: tag })
    ),
    ...facts.terms.map(
      ({ headings, key, name: term, prose }): NameClaim => ({
        ...none,
        key,
        role: "term",
        type: conceptType,
        name: term,
        prose,
        headings
      })
    )
  ]
}

/** The name of a wiki link that leads nowhere: a page that somebody means to write. Null for paths and files. */
export const missingPage = ({ to }: Reference): string | null => {
  if (!("link" in to) || to.link.kind !== "wiki") return null
  const name = (to.link.target.split("/").at(-1) ?? "").trim().slice(0, 400)
  return /\.[a-z0-9]{1,5}$/iu.test(name) || surfaceKey(name) === "" ? null : name
}

/** Claims for links that lead to no document. `targets` holds, for each reference, where it leads. */
export const linkClaims = (
  documentId: DocumentId,
  references: ReadonlyArray<Reference>,
  targets: ReadonlyArray<DocumentId | null>
): ReadonlyArray<NameClaim> => {
  const names = new Set(
    references.flatMap((reference, place) => (targets[place] === null ? (missingPage(reference) ?? []) : []))
  )
  return [...names].map((name) => ({
    documentId,
    key: claimKey(name),
    role: "link",
    type: conceptType,
    name,
    subject: "",
    prose: 0,
    headings: 0
  }))
}

/** Least documents and occurrences that make a term a concept (`docs/decisions`: what both real vaults showed). */
const termSupport = { documents: 2, occurrences: 3, prose: 2 } as const

/** What the documents want for one key: entities by type, with name and aliases. */
export type WantedNames = ReadonlyMap<
  string,
  { readonly name: string; readonly aliases: ReadonlyArray<string> }
>

/**
 * Decides which entities the claims about one key make: those that documents are about, else a tag, else a
 * thing of the type that a model tells, else a concept that a link names or the prose supports. Pure; equal claims in any order give equal results.
 *
 * @param claims All claims with this key.
 * @param aliases All alias claims whose subject is this key.
 * @param singular All claims with the key less its plural "s", when it has one.
 * @param smallCount How many documents have the key, a single word, in small letters.
 * @param heldBy Types of entities that people hold under this name: no tag and no concept is made beside them.
 */
export const decideName = (
  key: string,
  claims: ReadonlyArray<NameClaim>,
  aliases: ReadonlyArray<NameClaim>,
  singular: ReadonlyArray<NameClaim>,
  smallCount: (key: string) => number,
  heldBy: ReadonlySet<string>
): WantedNames => {
  const wanted = new Map<string, { name: string; aliases: ReadonlyArray<string> }>()
  const selfs = groupBy(
    claims.filter(({ role }) => role === "self"),
    ({ type }) => type
  )
  for (const [type, own] of selfs) {
    const names = aliases.filter((alias) => alias.type === type).map(({ name }) => name)
    wanted.set(type, { name: mostUsed(own), aliases: [...new Set(names)].sort() })
  }
  const isTopic = claims.some(({ role }) => role === "self" || role === "alias")
  const tags = claims.filter(({ role }) => role === "tag")
  const isHeldBeside = (type: string) => [...heldBy].some((other) => other !== type)
  if (tags.length > 0 && !isTopic && !isHeldBeside(tagType))
    wanted.set(tagType, { name: mostUsed(tags), aliases: [] })
  if (isTopic || tags.length > 0 || isHeldBeside(conceptType)) return wanted
  const named = claims.filter(({ role }) => role === "named")
  const namedType = mostTold(named)
  if (namedType !== undefined && !isHeldBeside(namedType)) {
    wanted.set(namedType, { name: mostUsed(named.filter(({ type }) => type === namedType)), aliases: [] })
    return wanted
  }
  const links = claims.filter(({ role }) => role === "link")
  const terms = claims.filter(({ role }) => role === "term")
  const isConcept =
    links.length > 0 || (isSupported(key, terms, smallCount) && !isPlural(key, singular, smallCount))
  // The spelling of a link is chosen with care; that of the prose is what most write.
  if (isConcept) wanted.set(conceptType, { name: mostUsed(links.length > 0 ? links : terms), aliases: [] })
  return wanted
}

/** The type that most documents tell; of equal ones the first in code unit order. */
const mostTold = (named: ReadonlyArray<NameClaim>): string | undefined => {
  const counts = new Map<string, number>()
  for (const { type } of named) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0]
}

/** Whether the prose uses it as a name often enough; the count of small spellings apart. */
export const hasSupport = (key: string, terms: ReadonlyArray<NameClaim>): boolean => {
  if (stopWords.has(key)) return false
  const prose = terms.reduce((sum, claim) => sum + claim.prose, 0)
  const headings = terms.reduce((sum, claim) => sum + claim.headings, 0)
  return (
    new Set(terms.map(({ documentId }) => documentId)).size >= termSupport.documents &&
    prose + headings >= termSupport.occurrences &&
    prose >= termSupport.prose &&
    // What stands over sections more often than inside them is the form of the documents, not their topic.
    prose > headings
  )
}

/** A name is written as one in more documents than as an ordinary word. */
const isSupported = (
  key: string,
  terms: ReadonlyArray<NameClaim>,
  smallCount: (key: string) => number
): boolean =>
  hasSupport(key, terms) && new Set(terms.map(({ documentId }) => documentId)).size > smallCount(key)

/** The singular is known by itself, and detection finds the plural with it. */
const isPlural = (
  key: string,
  singular: ReadonlyArray<NameClaim>,
  smallCount: (key: string) => number
): boolean => {
  const one = key.slice(0, -1)
  return singular.some(({ role }) => role !== "term") || isSupported(one, singular, smallCount)
}

/** The spelling with most occurrences; of equal ones the first in code unit order. */
const mostUsed = (claims: ReadonlyArray<NameClaim>): string => {
  const counts = new Map<string, number>()
  for (const { headings, name, prose } of claims) {
    counts.set(name, (counts.get(name) ?? 0) + Math.max(1, prose + headings))
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? ""
}

/** The key less its plural "s"; null when it cannot be one. */
export const singularOf = (key: string): string | null =>
  key.endsWith("s") && (key.split(" ").at(-1)?.length ?? 0) > 3 ? key.slice(0, -1) : null

/** Two claims say the same. */
export const claimText = ({ headings, key, name, prose, role, subject, type }: NameClaim): string =>
  JSON.stringify([key, role, type, name, subject, prose, headings])
