import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import {
  type DocumentId,
  forEachYielding,
  groupBy,
  Ids,
  nameNorm,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { pathKey } from "../markdown/index.js"
import { passagesOf } from "./commit.js"
import { type DocumentState, statesAt } from "./history.js"
import type { Chunk, Document, DocumentFilter, DocumentListing, Passage } from "./model.js"
import { type ParsedFile, readContent } from "./parse-file.js"
import { DocumentStore } from "./store.js"

/** A document as it stood, with its passages where the index no longer holds them. */
interface PastDocument {
  readonly row: Document
  /** Null where the present passages are those of then. */
  readonly passages: ReadonlyArray<Chunk> | null
}

/** The documents of a workspace at an earlier moment, as far as they differ from the present ones. */
export interface Past {
  readonly at: string
  /** Null for a document that did not exist then. */
  readonly documents: ReadonlyMap<DocumentId, PastDocument | null>
  /** Labels of present passages that were not there then. */
  readonly laterLabels: ReadonlyArray<number>
  /** Passages of documents with another text: those that the index does not hold have labels of their own. */
  readonly passages: ReadonlyArray<Passage>
  /** A text that was current then is no longer stored. */
  readonly isIncomplete: boolean
}

/** Labels of past passages begin here: no workspace has so many passages. */
const firstPastLabel = 2 ** 30
/** More passages than a document has. */
const allPassages = 2 ** 30
/** Documents whose former texts are read at most, those that changed last first; the rest makes the past incomplete. */
const pastTextsMax = 5_000

/** Returns the text of a document as it was, parsed; none when it is not stored any more. */
export const pastText = (
  workspace: WorkspaceScope,
  present: Document,
  state: Pick<DocumentState, "path" | "version">
) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const isPresent = present.version === state.version
    const bytes = isPresent
      ? Option.getOrNull(yield* store.content(workspace, present.id))
      : (Option.getOrNull(yield* store.version(workspace, present.id, state.version))?.bytes ?? null)
    if (bytes === null) return Option.none<ParsedFile>()
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    // Pages are those of the present original.
    const origin = isPresent
      ? present
      : { ...present, ...(present.source === undefined ? {} : { source: withoutPages(present.source) }) }
    const stamp = { sizeBytes: bytes.byteLength, mtimeMs: 0 }
    return Either.getRight(
      yield* Effect.either(readContent(state.path, bytes, stamp, settings.chunking, origin))
    )
  })

const withoutPages = (source: NonNullable<Document["source"]>) => ({ ...source, pageStarts: [] })

/** Returns the row of a document as it was. */
export const pastRow = (present: Document, state: DocumentState, text: ParsedFile | null): Document => {
  const { isLive: _, ...stood } = state
  return {
    ...present,
    ...stood,
    ...(text === null ? {} : { title: text.content.title, frontMatter: text.content.frontMatter }),
    contentHash: text === null ? present.contentHash : text.content.contentHash,
    sizeBytes: text === null ? present.sizeBytes : text.content.sizeBytes,
    deletedAt: null
  }
}

