import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, type EntityId, nameNorm, yieldToEventLoop } from "../../platform/kernel/index.js"
import { deprecate, proposeChange } from "../curation/index.js"
import {
  allAliases,
  EntityStore,
  entityLimits,
  refuseTakenName,
  type StoredEntity,
  updateEntity
} from "../entities/index.js"
import { deleteRelation, GraphStore, restoreRelation } from "../graph/index.js"
import { type Entry, entryOf, isRetired, qualifiedEntry } from "./entry.js"
import { iriOf } from "./iris.js"
import type { Concept, ConceptDetails, EditionChange, ImportOptions, Stated, StoredConcept } from "./model.js"
import { type ConceptPlan, knownAs } from "./plan-concept.js"
import { VocabularyStore } from "./store.js"

/** How a known concept differs from the document. */
export interface Difference {
  readonly stored: StoredConcept
  readonly head: EntityId
  readonly changes: ReadonlyArray<EditionChange>
  /** IRIs that the vocabulary no longer links to. */
  readonly stale: Stale
}

interface Stale {
  readonly broader: ReadonlyArray<string>
  readonly related: ReadonlyArray<string>
}

/**
 * Compares known concepts with the document. What is compared is what the vocabulary stated last, so changes that
 * people made here are no differences. Returns an entry for each concept that has stored details.
 */
export const differencesOf = (concepts: ReadonlyArray<Concept>, verdicts: ReadonlyArray<ConceptPlan>) =>
  Effect.gen(function* () {
    const [store, entities, { workspace }] = [yield* VocabularyStore, yield* EntityStore, yield* Caller]
    const matched = concepts.flatMap((concept, place) => {
      const verdict = verdicts[place]
      return verdict?._tag === "Matched" ? [{ concept, ...verdict }] : []
    })
    const stored = new Map(
      (yield* store.byIri(
        workspace,
        matched.map(({ concept }) => concept.iri)
      )).map((one) => [one.iri, one])
    )
    const lifecycles = new Map(
      (yield* entities.findMany(
        workspace,
        matched.map(({ entityId }) => entityId)
      )).map(({ id, lifecycle }) => [id, lifecycle])
    )
    const found = new Map<string, Difference>()
    for (const { concept, entityId, ownId } of matched) {
      const before = stored.get(concept.iri)
      if (before === undefined) continue
      const stale = yield* staleLinks(before, concept, entityId)
      const lifecycle = lifecycles.get(entityId)
      const isInUse = lifecycle !== "deprecated" && lifecycle !== "superseded"
      // The entity that a concept was merged into stays in use.
      const retires = isRetired(concept) && before.details.stated?.retired !== true && entityId === ownId
      const changes: ReadonlyArray<EditionChange> = [
        ...(isChanged(before.details, concept, workspace) || stale.related.length > 0
          ? (["changed"] as const)
          : []),
        ...(stale.broader.length > 0 ? (["moved"] as const) : []),
        ...(retires && isInUse ? (["retired"] as const) : [])
      ]
      found.set(concept.iri, { stored: before, head: entityId, changes, stale })
    }
    return found
  })

/** Whether the document states other texts, schemes, mappings or collections than the stored details. */
const isChanged = (details: ConceptDetails, concept: Concept, workspace: string): boolean =>
  contentOf(details, iriOf(workspace)) !== contentOf(concept, iriOf(workspace))

/** The scheme of the workspace stands in its exports and is not stored. */
const contentOf = (
  {
    collections = [],
    mappings = [],
    schemes,
    texts,
    topOf
  }: Pick<ConceptDetails, "collections" | "mappings" | "schemes" | "texts" | "topOf">,
  ownScheme: string
): string =>
  JSON.stringify([
    texts
      .map(({ datatype = "", kind, language, text }) => [kind, language, text, datatype].join("\n"))
      .sort(),
    [schemes, topOf].map((all) => all.filter((iri) => iri !== ownScheme).sort()),
    mappings.map(({ iri, kind }) => `${kind} ${iri}`).sort(),
    collections.map(({ iri, ordered, place }) => `${iri} ${ordered} ${place}`).sort()
  ])

/** Returns the links that the vocabulary stated last and no longer states. */
const staleLinks = ({ details, iri }: StoredConcept, concept: Concept, head: EntityId) =>
  Effect.gen(function* () {
    const before = details.stated ?? (yield* importedLinks(head))
    const left = (all: ReadonlyArray<string>, now: ReadonlyArray<string>) =>
      all.filter((one) => one !== iri && !now.includes(one))
    return { broader: left(before.broader, concept.broader), related: left(before.related, concept.related) }
  })

