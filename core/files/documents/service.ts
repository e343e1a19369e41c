import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import {
  atomically,
  Caller,
  Conflict,
  DataUnreadable,
  type DocumentId,
  defined,
  Ids,
  type InvalidInput,
  invalid,
  NotFound,
  now,
  type PageRequest,
  traced
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import {
  convertibleMediaType,
  defaultContent,
  firstHeading,
  isImage,
  isMarkdown,
  parseDocumentPath,
  parseFrontMatter,
  pathKey,
  slugPath,
  stemOf
} from "../markdown/index.js"
import { type Change, changeTo } from "./commit.js"
import {
  changedOutside,
  commitWithFileOperation,
  liveDocument,
  publishChange,
  restoreFile,
  syncBeforeWrite,
  unsyncableChange
} from "./file-write.js"
import { create, decide } from "./machine.js"
import {
  type Document,
  type DocumentListing,
  type DocumentPage,
  type DocumentSummary,
  type DocumentWithContent,
  fileHashOf,
  markdownMediaType
} from "./model.js"
import { decodeContent, fileBytesMax, readFile } from "./parse-file.js"
import { finishPendingOperations } from "./pending-operations.js"
import { DocumentStore, type ListedDocument, Vault } from "./store.js"
import { trashedText } from "./trashed-text.js"
import { refuseOthers } from "./verifier.js"
import { noPreviousFile, pathTaken, read, refuseTakenPath, saveResult } from "./write-checks.js"

/** Returns live documents in path order, without content. */
export const listDocuments = traced("documents.list")(function* (
  { limit, offset }: PageRequest,
  filter: DocumentListing
) {
  const [store, caller] = [yield* DocumentStore, yield* Caller]
  const { items, total } = yield* store.list(caller.workspace, { limit, offset }, filter)
  const page: DocumentPage = { items: items.map(summary), total, limit, offset }
  if (filter.folder === undefined) return page
  return { ...page, folders: [...(yield* store.folders(caller.workspace, filter.folder))] }
})

/** Returns one document with its text; `missing` when the file cannot be read. */
export const getDocument = traced("documents.get")(function* (id: DocumentId) {
  return yield* withContent(yield* liveDocument(id))
})

/** Returns the document at a path, compared without case. */
export const getDocumentByPath = traced("documents.getByPath")(function* (path: string) {
  const [store, caller] = [yield* DocumentStore, yield* Caller]
  const found = yield* store.findByPath(caller.workspace, path)
  return Option.isNone(found) ? yield* new NotFound({ what: "document" }) : yield* withContent(found.value)
})

export const withContent = Effect.fnUntraced(function* (document: Document) {
  const [store, vault, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
  const file = yield* vault
    .read(document.path, fileBytesMax(document.path))
    .pipe(Effect.orElseSucceed(Option.none))
  const bytes =
    document.file !== undefined && Option.isSome(file)
      ? yield* store.content(workspace, document.id)
      : Option.map(file, (found) => found.bytes)
  const text = Option.flatMap(bytes, (found) => Either.getRight(decodeContent(found)))
  const shown: DocumentWithContent = {
    ...summary(document),
    verifiedBy: document.verifiedBy,
    source: shownSource(document),
    content: Option.getOrElse(text, () => ""),
    missing: Option.isNone(text)
  }
  return shown
})

/** What is known of the original, as callers see it. */
export const shownSource = ({ source }: Pick<Document, "source">): DocumentWithContent["source"] =>
  source === undefined
    ? null
    : {
        url: source.url,
        author: source.author,
        createdAt: source.createdAt,
        modifiedAt: source.modifiedAt
      }

/** Input of a new document. */
interface NewDocument {
  readonly path?: string | undefined
  readonly content?: string | undefined
  readonly title?: string | undefined
}

/** Number of attempts when concurrent callers pick the same path. */
const attemptsMax = 12

/**
 * Retry schedule of a replacement while others write the document: some seconds at most, with jitter so that they do
 * not retry in step.
 */
const retrySchedule = Schedule.exponential("4 millis", 1.5).pipe(
  Schedule.union(Schedule.spaced("250 millis")),
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(30))
)

/**
 * Creates a document: writes the file and indexes it. Without a path one is derived from the title or the first
 * heading; without content the title becomes a heading. Conflict when the requested path is taken by a document or by
 * a file that was not synced yet.
 */
export const createDocument = traced("documents.create")(function* (
  input: NewDocument,
  alongside?: Change["alongside"]
) {
  const given = input.path
  if (given !== undefined) return yield* createAt(yield* parseDocumentPath(given), input, alongside)
  const found = new Set<string>()
  for (;;) {
    // A random number of paths is skipped, so that concurrent callers soon find different free paths.
    const skipped = yield* Random.nextIntBetween(0, 2 ** found.size)
    const path = yield* freePath(input, found, skipped)
    const made = yield* createAt(path, input, alongside).pipe(
      Effect.catchTag("Conflict", (fault) =>
        // The caller did not ask for this path, so the next free one is tried.
        found.add(pathKey(path)).size < attemptsMax ? Effect.succeed(null) : Effect.fail(fault)
      )
    )
    if (made !== null) return made
  }
})

const createAt = Effect.fnUntraced(function* (
  path: string,
  input: NewDocument,
  alongside: Change["alongside"]
) {
  const [store, caller, ids, at] = [yield* DocumentStore, yield* Caller, yield* Ids, yield* now]
  const title = input.title ?? stemOf(path)
  const bytes = yield* contentBytes(input.content ?? defaultContent(title))
  yield* refuseTakenPath(path)
  const reading = yield* read(path, bytes)
  const after = create({ id: ids.make("document"), path, content: reading.content, at })
  const change = { ...changeTo(null, after, reading, "document.create"), ...defined({ alongside }) }
  yield* publishChange(change, bytes, noPreviousFile).pipe(
    Effect.catchTag("Conflict", (fault) =>
      Effect.flatMap(store.findByPath(caller.workspace, path), (found) =>
        Effect.fail(Option.isNone(found) ? fault : pathTaken(path, found.value.id))
      )
    )
  )
  return saveResult(after)
})

/**
 * Creates a document of a file of another format: the file is kept in the vault as it is, and its text is what the
 * converter makes of it. InvalidInput, with the reason, for a file that has no text.
 */
export const createFromFile = traced("documents.createFromFile")(function* (
  rawPath: string,
  bytes: Uint8Array
) {
  const path = yield* parseDocumentPath(rawPath, convertibleMediaType(rawPath))
  if (isMarkdown(path) || isImage(path))
    return yield* invalid(["path"], "format_unknown", "Files of this format are not read into documents.")
  const [ids, at, { workspace }] = [yield* Ids, yield* now, yield* Caller]
  yield* refuseTakenPath(path)
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const stamp = { sizeBytes: bytes.byteLength, mtimeMs: 0 }
  const reading = yield* readFile(path, bytes, stamp, settings.chunking).pipe(
    Effect.mapError(({ code, message }) => invalid(["file"], code, message))
  )
  const after = create({ id: ids.make("document"), path, content: reading.content, at })
  yield* publishChange(changeTo(null, after, reading, "document.create"), bytes, noPreviousFile)
  return { ...saveResult(after), warnings: reading.warnings.map(({ message }) => message) }
})

/**
 * Replaces the whole text. Outside changes of the file are indexed first, as a version of their own. Of concurrent
 * replacements each becomes a version, and the last one stays.
 */
export const replaceDocument = traced("documents.replace")(function* (
  id: DocumentId,
  content: string,
  expectVersion?: number,
  alongside?: Change["alongside"]
) {
  const bytes = yield* contentBytes(content)
  return yield* Effect.retry(replaceBy(id, bytes, expectVersion, alongside), {
    schedule: retrySchedule,
    while: (fault) =>
      alongside === undefined &&
      fault._tag === "Conflict" &&
      fault !== changedOutside &&
      fault !== staleVersion
  })
})

/** The caller has seen another version than the present one. */
export const staleVersion = new Conflict({
  message: "The document was changed since it was read: it has another version now."
})

const replaceBy = Effect.fnUntraced(function* (
  id: DocumentId,
  bytes: Uint8Array,
  expectVersion: number | undefined,
  alongside: Change["alongside"]
) {
  const standing = yield* liveDocument(id)
  if (standing.file !== undefined) return yield* readOnly(standing)
  const file = yield* syncBeforeWrite(id)
  if (file === "changed") return yield* unsyncableChange(id)
  if (typeof file === "object") return yield* file
  const [before, at] = [yield* liveDocument(id), yield* now]
  if (before.file !== undefined) return yield* readOnly(before)
  yield* refuseOthers(before)
  if (expectVersion !== undefined && before.version !== expectVersion) return yield* staleVersion
  const reading = yield* read(before.path, bytes)
  const after = yield* decide(before, { _tag: "ReplaceContent", content: reading.content }, at).pipe(
    Effect.mapError(() => new NotFound({ what: "document" }))
  )
  const expects = file === "missing" ? noPreviousFile : before.contentHash
  const change = { ...changeTo(before, after, reading, "document.replace"), ...defined({ alongside }) }
  if (after !== before) yield* publishChange(change, bytes, expects)
  else {
    if (file === "missing") yield* restoreFile(before, bytes)
    if (alongside !== undefined) yield* atomically(alongside)
  }
  return saveResult(after)
})

/** The text of a converted file is changed by changing that file. */
const readOnlyMessage =
  "is converted from a file of another format, so its text is read-only: change the file"
export const readOnly = ({ id, path }: Document) =>
  new Conflict({ message: `${path} ${readOnlyMessage}.`, existingId: id })

/** Moves a document to the trash: its file, its passages and what it gave to the indexes go at once. */
export const deleteDocument = traced("documents.delete")(function* (
  id: DocumentId,
  alongside?: Change["alongside"]
) {
  yield* syncBeforeWrite(id)
  const [before, at, vault] = [yield* liveDocument(id), yield* now, yield* Vault]
  yield* refuseOthers(before)
  yield* vault.checkWritable(before.path)
  const after = yield* decide(before, { _tag: "Delete" }, at).pipe(
    Effect.mapError(() => new NotFound({ what: "document" }))
  )
  const owe = { kind: "trash", from: null, expects: fileHashOf(before) } as const
  yield* commitWithFileOperation(
    { ...changeTo(before, after, null, "document.delete"), ...defined({ alongside }) },
    owe,
    vault.trash(before.path, id)
  )
  return { deleted: true, id } as const
})

/** Restores a document from the trash, to its former path or another. */
export const restoreDocument = traced("documents.restore")(function* (id: DocumentId, rawPath?: string) {
  yield* finishPendingOperations(id)
  const [store, caller, at] = [yield* DocumentStore, yield* Caller, yield* now]
  const found = yield* store.find(caller.workspace, id)
  if (Option.isNone(found) || found.value.deletedAt === null)
    return yield* new NotFound({ what: "document in the trash" })
  const before = found.value
  const path = rawPath === undefined ? before.path : yield* parseDocumentPath(rawPath, before.file?.mediaType)
  yield* refuseTakenPath(path)
  const bytes = yield* Effect.flatMap(
    trashedText(before),
    Option.match({
      onNone: () => (before.file === undefined ? textLost(before) : originalLost(before)),
      onSome: Effect.succeed
    })
  )
  const reading = yield* readRestored(path, bytes, before)
  const after = yield* decide(before, { _tag: "Restore", path, content: reading.content }, at).pipe(
    Effect.mapError(() => new NotFound({ what: "document in the trash" }))
  )
  yield* publishChange(
    { ...changeTo(before, after, reading, "document.restore"), origin: "vault" },
    bytes,
    noPreviousFile
  )
  return saveResult(after)
})

/** Parses a file restored from the trash; a file of another format is converted again. */
const readRestored = (path: string, bytes: Uint8Array, { file }: Document) =>
  file === undefined
    ? read(path, bytes)
    : Effect.gen(function* () {
        const { settings } = yield* (yield* WorkspaceStore).get((yield* Caller).workspace)
        const stamp = { sizeBytes: bytes.byteLength, mtimeMs: 0 }
        return yield* readFile(path, bytes, stamp, settings.chunking).pipe(
          Effect.mapError(
            ({ message }) => new Conflict({ message: `${path} cannot be converted: ${message}` })
          )
        )
      })

const originalLost = ({ path }: Document) =>
  new Conflict({ message: `The file ${path} is not in the trash any more, so it cannot be brought back.` })

const textLost = ({ path }: Document) =>
  Effect.die(
    new DataUnreadable({
      message: `The text of ${path} is lost: it is neither in the trash nor in the database. Restore it from an export or a copy of the data folder.`
    })
  )

/** Returns the bytes of a text; InvalidInput where it cannot be a document. */
export const contentBytes = (content: string): Effect.Effect<Uint8Array, InvalidInput> =>
  !content.isWellFormed()
    ? Effect.fail(invalid(["content"], "invalid_content", "The text holds a lone surrogate."))
    : Effect.flatMap(Effect.succeed(new TextEncoder().encode(content)), (bytes) =>
        Either.match(decodeContent(bytes), {
          onLeft: ({ code, message }) => Effect.fail(invalid(["content"], code, message)),
          onRight: () => Effect.succeed(bytes)
        })
      )

/** Returns a path for a document without one: free as far as is known, after as many free numbers. */
const freePath = (input: NewDocument, found: ReadonlySet<string>, skipped: number) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const usedPaths = new Set((yield* store.stamps(caller.workspace)).map((stamp) => pathKey(stamp.path)))
    const name = input.title ?? ownTitle(input.content ?? "") ?? "Untitled"
    return slugPath(name, (path) => usedPaths.has(pathKey(path)) || found.has(pathKey(path)), skipped)
  })

/** Returns the title in a text's front matter, or its first heading. */
const ownTitle = (content: string): string | undefined =>
  parseFrontMatter(content).frontMatter.title ?? firstHeading(content) ?? undefined

/** A document as lists show it. */
export const summary = ({
  contentHash,
  file,
  id,
  nextVerifyAt,
  path,
  title,
  updatedAt,
  verification,
  version
}: ListedDocument): DocumentSummary => ({
  id,
  path,
  title,
  mediaType: file?.mediaType ?? markdownMediaType,
  contentHash,
  version,
  updatedAt,
  verification,
  nextVerifyAt
})
