import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Document, DocumentStore } from "../../files/documents/index.js"
import { linkResolver } from "../../files/links/index.js"
import { type DocumentId, forEachYielding, traced, type WorkspaceScope } from "../../platform/kernel/index.js"
import { Extractor, includes } from "../document-facts/index.js"
import { claimKey } from "../entities/index.js"
import { type ExtractionRecord, GraphStore, type NameClaim } from "../graph/index.js"
import { extractNamesByModel, isAsked, type ModelNames, namesOf } from "./model-extraction.js"
import { namedClaims } from "./model-names.js"
import { claimParts, claimsAtOnce, claimText, linkClaims, singularOf } from "./name-claims.js"
import { ofTypes, relationTypesOf } from "./relation-types.js"
import { documentsPerUnit, firstOfUnit } from "./unit-size.js"

/** Documents whose links are resolved in one unit of work. */
const documentsPerLinkUnit = 200

/** Calls the extraction model for the next documents of the feed. */
export const extractNextByModel = (workspace: WorkspaceScope) =>
  extractNamesByModel(
    workspace,
    Effect.gen(function* () {
      const { documentCursor } = yield* (yield* GraphStore).extraction.state(workspace)
      return yield* (yield* DocumentStore).changesSince(workspace, documentCursor, documentsPerUnit)
    })
  )

/** Calls the extraction model for documents that are read again. */
export const extractByModelAgain = (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId> | "all") =>
  extractNamesByModel(
    workspace,
    Effect.gen(function* () {
      const documents = yield* DocumentStore
      const found = yield* Effect.forEach(ids === "all" ? [] : ids, (id) => documents.find(workspace, id))
      return found.flatMap(Option.toArray)
    })
  )

/**
 * Reads the next documents of the feed. Returns their number; null at the end of the feed, 0 when the next document
 * must be sent to the model again.
 */
export const readNextDocuments = traced("graph.read")(function* (
  workspace: WorkspaceScope,
  asked: ModelNames
) {
  const [documents, store] = [yield* DocumentStore, (yield* GraphStore).extraction]
  const state = yield* store.state(workspace)
  const page = yield* documents.changesSince(workspace, state.documentCursor, documentsPerUnit)
  if (page.length === 0) return null
  // Documents that changed since they were sent to the model are sent again first.
  const changed = firstOfUnit(Batches.takeWhile(page, (document) => isAsked(asked, document)))
  const last = changed.at(-1)
  if (last === undefined) return 0
  const relink = yield* readThese(workspace, changed, asked)
  yield* store.setState(workspace, { ...state, documentCursor: last.seq, relink: state.relink || relink })
  return changed.length
})

/**
 * Marks these or all documents to be read again by the next extraction run. Existing results stay until then;
 * documents that changed are read anyway.
 */
export const readAgain = traced("graph.readAgain")(function* (
  workspace: WorkspaceScope,
  ids: ReadonlyArray<DocumentId> | "all",
  asked: ModelNames = null
) {
  const [documents, store] = [yield* DocumentStore, (yield* GraphStore).extraction]
  const state = yield* store.state(workspace)
  if (ids === "all") return yield* store.setState(workspace, { ...state, documentCursor: 0 })
  const found = (yield* Effect.forEach(ids, (id) => documents.find(workspace, id))).flatMap(Option.toArray)
  const read = found.filter(
    (document) =>
      document.deletedAt === null && document.seq <= state.documentCursor && isAsked(asked, document)
  )
  if (yield* readThese(workspace, read, asked)) yield* store.setState(workspace, { ...state, relink: true })
})

/**
 * Reads documents and marks names and links to be resolved again. Returns true if the targets of links may have
 * changed.
 */
