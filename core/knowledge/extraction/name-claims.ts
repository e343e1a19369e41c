import * as Batches from "effect/Array"
import { type DocumentId, groupBy } from "../../platform/kernel/index.js"
import { type Facts, qualifiedNames, type Reference } from "../document-facts/index.js"
import { claimKey, homonymKey, stopWords, surfaceKey } from "../entities/index.js"
import type { NameClaim } from "../graph/index.js"
import { type NamedInProse, type StatedRelation, shortNames } from "../prose/index.js"

export const tagType = "tag"
export const conceptType = "concept"

/** Claims made without yielding: some milliseconds. */
export const claimsAtOnce = 2_000

/** Returns the claims of a document except link claims, which depend on other documents. */
export const claimsOf = (documentId: DocumentId, facts: Facts): ReadonlyArray<NameClaim> =>
  claimParts(documentId, facts).flatMap((part) => part())

/**
 * Returns the claims of a document in parts that each make about `claimsAtOnce` claims when called, so that a caller
 * can yield between them. Call the parts in order: a later one leaves out what an earlier one claimed.
 */
export const claimParts = (
  documentId: DocumentId,
  facts: Facts
): ReadonlyArray<() => ReadonlyArray<NameClaim>> => {
  const { aliases, name, type } = facts.self
  const { names: things, relations } = facts.prose ?? { names: [], relations: [] }
  const own = claimKey(name)
  const related = new Set(relations.flatMap(({ from, to }) => [from, to]))
  // The short names of what may be no entity would hide what other documents call so.
  const isThing = (one: NamedInProse) => one.count >= typedOccurrences || related.has(one.name)
  const none = { documentId, subject: "", prose: 0, headings: 0 }
  const named = (thing: { readonly name: string; readonly type: string }): NameClaim => ({
    ...none,
    key: claimKey(thing.name),
    role: "named",
    type: thing.type,
    name: thing.name
  })
  const self: ReadonlyArray<NameClaim> =
    own === ""
      ? []
      : [
          { ...none, key: own, role: "self", type, name, subject: facts.self.qualifier },
          ...aliases.map(
            (alias): NameClaim => ({
              ...none,
              key: claimKey(alias),
              role: "alias",
              type,
              name: alias,
              subject: own
            })
          )
        ]
  return [
    () => self,
    ...inParts(facts.tags, (tag) => [{ ...none, key: claimKey(tag), role: "tag", type: tagType, name: tag }]),
    ...inParts(facts.named, (thing) => [named(thing)]),
    ...inParts(things.filter(isThing), (thing) =>
      shortNames(thing).map((alias) => ({
        ...none,
        key: claimKey(alias),
        role: "alias",
        type: thing.type ?? conceptType,
        name: alias,
        subject: claimKey(thing.name)
      }))
    ),
    ...inParts(relatedThings(relations), (thing) => [named(thing)]),
    ...inParts(facts.terms, ({ headings, key, name: term, prose, type: shown }) => [
      { ...none, key, role: "term", type: shown ?? conceptType, name: term, prose, headings }
    ])
  ]
}

const inParts = <Item>(
  items: ReadonlyArray<Item>,
  claims: (item: Item) => ReadonlyArray<NameClaim>
): ReadonlyArray<() => ReadonlyArray<NameClaim>> =>
  Batches.chunksOf(items, claimsAtOnce).map((some) => () => some.flatMap((item) => claims(item)))

/** Returns the names between which a document states relations: these are things, however seldom named. */
const relatedThings = (
  relations: ReadonlyArray<Pick<StatedRelation, "from" | "to" | "fromType" | "toType">>
) => {
  const things = new Map<string, { readonly name: string; readonly type: string }>()
  for (const { from, fromType, to, toType } of relations) {
    things.set(`${fromType} ${from}`, { name: from, type: fromType ?? conceptType })
    things.set(`${toType} ${to}`, { name: to, type: toType ?? conceptType })
  }
  return [...things.values()]
}

/**
 * Returns the name of a wiki link without target, or null for files and for paths that may lead out of the vault.
 */
