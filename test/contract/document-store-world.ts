import * as Effect from "effect/Effect"
import { type Chunk, type Document, DocumentStore } from "../../core/files/documents/index.js"
import { Ids, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { lawsAt as at } from "./workspace.js"

/** A row of a document, new and unverified. */
export const document = (path: string, change: Partial<Document> = {}) =>
  Effect.map(
    Ids,
    (ids): Document => ({
      id: ids.make("document"),
      path,
      title: path,
      contentHash: ids.sha256(path),
      version: 1,
      sizeBytes: 10,
      mtimeMs: 1.5,
      frontMatter: { title: null, aliases: [], tags: [], type: null, other: {} },
      verification: "unverified",
      verifiedBy: null,
      verifiedAt: null,
      nextVerifyAt: null,
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
      seq: 0,
      ...change
    })
  )

/** A passage of a document under a label of its own. */
export const chunk = (of: Document, label: number, ordinal: number, text: string) =>
  Effect.map(
    Ids,
    (ids): Chunk => ({
      id: ids.derive("chunk", `${of.id}${label}`),
      documentId: of.id,
      label,
      ordinal,
      headingPath: ["Top", "Part"],
      text,
      start: ordinal * 10,
      end: ordinal * 10 + text.length
    })
  )

/** The row as the store has it. */
export const stored = (scope: WorkspaceScope, id: Document["id"]) =>
  Effect.flatMap(DocumentStore, (store) => Effect.flatten(store.find(scope, id)))
