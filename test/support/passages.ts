import type { Passage } from "../../core/files/documents/index.js"
import { ChunkId, DocumentId } from "../../core/platform/kernel/index.js"

let made = 0

/** A passage as retrieval gives it, for tests of what comes after. Each has a document of its own. */
export const passageOf = (given: {
  readonly title: string
  readonly path: string
  readonly text: string
  readonly headingPath?: ReadonlyArray<string>
  readonly ordinal?: number
  readonly verification?: Passage["docVerification"]
}): Passage => {
  made += 1
  const suffix = made.toString().padStart(26, "0")
  return {
    id: ChunkId.parse(`chk_${suffix}`),
    documentId: DocumentId.parse(`doc_${suffix}`),
    label: made,
    ordinal: given.ordinal ?? 0,
    headingPath: given.headingPath ?? [],
    text: given.text,
    start: 0,
    end: given.text.length,
    docTitle: given.title,
    docPath: given.path,
    docVerification: given.verification ?? "unverified",
    docUpdatedAt: "2026-01-01T00:00:00.000Z"
  }
}