/** Parents of concepts that an older version imported, which did not store what was stated. */
const importedLinks = (head: EntityId) =>
  Effect.gen(function* () {
    const [graph, store, { workspace }] = [yield* GraphStore, yield* VocabularyStore, yield* Caller]
    const { items } = yield* graph.relations(
      workspace,
      { entityId: head, type: "broader", origin: "import" },
      { offset: 0, limit: linksMax }
    )
    const parents = items.flatMap(({ dstHead, srcHead }) =>
      srcHead === head && dstHead !== null ? [dstHead] : []
    )
    return { broader: (yield* store.byEntity(workspace, parents)).map(({ iri }) => iri), related: [] }
  })

const linksMax = 1000

/**
 * Applies the texts of a newer edition to a known concept: at once, or as a change request. Name, aliases and
 * description follow the document as far as they are still those of the edition before; what people changed stays.
 * The stored details are replaced in either case, so that a rejected change is not proposed again.
 */
export const applyTexts = (concept: Concept, { head, stored }: Difference, options: ImportOptions) =>
  Effect.gen(function* () {
    const [store, entities, { workspace }] = [yield* VocabularyStore, yield* EntityStore, yield* Caller]
    const { details } = stored
    const language = details.nameLanguage ?? options.language
    const entry = entryOf(concept, { ...options, language })
    const entity = Option.getOrNull(yield* entities.find(workspace, head))
    if (typeof entry === "string" || entity === null) return
    const after =
      details.qualified?.label === entry.name ? qualifiedEntry(entry, details.qualified.name) : entry
    const isOwn = stored.entityId === head
    const wanted: ChangedFields = isOwn ? fieldsAfter(entity, details, after) : {}
    const { name, ...others } = wanted
    const isFree = name === undefined || (yield* isFreeName(entity, name))
    const { stated: _stated, qualified, ...rest } = after.details
    const named = isFree ? qualified : details.qualified
    yield* store.replace(workspace, {
      ...stored,
      details: {
        ...rest,
        ...(details.stated === undefined ? {} : { stated: details.stated }),
        ...(named === undefined ? {} : { qualified: named })
      }
    })
    const fields = { ...others, ...(name === undefined || !isFree ? {} : { name }) }
    if (!isOwn || Object.keys(fields).length === 0) return
    if (options.mode === "apply") yield* Effect.ignore(updateEntity(head, fields))
    else yield* proposing({ kind: "update", entityId: head, payload: fields, note: editionNote(concept.iri) })
  })

const isFreeName = (entity: StoredEntity, name: string) =>
  Effect.isSuccess(refuseTakenName({ ...entity, name, nameNorm: nameNorm(name) }))

interface ChangedFields {
  readonly name?: string
  readonly aliases?: Array<string>
  readonly description?: string
}

/** Returns the fields of an entity that follow its concept from one edition to the next. */
const fieldsAfter = (entity: StoredEntity, before: ConceptDetails, after: Entry): ChangedFields => {
  const former = new Set(
    before.texts.flatMap(({ kind, text }) =>
      kind === "prefLabel" || kind === "altLabel" || kind === "hiddenLabel" ? [nameNorm(text)] : []
    )
  )
  const formerName = before.qualified?.name ?? preferredIn(before)
  const name = entity.name === formerName ? after.name : entity.name
  const now = allAliases(entity)
  const local = now.filter((alias) => !former.has(nameNorm(alias)))
  const aliases = [...new Map([...after.aliases, ...local].map((one) => [nameNorm(one), one])).values()]
    .filter((one) => nameNorm(one) !== nameNorm(name))
    .slice(0, entityLimits.aliases)
  const follows = entity.description === (before.described?.text ?? null)
  const isSameList = sorted(aliases) === sorted(now)
  return {
    ...(name === entity.name ? {} : { name }),
    ...(isSameList ? {} : { aliases }),
    ...(!follows || after.description === entity.description ? {} : { description: after.description ?? "" })
  }
}

const sorted = (texts: ReadonlyArray<string>): string => JSON.stringify([...texts].sort())

/** Returns the label that became the name. */
const preferredIn = ({ nameLanguage, texts }: ConceptDetails): string | undefined =>
  texts.find(({ kind, language }) => kind === "prefLabel" && language === (nameLanguage ?? ""))?.text.trim()

/**
 * Removes the imported relations of a concept that its vocabulary no longer states, and restores those that it states
 * again after an edition without them. Returns the number of restored ones.
 */
export const followLinks = (concept: Concept, { head, stale, stored }: Difference) =>
  Effect.gen(function* () {
    const [graph, { workspace }] = [yield* GraphStore, yield* Caller]
    const newly = {
      broader: concept.broader.filter((one) => stored.details.stated?.broader.includes(one) === false),
      related: concept.related.filter((one) => stored.details.stated?.related.includes(one) === false)
    }
    const known = yield* knownAs([...stale.broader, ...stale.related, ...newly.broader, ...newly.related])
    for (const type of ["broader", "related"] as const)
      for (const iri of stale[type]) {
        const end = known.get(iri)?.head ?? null
        const relation =
          end === null ? null : Option.getOrNull(yield* graph.relationAlong(workspace, head, type, end))
        if (relation?.origin === "import") yield* Effect.ignore(deleteRelation(relation.id))
      }
    let restored = 0
    for (const type of ["broader", "related"] as const)
      for (const iri of newly[type]) {
        const end = known.get(iri)?.head ?? null
        const relation =
          end === null ? null : Option.getOrNull(yield* graph.relationBetween(workspace, head, type, end))
        if (relation?.origin !== "import" || relation.deletedAt === null) continue
        if (yield* Effect.isSuccess(restoreRelation(relation.id))) restored += 1
      }
    return restored
  })

