import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { announce } from "../../platform/jobs/index.js"
import { atomically, Caller, type DocumentId, Ids, traced } from "../../platform/kernel/index.js"
import { type Settings, WorkspaceStore } from "../../platform/workspace/index.js"
import type { Chunk, Document } from "../documents/index.js"
import { ChunkIndex, DocumentStore, documentsChanged, passagesOf, readContent } from "../documents/index.js"

/**
 * Splits documents into passages again from their stored text and re-indexes every passage in one unit of work:
 * searches see the old passages, then the new ones. When the passages differ (new settings or version), listeners of
 * documents are notified. Skips documents in the trash and those that changed meanwhile. A damaged text is left to
 * `doctor`; its passages are re-indexed unchanged.
 */
export const reindexDocuments = traced("documents.reindex")(function* (ids: ReadonlyArray<DocumentId>) {
  const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const cut = (yield* Effect.forEach(ids, (id) => rechunk(id, settings.chunking))).flatMap(Option.toArray)
  yield* atomically(
    Effect.gen(function* () {
      const diffs: Array<Effect.Effect.Success<ReturnType<typeof compare>>> = []
      for (const { document, passages } of cut) {
        const present = yield* store.find(workspace, document.id)
        if (Option.isSome(present) && present.value.seq === document.seq)
          diffs.push(yield* compare(document, passages))
      }
      const count = diffs.reduce((sum, { fresh }) => sum + fresh.length, 0)
      let label = count === 0 ? 0 : yield* store.takeLabels(workspace, count)
      const labelled = diffs.map((diff) => ({
        ...diff,
        added: diff.fresh.map((chunk): Chunk => ({ ...chunk, label: label++ }))
      }))
      yield* store.changeChunks(workspace, {
        removed: labelled.flatMap(({ removed }) => removed),
        added: labelled.flatMap(({ added }) => added),
        kept: labelled.flatMap(({ kept }) => kept)
      })
      yield* (yield* ChunkIndex).change(workspace, {
        removed: labelled.flatMap(({ kept, removed }) => [...kept, ...removed].map((chunk) => chunk.label)),
        added: labelled.flatMap(({ added, document: { title }, kept }) =>
          [...kept, ...added].map((chunk) => ({ chunk, title }))
        )
      })
      const recut = labelled.filter(({ added, removed }) => added.length + removed.length > 0)
      if (recut.length === 0) return
      // Saves the same row, to give it a new feed position.
      yield* store.save(
        workspace,
        recut.map(({ document }) => ({ before: document, after: document }))
      )
      yield* announce(documentsChanged, {})
    }).pipe(
      // Every row was read in this unit of work, so the save cannot conflict.
      Effect.orDie
    )
  )
})

type Passages = ReadonlyArray<Omit<Chunk, "label">>
const none: Passages = []

/** Returns a live document with the passages of its stored text; null when the text cannot be read. */
const rechunk = (id: DocumentId, chunking: Settings["chunking"]) =>
  Effect.gen(function* () {
    const [store, ids, { workspace }] = [yield* DocumentStore, yield* Ids, yield* Caller]
    const found = yield* store.find(workspace, id)
    if (Option.isNone(found) || found.value.deletedAt !== null)
      return Option.none<{ readonly document: Document; readonly passages: Passages | null }>()
    const document = found.value
    const bytes = yield* Effect.catchAllDefect(store.content(workspace, id), () => Effect.succeedNone)
    const passages = yield* Option.filter(bytes, (kept) => ids.sha256(kept) === document.contentHash).pipe(
      Effect.flatMap((whole) => readContent(document.path, whole, document, chunking, document)),
      Effect.map((reading) => passagesOf(ids, id, reading.passages)),
      Effect.orElseSucceed(() => null)
    )
    return Option.some({ document, passages })
  })

/** Returns the passages that stay, those that go and the new ones. */
const compare = (document: Document, passages: Passages | null) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const old = yield* (yield* DocumentStore).chunks(workspace, document.id)
    if (passages === null) return { document, kept: old, removed: [], fresh: none }
    const known = new Map(old.map((chunk) => [chunk.id, chunk]))
    const kept = passages.flatMap((passage) => {
      const label = known.get(passage.id)?.label
      return label === undefined ? [] : [{ ...passage, label }]
    })
    const keptIds = new Set(kept.map(({ id }) => id))
    return {
      document,
      kept,
      removed: old.filter(({ id }) => !keptIds.has(id)),
      fresh: passages.filter(({ id }) => !keptIds.has(id))
    }
  })
