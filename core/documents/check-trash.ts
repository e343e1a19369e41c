import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { AuditLog, record } from "../audit/index.js"
import { atomically, Caller, type DocumentId, type Examiner, Ids, traced } from "../kernel/index.js"
import { type fileFindings, patienceMs } from "../vault-sync/index.js"
import { DocumentInspection } from "./inspection.js"
import { fileBytesMax } from "./parse-file.js"
import { bringBack, lastVersion, rememberedMax, rememberedPath } from "./rescue.js"
import { DocumentStore, Vault } from "./store.js"
import { VersionInspection } from "./version-inspection.js"

type TrashExaminer = Examiner<keyof typeof fileFindings>

/**
 * Looks for files in the trash whose documents are not there: not there at all, as after an older database was put back,
 * or live. What such a file says is lost with it, unless a document or a version says the same.
 */
export const checkTrash = traced("documents.checkTrash")(function* (examiner: TrashExaminer) {
  const [store, vault, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
  const files = yield* vault.trashed
  if (files.length === 0) return
  const known = new Set((yield* store.trashStamps(workspace)).map(({ id }) => id))
  const suspects = files.filter((id) => !known.has(id))
  if (suspects.length === 0) return
  // Whoever restores or purges at this moment drops the file, too.
  yield* Effect.sleep(patienceMs)
  const still = new Set(yield* vault.trashed)
  for (const id of suspects) if (still.has(id)) yield* checkFile(examiner, id)
})

const checkFile = (examiner: TrashExaminer, id: DocumentId) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const end = yield* atomically(endOf(examiner, id))
    // Not before what becomes of its text is committed.
    if (end === "dropped") yield* vault.dropTrash(id)
  })

/** Tells of a file, and sees to its text; what becomes of the file itself then. */
const endOf = (examiner: TrashExaminer, id: DocumentId) =>
  Effect.gen(function* () {
    const [store, vault, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const document = Option.getOrNull(yield* store.find(workspace, id))
    if (document !== null && document.deletedAt !== null) return "kept"
    if ((yield* store.openIntents(workspace, { documentId: id })).length > 0) return "kept"
    // It is about to go to the trash, and has its file there: `checkFiles` tells that it is missing.
    if (document !== null && (yield* isMissing(document.path))) return "kept"
    const file = yield* Effect.either(vault.readTrash(id))
    if (Either.isRight(file) && Option.isNone(file.right)) return "kept"
    const path = document?.path ?? (yield* rememberedPath(id))
    yield* examiner.tell("trash_file_stray", {
      subject: path === null ? id : `${path} (${id})`,
      message:
        document === null
          ? "a file in the trash that no document stands for"
          : "the trash still holds a file of a document that is back"
    })
    // What cannot be read, or is no document, may be somebody's all the same: it stays, and is told each time.
    const bytes = Option.getOrNull(Option.flatten(Either.getRight(file)))
    if (!examiner.repair || bytes === null) return "kept"
    const hasHistory = document === null && (yield* lastVersion(id)) !== null
    const isKnown = (!hasHistory && (yield* isSaid(bytes))) || (yield* isPurged(id))
    if (!isKnown) {
      const isBack = yield* bringBack(document === null ? id : (yield* Ids).make("document"), bytes)
      if (!isBack || document === null) return "kept"
    }
    yield* record([{ action: "document.repair", subjectId: id, details: { path, removed: "trash file" } }])
    return "dropped"
  })

/** Whether a document's own file is gone; one that cannot be read is there. */
const isMissing = (path: string) =>
  Effect.match(
    Effect.flatMap(Vault, (vault) => vault.read(path, fileBytesMax(path))),
    { onFailure: () => false, onSuccess: Option.isNone }
  )

/** Whether a document or a version says the same. */
const isSaid = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const [documents, versions, ids] = [yield* DocumentInspection, yield* VersionInspection, yield* Ids]
    const [{ workspace }, contentHash] = [yield* Caller, ids.sha256(bytes)]
    return (
      (yield* documents.isHeld(workspace, contentHash)) ||
      Option.isSome(yield* versions.text(workspace, contentHash))
    )
  })

/** Whether the document was in the trash for as long as the workspace keeps it: a copy that came back goes as it went. */
const isPurged = (id: DocumentId) =>
  Effect.gen(function* () {
    const [audit, { workspace }] = [yield* AuditLog, yield* Caller]
    const events = yield* audit.ofSubject(workspace, id, rememberedMax)
    return events.some(({ action }) => action === "document.purge")
  })
