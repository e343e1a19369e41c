import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, Conflict, type DocumentId, Ids, invalid } from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import type { Document, DocumentSaveResult } from "./model.js"
import { contentBytesMax, readContent } from "./parse-file.js"
import { DocumentStore, Vault } from "./store.js"

/** The expected hash when a new file replaces none. */
export const noPreviousFile = ""

/** Parses a caller's bytes; invalid content is an input fault. */
export const read = (path: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const { settings } = yield* (yield* WorkspaceStore).get((yield* Caller).workspace)
    const stamp = { sizeBytes: bytes.byteLength, mtimeMs: 0 }
    return yield* readContent(path, bytes, stamp, settings.chunking).pipe(
      Effect.mapError(({ code, message }) => invalid(["content"], code, message))
    )
  })

/** Fails when a document or a file is at the path. */
export const refuseTakenPath = (path: string) =>
  Effect.gen(function* () {
    const [store, caller, vault] = [yield* DocumentStore, yield* Caller, yield* Vault]
    const found = yield* store.findByPath(caller.workspace, path)
    if (Option.isSome(found)) return yield* pathTaken(path, found.value.id)
    if (Option.isSome(yield* vault.read(path, contentBytesMax))) return yield* takenByFile(path)
  })

/**
 * A path that differs only in case may be the document's own file or, on a case-sensitive file system, another one.
 */
export const refuseDuplicateContent = (path: string, { contentHash }: Document) =>
  Effect.gen(function* () {
    const [vault, ids] = [yield* Vault, yield* Ids]
    const file = yield* vault.read(path, contentBytesMax)
    if (Option.isSome(file) && ids.sha256(file.value.bytes) !== contentHash) return yield* takenByFile(path)
  })

const takenByFile = (path: string) =>
  new Conflict({ message: `A file is at ${path} already; an ingest takes it in.` })

export const pathTaken = (path: string, existingId: DocumentId) =>
  new Conflict({ message: `The path ${path} is taken.`, existingId })

/** Returns the result of a write. */
export const saveResult = ({ contentHash, id, path, title }: Document): DocumentSaveResult => ({
  docId: id,
  path,
  contentHash,
  title
})
