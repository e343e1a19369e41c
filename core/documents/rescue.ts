import * as Effect from "effect/Effect"
import { AuditLog, record } from "../audit/index.js"
import { Caller, type DocumentId, now } from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { commitChanges } from "./commit.js"
import { create } from "./machine.js"
import { readContent } from "./parse-file.js"
import { DocumentStore } from "./store.js"
import { VersionInspection } from "./version-inspection.js"

/** Events of one document among which is looked for what became of it. */
export const rememberedMax = 50

/**
 * Brings a document of which the text alone is left back in the trash, at the path that the trail remembers; false for
 * what is no document. Must run inside `atomically`.
 */
export const bringBack = (id: DocumentId, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
    const after = yield* trashedDocument(id, (yield* rememberedPath(id)) ?? `recovered/${id}.md`, bytes)
    if (after === null) return false
    const change = { action: "document.repair", details: { rescued: true } }
    const version = yield* lastVersion(id)
    if (version === null) {
      yield* commitChanges(workspace, [{ ...change, before: null, after, bytes, passages: null }])
      return true
    }
    yield* store.save(workspace, [{ before: null, after: { ...after, version } }])
    yield* store.keepContent(workspace, [{ id, bytes }])
    yield* record([{ ...change, subjectId: id, details: { path: after.path, version, ...change.details } }])
    return true
  }).pipe(Effect.orDie)

/** The row, in the trash, of a document of which the text alone is left; null for what is none. */
const trashedDocument = (id: DocumentId, path: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const at = yield* now
    const { settings } = yield* (yield* WorkspaceStore).get((yield* Caller).workspace)
    const stamp = { sizeBytes: bytes.byteLength, mtimeMs: 0 }
    const { content } = yield* readContent(path, bytes, stamp, settings.chunking)
    return { ...create({ id, path, content, at }), deletedAt: at }
  }).pipe(Effect.orElseSucceed(() => null))

/** Where a document was when the trail last told of it; null when it does not. */
export const rememberedPath = (id: DocumentId) =>
  Effect.gen(function* () {
    const [audit, { workspace }] = [yield* AuditLog, yield* Caller]
    const path = (yield* audit.ofSubject(workspace, id, rememberedMax))
      .map(({ details }) => details["path"])
      .find((one) => typeof one === "string")
    return path ?? null
  })

/** The number of the last version that is kept of the document; null where none is. */
export const lastVersion = (id: DocumentId) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* VersionInspection, yield* Caller]
    return (yield* inspection.versions(workspace, [id])).at(-1)?.version ?? null
  })
