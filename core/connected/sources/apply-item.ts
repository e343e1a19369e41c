import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { moveDocument } from "../../files/document-moves/index.js"
import {
  createFromSource,
  currentDocument,
  DocumentStore,
  deleteDocument,
  replaceFromSource,
  restoreFromSource,
  type SourcedText,
  type SourceMetadata
} from "../../files/documents/index.js"
import { atomically, type DocumentId, Ids, now } from "../../platform/kernel/index.js"
import {
  type ActiveSync,
  failItem,
  newItem,
  planChange,
  refuseStopped,
  settleAlone,
  settleItem
} from "./active-sync.js"
import type { ItemReaders } from "./crawler.js"
import type { PreparedParts } from "./fetch-item.js"
import { type ItemPlan, planItem } from "./plan-item.js"
import type { ItemPart } from "./prepare-item.js"
import { type ExternalItem, SourceStore } from "./store.js"

/** Attempts when others write the same document. */
const attemptsMax = 5

/**
 * Writes the documents of an item, and removes those of attachments that it no longer has. Its own document comes last:
 * once its version is stored, an item counts as brought over.
 */
export const applyParts = (sync: ActiveSync, { parts, readers }: Pick<PreparedParts, "parts" | "readers">) =>
  Effect.gen(function* () {
    const [root, ...attached] = parts
    if (root === undefined) return
    for (const part of attached) yield* applyPart(sync, part, readers)
    yield* removeAttached(sync, root.externalId, new Set(attached.map(({ externalId }) => externalId)))
    yield* applyPart(sync, root, readers)
  })

const applyPart = (sync: ActiveSync, part: ItemPart, readers: ItemReaders | undefined) =>
  Effect.gen(function* () {
    const { connector, workspace } = sync
    const items = (yield* SourceStore).items
    const [known] = yield* items.find(workspace, connector.id, [part.externalId])
    const item = known ?? (yield* newItem(sync, part.externalId, part.parentId))
    const { result } = part
    if ("failure" in result) {
      const failed = { ...item, version: part.version, isMissing: false, syncedAt: yield* now }
      const code = result.isPermanent ? "permanent" : "unreadable"
      if (item.documentId !== null) yield* setReaders(sync, item.documentId, readers)
      return yield* failItem(sync, failed, { code, reason: result.failure })
    }
    for (let attempt = 1; ; attempt++) {
      const writeResult = yield* Effect.either(writePart(sync, item, part, result.text, readers))
      if (writeResult._tag === "Right") return
      const fault = writeResult.left
      if (fault._tag === "SyncStopped") return yield* fault
      yield* refuseStopped(sync)
      if (fault._tag === "InvalidInput") {
        const refused = { ...item, version: part.version, isMissing: false }
        return yield* failItem(sync, refused, { code: "permanent", reason: fault.message })
      }
      const isTaken = fault._tag === "Conflict" && fault.existingId !== item.documentId
      if (isTaken || attempt === attemptsMax) {
        const code = isTaken ? "path_taken" : "unreadable"
        const reason =
          fault._tag === "VaultUnavailable" ? "The folder of documents cannot be written." : fault.message
        return yield* failItem(sync, { ...item, isMissing: false }, { code, reason })
      }
      yield* Effect.sleep(20 * attempt)
    }
  })

/** Carries out the plan for one document, in one unit of work with the state of its item. */
const writePart = (
  sync: ActiveSync,
  item: ExternalItem,
  part: ItemPart,
  text: SourcedText,
  readers: ItemReaders | undefined
) =>
  Effect.gen(function* () {
    const { run, workspace } = sync
    const stores = { items: (yield* SourceStore).items, runs: (yield* SourceStore).runs }
    const ids = yield* Ids
    const contentHash = ids.sha256(text.text)
    const document = yield* documentOf(sync, item)
    const stored = document === null ? null : "file" in document ? document.document : document.trashed
    const plan = planItem(
      item.documentId === null ? null : item,
      stored,
      {
        path: text.path,
        contentHash,
        isDescribedAnew: isDescribedAnew(stored?.source, text.source),
        isReadAgain: sync.isReadAgain && part.version !== null && part.version === item.version
      },
      run.onConflict
    )
    if (run.dryRun) {
      if (part.warnings.length > 0)
        yield* stores.runs.settle(workspace, run.id, {
          externalId: item.externalId,
          messages: part.warnings
        })
      return planOnly(sync, item, text.path, plan)
    }
    if (plan.op === "conflict") {
      const reason = `conflict: ${text.path} was edited here and at the source.`
      const kept = { ...item, isMissing: false, syncedAt: yield* now }
      if (item.documentId !== null) yield* setReaders(sync, item.documentId, readers)
      return yield* failItem(sync, kept, { code: "conflict", reason })
    }
    const after: ExternalItem = {
      ...item,
      path: text.path,
      version: part.version,
      contentHash,
      url: part.url,
      isRemoved: false,
      isMissing: false,
      failure: null,
      warnings: part.warnings,
      syncedAt: yield* now
    }
    const settled = { ...after, runId: run.id }
    if (plan.op === "settle") {
      sync.tally.unchanged += 1
      if (item.documentId !== null) yield* setReaders(sync, item.documentId, readers)
      const isNothingToTell = isSettled(item, after) && after.warnings.length === 0
      return yield* isNothingToTell ? Effect.void : settleAlone(sync, after)
    }
    if (plan.op === "create") {
      const id = ids.make("document")
      const done = settleItem(sync, stores, { ...settled, documentId: id }, { created: 1 })
      return yield* createFromSource(id, text, Effect.zipLeft(done, readersSet(sync, id, readers)))
    }
    const done = Effect.zipLeft(
      settleItem(sync, stores, settled, { updated: 1 }),
      item.documentId === null ? Effect.void : readersSet(sync, item.documentId, readers)
    )
    if (plan.op === "restore") {
      if (document !== null && "trashed" in document) yield* restoreFromSource(document.trashed, text, done)
      return
    }
    if (document === null || "trashed" in document) return
    if (plan.moves)
      yield* moveDocument(document.document.id, text.path, {
        rewriteLinks: false,
        alongside: stores.items.put(workspace, { ...item, path: text.path })
      })
    const current = plan.moves
      ? Option.getOrElse(yield* currentDocument(document.document.id), () => document)
      : document
    if (plan.replaces) return yield* replaceFromSource(current, text, done)
    yield* setReaders(sync, document.document.id, readers)
    yield* settleMoved(sync, settled)
  })

