import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Caller, Conflict, type DocumentId, NotFound, now, traced } from "../../platform/kernel/index.js"
import {
  type Change,
  changeTo,
  commitWithFileOperation,
  type Document,
  type DocumentMoveResult,
  DocumentStore,
  decide,
  decodeContent,
  fileHashOf,
  liveDocument,
  noPreviousFile,
  type ParsedFile,
  publishChange,
  read,
  refuseDuplicateContent,
  refuseOthers,
  refuseTakenPath,
  saveResult,
  syncBeforeWrite,
  Vault
} from "../documents/index.js"
import { parseDocumentPath, pathKey } from "../markdown/index.js"
import { linkedMove, rewriteAgain } from "./relink-documents.js"
import { commitRelinks } from "./relink-files.js"

/** Number of attempts when concurrent callers change the documents whose links are rewritten. */
const attemptsMax = 8

/**
 * Moves a document to another path; its id, verification and history stay. With `rewriteLinks`, links that would lead
 * elsewhere are rewritten in the same unit of work, in all live documents and in this one. Concurrent edits are not
 * lost: the move starts over and rewrites the new text.
 */
export const moveDocument = traced("documents.move")(function* (
  id: DocumentId,
  rawPath: string,
  { alongside, rewriteLinks }: { readonly rewriteLinks: boolean; readonly alongside?: Change["alongside"] }
) {
  const path = yield* parseDocumentPath(rawPath, (yield* liveDocument(id)).file?.mediaType)
  for (let attempt = 1; ; attempt++) {
    const prepared = yield* prepare(id, path, alongside)
    if (prepared === null) {
      const same: DocumentMoveResult = { ...saveResult(yield* liveDocument(id)), rewritten: [] }
      return same
    }
    const moved = yield* (rewriteLinks ? moveLinked(prepared) : moveAlone(prepared)).pipe(
      Effect.catchTag("Conflict", (fault) => lookAgain(path, id, fault, attempt))
    )
    if (moved !== null) return moved
  }
})

/** Returns null when another attempt may succeed: the path is free, so one of the documents was changed. */
const lookAgain = (path: string, id: DocumentId, fault: Conflict, attempt: number) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const there = Option.getOrNull(yield* store.findByPath(caller.workspace, path))
    const isTaken = there !== null && there.id !== id
    return isTaken || attempt === attemptsMax ? yield* fault : null
  })

/** A move whose preconditions were checked. */
interface Prepared {
  readonly before: Document
  readonly after: Document
  readonly bytes: Uint8Array
  readonly file: Effect.Effect.Success<ReturnType<typeof syncBeforeWrite>>
  readonly alongside: Change["alongside"]
}

/** Null when the document is already at that path. */
const prepare = (id: DocumentId, path: string, alongside: Change["alongside"]) =>
  Effect.gen(function* () {
    const file = yield* syncBeforeWrite(id)
    const [store, caller, at] = [yield* DocumentStore, yield* Caller, yield* now]
    const before = yield* liveDocument(id)
    if (path === before.path) return null
    yield* refuseOthers(before)
    yield* pathKey(path) === pathKey(before.path)
      ? refuseDuplicateContent(path, before)
      : refuseTakenPath(path)
    const bytes = Option.getOrElse(yield* store.content(caller.workspace, id), () => new Uint8Array())
    // The title may come from the name of the file.
    const { content } = yield* read(path, bytes, before)
    const after = yield* decide(before, { _tag: "Move", path, title: content.title }, at).pipe(
      Effect.mapError(() => new NotFound({ what: "document" }))
    )
    const prepared: Prepared = { before, after, bytes, file, alongside }
    return prepared
  })

const moveOf = (before: Document, after: Document, reading: ParsedFile | null): Change => ({
  ...changeTo(before, after, reading, "document.move"),
  origin: "move",
  details: { from: before.path }
})

const moveAlone = ({ after, alongside, before, bytes, file }: Prepared) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const change = { ...moveOf(before, after, null), ...(alongside === undefined ? {} : { alongside }) }
    const moved: DocumentMoveResult = { ...saveResult(after), rewritten: [] }
    if (file === "missing") {
      if (before.file !== undefined) return yield* originalMissing(before)
      yield* publishChange(change, bytes, noPreviousFile)
      return moved
    }
    yield* Effect.zipRight(vault.checkWritable(before.path), vault.checkWritable(after.path))
    const owe = { kind: "move", from: before.path, expects: noPreviousFile } as const
    yield* commitWithFileOperation(change, owe, vault.move(before.path, after.path))
    return moved
  })

const moveLinked = (prepared: Prepared) =>
  Effect.gen(function* () {
    const { after, before, bytes, file } = prepared
    if (file === "missing" && before.file !== undefined) return yield* originalMissing(before)
    // Files that cannot be ingested, and files of another format, are moved without changing their links.
    const isKnown = before.file === undefined && (file === "same" || file === "missing")
    const text = isKnown ? Option.getOrNull(Either.getRight(decodeContent(bytes))) : null
    const { others, relinking, self } = yield* linkedMove({ before, after, own: text })
    if (self === null && others.length === 0) return yield* moveAlone(prepared)
    const moved = self === null ? after : yield* relinkedAfter(after, self.reading)
    const change = moveOf(before, moved, self?.reading ?? null)
    const isGone = file === "missing"
    const expects = isGone ? noPreviousFile : fileHashOf(before)
    const own = self !== null || isGone ? { change, bytes: self?.bytes ?? bytes, expects } : null
    const overtaken = yield* commitRelinks({ change, from: isGone ? null : before.path, own, others })
    const by = { moved: before.id, from: before.path, to: moved.path }
    for (const id of overtaken) yield* rewriteAgain(id, relinking, by)
    const changed = [...(self === null ? [] : [moved]), ...others.map((one) => one.change.after)]
    const result: DocumentMoveResult = {
      ...saveResult(moved),
      rewritten: changed.sort((a, b) => (a.path < b.path ? -1 : 1)).map(({ id }) => id)
    }
    return result
  })

/** The text of a document cannot be made into the file that it was converted from. */
const originalMissing = ({ path }: Document) =>
  new Conflict({
    message: `The file ${path} is missing, so it cannot be moved; an ingest removes its document.`
  })

const relinkedAfter = (document: Document, { content }: ParsedFile) =>
  decide(document, { _tag: "Relink", content }, document.updatedAt).pipe(
    Effect.mapError(() => new NotFound({ what: "document" }))
  )
