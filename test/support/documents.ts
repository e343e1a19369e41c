import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { sqlDocumentStore } from "../../adapters/sql/files/documents/document-store.js"
import { directoryVault } from "../../adapters/vault/directory.js"
import type { FileCalls } from "../../adapters/vault/files.js"
import {
  ChunkIndex,
  completedFileOperations,
  DocumentStore,
  documentOperations
} from "../../core/files/documents/index.js"
import { fileSync } from "../../core/files/vault-sync/index.js"
import type { Listeners } from "../../core/platform/jobs/index.js"
import { runOperation, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import type { Steps } from "../contract/contract-tests.js"
import { heardJobsLayer } from "./jobs.js"
import { asCaller, baseLayer, makeWorkspace, runEffect } from "./run.js"

/** Makes a folder, hands it over, removes it. */
export const withFolder = async <A>(use: (root: string) => Promise<A>): Promise<A> => {
  const root = mkdtempSync(join(tmpdir(), "kanon-test-"))
  try {
    return await use(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A chunk index that only remembers which labels it was given: what every real one must hold. */
export class LabelledTexts {
  readonly texts = new Map<number, string>()
  readonly layer = Layer.succeed(ChunkIndex, {
    change: (_workspace, { added, removed }) =>
      Effect.sync(() => {
        for (const label of removed) this.texts.delete(label)
        for (const { chunk, title } of added) this.texts.set(chunk.label, `${title}\n${chunk.text}`)
      })
  })
}

/** The documents room over a folder and a database in memory. */
export const documentsLayer = (
  root: string,
  index: LabelledTexts,
  files?: FileCalls,
  listeners: Listeners["Type"] = {}
) =>
  fileSync.pipe(
    Layer.provideMerge(completedFileOperations),
    Layer.provideMerge(sqlDocumentStore),
    Layer.provideMerge(heardJobsLayer(listeners)),
    Layer.provideMerge(Layer.mergeAll(baseLayer(), directoryVault(root, files), index.layer))
  )

/** All that work in that room may ask for. */
export type DocumentServices = Layer.Layer.Success<ReturnType<typeof documentsLayer>>

/** A vault with the note `a.md`. */
export interface NoteVault {
  readonly root: string
  readonly id: string
  readonly workspace: WorkspaceScope
  readonly as: ReturnType<typeof asCaller>
}

/** Takes steps over a vault with the note `a.md`. */
export const inNoteVault = (
  steps: (given: NoteVault) => Steps<void, DocumentServices>,
  files?: FileCalls
): Promise<void> =>
  withFolder((root) =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const as = asCaller(workspace)
        const note = { path: "a.md", content: "# One" }
        const { docId: id } = yield* as(runOperation(documentOperations.createDocument, note))
        yield* Effect.gen(() => steps({ root, id, workspace, as }))
      }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts(), files)))
    )
  )

/** Returns the catalog as a reader sees it, without ids and times. */
export const catalog = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const listed = yield* store.list(workspace, { limit: 10_000, offset: 0 }, {})
    const items = yield* Effect.forEach(listed.items, ({ id }) => Effect.flatten(store.find(workspace, id)))
    const passages = [...(yield* Stream.runCollect(store.allPassages(workspace)))]
    return {
      documents: items.map(({ contentHash, frontMatter, path, title }) => ({
        path,
        title,
        contentHash,
        frontMatter
      })),
      passages: passages.map(({ docPath, end, headingPath, ordinal, start, text }) => ({
        docPath,
        ordinal,
        headingPath,
        text,
        start,
        end
      })),
      labelled: passages.map(({ docTitle, label, text }) => [label, `${docTitle}\n${text}`] as const)
    }
  })
