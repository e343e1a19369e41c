import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { forgetExpired } from "../../answers/answer-cache/index.js"
import { pruneAnswers, pruneDecisions } from "../../answers/answering/index.js"
import { findContradictions } from "../../answers/contradictions/index.js"
import { pruneDataRows } from "../../connected/livedata/index.js"
import {
  Chunker,
  chunkerId,
  DocumentStore,
  pruneVersions,
  purgeTrash,
  Vault
} from "../../files/documents/index.js"
import { reconcileFiles, reindexDocuments, syncVault } from "../../files/vault-sync/index.js"
import { extractByModelAgain, readAgain, readingNames } from "../../knowledge/extraction/index.js"
import { GraphStore } from "../../knowledge/graph/index.js"
import {
  drain,
  enqueue,
  type Handler,
  type Job,
  JobFailed,
  JobStore,
  type JobTools,
  jobKinds
} from "../../platform/jobs/index.js"
import { Caller, DocumentId, now, type WorkspaceScope } from "../../platform/kernel/index.js"
import { countedAtOnce, WorkspaceStore } from "../../platform/workspace/index.js"
import { indexIsSound, rebuildLexicalIndex, repairLexicalIndex } from "../../search/lexical/index.js"
import { persistVectors, remakeVectors, VectorStore } from "../../search/vectors/index.js"
import { recoverAtStartup } from "../integrity/index.js"
import { forgetExpiredNotes } from "../notes/index.js"
import { noteOverdue } from "../overview/index.js"

/** States a handler with the services that it needs. */
const handlerOf = <R>(handler: Handler<R>): Handler<R> => handler

/** Documents reindexed per unit of work. */
const documentsPerUnit = 16

/** Returns the document of a job if it is live, none if it is gone, or `all` for a job over all documents. */
const subjectOf = ({ subjectId }: Job) =>
  Effect.gen(function* () {
    if (subjectId === null) return "all" as const
    const id = DocumentId.safeParse(subjectId)
    if (!id.success) return Option.none()
    const found = yield* (yield* DocumentStore).find((yield* Caller).workspace, id.data)
    return Option.filter(found, ({ deletedAt }) => deletedAt === null)
  })

const reportProgress =
  ({ progress }: JobTools, note: string) =>
  (done: number, total: number) =>
    progress({ done, total, note })

/** Ingests changed files, or the file of one document. */
const ingest = handlerOf({
  kind: jobKinds.ingest,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const subject = yield* subjectOf(job)
      if (subject !== "all" && Option.isNone(subject)) return
      yield* reconcileFiles()
      const under = subject === "all" ? "" : subject.value.path
      const { failed, unchanged } = yield* syncVault({ under, onProgress: reportProgress(tools, "files") })
      const dealt = failed + unchanged
      if (dealt > 0) yield* tools.progress({ done: unchanged, total: dealt, note: "files" })
    }).pipe(Effect.mapError(({ message }) => new JobFailed({ message, retryable: true })))
})

/** Rebuilds passages and the text index page by page; searches see every passage throughout. */
const reindex = handlerOf({
  kind: jobKinds.reindex,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
      const subject = yield* subjectOf(job)
      if (subject === "all") {
        yield* repairLexicalIndex(workspace)
        // An unreadable index cannot be replaced incrementally.
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
        yield* reportProgress(tools, "documents")(done, ids.length)
      }
      if (subject === "all") yield* (yield* WorkspaceStore).setChunker(workspace, chunkerId(yield* Chunker))
      if (done > 0) yield* enqueue([{ kind: jobKinds.merging, dedupeKey: jobKinds.merging }])
    })
})

/** Computes all vectors again. */
const reembed = handlerOf({
  kind: jobKinds.reembed,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const subject = yield* subjectOf(job)
      const documents = subject === "all" ? subject : Option.toArray(Option.map(subject, ({ id }) => id))
      const remade = remakeVectors(workspace, documents, reportProgress(tools, "passages"))
      yield* countedAtOnce(workspace, remade).pipe(
        Effect.mapError(({ message, retryable }) => new JobFailed({ message, retryable }))
      )
      yield* persistVectors(workspace)
    })
})

/** Marks documents for extraction and waits until the extraction job, a singleton, has finished. */
const reextract = handlerOf({
  kind: jobKinds.reextract,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const since = yield* now
      const subject = yield* subjectOf(job)
      const documents = subject === "all" ? subject : Option.toArray(Option.map(subject, ({ id }) => id))
      const modelReadings = yield* readingNames(extractByModelAgain(workspace, documents))
      const extractions = yield* tools.fenced(
        Effect.zipRight(
          readAgain(workspace, documents, modelReadings),
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
})

/**
 * Runs the start-up repairs: files left by a crash, a text index of another version, unrequested vectors. A recurring
 * run also ingests changed files, in case the file watch missed some.
 */
const reconcile = handlerOf({
  kind: jobKinds.reconcile,
  slots: 1,
  run: (job, tools) =>
    Effect.gen(function* () {
      const { owed, repairs } = yield* recoverAtStartup()
      const done = repairs.length
      yield* tools.progress({ done, total: done + owed.length, note: "repairs" })
      if (job.payload["recurring"] !== true) return
      if (yield* vaultLooksLost)
        return yield* new JobFailed({ message: "The vault is empty: is it mounted?", retryable: false })
      yield* syncVault()
    }).pipe(
      Effect.mapError((error) =>
        error._tag === "JobFailed" ? error : new JobFailed({ message: error.message, retryable: true })
      )
    )
})

/** Returns whether all files are gone although there were some: an unmounted disk is more likely than a deletion. */
const vaultLooksLost = Effect.gen(function* () {
  const [store, vault, { workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
  if ((yield* store.counts(workspace)).documents === 0) return false
  const { entries, refused } = yield* vault.walk("")
  return entries.length + refused.length === 0
})

/** Deletes what exceeds its retention: answers, versions of documents, documents in the trash; notes go to the trash. */
const retention = handlerOf({
  kind: jobKinds.retention,
  slots: 1,
  run: (_job, tools) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const answers = yield* pruneAnswers()
      yield* pruneDecisions()
      yield* pruneDataRows()
      yield* forgetExpired()
      const versions = yield* pruneVersions()
      const documents = yield* purgeTrash(yield* followedUpTo(workspace))
      const notes = yield* forgetExpiredNotes
      const done = answers + versions + documents + notes
      if (done > 0) yield* tools.progress({ done, total: done, note: "forgotten" })
    }).pipe(Effect.mapError(({ message }) => new JobFailed({ message, retryable: true })))
})

/** Returns the position in the document feed that both graph and vectors have reached. */
const followedUpTo = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const { documentCursor } = yield* (yield* GraphStore).extraction.state(workspace)
    const models = yield* (yield* VectorStore).models(workspace)
    return Math.min(documentCursor, ...models.map(({ cursor }) => cursor))
  })

/** Records in the audit trail what became due for review, once per due date. */
const staleness = handlerOf({ kind: jobKinds.staleness, slots: 1, run: () => Effect.asVoid(noteOverdue()) })

/** Compares the documents that changed since the last time with all others. */
const contradictions = handlerOf({
  kind: jobKinds.contradictions,
  slots: 1,
  run: (_job, tools) =>
    Effect.asVoid(
      findContradictions({ onProgress: (done) => tools.progress({ done, total: done, note: "documents" }) })
    )
})

/** The jobs that `startJob` can start, except the ranking job, which also recurs. */
export const maintenanceJobs = [
  ingest,
  reindex,
  reembed,
  reextract,
  reconcile,
  retention,
  staleness,
  contradictions
]
