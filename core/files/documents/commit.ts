import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import { record } from "../../platform/audit/index.js"
import { announce } from "../../platform/jobs/index.js"
import {
  Caller,
  type Conflict,
  type DocumentId,
  forEachYielding,
  Ids,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { type ChunkDraft, numbered } from "../markdown/index.js"
import type { Chunk, Document, VersionOrigin } from "./model.js"
import type { ParsedFile } from "./parse-file.js"
import { ChunkIndex, DocumentStore } from "./store.js"

/** Topic on which this room announces that documents changed. */
export const documentsChanged = "documents.changed"

/** A change of one document, ready to be committed. */
export interface Change {
  readonly before: Document | null
  readonly after: Document
  /** The new passages; null when the text stays as it is. */
  readonly passages: ReadonlyArray<ChunkDraft> | null
  /** The file's bytes, when they changed. */
  readonly bytes: Uint8Array | null
  readonly action: string
  /** Origin of the new text; absent when a caller gave it. */
  readonly origin?: VersionOrigin
  readonly details?: Readonly<Record<string, unknown>>
  /** Work in the same unit; its failure undoes the change. */
  readonly alongside?: Effect.Effect<void, Conflict>
}

/** Returns the change of one document; `reading` is its parsed file, null when the text stays. */
export const changeTo = (
  before: Document | null,
  after: Document,
  reading: ParsedFile | null,
  action: string
): Change => ({
  before,
  after,
  passages: reading?.passages ?? null,
  bytes: reading?.bytes ?? null,
  action
})

/**
 * Commits many changes in one unit of work: rows, passages with their text index, versions, stored bytes, audit events
 * and the announcement. Listeners are due after `delayMs` (default 0). Must run inside `atomically`. Fails as a whole
 * when one of the documents changed meanwhile.
 */
export const commitChanges = traced("documents.commit")(function* (
  workspace: WorkspaceScope,
  changes: ReadonlyArray<Change>,
  options: { readonly delayMs?: number } = {}
) {
  const store = yield* DocumentStore
  yield* store.save(workspace, changes)
  yield* changePassages(workspace, changes)
  yield* addVersions(workspace, changes)
  yield* store.keepContent(
    workspace,
    changes.flatMap(({ after, bytes }) => (bytes === null ? [] : [{ id: after.id, bytes }]))
  )
  yield* record(
    changes.map(({ action, after, before, details }) => ({
      action,
      subjectId: after.id,
      details: { path: after.path, version: after.version, ...fallenVerification(before, after), ...details }
    }))
  )
  for (const { alongside } of changes) if (alongside !== undefined) yield* alongside
  yield* announce(documentsChanged, {}, options)
})

/** Adds a row for each new version. Every change that raises the version of a document goes through this function. */
const addVersions = (workspace: WorkspaceScope, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const newVersions = changes.filter(({ after, before }) => before?.version !== after.version)
    if (newVersions.length === 0) return
    const [store, { activity, actor }] = [yield* DocumentStore, yield* Caller]
    const added = newVersions.map(({ after, before, bytes, origin = "upload" }) => ({
      before,
      version: {
        documentId: after.id,
        version: after.version,
        contentHash: after.contentHash,
        sizeBytes: bytes?.byteLength ?? after.sizeBytes,
        origin,
        changedBy: actor,
        activity,
        createdAt: after.updatedAt,
        verification: null
      }
    }))
    // New documents have no old versions to prune.
    const isNew = newVersions.every(({ before }) => before === null)
    const keptMax = isNew ? Number.POSITIVE_INFINITY : yield* versionsKeptMax(workspace)
    yield* store.addVersions(workspace, added, keptMax)
  })

const versionsKeptMax = (workspace: WorkspaceScope) =>
  Effect.flatMap(WorkspaceStore, (store) =>
    Effect.map(store.get(workspace), ({ settings }) => settings.retention.versionsPerDocument)
  )

const fallenVerification = (before: Document | null, after: Document) =>
  before === null || before.verification === after.verification
    ? {}
    : { verification: { from: before.verification, to: after.verification } }

