import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Caller, type DocumentId, NotFound, type PageRequest, traced } from "../../platform/kernel/index.js"
import { liveDocument } from "./file-write.js"
import type { Document, DocumentVersion, DocumentVersionPage, KeptVersion } from "./model.js"
import { decodeContent } from "./parse-file.js"
import { DocumentStore } from "./store.js"

/** Returns the stored versions of a live document, newest first, without their texts. */
export const listVersions = traced("documents.versions")(function* (id: DocumentId, page: PageRequest) {
  const [store, caller, document] = [yield* DocumentStore, yield* Caller, yield* liveDocument(id)]
  const { items, total } = yield* store.versions(caller.workspace, id, page)
  const shown: DocumentVersionPage = {
    items: items.map((stored) => toDocumentVersion(document, stored)),
    total
  }
  return shown
})

/** Returns one version with its text. NotFound for one that retention has pruned and for one that never existed. */
export const getVersion = traced("documents.version")(function* (id: DocumentId, version: number) {
  const [store, caller, document] = [yield* DocumentStore, yield* Caller, yield* liveDocument(id)]
  const found = Option.getOrNull(yield* store.version(caller.workspace, id, version))
  const content = found === null || found.bytes === null ? null : Either.getOrNull(decodeContent(found.bytes))
  if (found === null || content === null) return yield* new NotFound({ what: "version" })
  const page: DocumentVersionPage = {
    items: [{ ...toDocumentVersion(document, found.version), content }],
    total: 1
  }
  return page
})

const toDocumentVersion = (document: Document, stored: KeptVersion): DocumentVersion => ({
  version: stored.version,
  contentHash: stored.contentHash,
  size: stored.sizeBytes,
  origin: stored.origin,
  changedBy: stored.changedBy,
  activity: stored.activity,
  createdAt: stored.createdAt,
  verification: stored.verification ?? document.verification
})