/** For a unit of work: gives a document the readers of its item. They change together with its text. */
const readersSet = ({ readers: store }: ActiveSync, id: DocumentId, readers: ItemReaders | undefined) =>
  readers === undefined ? Effect.void : store.set(new Map([[id, readers]]))

const setReaders = (sync: ActiveSync, id: DocumentId, readers: ItemReaders | undefined) =>
  readers === undefined || sync.run.dryRun ? Effect.void : atomically(readersSet(sync, id, readers))

const settleMoved = (sync: ActiveSync, after: ExternalItem) =>
  Effect.gen(function* () {
    yield* settleAlone(sync, after)
    yield* (yield* SourceStore).runs.count(sync.workspace, sync.run.id, { updated: 1 })
  })

/** The document of an item: live with its file indexed, in the trash, or null. A dry run indexes nothing. */
const documentOf = ({ run, workspace }: ActiveSync, { documentId }: ExternalItem) =>
  Effect.gen(function* () {
    if (documentId === null) return null
    const found = Option.getOrNull(yield* (yield* DocumentStore).find(workspace, documentId))
    if (found === null) return null
    if (found.deletedAt !== null) return { trashed: found }
    if (run.dryRun) return { document: found, file: "same" as const }
    return Option.getOrNull(yield* currentDocument(documentId))
  })

const described = ["url", "author", "createdAt", "modifiedAt", "title"] as const

const isDescribedAnew = (before: SourceMetadata | undefined, after: SourceMetadata): boolean =>
  before === undefined || described.some((field) => before[field] !== after[field])

const isSettled = (before: ExternalItem, after: ExternalItem): boolean =>
  JSON.stringify({ ...before, syncedAt: "" }) === JSON.stringify({ ...after, syncedAt: "" })

const planOnly = (sync: ActiveSync, item: ExternalItem, path: string, plan: ItemPlan): void => {
  const { externalId } = item
  if (plan.op === "settle") sync.tally.unchanged += 1
  else if (plan.op === "update")
    planChange(sync, { externalId, op: plan.moves && !plan.replaces ? "move" : "update", path })
  else planChange(sync, { externalId, op: plan.op, path })
}

/** Moves the document of an item, and those of its attachments, to the trash, except for those edited here. */
export const removeItem = (sync: ActiveSync, item: ExternalItem) =>
  Effect.zipRight(removeOne(sync, item), removeAttached(sync, item.externalId, new Set()))

const removeAttached = (sync: ActiveSync, parentId: string, kept: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const attached = yield* (yield* SourceStore).items.attached(sync.workspace, sync.connector.id, parentId)
    for (const item of attached)
      if (!kept.has(item.externalId) && !item.isRemoved) yield* removeOne(sync, item)
  })

const removeOne = (sync: ActiveSync, item: ExternalItem) =>
  Effect.catchAll(trashDocument(sync, item), (fault) =>
    fault._tag === "SyncStopped"
      ? Effect.fail(fault)
      : Effect.zipRight(
          refuseStopped(sync),
          failItem(sync, item, { code: "unreadable", reason: fault.message })
        )
  )

const trashDocument = (sync: ActiveSync, item: ExternalItem) =>
  Effect.gen(function* () {
    const { run } = sync
    const stores = { items: (yield* SourceStore).items, runs: (yield* SourceStore).runs }
    const found = yield* documentOf(sync, item)
    const document = found !== null && "document" in found ? found.document : null
    const isEdited = document !== null && document.contentHash !== item.contentHash
    if (isEdited && run.onConflict === null) {
      const reason = `conflict: ${document.path} was edited here and deleted at the source.`
      return yield* failItem(sync, item, { code: "conflict", reason })
    }
    const after = {
      ...item,
      isRemoved: true,
      isMissing: false,
      failure: null,
      warnings: [],
      syncedAt: yield* now
    }
    if (document === null || (isEdited && run.onConflict === "keep"))
      return yield* run.dryRun ? Effect.void : settleAlone(sync, after)
    if (run.dryRun)
      return planChange(sync, { externalId: item.externalId, op: "remove", path: document.path })
    yield* deleteDocument(document.id, settleItem(sync, stores, after, { removed: 1 }))
  })

/** Whether a document is at the path that an item wants, and which item it belongs to. */
export const occupantOf = ({ connector, workspace }: ActiveSync, path: string) =>
  Effect.gen(function* () {
    const there = Option.getOrNull(yield* (yield* DocumentStore).findByPath(workspace, path))
    if (there === null) return null
    const item = Option.getOrNull(yield* (yield* SourceStore).items.ofDocument(workspace, there.id))
    return item === null || item.connectorId !== connector.id ? null : { document: there, item }
  })
