import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import { type Chunk, DocumentStore } from "../../files/documents/index.js"
import {
  type EntityId,
  forEachYielding,
  groupBy,
  Ids,
  type JobId,
  now,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { mask, namedByKey, type Reference } from "../document-facts/index.js"
import {
  allAliases,
  claimKey,
  Detectors,
  type EntityDetector,
  EntityStore,
  isClaimOf,
  type StoredEntity,
  sharedKey
} from "../entities/index.js"
import { type ExtractionRecord, GraphStore, type LinkedRelation, type Mention } from "../graph/index.js"
import { collapsed } from "./model-names.js"
import { conceptType, missingPage, tagType } from "./name-claims.js"
import { documentsPerUnit, firstOfUnit } from "./unit-size.js"

/** Maximum length of the quote around a link, in characters. */
const quoteMax = 200
/** Maximum length of a sentence that states a relation. */
const sentenceMax = 1000

/** Updates mentions and relations of the next stale documents. Returns their number; 0 when none is stale. */
export const linkNextDocuments = traced("graph.draw")(function* (
  workspace: WorkspaceScope,
  runId: JobId | null
) {
  const [extraction, readingStore, ids] = [
    (yield* GraphStore).extraction,
    (yield* GraphStore).records,
    yield* Ids
  ]
  const documents = yield* DocumentStore
  const page = yield* readingStore.stale(workspace, documentsPerUnit)
  if (page.length === 0) return 0
  const sizes = new Map((yield* documents.sizes(workspace, page)).map((one) => [one.id, one.sizeBytes]))
  const stale = firstOfUnit(page.map((id) => ({ id, sizeBytes: sizes.get(id) ?? 0 }))).map(({ id }) => id)
  const readings = yield* readingStore.readings(workspace, stale)
  const drawings = yield* documentLinksOf(workspace, readings)
  const fresh = { id: () => ids.make("relation"), at: yield* now }
  for (const { mentions, reading, relations } of drawings) {
    yield* extraction.setMentions(
      workspace,
      reading.documentId,
      mentions.map((mention) => ({ ...mention, runId }))
    )
    yield* extraction.setRelations(workspace, reading.documentId, relations, fresh)
  }
  yield* readingStore.setEntities(
    workspace,
    drawings.flatMap(({ entityId, reading }) =>
      entityId === reading.entityId ? [] : [{ documentId: reading.documentId, entityId }]
    )
  )
  yield* readingStore.clearStale(workspace, stale)
  return stale.length
})

/** A mention before the run id is added. */
type FoundMention = Omit<Mention, "runId">

/** The mentions and relations of a document. */
export interface DocumentLinks {
  readonly reading: ExtractionRecord
  readonly mentions: ReadonlyArray<FoundMention>
  readonly relations: ReadonlyArray<LinkedRelation>
  /** The entity that the document is about. */
  readonly entityId: EntityId | null
}

/** Derives mentions and relations from extraction records and the present entities. */
export const documentLinksOf = (workspace: WorkspaceScope, readings: ReadonlyArray<ExtractionRecord>) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const detector = yield* (yield* Detectors).of(workspace)
    const named = yield* namesFor(workspace, readings)
    return yield* Effect.forEach(readings, (reading) =>
      Effect.gen(function* () {
        const chunks = yield* documents.chunks(workspace, reading.documentId)
        const entityId = named.self(reading)?.id ?? null
        const drawing: DocumentLinks = {
          reading,
          mentions: yield* allMentionsOf(reading, chunks, detector, entityId),
          relations: relationsOf(reading, chunks, named),
          entityId
        }
        return drawing
      })
    )
  })

/** Passages scanned before yielding. */
const passagesAtOnce = 100

const allMentionsOf = (
  reading: ExtractionRecord,
  chunks: ReadonlyArray<Chunk>,
  detector: EntityDetector,
  own: EntityId | null
) =>
  Effect.map(
    chunks.length <= passagesAtOnce
      ? Effect.succeed([mentionsOf(reading, chunks, detector, own)])
      : forEachYielding(Batches.chunksOf(chunks, passagesAtOnce), (some) =>
          Effect.sync(() => mentionsOf(reading, some, detector, own))
        ),
    (found) => withinDocument(found.flat())
  )

/**
 * Drops ambiguous mentions of other entities: when several share a name, a document means the one that it also calls by
 * an unambiguous name.
 */
const withinDocument = (mentions: ReadonlyArray<FoundMention>): ReadonlyArray<FoundMention> => {
  if (mentions.every(({ confidence }) => confidence === 1)) return mentions
  const certain = new Set(mentions.flatMap((one) => (one.confidence === 1 ? [one.entityId] : [])))
  const placeOf = ({ label, start }: FoundMention) => `${label} ${start}`
  const certainMentions = groupBy(
    mentions.filter(({ confidence, entityId }) => confidence < 1 && certain.has(entityId)),
    placeOf
  )
  return mentions.flatMap((mention) => {
    const others = mention.confidence < 1 ? certainMentions.get(placeOf(mention)) : undefined
    if (others === undefined) return [mention]
    return certain.has(mention.entityId) ? [{ ...mention, confidence: 1 / others.length }] : []
  })
}

