import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { ChunkIndex, documentOperations } from "../../../../core/files/documents/index.js"
import { type Caller, DataFull, runOperation } from "../../../../core/platform/kernel/index.js"
import {
  type DocumentServices,
  documentsLayer,
  LabelledTexts,
  withFolder
} from "../../../support/documents.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"

const { createDocument, deleteDocument, replaceDocument, restoreDocument } = documentOperations
const { moveDocument } = moveOperations

/** An index in a database whose disk fills up while a change is being written. */
class FullIndex extends LabelledTexts {
  isFull = false
  override readonly layer = Layer.succeed(ChunkIndex, {
    change: () => Effect.suspend(() => (this.isFull ? Effect.die(new DataFull({})) : Effect.void))
  })
}

interface Documents {
  readonly live: string
  readonly trashed: string
}

const changes: Readonly<
  Record<string, (documents: Documents) => Effect.Effect<unknown, unknown, Caller | DocumentServices>>
> = {
  create: () => runOperation(createDocument, { path: "new.md", content: "# New" }),
  replace: ({ live }) => runOperation(replaceDocument, { id: live, content: "# Replaced" }),
  restore: ({ trashed }) => runOperation(restoreDocument, { id: trashed }),
  "move that rewrites links": ({ live }) => runOperation(moveDocument, { id: live, path: "sub/live.md" })
}

describe("a database whose disk fills up while a document changes", () => {
  it.each(Object.entries(changes))("leaves nothing of the change: %s", (_name, change) =>
    withFolder((root) => {
      const index = new FullIndex()
      return runEffect(
        Effect.gen(function* () {
          const as = asCaller(yield* makeWorkspace())
          const live = yield* as(runOperation(createDocument, { path: "live.md", content: "# Live" }))
          yield* as(runOperation(createDocument, { path: "other.md", content: "See [it](live.md)." }))
          const gone = yield* as(runOperation(createDocument, { path: "gone.md", content: "# Gone" }))
          yield* as(runOperation(deleteDocument, { id: gone.docId }))
          index.isFull = true
          const ended = yield* Effect.exit(as(change({ live: live.docId, trashed: gone.docId })))
          expect(JSON.stringify(ended)).toContain("DataFull")
          const staged = join(root, ".kanon", "staged")
          expect(existsSync(staged) ? readdirSync(staged) : []).toEqual([])
          const files = readdirSync(root).filter((file) => file.endsWith(".md"))
          expect(files.sort()).toEqual(["live.md", "other.md"])
          expect(readFileSync(join(root, "live.md"), "utf8")).toBe("# Live")
          index.isFull = false
          yield* as(change({ live: live.docId, trashed: gone.docId }))
        }).pipe(Effect.provide(documentsLayer(root, index)))
      )
    })
  )
})
