import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Caller, type DocumentId, NotFound, type PageRequest, traced } from "../kernel/index.js"
import { liveDocument } from "./file-write.js"
import type { Document, DocumentVersion, DocumentVersionPage, KeptVersion } from "./model.js"
import { decodeContent } from "./parse-file.js"
import { DocumentStore } from "./store.js"

/** Returns the stored versions of a live document, newest first, without their texts. */
export const listVersions = traced("documents.versions")(function* (id: DocumentId, page: PageRequest) {
  const [store, caller, document] = [yield* DocumentStore, yield* Caller, yield* liveDocument(id)]
  const { items, total } = yield* store.versions(caller.workspace, id, page)
  const shown: DocumentVersionPage = { items: items.map((kept) => shownOf(document, kept)), total }
  return shown
})

/** Returns one version with its text. NotFound for one that retention has pruned and for one that never existed. */
export const getVersion = traced("documents.version")(function* (id: DocumentId, version: number) {
  const [store, caller, document] = [yield* DocumentStore, yield* Caller, yield* liveDocument(id)]
  const found = Option.getOrNull(yield* store.version(caller.workspace, id, version))
  const content = found === null || found.bytes === null ? null : Either.getOrNull(decodeContent(found.bytes))
  if (found === null || content === null) return yield* new NotFound({ what: "version" })
  const page: DocumentVersionPage = { items: [{ ...shownOf(document, found.version), content }], total: 1 }
  return page
})

const shownOf = (document: Document, kept: KeptVersion): DocumentVersion => ({
  version: kept.version,
  contentHash: kept.contentHash,
  size: kept.sizeBytes,
  origin: kept.origin,
  changedBy: kept.changedBy,
  activity: kept.activity,
  createdAt: kept.createdAt,
  verification: kept.verification ?? document.verification
})
