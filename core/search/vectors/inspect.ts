import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore, type Passage } from "../../files/documents/index.js"
import { LabelSet } from "../../platform/caching/index.js"
import { atomically, Caller, Ids, type Inspector, inspectCount, traced } from "../../platform/kernel/index.js"
import { vectorsAreBehind } from "./embed.js"
import { buildIndex, indexKey } from "./index-feed.js"
import { readLsa } from "./lsa-artefact.js"
import { lsaPrefix } from "./lsa-corpus.js"
import { vectorMemoryShortage } from "./memory.js"
import { dropModels } from "./models-of.js"
import { VectorIndex, type VectorModel, type VectorRow, VectorStore, vectorIndexInspection } from "./store.js"
import { embedText, textHashOf } from "./stored-vector.js"
import { builtInMaker, type VectorMaker } from "./vector-makers.js"

/** Kinds of findings about vectors. */
export const vectorFindings = {
  vector_cursor_ahead: "difference",
  vector_damaged: "difference",
  vector_index_damaged: "difference",
  vector_memory_short: "remark",
  vector_model_damaged: "difference",
  vector_recall_low: "remark",
  vector_rows_stray: "difference",
  vector_search_exact: "remark",
  vectors_behind: "remark",
  vectors_missing: "difference",
  vectors_stale: "difference",
  vectors_surplus: "difference",
  vectors_unattended: "difference"
} as const

type VectorInspector = Inspector<keyof typeof vectorFindings>

const vectorsPerPage = 256
/** Tolerance of the length of a unit vector of 32-bit floats. */
const lengthTolerance = 1e-3

/**
 * Compares the vectors of the active model with the passages, and the files of the vector index with their manifest.
 * Built-in vectors are computed again and must be equal; those of a configured model must be unit vectors of the
 * present text. A rebuild removes what differs and moves the cursor of the model back, so that the embedding job makes
 * it again. Returns the number of vectors, and the recall of the index on a sample (null where searches are exact).
 *
 * @param options.isPending Whether an embedding job waits or runs.
 */
export const inspectVectors = traced("vectors.inspect")(function* <E, R>(
  inspector: VectorInspector,
  options: { readonly isPending: Effect.Effect<boolean, E, R> }
) {
  const [inspection, store, { workspace }] = [
    (yield* VectorStore).inspection,
    yield* VectorStore,
    yield* Caller
  ]
  yield* inspectLag(inspector, options.isPending)
  yield* inspectCount(inspector, "vector_rows_stray", {
    count: inspection.orphanCount(workspace),
    message: "Vectors belong to no model.",
    rebuild: inspection.removeOrphans(workspace)
  })
  const active = (yield* store.models(workspace)).find(({ state }) => state === "active")
  if (active === undefined) return noVectors
  const maker = yield* makerOf(inspector, active)
  if (maker === "damaged") return noVectors
  yield* inspectCursor(inspector, active)
  const indexedLabels = new LabelSet()
  const count = yield* inspectStored(inspector, { model: active, maker }, indexedLabels)
  yield* inspectMissing(inspector, { model: active, maker }, indexedLabels)
  const vectorRecall = yield* inspectIndex(inspector, active)
  return { vectors: count, vectorRecall }
})

const noVectors: { readonly vectors: number; readonly vectorRecall: number | null } = {
  vectors: 0,
  vectorRecall: null
}

/** Below this share of the nearest passages, searches by meaning lose what exact search finds. */
const recallMin = 0.9

const inspectLag = <E, R>(inspector: VectorInspector, isPending: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    if (!(yield* vectorsAreBehind(workspace))) return
    // In one transaction: a change and its job become visible together.
    const found = yield* atomically(
      Effect.gen(function* () {
        if (!(yield* vectorsAreBehind(workspace))) return null
        return (yield* isPending) ? ("vectors_behind" as const) : ("vectors_unattended" as const)
      })
    )
    if (found !== null) yield* inspector.report(found, { subject: "", message: lagMessages[found] })
  })

const lagMessages = {
  vectors_behind: "The vectors are behind the documents; a job that updates them is pending.",
  vectors_unattended: "The vectors are behind the documents and no job is pending that updates them."
} as const