const changePassages = (workspace: WorkspaceScope, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const diffs = yield* Effect.forEach(changes, (change) => diffPassages(workspace, change))
    const count = diffs.reduce((sum, diff) => sum + diff.added.length, 0)
    let label = count === 0 ? 0 : yield* store.takeLabels(workspace, count)
    const added: Array<{ readonly title: string; readonly chunk: Chunk }> = []
    for (const diff of diffs)
      for (const chunk of diff.added) added.push({ title: diff.title, chunk: { ...chunk, label: label++ } })
    const removed = diffs.flatMap((diff) => diff.removed)
    yield* store.changeChunks(workspace, {
      removed,
      added: added.map(({ chunk }) => chunk),
      kept: diffs.flatMap((diff) => diff.kept)
    })
    if (added.length === 0 && removed.length === 0) return
    yield* (yield* ChunkIndex).change(workspace, { removed: removed.map((chunk) => chunk.label), added })
  })

interface PassageDiff {
  readonly title: string
  readonly removed: ReadonlyArray<Chunk>
  readonly kept: ReadonlyArray<Chunk>
  readonly added: ReadonlyArray<Omit<Chunk, "label">>
}

const diffPassages = (
  workspace: WorkspaceScope,
  { after, before, passages }: Change
): Effect.Effect<PassageDiff, never, DocumentStore | Ids> =>
  Effect.gen(function* () {
    const title = after.title
    const wasLive = before !== null && before.deletedAt === null
    const old = wasLive ? yield* (yield* DocumentStore).chunks(workspace, after.id) : []
    if (after.deletedAt !== null) return { title, removed: old, kept: [], added: [] }
    if (passages === null && before?.title === title) return { title, removed: [], kept: old, added: [] }
    const ids = yield* Ids
    const fresh = yield* manyPassagesOf(ids, after.id, passages ?? numbered(old))
    if (old.length === 0) return { title, removed: [], kept: [], added: fresh }
    // The title is indexed with each passage, so a new title makes every passage a new one for the indexes.
    const reusable = new Map(before?.title === title ? old.map((chunk) => [chunk.id, chunk]) : [])
    const kept = fresh.flatMap((chunk) => {
      const known = reusable.get(chunk.id)
      return known === undefined ? [] : [{ ...chunk, label: known.label }]
    })
    const keptIds = new Set(kept.map((chunk) => chunk.id))
    return {
      title,
      removed: old.filter((chunk) => !keptIds.has(chunk.id)),
      kept: kept.filter((chunk) => moved(reusable.get(chunk.id), chunk)),
      added: fresh.filter((chunk) => !keptIds.has(chunk.id))
    }
  })

/** Above this number of passages, ids are made in parts. */
const namedAtOnce = 500

/** Returns `passagesOf`; yields to the event loop when there are many. */
const manyPassagesOf = (ids: Ids["Type"], documentId: DocumentId, drafts: ReadonlyArray<ChunkDraft>) =>
  drafts.length <= namedAtOnce
    ? Effect.succeed(passagesOf(ids, documentId, drafts))
    : Effect.map(
        forEachYielding(Batches.chunksOf(drafts, namedAtOnce), (some) =>
          Effect.sync(() => passagesOf(ids, documentId, some))
        ),
        (parts) => parts.flat()
      )

/** Returns the passages of a document without their labels. */
export const passagesOf = (
  ids: Ids["Type"],
  documentId: DocumentId,
  drafts: ReadonlyArray<ChunkDraft>
): ReadonlyArray<Omit<Chunk, "label">> =>
  drafts.map(({ end, headingPath, occurrence, ordinal, page, start, text }) => ({
    id: ids.derive("chunk", JSON.stringify([documentId, headingPath, text, occurrence])),
    documentId,
    ordinal,
    headingPath,
    text,
    start,
    end,
    ...(page === undefined ? {} : { page })
  }))

const moved = (old: Chunk | undefined, chunk: Chunk) =>
  old !== undefined &&
  (old.ordinal !== chunk.ordinal ||
    old.start !== chunk.start ||
    old.end !== chunk.end ||
    old.page !== chunk.page)
