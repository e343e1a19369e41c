import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, type EntityId, forEachYielding, groupBy, nameNorm } from "../../platform/kernel/index.js"
import { EntityStore, membersOf } from "../entities/index.js"
import { type Entry, entryOf, isRetired, qualifiedEntry, qualifiedNames } from "./entry.js"
import { entityOf } from "./iris.js"
import type { Concept, ImportOptions, StoredConcept } from "./model.js"
import { VocabularyStore } from "./store.js"

/** The planned outcome for a concept. */
export type ConceptPlan =
  | { readonly _tag: "New"; readonly entry: Entry }
  /** `entityId` is the head of its own entity. */
  | { readonly _tag: "Matched"; readonly entityId: EntityId; readonly ownId: EntityId }
  /** An entity without a concept has its type and name, and becomes this concept. */
  | { readonly _tag: "Adopted"; readonly entityId: EntityId; readonly entry: Entry }
  /** Its vocabulary says that it is the same as the concept of the IRI, which has its name. */
  | { readonly _tag: "Joined"; readonly into: string; readonly entry: Entry }
  /** A known concept that the vocabulary no longer holds. */
  | { readonly _tag: "LeftOut"; readonly entityId: EntityId }
  | {
      readonly _tag: "Conflict"
      readonly existingId: EntityId | null
      readonly reason: "name_taken" | "in_trash"
    }
  | { readonly _tag: "Skipped"; readonly reason: "no_label" | "label_too_long" | "proposed_already" }

/** Returns the unique key of a type and a name. */
const nameKey = ({ name, type }: Pick<Entry, "name" | "type">): string => `${type}\n${nameNorm(name)}`

/** What the concepts of a document need to know of each other. */
export interface NamePlan {
  /** The schemes of the concept that took each name earlier in this import. Extended by each concept. */
  readonly taken: Map<string, ReadonlyArray<string>>
  /** The IRI of the concept that each concept of the document is one with. */
  readonly sameAs: ReadonlyMap<string, string>
  /** Labels of schemes by IRI. */
  readonly schemeNames: ReadonlyMap<string, string>
}

export const noNamePlan = (): NamePlan => ({ taken: new Map(), sameAs: new Map(), schemeNames: new Map() })

/** Plans the import of concepts against the present state. */
export const planConcepts = (
  concepts: ReadonlyArray<Concept>,
  options: Pick<ImportOptions, "language" | "type">,
  names: NamePlan
) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const iris = concepts.map(({ iri }) => iri)
    const known = yield* knownAs(iris)
    const proposed = new Set((yield* store.proposed(workspace, iris)).map(({ iri }) => iri))
    const verdicts: Array<ConceptPlan> = []
    for (const concept of concepts) {
      const own = known.get(concept.iri)
      if (concept.plan?.leftOut === true)
        verdicts.push({ _tag: "LeftOut", entityId: own?.head ?? own?.id ?? unreachable(concept.iri) })
      else if (own !== undefined) verdicts.push(verdictOf(own))
      else if (proposed.has(concept.iri)) verdicts.push({ _tag: "Skipped", reason: "proposed_already" })
      else {
        const entry = entryOf(concept, options)
        const into = concept.plan?.joins ?? names.sameAs.get(concept.iri)
        if (typeof entry === "string") verdicts.push({ _tag: "Skipped", reason: entry })
        else if (into !== undefined) verdicts.push({ _tag: "Joined", into, entry })
        else verdicts.push(yield* byName(entry, concept, names))
      }
    }
    return verdicts
  })

const unreachable = (iri: string): never => {
  throw new Error(`The concept ${iri} is left out and not known.`)
}

const byName = (entry: Entry, concept: Concept, names: NamePlan) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const key = nameKey(entry)
    const earlier = names.taken.get(key)
    const holder = earlier === undefined ? yield* holderOf(entry) : null
    if (earlier === undefined) {
      const [other] = holder === null ? [] : yield* store.byEntity(workspace, [holder])
      if (holder === null || other === undefined) {
        names.taken.set(key, concept.schemes)
        return holder === null
          ? ({ _tag: "New", entry } satisfies ConceptPlan)
          : ({ _tag: "Adopted", entityId: holder, entry } satisfies ConceptPlan)
      }
      if (yield* isSame(concept, other, holder))
        return { _tag: "Joined", into: other.iri, entry } satisfies ConceptPlan
      names.taken.set(key, other.details.schemes)
    }
    const holderSchemes = names.taken.get(key) ?? []
    for (const name of qualifiedNames(entry, concept, holderSchemes, names.schemeNames)) {
      const qualified = { name, type: entry.type }
      if (names.taken.has(nameKey(qualified)) || (yield* holderOf(qualified)) !== null) continue
      names.taken.set(nameKey(qualified), concept.schemes)
      return { _tag: "New", entry: qualifiedEntry(entry, name) } satisfies ConceptPlan
    }
    return { _tag: "Conflict", existingId: holder, reason: "name_taken" } satisfies ConceptPlan
  })

