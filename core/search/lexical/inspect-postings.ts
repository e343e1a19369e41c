import * as Chunks from "effect/Array"
import * as Effect from "effect/Effect"
import { ChunkIndex, DocumentStore, type Passage } from "../../files/documents/index.js"
import { LabelSet } from "../../platform/caching/index.js"
import { atomically, Caller, traced, type WorkspaceScope } from "../../platform/kernel/index.js"
import { isDead, ordinalOf, PostingStore, SegmentReader, tieKeyOf } from "../segments/index.js"
import { type LexicalInspector, soundSegment } from "./inspect-segments.js"

/** Labels compared at a time and indexed in one transaction. */
const labelsPerPage = 1000

/**
 * Compares the passages in the text index with the stored passages: none missing, surplus, duplicate or of another
 * text. A rebuild indexes them again. Returns the number of passages in the index.
 *
 * @param options.damaged Whether segments are damaged: their missing passages are not reported again.
 */
export const inspectPostings = traced("lexical.inspectPostings")(function* (
  inspector: LexicalInspector,
  { damaged }: { readonly damaged: boolean }
) {
  const [store, { workspace }] = [yield* PostingStore, yield* Caller]
  const indexedLabels = new LabelSet()
  let count = 0
  for (const info of yield* store.segments(workspace)) {
    const segment = yield* soundSegment(info)
    if (segment === null) continue
    const live = [...segment.directory.labels].flatMap((label, ordinal) =>
      isDead(segment.dead, ordinal) ? [] : [{ label, tieKey: segment.directory.tieKeys[ordinal] ?? 0 }]
    )
    count += live.length
    for (const page of Chunks.chunksOf(live, labelsPerPage)) {
      const suspects = yield* suspectsAmong(workspace, page, indexedLabels)
      if (suspects.length > 0) yield* confirm(inspector, suspects, damaged)
      yield* Effect.sleep(0)
    }
  }
  yield* inspectMissing(inspector, indexedLabels, damaged)
  return count
})

/** Returns labels whose passage does not exist, has another text, or is indexed twice. */
const suspectsAmong = (
  workspace: WorkspaceScope,
  page: ReadonlyArray<{ readonly label: number; readonly tieKey: number }>,
  indexedLabels: LabelSet
) =>
  Effect.gen(function* () {
    const passages = yield* passagesOf(
      workspace,
      page.map(({ label }) => label)
    )
    return page.flatMap(({ label, tieKey }) => {
      const twice = indexedLabels.add(label)
      const passage = passages.get(label)
      return passage === undefined || twice || tieKey !== keyOf(passage) ? [label] : []
    })
  })

const inspectMissing = (inspector: LexicalInspector, indexedLabels: LabelSet, damaged: boolean) =>
  Effect.gen(function* () {
    const [documents, inspection, { workspace }] = [
      yield* DocumentStore,
      (yield* DocumentStore).inspection,
      yield* Caller
    ]
    const { chunks: total } = yield* documents.counts(workspace)
    for (let [after, done] = [0, 0]; ; ) {
      const page = yield* inspection.labelsAfter(workspace, after, labelsPerPage)
      const missing = page.filter((label) => !indexedLabels.has(label))
      if (missing.length > 0) yield* confirm(inspector, missing, damaged)
      done += page.length
      yield* inspector.progress(done, Math.max(total, done))
      const last = page.at(-1)
      if (last === undefined) return
      after = last
      yield* Effect.sleep(0)
    }
  })

/** Confirms suspects in a transaction, in which neither passages nor index change, and rebuilds them. */
const confirm = (inspector: LexicalInspector, suspects: ReadonlyArray<number>, damaged: boolean) =>
  atomically(
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const passages = yield* passagesOf(workspace, suspects)
      const keys = yield* indexedKeys(workspace, new Set(suspects))
      const has = (label: number) => (keys.get(label) ?? []).length
      const missing = suspects.filter((label) => passages.has(label) && has(label) === 0)
      const surplus = suspects.filter((label) => has(label) > (passages.has(label) ? 1 : 0))
      const stale = suspects.filter((label) => {
        const passage = passages.get(label)
        return passage !== undefined && has(label) === 1 && keys.get(label)?.[0] !== keyOf(passage)
      })
      const tell = (code: "postings_missing" | "postings_surplus" | "postings_stale", count: number) =>
        count === 0 ? Effect.void : inspector.report(code, { subject: "", message: words[code], count })
      if (!damaged) yield* tell("postings_missing", missing.length)
      yield* tell("postings_surplus", surplus.length)
      yield* tell("postings_stale", stale.length)
      if (!inspector.rebuild || missing.length + surplus.length + stale.length === 0) return
      const wrong = [...surplus, ...stale]
      const added = [...missing, ...wrong].flatMap((label) => passages.get(label) ?? [])
      yield* (yield* ChunkIndex).change(workspace, {
        removed: wrong,
        added: added.map((chunk) => ({ chunk, title: chunk.docTitle }))
      })
    })
  )

const words = {
  postings_missing: "The text index lacks passages.",
  postings_surplus: "The text index holds passages that do not exist, or holds them twice.",
  postings_stale: "The text index holds passages with another text."
} as const

/** Returns digests of the indexed passages by label; more than one for a duplicate. */
const indexedKeys = (workspace: WorkspaceScope, labels: ReadonlySet<number>) =>
  Effect.gen(function* () {
    const [store, reader] = [yield* PostingStore, yield* SegmentReader]
    const keys = new Map<number, Array<number>>()
    for (const info of yield* store.segments(workspace)) {
      const near = [...labels].filter((label) => label >= info.firstLabel && label <= info.lastLabel)
      if (near.length === 0) continue
      // Damaged segments are reported by `inspectSegments`.
      const open = yield* Effect.catchAllCause(reader.openOne(workspace, info), () => Effect.succeed(null))
      if (open === null) continue
      const { dead, directory } = open
      for (const label of near) {
        const ordinal = ordinalOf(directory, label)
        if (ordinal < 0 || isDead(dead, ordinal)) continue
        keys.set(label, [...(keys.get(label) ?? []), directory.tieKeys[ordinal] ?? 0])
      }
    }
    return keys
  })

const passagesOf = (workspace: WorkspaceScope, labels: ReadonlyArray<number>) =>
  Effect.map(
    Effect.flatMap(DocumentStore, (store) => store.passages(workspace, labels)),
    (passages): ReadonlyMap<number, Passage> => new Map(passages.map((passage) => [passage.label, passage]))
  )

const keyOf = (passage: Passage): number => tieKeyOf({ ...passage, title: passage.docTitle })