/** Stores what the vocabulary states now about links and standing of a known concept. */
export const keepStated = (stored: StoredConcept, now: Stated) =>
  Effect.gen(function* () {
    if (JSON.stringify(now) === JSON.stringify(stored.details.stated)) return
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    yield* store.replace(workspace, { ...stored, details: { ...stored.details, stated: now } })
  })

/** Retires a known concept that its vocabulary no longer holds, and remembers that it did. */
export const giveUp = (iri: string, id: EntityId, options: ImportOptions) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const [stored] = yield* store.byIri(workspace, [iri])
    yield* retire(id, null, options, "Its vocabulary no longer holds it.")
    if (stored === undefined) return
    const { stated = { broader: [], related: [], retired: false } } = stored.details
    yield* keepStated(stored, { ...stated, leftOut: true })
  })

/**
 * Deprecates a concept that its vocabulary gave up, or supersedes it if its successor is published: at once, or as a
 * change request.
 */
export const retire = (
  id: EntityId,
  successor: EntityId | null,
  { mode }: Pick<ImportOptions, "mode">,
  note = "Its vocabulary has given it up."
) => {
  if (mode === "propose") {
    const alone = proposing({ kind: "deprecate", entityId: id, payload: { note } })
    return successor === null
      ? alone
      : proposing({ kind: "supersede", entityId: id, payload: { supersededBy: successor, note } })
  }
  const alone = deprecate(id, undefined, note)
  const work = successor === null ? alone : Effect.catchAll(deprecate(id, successor, note), () => alone)
  // Ignored: another user has retired or removed the entity meanwhile.
  return Effect.ignore(work)
}

/** Proposes a change; nothing if the entity is gone meanwhile. */
const proposing = (change: Parameters<typeof proposeChange>[0]) => Effect.ignore(proposeChange(change))

const editionNote = (iri: string): string => `From a newer edition of its vocabulary: ${iri}`.slice(0, 4000)

/** Concepts read at a time when looking for those that a document leaves out. */
const pageSize = 500

/**
 * Returns the known concepts in use that a document leaves out: those of its schemes, or, of a document without
 * schemes, those without one whose IRIs begin like the document's.
 */
export const leftOutOf = (concepts: ReadonlyArray<Concept>) =>
  Effect.gen(function* () {
    const [store, entities, { workspace }] = [yield* VocabularyStore, yield* EntityStore, yield* Caller]
    const own = iriOf(workspace)
    const iris = new Set(concepts.map(({ iri }) => iri))
    const schemes = new Set(concepts.flatMap((one) => one.schemes.filter((iri) => iri !== own)))
    const spaces = new Set(
      concepts.flatMap(({ iri, schemes }) => (schemes.length === 0 ? [spaceOf(iri)] : []))
    )
    const [found, turn]: [Array<Concept>, Effect.Effect<void>] = [[], yieldToEventLoop()]
    for (let after = ""; ; ) {
      yield* turn
      const page = yield* store.page(workspace, after, pageSize)
      const missing = page.filter(
        ({ details, iri }) =>
          !iris.has(iri) &&
          details.stated?.leftOut !== true &&
          (details.schemes.length === 0
            ? spaces.has(spaceOf(iri))
            : details.schemes.some((one) => schemes.has(one)))
      )
      const live = new Map(
        (yield* entities.findMany(
          workspace,
          missing.map(({ entityId }) => entityId)
        )).map((one) => [one.id, one])
      )
      for (const { details, entityId, iri } of missing) {
        const entity = live.get(entityId)
        if (entity === undefined || entity.deletedAt !== null || entity.headId !== entityId) continue
        if (entity.lifecycle === "deprecated" || entity.lifecycle === "superseded") continue
        found.push({
          iri,
          type: null,
          schemes: details.schemes,
          topOf: [],
          texts: [],
          broader: [],
          related: [],
          deprecated: false,
          replacedBy: null,
          plan: { leftOut: true }
        })
      }
      const last = page.at(-1)
      if (last === undefined) return found
      after = last.iri
    }
  })

/** The part of an IRI before its last segment. */
const spaceOf = (iri: string): string =>
  iri.slice(0, 1 + Math.max(...["#", "/", ":"].map((mark) => iri.lastIndexOf(mark))))