export const missingPage = ({ to }: Reference): string | null => {
  if (!("link" in to) || to.link.kind !== "wiki") return null
  const segments = to.link.target.split("/").map((segment) => segment.trim())
  if (segments.length > 1 && (segments[0] === "" || segments.includes(".."))) return null
  const name = (segments.at(-1) ?? "").slice(0, 400).trim()
  return /\.[a-z0-9]{1,5}$/iu.test(name) || surfaceKey(name) === "" ? null : name
}

/** Returns claims for references without a target. `targets` holds the target of each reference. */
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

/**
 * Minimum numbers of documents and occurrences for a term to become a concept (see `docs/decisions`; measured on two
 * real vaults).
 */
const termSupport = { documents: 2, occurrences: 3, prose: 2 } as const
/** Minimum number of occurrences in the prose of a single document. */
const loneTermProse = 5

/** An entity that a key should have. */
export interface WantedName {
  readonly type: string
  /** The claim key: the key itself, or that of one of several documents with this name. */
  readonly claimKey: string
  /** Possible names, the best first; the others are for the case that another entity has it. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
  readonly aliases: ReadonlyArray<string>
}

/** Returns the type of a name that was found in prose or in a link, as far as its words show it. */
export type NameType = (name: string) => string | null

/**
 * Decides which entities a key makes: subjects of documents, else a tag, else a thing of a known type, else a concept
 * named by a link or supported by prose. Each document has an entity of its own; those of one name and type are told
 * apart by a qualifier. Pure; equal claims in any order give equal results.
 *
 * @param claims All claims with this key.
 * @param aliases All alias claims whose subject is this key.
 * @param singular All claims with the key without its plural "s", if it has one.
 * @param smallCount Returns how many documents contain a single-word key in lower case.
 * @param heldBy Types of entities that people maintain under this name; no tag or concept is made beside them.
 */
export const decideName = (
  key: string,
  claims: ReadonlyArray<NameClaim>,
  aliases: ReadonlyArray<NameClaim>,
  singular: ReadonlyArray<NameClaim>,
  smallCount: (key: string) => number,
  heldBy: ReadonlySet<string>,
  typeOfName: NameType = () => null
): ReadonlyArray<WantedName> => {
  const wanted: Array<WantedName> = []
  const want = (type: string, name: string, names: ReadonlyArray<string> = []) =>
    wanted.push({ type, claimKey: key, names: [name], aliases: [...new Set(names)].sort() })
  const selfs = groupBy(
    claims.filter(({ role }) => role === "self"),
    ({ type }) => type
  )
  for (const [type, own] of selfs) {
    // Sentences may show another type than that of the only page; the name is its name all the same.
    const named = aliases.filter((alias) => alias.type === type || selfs.size === 1)
    if (own.length === 1) {
      want(
        type,
        mostUsed(own),
        named.map(({ name }) => name)
      )
      continue
    }
    for (const { documentId, name, names } of qualifiedNames(own)) {
      const others = named.filter((alias) => alias.documentId === documentId).map((alias) => alias.name)
      wanted.push({
        type,
        claimKey: homonymKey(key, documentId),
        names,
        aliases: [...new Set([name, ...others])].sort()
      })
    }
  }
  const isTopic = claims.some(({ role }) => role === "self" || role === "alias")
  const tags = claims.filter(({ role }) => role === "tag")
  const isHeldBeside = (type: string) => [...heldBy].some((other) => other !== type)
  if (tags.length > 0 && !isTopic && !isHeldBeside(tagType)) want(tagType, mostUsed(tags))
  if (isTopic || tags.length > 0 || isHeldBeside(conceptType)) return wanted
  const named = claims.filter(({ role }) => role === "named")
  const terms = claims.filter(({ role }) => role === "term")
  const typed = terms.filter(({ type }) => type !== conceptType)
  const isThing =
    named.length > 0 || (isNamedOften(key, typed, smallCount) && !isPlural(key, singular, smallCount))
  const namedType = isThing ? typeAmong(named, typed) : undefined
  if (namedType !== undefined && !isHeldBeside(namedType)) {
    const spelled = [...named, ...typed].filter(({ type }) => type === namedType)
    want(
      namedType,
      mostUsed(spelled),
      aliases.map(({ name }) => name)
    )
    return wanted
  }
  const links = claims.filter(({ role }) => role === "link")
  const isConcept =
    links.length > 0 || (isSupported(key, terms, smallCount) && !isPlural(key, singular, smallCount))
  // The spelling of a link is deliberate; among prose spellings the most frequent wins.
  if (isConcept) {
    const name = mostUsed(links.length > 0 ? links : terms)
    const type = typeOfName(name) ?? conceptType
    if (!isHeldBeside(type)) want(type, name)
  }
  return wanted
}

/** Returns the type that things named outright have, else that which sentences show, else that of a concept. */
const typeAmong = (named: ReadonlyArray<NameClaim>, typed: ReadonlyArray<NameClaim>): string | undefined => {
  const typedByText = named.filter(({ type }) => type !== conceptType)
  return mostFrequentType(typedByText) ?? mostFrequentType(typed) ?? mostFrequentType(named)
}

/** Returns the most frequent type; ties go to the first in code unit order. */
const mostFrequentType = (named: ReadonlyArray<NameClaim>): string | undefined => {
  const counts = new Map<string, number>()
  for (const { type } of named) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0]
}

