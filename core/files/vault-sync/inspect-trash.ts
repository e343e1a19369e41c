import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { AuditLog, record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  type DocumentId,
  Ids,
  type Inspector,
  traced
} from "../../platform/kernel/index.js"
import { DocumentStore, fileBytesMax, Vault } from "../documents/index.js"
import { type fileFindings, patienceMs } from "./inspect-files.js"

type TrashInspector = Inspector<keyof typeof fileFindings>

/**
 * Finds files in the trash whose document is not in the trash, for example after an older database was restored. A
 * repair removes a file whose text a document or version also holds, and that of a purged document. Any other file may be
 * the only copy of its text, and stays.
 */
export const inspectTrash = traced("documents.inspectTrash")(function* (inspector: TrashInspector) {
  const [store, vault, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
  const files = yield* vault.trashed
  if (files.length === 0) return
  const known = new Set((yield* store.trashStamps(workspace)).map(({ id }) => id))
  const suspects = files.filter((id) => !known.has(id))
  if (suspects.length === 0) return
  // A restore or purge that is under way removes the file, too.
  yield* Effect.sleep(patienceMs)
  const present = new Set(yield* vault.trashed)
  for (const id of suspects) {
    // The file goes only after the transaction that records its removal.
    if (present.has(id) && (yield* atomically(inspectTrashFile(inspector, id)))) yield* vault.dropTrash(id)
  }
})

/** Reports a file that has no trashed document; returns whether it should be removed. */
const inspectTrashFile = (inspector: TrashInspector, id: DocumentId) =>
  Effect.gen(function* () {
    const [store, vault, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
    const document = Option.getOrNull(yield* store.find(workspace, id))
    if (document !== null && document.deletedAt !== null) return false
    if ((yield* store.openIntents(workspace, { documentId: id })).length > 0) return false
    // The document's file is in the trash and its row will follow: `inspectFiles` reports the file as missing.
    if (document !== null && (yield* isMissing(document.path))) return false
    const file = yield* Effect.either(vault.readTrash(id))
    if (Either.isRight(file) && Option.isNone(file.right)) return false
    const bytes = Option.getOrNull(Option.flatten(Either.getRight(file)))
    const isObsolete = (bytes !== null && (yield* hasText(bytes))) || (yield* isPurged(id))
    const subject = document === null ? id : `${document.path} (${id})`
    const what =
      document === null
        ? "A file in the trash belongs to no document."
        : "The trash holds a file of a document that is not deleted."
    yield* inspector.report("trash_file_stray", {
      subject,
      message: isObsolete
        ? what
        : `${what} It may be the only copy of its text: move .kanon/trash/${id}.md into the vault to recover it, or delete it.`
    })
    if (!inspector.rebuild || !isObsolete) return false
    yield* record([{ action: "document.repair", subjectId: id, details: { removed: "trash file" } }])
    return true
  })

/** Whether the file of a document does not exist; a file that cannot be read exists. */
const isMissing = (path: string) =>
  Effect.match(
    Effect.flatMap(Vault, (vault) => vault.read(path, fileBytesMax(path))),
    { onFailure: () => false, onSuccess: Option.isNone }
  )

/** Events of a document among which a purge is looked for. */
const eventsMax = 50

/** Whether the document was purged, so that its text must not come back. */
const isPurged = (id: DocumentId) =>
  Effect.gen(function* () {
    const [audit, { workspace }] = [yield* AuditLog, yield* Caller]
    const events = yield* audit.ofSubject(workspace, id, eventsMax)
    return events.some(({ action }) => action === "document.purge")
  })

/** Whether a document or a version has these bytes. */
const hasText = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const [inspection, ids, { workspace }] = [(yield* DocumentStore).inspection, yield* Ids, yield* Caller]
    return yield* inspection.hasText(workspace, ids.sha256(bytes))
  })