const readThese = traced("graph.readThese")(function* (
  workspace: WorkspaceScope,
  changed: ReadonlyArray<Document>,
  asked: ModelNames
) {
  const [documents, readingStore, claimStore, extractor] = [
    yield* DocumentStore,
    (yield* GraphStore).records,
    (yield* GraphStore).claims,
    yield* Extractor
  ]
  const known = new Map(
    (yield* readingStore.readings(
      workspace,
      changed.map(({ id }) => id)
    )).map((reading) => [reading.documentId, reading])
  )
  const oldClaims = yield* claimStore.claimsOfDocuments(
    workspace,
    changed.map(({ id }) => id)
  )
  const deleted = changed.filter(({ deletedAt }) => deletedAt !== null)
  const live = changed.filter(({ deletedAt }) => deletedAt === null)
  const types = yield* relationTypesOf(workspace)
  let dropped = 0
  const read = yield* forEachYielding(live, (document) =>
    Effect.gen(function* () {
      const all = yield* extractor.read(document, yield* documents.chunks(workspace, document.id))
      const facts = ofTypes(all, types)
      dropped += (all.prose?.relations.length ?? 0) - (facts.prose?.relations.length ?? 0)
      const old = known.get(document.id)
      const key = claimKey(facts.self.name)
      const hasSameName = old?.nameKey === key && old.nameType === facts.self.type
      const named = namesOf(asked, document)
      const reading = {
        documentId: document.id,
        path: document.path,
        title: document.title,
        aliases: document.frontMatter.aliases,
        nameKey: key,
        nameType: facts.self.type,
        entityId: hasSameName ? old.entityId : null,
        references: facts.references,
        tags: facts.tags,
        hidden: facts.hidden,
        stated: facts.prose?.relations ?? [],
        // Resolved together once the feed is read; until then there are no link claims.
        targets: null,
        words: facts.words,
        small: facts.small,
        ...(named === undefined ? {} : { named })
      } satisfies ExtractionRecord & { words: Uint32Array; small: Uint32Array }
      const parts = [...claimParts(document.id, facts), () => namedClaims(document.id, named)]
      const claims = yield* forEachYielding(parts, (part) => Effect.sync(part))
      return { reading, claims: claims.flat() }
    })
  )
  if (dropped > 0)
    yield* Effect.logDebug(`Relations of types that the workspace does not keep, left out: ${dropped}.`)
  const removedIds = deleted.map(({ id }) => id).filter((id) => known.has(id))
  const small = new Map(read.map(({ reading }) => [reading.documentId, reading.small]))
  const oldSmall = yield* readingStore.smallWords(
    workspace,
    changed.map(({ id }) => id)
  )
  yield* dropDocuments(workspace, removedIds)
  yield* readingStore.putReadings(
    workspace,
    read.map(({ reading }) => reading)
  )
  // Link claims stay until links are resolved, so that unchanged names are not resolved again.
  const linked = oldClaims.filter(
    ({ documentId, role }) => role === "link" && !removedIds.includes(documentId)
  )
  yield* changeClaims(workspace, oldClaims, [...read.flatMap(({ claims }) => claims), ...linked])
  // The lower-case words of a document decide whether a word counts as a name, so changes affect the word and its
  // plural.
  const changedWords = changed.flatMap(({ id }) => difference(oldSmall.get(id), small.get(id)))
  const turnedNames = yield* claimStore.termsOfWords(workspace, changedWords)
  yield* (yield* GraphStore).unresolved.add(
    workspace,
    turnedNames.flatMap((key) => affected(key, ""))
  )
  // Documents that link to a renamed document update their relations.
  const renamed = read.flatMap(({ reading }) => {
    const old = known.get(reading.documentId)
    return old === undefined || old.nameKey !== reading.nameKey || old.nameType !== reading.nameType
      ? [reading.documentId]
      : []
  })
  yield* readingStore.markStale(
    workspace,
    yield* readingStore.linkers(workspace, [...renamed, ...removedIds])
  )
  const moved = read.some(({ reading }) => addressOf(known.get(reading.documentId)) !== addressOf(reading))
  return moved || removedIds.length > 0
})

/** Returns the values that only one of two ascending lists holds. */
const difference = (
  a: Uint32Array = new Uint32Array(),
  b: Uint32Array = new Uint32Array()
): ReadonlyArray<number> => [
  ...a.filter((value) => !includes(b, value)),
  ...b.filter((value) => !includes(a, value))
]

/** Returns the path, title and aliases by which links find a document. */
const addressOf = (reading: ExtractionRecord | undefined): string =>
  reading === undefined ? "" : JSON.stringify([reading.path, reading.title, reading.aliases])

/** Deletes everything derived from documents except claims, whose removal affects names. */
const dropDocuments = (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) =>
  Effect.gen(function* () {
    const [extraction, readingStore] = [(yield* GraphStore).extraction, (yield* GraphStore).records]
    for (const id of ids) {
      yield* extraction.setMentions(workspace, id, [])
      yield* extraction.setRelations(workspace, id, [], { id: noNewRelation, at: "" })
    }
    yield* readingStore.markStale(workspace, yield* readingStore.linkers(workspace, ids))
    yield* readingStore.removeReadings(workspace, ids)
  })

const noNewRelation = (): never => {
  throw new Error("A removed document draws no relation.")
}

