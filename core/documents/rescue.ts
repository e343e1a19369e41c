import * as Effect from "effect/Effect"
import { Caller, type DocumentId, now } from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { create } from "./machine.js"
import { readContent } from "./read.js"

/** The row, in the trash, of a document of which the text alone is left; null for what is none. */
export const trashedDocument = (id: DocumentId, path: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const at = yield* now
    const { settings } = yield* (yield* WorkspaceStore).get((yield* Caller).workspace)
    const stamp = { sizeBytes: bytes.byteLength, mtimeMs: 0 }
    const { content } = yield* readContent(path, bytes, stamp, settings.chunking)
    return { ...create({ id, path, content, at }), deletedAt: at }
  }).pipe(Effect.orElseSucceed(() => null))