/** Returns the live entity that has a type and a name. */
const holderOf = ({ name, type }: Pick<Entry, "name" | "type">) =>
  Effect.gen(function* () {
    const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
    return Option.getOrNull(yield* entities.findByName(workspace, type, nameNorm(name)))?.id ?? null
  })

/** Returns whether a concept or the known one of its name says that both are the same. */
const isSame = (concept: Concept, other: StoredConcept, holder: EntityId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const members = yield* store.byEntity(
      workspace,
      (yield* membersOf(holder)).map(({ id }) => id)
    )
    const exact = (mappings: Concept["mappings"]): ReadonlyArray<string> =>
      (mappings ?? []).flatMap(({ iri, kind }) => (kind === "exactMatch" ? [iri] : []))
    const said = new Set([...exact(concept.mappings), concept.replacedBy])
    return [other, ...members].some(
      ({ details, iri }) => said.has(iri) || exact(details.mappings).includes(concept.iri)
    )
  })

/**
 * Returns the concepts of a document that are one with another of the same name: those that `exactMatch` or
 * `isReplacedBy` joins, over any number of steps. The one that the others join is in use, known already if one is, and
 * the first.
 */
export const sameConcepts = (
  concepts: ReadonlyArray<Concept>,
  options: Pick<ImportOptions, "language" | "type">,
  isKnown: (iri: string) => boolean
): Effect.Effect<ReadonlyMap<string, string>> =>
  Effect.map(
    forEachYielding(concepts, (concept) =>
      Effect.sync(() => {
        const entry = entryOf(concept, options)
        return typeof entry === "string" ? [] : [[concept.iri, nameKey(entry)] as const]
      })
    ),
    (keys) => joinedBy(concepts, new Map(keys.flat()), isKnown)
  )

/** @param keys Type and name of each concept that has a name, by IRI. */
const joinedBy = (
  concepts: ReadonlyArray<Concept>,
  keys: ReadonlyMap<string, string>,
  isKnown: (iri: string) => boolean
): ReadonlyMap<string, string> => {
  /** Leads from each concept towards the first of its group. */
  const parents = new Map<string, string>()
  const rootOf = (iri: string): string => {
    let root = iri
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    // The whole way is made short, so that a long chain is not walked again by each of its concepts.
    for (let at = iri; at !== root; ) {
      const next = parents.get(at) ?? root
      parents.set(at, root)
      at = next
    }
    return root
  }
  for (const { iri, mappings, replacedBy } of concepts)
    for (const other of [
      ...(mappings ?? []).flatMap(({ iri, kind }) => (kind === "exactMatch" ? [iri] : [])),
      ...(replacedBy === null ? [] : [replacedBy])
    ]) {
      if (keys.get(iri) === undefined || keys.get(iri) !== keys.get(other)) continue
      const [a, b] = [rootOf(iri), rootOf(other)]
      if (a !== b) parents.set(a, b)
    }
  const groups = groupBy(
    concepts.filter(({ iri }) => keys.has(iri)),
    ({ iri }) => rootOf(iri)
  )
  const found = new Map<string, string>()
  for (const group of groups.values()) {
    if (group.length < 2) continue
    const rank = (one: Concept) => (isRetired(one) ? 2 : 0) + (isKnown(one.iri) ? 0 : 1)
    const [first] = group.toSorted((a, b) => rank(a) - rank(b))
    for (const { iri } of group) if (first !== undefined && iri !== first.iri) found.set(iri, first.iri)
  }
  return found
}

/** The entity of an IRI, and its head if it is live. */
export interface Known {
  readonly id: EntityId
  readonly head: EntityId | null
}

const verdictOf = ({ head, id }: Known): ConceptPlan =>
  head === null
    ? { _tag: "Conflict", existingId: id, reason: "in_trash" }
    : { _tag: "Matched", entityId: head, ownId: id }

/** Returns entities by their stored IRIs, or by IRIs derived from their ids. */
export const knownAs = (iris: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [store, entities, { workspace }] = [yield* VocabularyStore, yield* EntityStore, yield* Caller]
    const ids = new Map<string, EntityId>()
    for (const iri of iris) {
      const id = entityOf(iri)
      if (id !== null) ids.set(iri, id)
    }
    for (const { entityId, iri } of yield* store.byIri(workspace, iris)) ids.set(iri, entityId)
    const found = yield* entities.findMany(workspace, [...new Set(ids.values())])
    const merged = found.filter(({ headId, id }) => headId !== id).map(({ headId }) => headId)
    const live = new Set(
      [...found, ...(yield* entities.findMany(workspace, merged))]
        .filter(({ deletedAt }) => deletedAt === null)
        .map(({ id }) => id)
    )
    const there = new Set(found.map(({ id }) => id))
    const heads = new Map(
      found.map(({ headId, id }) => [id, live.has(id) && live.has(headId) ? headId : null])
    )
    return new Map(
      [...ids].flatMap(
        ([iri, id]): ReadonlyArray<readonly [string, Known]> =>
          there.has(id) ? [[iri, { id, head: heads.get(id) ?? null }]] : []
      )
    )
  })
