import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../audit/index.js"
import { atomically, Caller, type DocumentId, type Examiner, Ids } from "../kernel/index.js"
import { versionFindings } from "./check-versions.js"
import { DocumentInspection, type Orphan } from "./inspection.js"
import { bringBack, lastVersion } from "./rescue.js"

/** The kinds of what may be wrong between a document's row and what hangs on it. */
export const rowFindings = {
  content_lost: "difference",
  counter_behind: "difference",
  document_differs: "difference",
  document_id_differs: "difference",
  document_lost: "difference",
  document_unaudited: "difference",
  orphan_rows: "difference",
  passages_differ: "difference",
  place_impossible: "difference",
  trash_empty: "remark",
  ...versionFindings
} as const

export type RowExaminer = Examiner<keyof typeof rowFindings>

/** Orphans looked at in one go. */
const orphansPerPage = 200

/**
 * Looks for rows of documents that are gone. Bytes that nobody else holds go to the trash, as a document: before the
 * files are compared, so that one whose file is there is found to have come back, with its id and its versions.
 */
export const checkOrphans = (examiner: RowExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* DocumentInspection, yield* Caller]
    for (const id of yield* inspection.textsOfNobody(workspace, orphansPerPage)) yield* checkId(examiner, id)
    for (let before = ""; ; ) {
      if ((yield* inspection.orphans(workspace, 1)).length === 0) return
      const found = yield* atomically(
        Effect.gen(function* () {
          const page = yield* inspection.orphans(workspace, orphansPerPage)
          for (const orphan of page) yield* checkOrphan(examiner, orphan)
          return JSON.stringify(page)
        })
      )
      // Without a repair, and where one does not help, the same ones would be met again.
      if (!examiner.repair || found === before) return
      before = found
    }
  })

/**
 * A document of which the trail tells nothing, and whose text lies under an id of nobody of which it does, is that one:
 * it has its id again, and with it all that hangs on it.
 */
const checkId = (examiner: RowExaminer, own: DocumentId) =>
  atomically(
    Effect.gen(function* () {
      const [inspection, ids, { workspace }] = [yield* DocumentInspection, yield* Ids, yield* Caller]
      const bytes = yield* inspection.content(workspace, own)
      if (bytes === null || Option.isNone(bytes) || !(yield* inspection.isAudited(workspace, own))) return
      const [under, ...others] = yield* inspection.withoutText(workspace, ids.sha256(bytes.value))
      if (under === undefined || others.length > 0 || (yield* inspection.isAudited(workspace, under))) return
      yield* examiner.tell("document_id_differs", {
        subject: own,
        message: `the document stands under ${under}, and all that hangs on it under its own id`
      })
      if (!examiner.repair) return
      yield* inspection.rename(workspace, under, own)
      yield* record([{ action: "document.repair", subjectId: own, details: { under } }])
    })
  )

const checkOrphan = (examiner: RowExaminer, orphan: Orphan) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* DocumentInspection, yield* Caller]
    const { count, documentId, kind } = orphan
    const rescued = kind === "content" ? yield* unheldBytes(documentId) : null
    yield* rescued === null
      ? examiner.tell("orphan_rows", { subject: documentId, message: words[kind], count })
      : examiner.tell("document_lost", {
          subject: documentId,
          message: "its row is gone, and its text or its history is kept nowhere else"
        })
    if (!examiner.repair) return
    if (rescued !== null && (yield* bringBack(documentId, rescued))) return
    yield* inspection.removeOrphan(workspace, orphan)
    yield* record([{ action: "document.repair", subjectId: documentId, details: { removed: kind, count } }])
  })

const words = {
  passages: "passages of a document that is gone",
  content: "a kept text of a document that is gone",
  tags: "tags of a document that is gone"
} as const

/** The bytes kept under an id, when they can be read and no document has the same: of one with a history in any case. */
const unheldBytes = (id: DocumentId) =>
  Effect.gen(function* () {
    const [inspection, ids, { workspace }] = [yield* DocumentInspection, yield* Ids, yield* Caller]
    const bytes = yield* inspection.content(workspace, id)
    if (bytes === null || Option.isNone(bytes)) return null
    const isHeld = yield* inspection.isHeld(workspace, ids.sha256(bytes.value))
    return isHeld && (yield* lastVersion(id)) === null ? null : bytes.value
  })