const mentionsOf = (
  { documentId, hidden }: ExtractionRecord,
  chunks: ReadonlyArray<Chunk>,
  detector: EntityDetector,
  own: EntityId | null
): ReadonlyArray<FoundMention> =>
  chunks.flatMap(({ label, start, text }) =>
    detector.detect(mask(text, hidden, start)).flatMap((found) => {
      const { end, key } = found
      const mention = { documentId, label, start: found.start, end, key }
      // In its own document a name means that document's entity.
      if (own !== null && found.namedIds.includes(own)) return [{ ...mention, entityId: own, confidence: 1 }]
      const confidence = 1 / found.entityIds.length
      return found.namedIds.map((entityId) => ({ ...mention, entityId, confidence }))
    })
  )

/** Looks up the entities of documents, tags and missing pages. */
interface Names {
  /** Returns the entity that a document is about. */
  readonly self: (
    reading: Pick<ExtractionRecord, "documentId" | "nameKey" | "nameType">
  ) => StoredEntity | null
  readonly target: (id: ExtractionRecord["documentId"]) => StoredEntity | null
  /** Returns the entity with a name, preferring the given type. */
  readonly named: (name: string, type: string) => StoredEntity | null
  readonly headOf: (entity: StoredEntity) => EntityId
}

const namesFor = (workspace: WorkspaceScope, readings: ReadonlyArray<ExtractionRecord>) =>
  Effect.gen(function* () {
    const [store, entities] = [(yield* GraphStore).records, yield* EntityStore]
    const targets = yield* store.readings(
      workspace,
      readings.flatMap(({ targets }) => targets?.filter((target) => target !== null) ?? [])
    )
    const keys = [
      ...[...readings, ...targets].map(({ nameKey }) => nameKey),
      ...readings.flatMap(({ named, stated }) =>
        [...stated, ...(named?.relations ?? [])].flatMap(({ from, to }) => [claimKey(from), claimKey(to)])
      ),
      ...readings.flatMap(({ references, tags }) =>
        [...tags, ...references.flatMap((one) => missingPage(one) ?? namedBy(one)?.name ?? [])].map(claimKey)
      )
    ]
    const found = yield* entities.bySurface(workspace, keys)
    const heads = new Map(
      (yield* entities.findMany(
        workspace,
        found.map(({ headId }) => headId)
      )).map((head) => [head.id, head])
    )
    const live = found.filter(
      ({ deletedAt, headId }) => deletedAt === null && heads.get(headId)?.deletedAt === null
    )
    const byKey = new Map<string, Array<{ readonly entity: StoredEntity; readonly rank: number }>>()
    for (const entity of live) {
      for (const [key, rank] of keysOf(entity)) byKey.set(key, [...(byKey.get(key) ?? []), { entity, rank }])
    }
    const byTarget = new Map(targets.map((target) => [target.documentId, target]))
    const self: Names["self"] = ({ documentId, nameKey, nameType }) => {
      const bearers = (byKey.get(nameKey) ?? []).filter(
        ({ entity }) => entity.claim === null || isClaimOf(entity.claim.key, documentId)
      )
      const claimed = bearers.filter(
        ({ entity, rank }) => rank === 0 && (entity.claim?.type ?? entity.type) === nameType
      )
      // If a person gave the name to another entity, the document is about that one.
      const given = bearers.filter(({ entity, rank }) => rank === 1 && entity.type === nameType)
      return pick(claimed) ?? pick(given)
    }
    return {
      self,
      target: (id) => {
        const target = byTarget.get(id)
        return target === undefined ? null : self(target)
      },
      named: (name, type) => {
        const candidates = byKey.get(claimKey(name)) ?? []
        return (
          pick(candidates.filter(({ entity }) => (entity.claim?.type ?? entity.type) === type)) ??
          pick(candidates)
        )
      },
      headOf: ({ headId }) => headId
    } satisfies Names
  })

/** Returns the keys of an entity with their rank: 0 for its claim in documents, 1 for its name, 2 for aliases. */
const keysOf = (entity: StoredEntity): ReadonlyMap<string, number> => {
  const keys = new Map<string, number>()
  for (const alias of allAliases(entity)) keys.set(claimKey(alias), 2)
  keys.set(claimKey(entity.name), entity.claim === null ? 0 : 1)
  if (entity.claim !== null) keys.set(sharedKey(entity.claim.key), 0)
  return keys
}