/** Replaces claims; every name with a different claim is resolved again. */
const changeClaims = (
  workspace: WorkspaceScope,
  old: ReadonlyArray<NameClaim>,
  wanted: ReadonlyArray<NameClaim>
) =>
  Effect.gen(function* () {
    const store = (yield* GraphStore).claims
    const unresolved = (yield* GraphStore).unresolved
    const [before, after] = [yield* byText(old), yield* byText(wanted)]
    // Claims stored twice are removed and written once.
    const known = new Set<string>()
    const duplicates = new Set<string>()
    for (const [text] of before) (known.has(text) ? duplicates : known).add(text)
    const isWanted = new Map(after)
    const removed = before.filter(([text]) => !isWanted.has(text) || duplicates.has(text))
    const added = [...isWanted].filter(([text]) => !known.has(text) || duplicates.has(text))
    const markUnresolved = (claims: ReadonlyArray<NameClaim>) =>
      unresolved.add(
        workspace,
        claims.flatMap(({ key, role, subject }) => affected(key, role === "alias" ? subject : ""))
      )
    const inParts = (
      claims: ReadonlyArray<readonly [text: string, claim: NameClaim]>,
      change: (some: ReadonlyArray<NameClaim>) => Effect.Effect<void>
    ) =>
      forEachYielding(Batches.chunksOf(claims, claimsAtOnce), (part) => {
        const some = part.map(([, claim]) => claim)
        return Effect.zipRight(change(some), markUnresolved(some))
      })
    yield* inParts(removed, (some) => store.changeClaims(workspace, { removed: some, added: [] }))
    yield* inParts(added, (some) => store.changeClaims(workspace, { removed: [], added: some }))
  })

/** Returns the claims with what identifies each, yielding in between. */
const byText = (claims: ReadonlyArray<NameClaim>) =>
  Effect.map(
    forEachYielding(Batches.chunksOf(claims, claimsAtOnce), (some) =>
      Effect.sync(() => some.map((claim) => [`${claim.documentId} ${claimText(claim)}`, claim] as const))
    ),
    (parts) => parts.flat()
  )

/** Returns the names affected by a claim: its own, its subject's, and the plural of its own. */
const affected = (key: string, subject: string): ReadonlyArray<string> => [
  ...(subject === "" ? [key] : [key, subject]),
  ...(singularOf(`${key}s`) === null ? [] : [`${key}s`])
]

type Resolver = ReturnType<typeof linkResolver<DocumentId>>

/**
 * Resolves the links of all documents again after documents were added, removed or renamed, because missing targets
 * may now exist. Returns the document to continue after, or null at the end.
 */
export const resolveAllLinks = traced("graph.links")(function* (
  workspace: WorkspaceScope,
  resolver: Effect.Effect<Resolver, never, GraphStore>,
  after: string
) {
  const page = yield* (yield* GraphStore).records.readingsAfter(workspace, after, documentsPerLinkUnit)
  yield* follow(workspace, resolver, page)
  const last = page.at(-1)
  return last === undefined || page.length < documentsPerLinkUnit ? null : last.documentId
})

/** Resolves the links of newly read documents. Returns their number. */
export const resolveNewLinks = traced("graph.newLinks")(function* (
  workspace: WorkspaceScope,
  resolver: Effect.Effect<Resolver, never, GraphStore>
) {
  const page = yield* (yield* GraphStore).records.unfollowed(workspace, documentsPerLinkUnit)
  yield* follow(workspace, resolver, page)
  return page.length
})

const follow = (
  workspace: WorkspaceScope,
  resolver: Effect.Effect<Resolver, never, GraphStore>,
  page: ReadonlyArray<ExtractionRecord>
) =>
  Effect.gen(function* () {
    const [readingStore, claimStore] = [(yield* GraphStore).records, (yield* GraphStore).claims]
    // The resolver holds the names of all documents, so pages without references do not build it.
    const names = page.some(({ references }) => references.length > 0) ? yield* resolver : null
    const followed = page.map((reading) => {
      const found = reading.references.map(({ to }) =>
        "link" in to
          ? (names?.resolve(reading.path, to.link) ?? null)
          : (names?.resolveReference(reading.path, to.value) ?? null)
      )
      // A link to the document itself is stored as such: it makes no relation and is no missing page.
      return { reading, targets: found, claims: linkClaims(reading.documentId, reading.references, found) }
    })
    const moved = followed.filter(({ reading, targets }) => reading.targets?.join() !== targets.join())
    const first = followed.filter(({ reading }) => reading.targets === null)
    yield* readingStore.setTargets(
      workspace,
      [...new Set([...moved, ...first])].map(({ reading, targets }) => ({
        documentId: reading.documentId,
        targets
      }))
    )
    yield* readingStore.markStale(
      workspace,
      moved.map(({ reading }) => reading.documentId)
    )
    const ids = page.map(({ documentId }) => documentId)
    const old = yield* claimStore.linkClaims(workspace, ids)
    yield* changeClaims(
      workspace,
      old,
      followed.flatMap(({ claims }) => claims)
    )
  })

/**
 * Builds the link resolver over all documents that have been read when it is first needed. A failure is not kept,
 * because the unit of work around it may be tried again.
 */
export const lazyResolverOf = (workspace: WorkspaceScope): Effect.Effect<Resolver, never, GraphStore> => {
  let built: Resolver | null = null
  return Effect.suspend(() =>
    built === null
      ? Effect.tap(resolverOf(workspace), (made) => {
          built = made
        })
      : Effect.succeed(built)
  )
}

/** Builds the link resolver over all documents that have been read. */
export const resolverOf = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    return linkResolver(yield* (yield* GraphStore).records.addresses(workspace))
  })
