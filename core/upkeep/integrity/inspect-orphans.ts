import * as Effect from "effect/Effect"
import { DocumentStore, type Orphan } from "../../files/documents/index.js"
import { record } from "../../platform/audit/index.js"
import { atomically, Caller, type Inspector, restoreAdvice } from "../../platform/kernel/index.js"

const orphansPerPage = 200

/**
 * Finds passages, tags and stored texts whose document does not exist. A rebuild removes passages and tags, which are
 * derived; a text is primary data and stays.
 */
export const inspectOrphans = (inspector: Inspector<"orphan_rows">) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* DocumentStore).inspection, yield* Caller]
    for (let removed = 0; ; ) {
      if ((yield* inspection.orphans(workspace, 1)).length === 0) return
      removed = yield* atomically(
        Effect.gen(function* () {
          const page = yield* inspection.orphans(workspace, orphansPerPage)
          return yield* Effect.reduce(page, 0, (sum, orphan) =>
            Effect.map(inspectOrphan(inspector, orphan), (isRemoved) => (isRemoved ? sum + 1 : sum))
          )
        })
      )
      // The remaining orphans would be found again.
      if (removed === 0) return
    }
  })

/** Reports an orphan; returns whether it was removed. */
const inspectOrphan = (inspector: Inspector<"orphan_rows">, orphan: Orphan) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* DocumentStore).inspection, yield* Caller]
    const { count, documentId, kind } = orphan
    yield* inspector.report("orphan_rows", {
      subject: `${kind} of ${documentId}`,
      message: messages[kind],
      count
    })
    if (!inspector.rebuild || kind === "content") return false
    yield* inspection.removeOrphan(workspace, { ...orphan, kind })
    yield* record([{ action: "document.repair", subjectId: documentId, details: { removed: kind, count } }])
    return true
  })

const messages = {
  passages: "Passages of a document that does not exist.",
  tags: "Tags of a document that does not exist.",
  content: `The kept text of a document that does not exist (table document_content). ${restoreAdvice}`
} as const
