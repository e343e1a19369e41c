import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, type EntityId, nameNorm } from "../../platform/kernel/index.js"
import { EntityStore } from "../entities/index.js"
import { type Entry, entryOf } from "./entry.js"
import { entityOf } from "./iris.js"
import type { Concept, ImportOptions } from "./model.js"
import { VocabularyStore } from "./store.js"

/** The planned outcome for a concept. */
export type ConceptPlan =
  | { readonly _tag: "New"; readonly entry: Entry }
  | { readonly _tag: "Matched"; readonly entityId: EntityId }
  /** An entity without a concept has its type and name, and becomes this concept. */
  | { readonly _tag: "Adopted"; readonly entityId: EntityId; readonly entry: Entry }
  | {
      readonly _tag: "Conflict"
      readonly existingId: EntityId | null
      readonly reason: "name_taken" | "in_trash"
      /** The name key, if an earlier concept of the same import has it. */
      readonly key?: string
    }
  | { readonly _tag: "Skipped"; readonly reason: "no_label" | "label_too_long" | "proposed_already" }

/** Returns the unique key of a type and a name. */
export const nameKey = ({ name, type }: Pick<Entry, "name" | "type">): string => `${type}\n${nameNorm(name)}`

/**
 * Plans the import of a concept against the present state. `taken` holds the names taken by earlier concepts of this
 * import and is extended; null means that the entity is not created yet.
 */
export const planConcept = (
  concepts: ReadonlyArray<Concept>,
  options: Pick<ImportOptions, "language" | "type">,
  taken: Map<string, EntityId | null>
) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const iris = concepts.map(({ iri }) => iri)
    const known = yield* knownAs(iris)
    const proposed = new Set(yield* store.proposed(workspace, iris))
    const verdicts: Array<ConceptPlan> = []
    for (const concept of concepts) {
      const own = known.get(concept.iri)
      if (own !== undefined) verdicts.push(verdictOf(own))
      else if (proposed.has(concept.iri)) verdicts.push({ _tag: "Skipped", reason: "proposed_already" })
      else {
        const entry = entryOf(concept, options)
        verdicts.push(
          typeof entry === "string" ? { _tag: "Skipped", reason: entry } : yield* byName(entry, taken)
        )
      }
    }
    return verdicts
  })

const byName = (entry: Entry, taken: Map<string, EntityId | null>) =>
  Effect.gen(function* () {
    const [store, entities, { workspace }] = [yield* VocabularyStore, yield* EntityStore, yield* Caller]
    const key = nameKey(entry)
    const earlier = taken.get(key)
    if (earlier !== undefined)
      return { _tag: "Conflict", existingId: earlier, reason: "name_taken", key } satisfies ConceptPlan
    const holder = Option.getOrNull(yield* entities.findByName(workspace, entry.type, nameNorm(entry.name)))
    taken.set(key, holder?.id ?? null)
    if (holder === null) return { _tag: "New", entry } satisfies ConceptPlan
    const [other] = yield* store.byEntity(workspace, [holder.id])
    return other === undefined
      ? ({ _tag: "Adopted", entityId: holder.id, entry } satisfies ConceptPlan)
      : ({ _tag: "Conflict", existingId: holder.id, reason: "name_taken" } satisfies ConceptPlan)
  })

/** The entity of an IRI, and its head if it is live. */
export interface Known {
  readonly id: EntityId
  readonly head: EntityId | null
}

const verdictOf = ({ head, id }: Known): ConceptPlan =>
  head === null
    ? { _tag: "Conflict", existingId: id, reason: "in_trash" }
    : { _tag: "Matched", entityId: head }

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
