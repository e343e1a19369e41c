import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { DocumentStore, documentsOf, readPast, unindexed } from "../../files/documents/index.js"
import { pastMoment, ReadingMoment, type WorkspaceScope } from "../../platform/kernel/index.js"
import { PostingStore, readerWith, SegmentReader } from "../lexical/index.js"

/**
 * Opens the documents of a workspace as they stood at an earlier moment. Whatever runs with `services` finds and reads
 * them: the index of today, without the passages that came later, and with those of then in memory. Nothing of it is
 * cached, since caches hold the present. InvalidInput for a moment in the future.
 */
export const documentsAsOf = Effect.fnUntraced(function* (workspace: WorkspaceScope, asOf: string) {
  const at = yield* pastMoment(asOf)
  const past = yield* readPast(workspace, at)
  const reader = yield* readerWith(yield* SegmentReader, {
    added: unindexed(past).map((passage) => ({ ...passage, title: passage.docTitle })),
    removed: past.laterLabels
  })
  const services = Context.make(DocumentStore, documentsOf(past, yield* DocumentStore)).pipe(
    Context.add(SegmentReader, reader),
    Context.add(PostingStore, { ...(yield* PostingStore), stamp: () => Effect.succeed(null) }),
    Context.add(ReadingMoment, at)
  )
  return { asOf, at, isIncomplete: past.isIncomplete, services }
})
