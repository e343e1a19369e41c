import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, Conflict, type DocumentId, Ids, invalid } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { type Document, type DocumentSaveResult, fileHashOf } from "./model.js"
import { fileBytesMax, readContent, type TextOrigin } from "./parse-file.js"
import { DocumentStore, Vault } from "./store.js"

/** The expected hash when a new file replaces none. */
export const noPreviousFile = ""

/** Parses a caller's bytes; bytes that cannot be a document fail as invalid input. */
export const read = (path: string, bytes: Uint8Array, origin: TextOrigin = {}) =>
  Effect.gen(function* () {
    const { settings } = yield* (yield* WorkspaceStore).get((yield* Caller).workspace)
    const stamp = { sizeBytes: bytes.byteLength, mtimeMs: 0 }
    return yield* readContent(path, bytes, stamp, settings.chunking, origin).pipe(
      Effect.mapError(({ code, message }) => invalid(["content"], code, message))
    )
  })

/** Fails when a document or a file is at the path, or when the vault would not take in a file there. */
export const refuseTakenPath = (path: string) =>
  Effect.gen(function* () {
    const [store, caller, vault] = [yield* DocumentStore, yield* Caller, yield* Vault]
    const found = yield* store.findByPath(caller.workspace, path)
    if (Option.isSome(found)) return yield* pathTaken(path, found.value.id)
    if (vault.excludes !== undefined && (yield* vault.excludes(path)))
      return yield* invalid(["path"], "path_ignored", "An ignore file of the vault excludes this path.")
    if (Option.isSome(yield* vault.read(path, fileBytesMax(path)))) return yield* takenByFile(path)
  })

/** In another case the path may be the document's own file, or that of somebody else where cases differ. */
export const refuseDuplicateContent = (path: string, document: Document) =>
  Effect.gen(function* () {
    const [vault, ids] = [yield* Vault, yield* Ids]
    const file = yield* vault.read(path, fileBytesMax(path))
    if (Option.isSome(file) && ids.sha256(file.value.bytes) !== fileHashOf(document))
      return yield* takenByFile(path)
  })

const takenByFile = (path: string) =>
  new Conflict({ message: `A file is at ${path} already; an ingest takes it in.` })

export const pathTaken = (path: string, existingId: DocumentId) =>
  new Conflict({ message: `The path ${path} is taken.`, existingId })

/** Returns the result of a write. */
export const saveResult = ({ contentHash, id, path, title, version }: Document): DocumentSaveResult => ({
  docId: id,
  path,
  contentHash,
  title,
  version
})