/** Reads what a workspace held at an earlier moment. */
export const readPast = (workspace: WorkspaceScope, at: string) =>
  Effect.gen(function* () {
    const [store, ids] = [yield* DocumentStore, yield* Ids]
    const states = yield* statesAt(workspace, at)
    const presentRows = new Map(
      (yield* store.findMany(workspace, [...states.keys()])).map((one) => [one.id, one])
    )
    const documents = new Map<DocumentId, PastDocument | null>()
    const laterLabels: Array<number> = []
    let [isIncomplete, textsLeft, nextLabel] = [false, pastTextsMax, firstPastLabel]
    yield* forEachYielding([...states].reverse(), ([id, state]) =>
      Effect.gen(function* () {
        const present = presentRows.get(id)
        const isThere = present !== undefined && present.deletedAt === null
        documents.set(id, null)
        if (state === null || !state.isLive) {
          if (isThere) laterLabels.push(...(yield* store.chunks(workspace, id)).map(({ label }) => label))
          return
        }
        if (isThere && present.version === state.version && present.path === state.path) {
          documents.set(id, { row: pastRow(present, state, null), passages: null })
          return
        }
        const text =
          present === undefined || textsLeft === 0
            ? null
            : Option.getOrNull(yield* pastText(workspace, present, state))
        const presentChunks = isThere ? yield* store.chunks(workspace, id) : []
        if (present === undefined || text === null) {
          isIncomplete = true
          laterLabels.push(...presentChunks.map(({ label }) => label))
          return
        }
        textsLeft -= 1
        const row = pastRow(present, state, text)
        // A passage that stayed is found by the index as before; its title is indexed with it.
        const known = new Map(
          row.title === present.title ? presentChunks.map((chunk) => [chunk.id, chunk.label]) : []
        )
        const passages = passagesOf(ids, id, text.passages).map((chunk) => ({
          ...chunk,
          label: known.get(chunk.id) ?? nextLabel++
        }))
        const kept = new Set(passages.map(({ label }) => label))
        laterLabels.push(...presentChunks.flatMap(({ label }) => (kept.has(label) ? [] : [label])))
        documents.set(id, { row, passages })
      })
    )
    return {
      at,
      documents,
      laterLabels,
      passages: [...documents.values()].flatMap((past) =>
        past === null ? [] : (past.passages ?? []).map((chunk) => passageOf(chunk, past.row))
      ),
      isIncomplete
    } satisfies Past
  })

const passageOf = (chunk: Chunk, row: Document): Passage => ({
  ...chunk,
  docTitle: row.title,
  docPath: row.path,
  docVerification: row.verification,
  docUpdatedAt: row.source?.modifiedAt ?? row.updatedAt,
  ...(row.source?.url == null ? {} : { docSourceUrl: row.source.url })
})

/** Returns the passages of a document in one of its versions; none when its text is not stored any more. */
export const passagesOfVersion = (workspace: WorkspaceScope, present: Document, version: number) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const text = yield* pastText(workspace, present, { path: present.path, version })
    return Option.map(text, ({ content, passages }) =>
      passagesOf(ids, present.id, passages).map((chunk, at) =>
        passageOf({ ...chunk, label: firstPastLabel + at }, { ...present, title: content.title })
      )
    )
  })

/** The passages of then that the index does not hold. */
export const unindexed = ({ passages }: Past): ReadonlyArray<Passage> =>
  passages.filter(({ label }) => label >= firstPastLabel)

