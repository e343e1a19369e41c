import * as Effect from "effect/Effect"
import { z } from "zod"
import { AccessExplanation, AccessStore, DocumentAccess, Readers } from "../../platform/access/index.js"
import { record } from "../../platform/audit/index.js"
import { atomically, Caller, DocumentId, operation, traced } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { liveDocument } from "./file-write.js"

/** Adds to documents who may read them. */
export const withAccess = <Item extends { readonly id: DocumentId }>(items: ReadonlyArray<Item>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const readers = yield* (yield* AccessStore).readers(
      workspace,
      items.map(({ id }) => id)
    )
    return items.map((item) => ({ ...item, access: readers.get(item.id) ?? null }))
  })

const folderRules = Effect.gen(function* () {
  const { workspace } = yield* Caller
  return (yield* (yield* WorkspaceStore).get(workspace)).settings.access.folders
})

const explain = traced("documents.access")(function* (id: DocumentId) {
  const [store, { workspace }] = [yield* AccessStore, yield* Caller]
  const { id: found } = yield* liveDocument(id)
  return yield* store.explain(workspace, found, yield* folderRules)
})

/** Returns who may read a document, and by which list or rule. */
export const getDocumentAccess = operation({
  name: "getDocumentAccess",
  summary: "Get who may read a document, and which list or rule says so.",
  scopes: ["workspace:admin"],
  effect: "read",
  input: z.object({ id: DocumentId }),
  output: AccessExplanation,
  faults: ["NotFound"],
  run: ({ id }) => explain(id)
})

/** Sets the list, the revision of rights and the audit event in one unit of work; it holds from the next call. */
export const setDocumentAccess = operation({
  name: "setDocumentAccess",
  summary: "Set who may read a document: principals, everybody, or the readers of its folder.",
  scopes: ["workspace:admin"],
  effect: "idempotent",
  input: z.object({
    id: DocumentId,
    read: Readers.nullable()
      .optional()
      .describe("Null for everybody; left out, the document follows its folder and its source.")
  }),
  output: z.object({ docId: DocumentId, access: DocumentAccess }),
  faults: ["NotFound"],
  run: ({ id, read }) =>
    atomically(
      Effect.gen(function* () {
        const [store, { workspace }, folders] = [yield* AccessStore, yield* Caller, yield* folderRules]
        yield* liveDocument(id)
        const before = yield* store.explain(workspace, id, folders)
        yield* store.setOwn(workspace, id, read === undefined ? null : { read }, folders)
        const { access } = yield* store.explain(workspace, id, folders)
        yield* record([
          { action: "document.access", subjectId: id, details: { from: before.access, to: access } }
        ])
        return { docId: id, access }
      })
    )
})
