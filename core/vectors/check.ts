import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LabelSet } from "../caching/index.js"
import { DocumentInspection, DocumentStore, type Passage } from "../documents/index.js"
import { atomically, Caller, type Examiner, Ids, traced } from "../kernel/index.js"
import { vectorsAreBehind } from "./embed.js"
import { builtInMaker, type VectorMaker } from "./embed-makers.js"
import { embedText, textHashOf } from "./embed-text.js"
import { buildIndex, indexKey } from "./index-feed.js"
import { VectorIndexInspection, VectorInspection, type VectorRow } from "./inspection.js"
import { decodeLsa } from "./lsa-artefact.js"
import { lsaPrefix } from "./lsa-corpus.js"
import { VectorIndex, type VectorModel, VectorStore } from "./store.js"

/** The kinds of what may be wrong with the vectors. */
export const vectorFindings = {
  vector_cursor_ahead: "difference",
  vector_damaged: "difference",
  vector_feed_differs: "difference",
  vector_index_damaged: "difference",
  vector_model_damaged: "difference",
  vector_rows_stray: "difference",
  vector_search_exact: "remark",
  vectors_behind: "remark",
  vectors_missing: "difference",
  vectors_stale: "difference",
  vectors_surplus: "difference",
  vectors_unattended: "difference"
} as const

type VectorExaminer = Examiner<keyof typeof vectorFindings>

/** Vectors compared in one go. */
const vectorsPerPage = 256
/** How far from 1 the length of a unit vector of 32-bit numbers may be. */
const lengthTolerance = 1e-3

/**
 * Compares the vectors of the active model with the passages, and what the index of vectors keeps on disk with what
 * it says of it. Built-in vectors are made again and must be equal; those of a configured model are not asked for
 * again, and must be sound. Mending removes what is wrong and moves the model back, so that the next refresh makes
 * it anew. Gives how many vectors there are.
 *
 * @param options.isAwaited Whether a refresh waits or runs.
 */
export const checkVectors = traced("retrieval.checkVectors")(function* <E, R>(
  examiner: VectorExaminer,
  options: { readonly isAwaited: Effect.Effect<boolean, E, R> }
) {
  const [store, { workspace }] = [yield* VectorStore, yield* Caller]
  yield* checkLateness(examiner, options.isAwaited)
  yield* checkStrays(examiner)
  const active = (yield* store.models(workspace)).find(({ state }) => state === "active")
  if (active === undefined) return 0
  const maker = yield* makerOf(examiner, active)
  if (maker === "damaged") return 0
  yield* checkCursor(examiner, active)
  yield* checkFeed(examiner, active)
  const held = new LabelSet()
  const count = yield* checkHeld(examiner, active, maker, held)
  yield* checkMissing(examiner, active, maker, held)
  yield* checkIndex(examiner, active)
  return count
})

const checkLateness = <E, R>(examiner: VectorExaminer, isAwaited: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    if (!(yield* vectorsAreBehind(workspace))) return
    // As a unit: a change and the job that it asks for become visible together.
    const lateness = atomically(
      Effect.gen(function* () {
        if (!(yield* vectorsAreBehind(workspace))) return null
        return (yield* isAwaited) ? ("vectors_behind" as const) : ("vectors_unattended" as const)
      })
    )
    const found = yield* lateness
    if (found !== null) yield* examiner.tell(found, { subject: "", message: latenessWords[found] })
  })

const latenessWords = {
  vectors_behind: "the vectors follow the documents with the background work that waits",
  vectors_unattended: "the vectors are behind the documents and no work waits that would bring them up"
} as const

const checkStrays = (examiner: VectorExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* VectorInspection, yield* Caller]
    if ((yield* inspection.strayVectors(workspace)) === 0) return
    yield* atomically(
      Effect.gen(function* () {
        const count = yield* inspection.strayVectors(workspace)
        if (count === 0) return
        yield* examiner.tell("vector_rows_stray", {
          subject: "",
          message: "vectors that belong to no model",
          count
        })
        if (examiner.repair) yield* inspection.removeStrayVectors(workspace)
      })
    )
  })

/** What makes the vectors of the model again; null where that is for another to do. */
const makerOf = (examiner: VectorExaminer, model: VectorModel) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VectorStore, yield* Caller]
    if (!model.id.startsWith(lsaPrefix)) return null
    const artefact = yield* store.artefact(workspace, model.id)
    const lsa = Option.isSome(artefact) ? decodeLsa(artefact.value) : null
    if (lsa !== null && lsa.dimensions === model.dimensions) return builtInMaker(lsa)
    // Replaced by a new model meanwhile: the next look sees that one.
    if (!(yield* store.models(workspace)).some(({ id }) => id === model.id)) return "damaged" as const
    yield* examiner.tell("vector_model_damaged", {
      subject: model.id,
      message: "what the built-in vectors were learned as cannot be read"
    })
    if (examiner.repair) {
      yield* store.drop(workspace, model.id)
      yield* (yield* VectorIndex).drop(indexKey(workspace, model))
    }
    return "damaged" as const
  })