/** The store of documents as it was: everything that searches and questions read of it. */
export const documentsOf = (
  { at, documents, laterLabels, passages: pastPassages }: Past,
  store: DocumentStore["Type"]
): DocumentStore["Type"] => {
  const later = new Set(laterLabels)
  const byLabel = new Map(pastPassages.map((passage) => [passage.label, passage]))
  const byDocument = groupBy(pastPassages, ({ documentId }) => documentId)
  const rows = [...documents.values()].flatMap((past) => past?.row ?? [])
  const isUnchanged = (id: DocumentId): boolean => !documents.has(id)
  /** Whether the present passages of a document are those of then. */
  const isIndexed = (id: DocumentId): boolean => isUnchanged(id) || documents.get(id)?.passages === null
  const stood = (passage: Passage): Passage => {
    const row = documents.get(passage.documentId)?.row
    return row === undefined
      ? passage
      : { ...passage, docVerification: row.verification, docUpdatedAt: passageOf(passage, row).docUpdatedAt }
  }
  const find: DocumentStore["Type"]["find"] = (workspace, id) =>
    isUnchanged(id) ? store.find(workspace, id) : Effect.succeed(Option.fromNullable(documents.get(id)?.row))
  const labelsOf = (id: DocumentId): ReadonlyArray<number> =>
    (byDocument.get(id) ?? []).map(({ label }) => label)
  return {
    ...store,
    find,
    findMany: (workspace, ids) =>
      Effect.map(store.findMany(workspace, ids.filter(isUnchanged)), (found) => [
        ...found,
        ...ids.flatMap((id) => documents.get(id)?.row ?? [])
      ]),
    findByPath: (workspace, path) =>
      Effect.map(store.findByPath(workspace, path), (found) => {
        const past = rows.find((row) => pathKey(row.path) === pathKey(path))
        return past === undefined ? Option.filter(found, ({ id }) => isUnchanged(id)) : Option.some(past)
      }),
    list: (workspace, page, filter) =>
      Effect.map(store.list(workspace, { limit: listedMax, offset: 0 }, filter), ({ items }) => {
        const all = [
          ...items.filter(({ id }) => isUnchanged(id)),
          ...rows.filter((row) => isListed(row, filter))
        ].sort((a, b) => (a.path < b.path ? -1 : 1))
        return { items: all.slice(page.offset, page.offset + page.limit), total: all.length }
      }),
    content: (workspace, id) => {
      const past = documents.get(id)
      if (past === undefined) return store.content(workspace, id)
      return past === null
        ? Effect.succeedNone
        : Effect.map(store.version(workspace, id, past.row.version), (kept) =>
            Option.flatMap(kept, ({ bytes }) => Option.fromNullable(bytes))
          )
    },
    versions: (workspace, id, page) =>
      Effect.map(store.versions(workspace, id, { limit: listedMax, offset: 0 }), ({ items }) => {
        const then = items.filter(({ createdAt }) => createdAt <= at)
        return { items: then.slice(page.offset, page.offset + page.limit), total: then.length }
      }),
    chunks: (workspace, id) =>
      isIndexed(id) ? store.chunks(workspace, id) : Effect.succeed(documents.get(id)?.passages ?? []),
    firstLabels: (workspace, ids, count) =>
      Effect.map(store.firstLabels(workspace, ids.filter(isIndexed), count), (found) => [
        ...found,
        ...ids.flatMap((documentId) =>
          labelsOf(documentId)
            .slice(0, count)
            .map((label) => ({ documentId, label }))
        )
      ]),
    passages: (workspace, labels) =>
      Effect.map(
        store.passages(
          workspace,
          labels.filter((label) => !byLabel.has(label) && !later.has(label))
        ),
        (found) => [...found.map(stood), ...labels.flatMap((label) => byLabel.get(label) ?? [])]
      ),
    passageById: (workspace, id) => {
      const past = pastPassages.find((passage) => passage.id === id)
      return past === undefined
        ? Effect.map(store.passageById(workspace, id), (found) =>
            Option.map(
              Option.filter(found, ({ label }) => !later.has(label)),
              stood
            )
          )
        : Effect.succeed(Option.some(past))
    },
    labels: (workspace, filter) =>
      Effect.gen(function* () {
        // A verification may have changed while the text stayed, so that the row of then is judged.
        const kept = rows.flatMap(({ id }) => (isIndexed(id) ? [id] : []))
        const keptLabels = yield* store.firstLabels(workspace, kept, allPassages)
        const changed = new Set([...later, ...byLabel.keys(), ...keptLabels.map(({ label }) => label)])
        const passing = new Set(rows.filter((row) => passes(row, filter)).map(({ id }) => id))
        return [
          ...(yield* store.labels(workspace, filter)).filter((label) => !changed.has(label)),
          ...keptLabels.flatMap(({ documentId, label }) => (passing.has(documentId) ? [label] : [])),
          ...[...passing].flatMap(labelsOf)
        ]
      }),
    hasVerified: (workspace) =>
      rows.some(({ verification }) => verification === "verified" || verification === "certified")
        ? Effect.succeed(true)
        : store.hasVerified(workspace)
  }
}

/** Documents of a folder, or of a title, that are listed with the past in mind. */
const listedMax = 10_000

const passes = (
  { frontMatter, path, verification }: Document,
  { pathPrefix = "", tag, verification: wanted }: DocumentFilter
): boolean =>
  path.startsWith(pathPrefix) &&
  (wanted === undefined || verification === wanted) &&
  (tag === undefined || frontMatter.tags.some((own) => isUnder(nameNorm(own), nameNorm(tag))))

const isUnder = (tag: string, wanted: string): boolean => tag === wanted || tag.startsWith(`${wanted}/`)

const isListed = (row: Document, { folder, q, sort: _, ...filter }: DocumentListing): boolean =>
  passes(row, filter) &&
  (folder === undefined || row.path.split("/").slice(0, -1).join("/") === folder) &&
  (q === undefined || `${row.title}\n${row.path}`.toLowerCase().includes(q.toLowerCase()))