/** Chooses one of several entities independently of history. */
const pick = (
  candidates: ReadonlyArray<{ readonly entity: StoredEntity; readonly rank: number }>
): StoredEntity | null => {
  const heldRank = ({ origin, touched }: StoredEntity) => (origin !== "extraction" || touched ? 0 : 1)
  const merged = ({ mergedInto }: StoredEntity) => (mergedInto === null ? 0 : 1)
  const text = ({ nameNorm, type }: StoredEntity) => `${type}\u0000${nameNorm}`
  return (
    [...candidates].sort(
      (a, b) =>
        a.rank - b.rank ||
        merged(a.entity) - merged(b.entity) ||
        heldRank(a.entity) - heldRank(b.entity) ||
        (text(a.entity) < text(b.entity)
          ? -1
          : text(a.entity) > text(b.entity)
            ? 1
            : a.entity.id < b.entity.id
              ? -1
              : 1)
    )[0]?.entity ?? null
  )
}

const relationsOf = (
  reading: ExtractionRecord,
  chunks: ReadonlyArray<Chunk>,
  names: Names
): ReadonlyArray<LinkedRelation> => {
  const drawn = new Map<
    string,
    LinkedRelation & { evidence: Array<{ label: number | null; quote: string }> }
  >()
  const drawBetween = (
    src: StoredEntity | null,
    type: string,
    dst: StoredEntity | null,
    evidence: { label: number | null; quote: string }
  ) => {
    if (src === null || dst === null || dst.id === src.id) return
    const known = drawn.get(`${src.id} ${type} ${dst.id}`)
    if (known !== undefined) known.evidence.push(evidence)
    else {
      const ends = { srcId: src.id, dstId: dst.id, srcHead: names.headOf(src), dstHead: names.headOf(dst) }
      drawn.set(`${src.id} ${type} ${dst.id}`, { ...ends, type, evidence: [evidence] })
    }
  }
  for (const { end, from, fromType, start, to, toType, type } of reading.stated) {
    const [src, dst] = [names.named(from, fromType ?? conceptType), names.named(to, toType ?? conceptType)]
    drawBetween(src, type, dst, sentenceAt(chunks, start, end))
  }
  const typeOf = new Map(reading.named?.names.map(({ name, type }) => [name, type]))
  for (const { from, quote, to, type } of reading.named?.relations ?? []) {
    const end = (name: string) => names.named(name, typeOf.get(name) ?? conceptType)
    const label = chunks.find(({ text }) => collapsed(text).includes(quote))?.label ?? null
    drawBetween(end(from), type, end(to), { label, quote })
  }
  const own = names.self(reading)
  const draw = (type: string, dst: StoredEntity | null, evidence: { label: number | null; quote: string }) =>
    drawBetween(own, type, dst, evidence)
  const first = chunks[0]?.label ?? null
  const seen = new Set<string>()
  for (const [place, reference] of reading.references.entries()) {
    const target = reading.targets?.[place] ?? null
    const page = missingPage(reference)
    const evidence =
      reference.start === null ? { label: first, quote: reference.quote } : quoteAt(chunks, reference.start)
    // A front matter list may name one document twice: as a whole and in parts.
    const isDuplicate = reference.start === null && seen.has(`${reference.type} ${target}`)
    if (reference.start === null) seen.add(`${reference.type} ${target}`)
    if (target !== null && !isDuplicate) draw(reference.type, names.target(target), evidence)
    else if (target === null && page !== null) draw(reference.type, names.named(page, conceptType), evidence)
    else if (target === null) {
      const thing = namedBy(reference)
      if (thing !== null) draw(reference.type, names.named(thing.name, thing.type), evidence)
    }
  }
  for (const tag of reading.tags)
    draw("tagged", names.named(tag, tagType), { label: first, quote: `#${tag}` })
  return [...drawn.values()]
}

/** Returns what a front matter reference names. */
const namedBy = ({ to, type }: Reference) => ("value" in to ? namedByKey(type, to.value) : null)

/** Returns a sentence of the source, in the first passage that contains its start. */
const sentenceAt = (
  chunks: ReadonlyArray<Chunk>,
  start: number,
  end: number
): { label: number | null; quote: string } => {
  const chunk = chunks.find((one) => one.start <= start && start < one.end)
  if (chunk === undefined) return { label: null, quote: "" }
  const text = chunk.text.slice(start - chunk.start, end - chunk.start)
  return { label: chunk.label, quote: text.replace(/\s+/gu, " ").trim().slice(0, sentenceMax) }
}

/** Returns the line around a source position, in the first passage that contains it. */
const quoteAt = (chunks: ReadonlyArray<Chunk>, at: number): { label: number | null; quote: string } => {
  const chunk = chunks.find(({ end, start }) => start <= at && at < end)
  if (chunk === undefined) return { label: null, quote: "" }
  const place = at - chunk.start
  const from = Math.max(chunk.text.lastIndexOf("\n", place - 1) + 1, place - quoteMax / 2)
  const lineEnd = chunk.text.indexOf("\n", place)
  const to = Math.min(lineEnd < 0 ? chunk.text.length : lineEnd, from + quoteMax)
  return { label: chunk.label, quote: chunk.text.slice(from, to).trim() }
}