const checkCursor = (examiner: VectorExaminer, model: VectorModel) =>
  Effect.gen(function* () {
    const [documents, store, { workspace }] = [yield* DocumentInspection, yield* VectorStore, yield* Caller]
    // In this order: the feed only grows.
    if (model.cursor <= (yield* documents.feedEnd(workspace))) return
    yield* examiner.tell("vector_cursor_ahead", {
      subject: model.id,
      message: "the vectors count as made for documents that there are not yet"
    })
    if (examiner.repair) yield* store.advance(workspace, model.id, { cursor: 0, drift: model.drift })
  })

/** An index follows the feed: what does not stand in it is in no index, and found by no search. */
const checkFeed = (examiner: VectorExaminer, { id }: VectorModel) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* VectorInspection, yield* Caller]
    if ((yield* inspection.feedAgain(workspace, id, { dryRun: true })) === 0) return
    yield* atomically(
      Effect.gen(function* () {
        const count = yield* inspection.feedAgain(workspace, id, { dryRun: !examiner.repair })
        if (count === 0) return
        yield* examiner.tell("vector_feed_differs", {
          subject: id,
          message: "vectors that stand at no place in their feed, or a feed that ends before its last",
          count
        })
      })
    )
  })

type Fault = "vector_damaged" | "vectors_missing" | "vectors_stale" | "vectors_surplus"

const faultWords = {
  vector_damaged: "vectors that are not what was made",
  vectors_missing: "passages without a vector",
  vectors_stale: "vectors that were made from another text",
  vectors_surplus: "vectors of passages that are gone"
} as const

const checkHeld = (examiner: VectorExaminer, model: VectorModel, maker: VectorMaker | null, held: LabelSet) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* VectorInspection, yield* Caller]
    for (let [after, count] = [-1, 0]; ; ) {
      const page = yield* inspection.vectorsAfter(workspace, model.id, after, vectorsPerPage)
      for (const { label } of page) held.add(label)
      const faults = yield* judge(page, maker)
      if (faults.size > 0) yield* settle(examiner, model, maker, [...faults.keys()])
      count += page.length
      const last = page.at(-1)
      if (last === undefined) return count
      after = last.label
      yield* Effect.sleep(0)
    }
  })

/** What is wrong with rows, by label. */
const judge = (rows: ReadonlyArray<VectorRow>, maker: VectorMaker | null) =>
  Effect.gen(function* () {
    const [documents, { sha256 }, { workspace }] = [yield* DocumentStore, yield* Ids, yield* Caller]
    const passages = new Map(
      (yield* documents.passages(
        workspace,
        rows.map(({ label }) => label)
      )).map((one) => [one.label, one])
    )
    const faults = new Map<number, Fault>()
    const sound: Array<{ readonly row: VectorRow; readonly text: string }> = []
    for (const row of rows) {
      const passage = passages.get(row.label)
      const text = passage === undefined ? null : textOf(passage)
      if (passage === undefined || text === null || passage.documentId !== row.documentId)
        faults.set(row.label, "vectors_surplus")
      else if (textHashOf(sha256, text) !== row.textHash) faults.set(row.label, "vectors_stale")
      else if (!isUnit(row.vector)) faults.set(row.label, "vector_damaged")
      else sound.push({ row, text })
    }
    const made = maker === null ? [] : yield* Effect.orDie(maker.make(sound.map(({ text }) => text)))
    for (const [place, { vector }] of made.entries()) {
      const row = sound[place]?.row
      if (row !== undefined && !equal(vector, row.vector)) faults.set(row.label, "vector_damaged")
    }
    return faults
  })

const textOf = (passage: Passage): string => embedText(passage.docTitle, passage)

const isUnit = (vector: Float32Array | null): boolean => {
  if (vector === null) return false
  let square = 0
  for (const value of vector) square += value * value
  return Math.abs(Math.sqrt(square) - 1) <= lengthTolerance
}

const equal = (a: Float32Array | null, b: Float32Array | null): boolean =>
  a !== null && b !== null && a.length === b.length && a.every((value, place) => value === b[place])

