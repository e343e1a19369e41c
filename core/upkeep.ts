import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type ChunkIndex,
  DocumentStore,
  reconcileFiles,
  reindexDocuments,
  syncVault
} from "./documents/index.js"
import { type Extractor, readAgain } from "./graph/index.js"
import { jobKinds } from "./job-kinds.js"
import {
  drain,
  enqueue,
  type Handler,
  type Job,
  JobFailed,
  JobStore,
  type JobTools,
  type Listeners
} from "./jobs/index.js"
import { Caller, DocumentId, now } from "./kernel/index.js"
import { mend } from "./mend.js"
import type { Ports } from "./ports.js"
import {
  indexIsSound,
  persistVectors,
  rebuildLexicalIndex,
  remakeVectors,
  repairLexicalIndex,
  type SegmentReader
} from "./retrieval/index.js"

type Work = Handler<Ports | ChunkIndex | Extractor | SegmentReader | Listeners | Caller>

/** Documents whose passages are indexed anew in one unit of work. */
const documentsPerUnit = 16

/** The document that a job is about, while it lives; none where it is gone, `all` where the job is about all. */
const subjectOf = ({ subjectId }: Job) =>
  Effect.gen(function* () {
    if (subjectId === null) return "all" as const
    const id = DocumentId.safeParse(subjectId)
    if (!id.success) return Option.none()
    const found = yield* (yield* DocumentStore).find((yield* Caller).workspace, id.data)
    return Option.filter(found, ({ deletedAt }) => deletedAt === null)
  })

const told =
  ({ progress }: JobTools, note: string) =>
  (done: number, total: number) =>
    progress({ done, total, note })

/** Takes in what changed among the files, or the file of one document. */
const ingest: Work = {
  kind: jobKinds.ingest,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const subject = yield* subjectOf(job)
      if (subject !== "all" && Option.isNone(subject)) return
      yield* reconcileFiles()
      const under = subject === "all" ? "" : subject.value.path
      const { failed, unchanged } = yield* syncVault({ under, onProgress: told(tools, "files") })
      const dealt = failed + unchanged
      if (dealt > 0) yield* tools.progress({ done: unchanged, total: dealt, note: "files" })
    }).pipe(Effect.mapError(({ message }) => new JobFailed({ message, retryable: true })))
}

/** Passages and text index anew, page by page: searches hold every passage all the time. */
const reindex: Work = {
  kind: jobKinds.reindex,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
      const subject = yield* subjectOf(job)
      if (subject === "all") {
        yield* repairLexicalIndex(workspace)
        // What cannot be read cannot be replaced bit by bit.
        if (!(yield* indexIsSound(workspace))) yield* rebuildLexicalIndex(workspace)
      }
      const ids =
        subject === "all"
          ? (yield* store.stamps(workspace)).map(({ id }) => id)
          : Option.toArray(Option.map(subject, ({ id }) => id))
      let done = 0
      for (const page of Batches.chunksOf(ids, documentsPerUnit)) {
        yield* reindexDocuments(page)
        done += page.length
        yield* told(tools, "documents")(done, ids.length)
      }
      if (done > 0) yield* enqueue([{ kind: jobKinds.merging, dedupeKey: jobKinds.merging }])
    })
}

/** Vectors anew. */
const reembed: Work = {
  kind: jobKinds.reembed,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const subject = yield* subjectOf(job)
      const documents = subject === "all" ? subject : Option.toArray(Option.map(subject, ({ id }) => id))
      yield* remakeVectors(workspace, documents, told(tools, "passages")).pipe(
        Effect.mapError(({ message, retryable }) => new JobFailed({ message, retryable }))
      )
      yield* persistVectors(workspace)
    })
}

/** Has documents read for the graph again, and waits until the extraction, of which there is one at a time, is through. */
const reextract: Work = {
  kind: jobKinds.reextract,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const since = yield* now
      const subject = yield* subjectOf(job)
      const documents = subject === "all" ? subject : Option.toArray(Option.map(subject, ({ id }) => id))
      const extractions = yield* tools.fenced(
        Effect.zipRight(
          readAgain(workspace, documents),
          enqueue([{ kind: jobKinds.extraction, dedupeKey: jobKinds.extraction }])
        )
      )
      const dead = yield* drain(workspace, {
        kinds: [jobKinds.extraction],
        since,
        onChange: ({ jobs: [running] }) =>
          running?.progress == null ? Effect.void : tools.progress(running.progress)
      })
      const ids = extractions.map(({ id }) => id)
      const [last] = yield* (yield* JobStore).find(workspace, ids)
      if (last?.progress != null) yield* tools.progress(last.progress)
      const [failed] = dead
      if (failed !== undefined)
        return yield* new JobFailed({ message: failed.error ?? "The extraction failed.", retryable: true })
    })
}

/** What each start does: files that a crash left, a text index of another version, vectors that nobody asked for. */
const reconcile: Work = {
  kind: jobKinds.reconcile,
  slots: 1,
  run: (_job, tools) =>
    Effect.gen(function* () {
      const { owed, repairs } = yield* mend()
      const done = repairs.length
      yield* tools.progress({ done, total: done + owed.length, note: "repairs" })
    }).pipe(Effect.mapError(({ message }) => new JobFailed({ message, retryable: true })))
}

/** The work that is asked for by `startJob`, beside the ranks, which come by themselves too. */
export const upkeep: ReadonlyArray<Work> = [ingest, reindex, reembed, reextract, reconcile]