/** Computes the vectors of the built-in model; null for a configured model. */
const makerOf = (inspector: VectorInspector, model: VectorModel) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VectorStore, yield* Caller]
    if (!model.id.startsWith(lsaPrefix)) return null
    const artefact = yield* store.artefact(workspace, model.id)
    const lsa = Option.isSome(artefact) ? yield* readLsa(artefact.value) : null
    if (lsa !== null && lsa.dimensions === model.dimensions) return builtInMaker(lsa)
    // The model was replaced meanwhile.
    if (!(yield* store.models(workspace)).some(({ id }) => id === model.id)) return "damaged" as const
    yield* inspector.report("vector_model_damaged", {
      subject: model.id,
      message: "The built-in model cannot be read."
    })
    if (inspector.rebuild) yield* dropModels(workspace, model)
    return "damaged" as const
  })

const inspectCursor = (inspector: VectorInspector, model: VectorModel) =>
  Effect.gen(function* () {
    const [documents, store, { workspace }] = [
      (yield* DocumentStore).inspection,
      yield* VectorStore,
      yield* Caller
    ]
    // The order matters: the feed only grows.
    if (model.cursor <= (yield* documents.feedEnd(workspace))) return
    yield* inspector.report("vector_cursor_ahead", {
      subject: model.id,
      message: "The cursor of the vectors is ahead of the documents."
    })
    if (inspector.rebuild) yield* store.advance(workspace, model.id, { cursor: 0, drift: model.drift })
  })

type Fault = "vector_damaged" | "vectors_missing" | "vectors_stale" | "vectors_surplus"

const faultMessages = {
  vector_damaged: "Vectors are damaged.",
  vectors_missing: "Passages lack a vector.",
  vectors_stale: "Vectors were made from another text.",
  vectors_surplus: "Vectors belong to passages that do not exist."
} as const

/** A model, and what computes its vectors if it is built in. */
interface Inspected {
  readonly model: VectorModel
  readonly maker: VectorMaker | null
}

const inspectStored = (inspector: VectorInspector, inspected: Inspected, indexedLabels: LabelSet) =>
  Effect.gen(function* () {
    const { maker, model } = inspected
    const [inspection, { workspace }] = [(yield* VectorStore).inspection, yield* Caller]
    for (let [after, count] = [-1, 0]; ; ) {
      const page = yield* inspection.vectorsAfter(workspace, model.id, after, vectorsPerPage)
      for (const { label } of page) indexedLabels.add(label)
      const faults = yield* faultsOf(page, maker)
      if (faults.size > 0) yield* confirm(inspector, inspected, [...faults.keys()])
      count += page.length
      const last = page.at(-1)
      if (last === undefined) return count
      after = last.label
      yield* Effect.sleep(0)
    }
  })