/** Minimum number of occurrences of a name whose sentences show its type. */
const typedOccurrences = 2

/** Returns whether texts name the thing often enough, before lower-case occurrences are considered. */
const hasTypedSupport = (typed: ReadonlyArray<NameClaim>): boolean =>
  typed.reduce((sum, { prose }) => sum + prose, 0) >= typedOccurrences

const isNamedOften = (
  key: string,
  typed: ReadonlyArray<NameClaim>,
  smallCount: (key: string) => number
): boolean =>
  hasTypedSupport(typed) &&
  !stopWords.has(key) &&
  new Set(typed.map(({ documentId }) => documentId)).size > smallCount(key)

/** Returns whether texts use the key as a name often enough, before lower-case occurrences are considered. */
export const mayBeNamed = (key: string, claims: ReadonlyArray<NameClaim>): boolean => {
  const terms = claims.filter(({ role }) => role === "term")
  return hasSupport(key, terms) || hasTypedSupport(terms.filter(({ type }) => type !== conceptType))
}

const hasSupport = (key: string, terms: ReadonlyArray<NameClaim>): boolean => {
  if (stopWords.has(key)) return false
  const prose = terms.reduce((sum, claim) => sum + claim.prose, 0)
  const headings = terms.reduce((sum, claim) => sum + claim.headings, 0)
  const documents = new Set(terms.map(({ documentId }) => documentId)).size
  return (
    (documents >= termSupport.documents || prose >= loneTermProse) &&
    prose + headings >= termSupport.occurrences &&
    prose >= termSupport.prose &&
    // Words that occur in headings more often than in sections belong to the document structure, not the topic.
    prose > headings
  )
}

/** Returns whether more documents use the key as a name than as an ordinary word. */
const isSupported = (
  key: string,
  terms: ReadonlyArray<NameClaim>,
  smallCount: (key: string) => number
): boolean =>
  hasSupport(key, terms) && new Set(terms.map(({ documentId }) => documentId)).size > smallCount(key)

/** Returns whether the key is the plural of a name that exists by itself; detection then finds the plural too. */
const isPlural = (
  key: string,
  singular: ReadonlyArray<NameClaim>,
  smallCount: (key: string) => number
): boolean => {
  const one = key.slice(0, -1)
  return singular.some(({ role }) => role !== "term") || isSupported(one, singular, smallCount)
}

/** Returns the most frequent spelling; ties go to the first in code unit order. */
const mostUsed = (claims: ReadonlyArray<NameClaim>): string => {
  const counts = new Map<string, number>()
  for (const { headings, name, prose } of claims) {
    counts.set(name, (counts.get(name) ?? 0) + Math.max(1, prose + headings))
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? ""
}

/** Returns the key without its plural "s", or null. */
export const singularOf = (key: string): string | null =>
  key.endsWith("s") && (key.split(" ").at(-1)?.length ?? 0) > 3 ? key.slice(0, -1) : null

/** Returns a text that is equal for equal claims. */
export const claimText = ({ headings, key, name, prose, role, subject, type }: NameClaim): string =>
  JSON.stringify([key, role, type, name, subject, prose, headings])