const checkMissing = (
  examiner: VectorExaminer,
  model: VectorModel,
  maker: VectorMaker | null,
  held: LabelSet
) =>
  Effect.gen(function* () {
    const [documents, store, { workspace }] = [yield* DocumentInspection, yield* DocumentStore, yield* Caller]
    const { chunks: total } = yield* store.counts(workspace)
    for (let [after, done] = [0, 0]; ; ) {
      const page = yield* documents.labelsAfter(workspace, after, vectorsPerPage)
      const missing = yield* wanting(
        page.filter((label) => !held.has(label)),
        maker
      )
      if (missing.length > 0) yield* settle(examiner, model, maker, missing)
      done += page.length
      yield* examiner.progress(done, Math.max(total, done))
      const last = page.at(-1)
      if (last === undefined) return
      after = last
    }
  })

/** Those of the labels whose passages would get a vector: a text without known words has none. */
const wanting = (labels: ReadonlyArray<number>, maker: VectorMaker | null) =>
  Effect.gen(function* () {
    if (labels.length === 0) return []
    const passages = yield* (yield* DocumentStore).passages((yield* Caller).workspace, labels)
    if (maker === null) return passages.map(({ label }) => label)
    const made = yield* Effect.orDie(maker.make(passages.map(textOf)))
    return passages.flatMap(({ label }, place) => (made[place]?.vector == null ? [] : [label]))
  })

/** Judges suspects as a unit of work and puts them right; a document that still has to be followed is no fault. */
const settle = (
  examiner: VectorExaminer,
  model: VectorModel,
  maker: VectorMaker | null,
  labels: ReadonlyArray<number>
) =>
  atomically(
    Effect.gen(function* () {
      const [store, documents, { workspace }] = [yield* VectorStore, yield* DocumentStore, yield* Caller]
      const present = (yield* store.models(workspace)).find(
        ({ id, state }) => id === model.id && state === "active"
      )
      if (present === undefined) return
      const rows = yield* rowsOf(present, labels)
      const faults = new Map<number, Fault>(yield* judge(rows, maker))
      const held = new Set(rows.map(({ label }) => label))
      const lacking = yield* wanting(
        labels.filter((label) => !held.has(label)),
        maker
      )
      for (const label of lacking) faults.set(label, "vectors_missing")
      const owners = new Map(rows.map(({ documentId, label }) => [label, documentId]))
      for (const { documentId, label } of yield* documents.passages(workspace, lacking))
        owners.set(label, documentId)
      // What an earlier page moved back was followed when this began.
      const followed = examiner.repair ? Math.max(present.cursor, model.cursor) : present.cursor
      let cursor = present.cursor
      for (const [label, documentId] of owners) {
        const document = Option.getOrNull(yield* documents.find(workspace, documentId))
        if (document === null) continue
        if (document.seq > followed) faults.delete(label)
        else if (faults.has(label)) cursor = Math.min(cursor, document.seq - 1)
      }
      yield* tellFaults(examiner, model, faults)
      if (!examiner.repair || faults.size === 0) return
      const wrong = [...faults].flatMap(([label, fault]) => (fault === "vectors_missing" ? [] : [label]))
      yield* store.remove(workspace, present.id, wrong)
      yield* store.advance(workspace, present.id, { cursor, drift: present.drift })
    })
  )

const rowsOf = (model: VectorModel, labels: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* VectorInspection, yield* Caller]
    const found = yield* Effect.forEach(labels, (label) =>
      inspection.vectorsAfter(workspace, model.id, label - 1, 1)
    )
    const wanted = new Set(labels)
    return found.flat().filter(({ label }) => wanted.delete(label))
  })

const tellFaults = (examiner: VectorExaminer, { id }: VectorModel, faults: ReadonlyMap<number, Fault>) =>
  Effect.gen(function* () {
    const counts = new Map<Fault, number>()
    for (const fault of faults.values()) counts.set(fault, (counts.get(fault) ?? 0) + 1)
    for (const [fault, count] of counts)
      yield* examiner.tell(fault, { subject: id, message: faultWords[fault], count })
  })

const checkIndex = (examiner: VectorExaminer, model: VectorModel) =>
  Effect.gen(function* () {
    const [inspection, index, store, { workspace }] = [
      yield* VectorIndexInspection,
      yield* VectorIndex,
      yield* VectorStore,
      yield* Caller
    ]
    const key = indexKey(workspace, model)
    const exactOnly = yield* inspection.exactOnly
    if (exactOnly !== null)
      yield* examiner.tell("vector_search_exact", { subject: model.id, message: exactOnly })
    const head = Effect.map(store.feed(workspace, model.id), (feed) => feed.head)
    const damage = yield* inspection.damage(key, head)
    if (damage === null) return
    yield* examiner.tell("vector_index_damaged", { subject: model.id, message: damage })
    if (!examiner.repair) return
    yield* index.drop(key)
    yield* buildIndex(key)
  })