/** Returns the faults of rows, by label. */
const faultsOf = (rows: ReadonlyArray<VectorRow>, maker: VectorMaker | null) =>
  Effect.gen(function* () {
    const [documents, { sha256 }, { workspace }] = [yield* DocumentStore, yield* Ids, yield* Caller]
    const labels = rows.map(({ label }) => label)
    const passages = new Map(
      (yield* documents.passages(workspace, labels)).map((one) => [one.label, one] as const)
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

const inspectMissing = (inspector: VectorInspector, inspected: Inspected, indexedLabels: LabelSet) =>
  Effect.gen(function* () {
    const [documents, store, { workspace }] = [
      (yield* DocumentStore).inspection,
      yield* DocumentStore,
      yield* Caller
    ]
    const { chunks: total } = yield* store.counts(workspace)
    for (let [after, done] = [0, 0]; ; ) {
      const page = yield* documents.labelsAfter(workspace, after, vectorsPerPage)
      const unindexed = page.filter((label) => !indexedLabels.has(label))
      const missing = yield* labelsToEmbed(unindexed, inspected.maker)
      if (missing.length > 0) yield* confirm(inspector, inspected, missing)
      done += page.length
      yield* inspector.progress(done, Math.max(total, done))
      const last = page.at(-1)
      if (last === undefined) return
      after = last
    }
  })

/** Returns the labels whose passages should have a vector; a text without known words has none. */
const labelsToEmbed = (labels: ReadonlyArray<number>, maker: VectorMaker | null) =>
  Effect.gen(function* () {
    if (labels.length === 0) return []
    const passages = yield* (yield* DocumentStore).passages((yield* Caller).workspace, labels)
    if (maker === null) return passages.map(({ label }) => label)
    const made = yield* Effect.orDie(maker.make(passages.map(textOf)))
    return passages.flatMap(({ label }, place) => (made[place]?.vector == null ? [] : [label]))
  })

/** Confirms suspects in a transaction and rebuilds them; documents beyond the cursor are not reported. */
const confirm = (inspector: VectorInspector, { maker, model }: Inspected, labels: ReadonlyArray<number>) =>
  atomically(
    Effect.gen(function* () {
      const [store, documents, { workspace }] = [yield* VectorStore, yield* DocumentStore, yield* Caller]
      const models = yield* store.models(workspace)
      const present = models.find(({ id, state }) => id === model.id && state === "active")
      if (present === undefined) return
      const rows = yield* rowsOf(present, labels)
      const faults = new Map<number, Fault>(yield* faultsOf(rows, maker))
      const indexedLabels = new Set(rows.map(({ label }) => label))
      const unindexed = labels.filter((label) => !indexedLabels.has(label))
      const lacking = yield* labelsToEmbed(unindexed, maker)
      for (const label of lacking) faults.set(label, "vectors_missing")
      const owners = new Map(rows.map(({ documentId, label }) => [label, documentId]))
      for (const { documentId, label } of yield* documents.passages(workspace, lacking))
        owners.set(label, documentId)
      // An earlier page may have moved the cursor back.
      const followed = inspector.rebuild ? Math.max(present.cursor, model.cursor) : present.cursor
      let cursor = present.cursor
      for (const [label, documentId] of owners) {
        const document = Option.getOrNull(yield* documents.find(workspace, documentId))
        if (document === null) continue
        if (document.seq > followed) faults.delete(label)
        else if (faults.has(label)) cursor = Math.min(cursor, document.seq - 1)
      }
      yield* reportFaults(inspector, model, faults)
      if (!inspector.rebuild || faults.size === 0) return
      const wrong = [...faults].flatMap(([label, fault]) => (fault === "vectors_missing" ? [] : [label]))
      yield* store.remove(workspace, present.id, wrong)
      yield* store.advance(workspace, present.id, { cursor, drift: present.drift })
    })
  )

const rowsOf = (model: VectorModel, labels: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* VectorStore).inspection, yield* Caller]
    const found = yield* Effect.forEach(labels, (label) =>
      inspection.vectorsAfter(workspace, model.id, label - 1, 1)
    )
    const wanted = new Set(labels)
    return found.flat().filter(({ label }) => wanted.delete(label))
  })

const reportFaults = (inspector: VectorInspector, { id }: VectorModel, faults: ReadonlyMap<number, Fault>) =>
  Effect.gen(function* () {
    const counts = new Map<Fault, number>()
    for (const fault of faults.values()) counts.set(fault, (counts.get(fault) ?? 0) + 1)
    for (const [fault, count] of counts)
      yield* inspector.report(fault, { subject: id, message: faultMessages[fault], count })
  })

const inspectIndex = (inspector: VectorInspector, model: VectorModel) =>
  Effect.gen(function* () {
    const [inspection, index] = [yield* vectorIndexInspection, yield* VectorIndex]
    const [store, { workspace }] = [yield* VectorStore, yield* Caller]
    const key = indexKey(workspace, model)
    const exactOnly = yield* inspection.exactOnly
    if (exactOnly !== null)
      yield* inspector.report("vector_search_exact", { subject: model.id, message: exactOnly })
    const shortage = yield* vectorMemoryShortage
    if (shortage !== null)
      yield* inspector.report("vector_memory_short", { subject: model.id, message: shortage })
    const head = Effect.map(store.feed(workspace, model.id), (feed) => feed.head)
    const damage = yield* inspection.damage(key, head)
    if (damage !== null) {
      yield* inspector.report("vector_index_damaged", { subject: model.id, message: damage })
      if (!inspector.rebuild) return null
      yield* index.drop(key)
      yield* buildIndex(key)
    }
    const measured = yield* inspection.recall(key)
    if (measured === null) return null
    const { queries, recall } = measured
    if (recall < recallMin)
      yield* inspector.report("vector_recall_low", {
        subject: model.id,
        message: `the index of vectors finds ${(100 * recall).toFixed(0)} % of the 100 nearest passages, over ${queries} of its own vectors`
      })
    return recall
  })
