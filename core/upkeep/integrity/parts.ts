import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { inspectAnswerCache } from "../../answers/answer-cache/index.js"
import { documentsChanged } from "../../files/documents/index.js"
import { inspectFiles, inspectTrash } from "../../files/vault-sync/index.js"
import { entityFindings, inspectEntities } from "../../knowledge/entities/index.js"
import { graphFindings, inspectGraph, inspectRanks } from "../../knowledge/extraction/index.js"
import { verifyAudit } from "../../platform/audit/index.js"
import { announce, inspectJobs, JobStore, type Listeners } from "../../platform/jobs/index.js"
import { type Atomic, Caller, type Inspector, isFault, restoreAdvice } from "../../platform/kernel/index.js"
import { inspectPostings, inspectSegments } from "../../search/lexical/index.js"
import { inspectVectors } from "../../search/vectors/index.js"
import { inspectRecords } from "../transfer/index.js"
import { type FindingCode, type FindingLog, findingKinds } from "./findings.js"
import { inspectDatabase } from "./inspect-database.js"
import { inspectDocuments } from "./inspect-documents.js"
import { inspectOrphans } from "./inspect-orphans.js"

/** Progress of an inspection; in the phase `work`, `total` counts the jobs that a rebuild waits for. */
export interface DoctorProgress {
  readonly phase:
    | "database"
    | "audit"
    | "jobs"
    | "text"
    | "files"
    | "documents"
    | "entities"
    | "graph"
    | "vectors"
    | "records"
    | "work"
  readonly done: number
  readonly total: number
}

/** Numbers of inspected items. */
export interface DoctorChecked {
  readonly files: number
  readonly documents: number
  readonly passages: number
  /** Segments of the text index and passages in them. */
  readonly segments: number
  readonly postings: number
  readonly vectors: number
  /** Share of the 100 nearest passages that the vector index finds on a sample; null where searches are exact. */
  readonly vectorRecall: number | null
  readonly entities: number
  /** Documents whose graph data was compared; 0 while the graph lags behind the documents. */
  readonly drawn: number
  /** Jobs that are pending, running or dead. */
  readonly jobs: number
  /** Events of the audit trail. */
  readonly events: number
}

/** Receives the progress of an inspection. */
export type ReportProgress = (progress: DoctorProgress) => Effect.Effect<void>

/** The kinds of the jobs that keep graph, ranks and vectors up to date. */
export interface FollowUpKinds {
  readonly extraction: string
  readonly analytics: string
  readonly embedding: string
}

interface PartsOptions {
  readonly rebuild: boolean
  readonly kinds: FollowUpKinds
  readonly reportProgress: ReportProgress
}

/**
 * Inspects every part of the workspace. The order matters: each part is compared with parts that come before it, so a
 * rebuild of one is what the next is compared with. Primary data comes last, after everything that can be rebuilt.
 */
export const inspectParts = (log: FindingLog, { kinds, rebuild, reportProgress }: PartsOptions) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<JobStore | Listeners | Atomic | Caller>()
    const inspectorOf = (phase: DoctorProgress["phase"]): Inspector<FindingCode> => {
      let hasAnnounced = false
      return {
        rebuild,
        report: (code, detail) =>
          Effect.suspend(() => {
            const severity = findingKinds[code]
            log.add(code, severity, detail)
            if (!rebuild || hasAnnounced || severity === "remark") return Effect.void
            hasAnnounced = true
            return Effect.provide(announceFollowUps, context)
          }),
        progress: (done, total) => reportProgress({ phase, done, total })
      }
    }
    const part = <A, E, R>(
      phase: DoctorProgress["phase"],
      fallback: A,
      inspect: (inspector: Inspector<FindingCode>) => Effect.Effect<A, E, R>
    ) =>
      Effect.zipRight(reportProgress({ phase, done: 0, total: 0 }), inspect(inspectorOf(phase))).pipe(
        orUnexamined(inspectorOf(phase), phase, fallback)
      )
    yield* part("database", undefined, inspectDatabase)
    const events = yield* part("audit", 0, inspectAudit)
    const jobs = yield* part("jobs", 0, inspectJobs)
    const { damaged, segments } = yield* part("text", { damaged: 1, segments: 0 }, inspectSegments)
    yield* part("documents", undefined, inspectOrphans)
    const files = yield* part("files", 0, inspectFiles)
    yield* part("files", undefined, inspectTrash)
    const { documents, passages } = yield* part("documents", { documents: 0, passages: 0 }, inspectDocuments)
    const postings = yield* part("text", 0, (one) => inspectPostings(one, { damaged: damaged > 0 }))
    const entities = yield* part("entities", 0, inspectEntities)
    yield* part("documents", undefined, inspectAnswerCache)
    const drawn = yield* part("graph", null, (one) => inspectGraph(one, pending(kinds.extraction)))
    // Ranks derive from the graph, so they are compared only if the graph has no difference.
    if (drawn !== null && !log.hasDifference(rankInputs))
      yield* part("graph", undefined, (one) => inspectRanks(one, pending(kinds.analytics)))
    const { vectorRecall, vectors } = yield* part("vectors", { vectors: 0, vectorRecall: null }, (one) =>
      inspectVectors(one, pending(kinds.embedding))
    )
    yield* part("records", undefined, inspectRecords)
    const checked: DoctorChecked = {
      files,
      documents,
      passages,
      segments,
      postings,
      vectors,
      vectorRecall,
      entities,
      drawn: drawn ?? 0,
      jobs,
      events
    }
    return checked
  })

/** Kinds of findings about the inputs of ranks. */
const rankInputs = Object.keys({ ...entityFindings, ...graphFindings })

/** Delay of the announced jobs: the rebuild runs them itself unless its process dies. */
const followUpDelayMs = 60_000

/**
 * Announces the jobs in the transaction of the rebuild, so that no other inspection finds derived data without a
 * pending job.
 */
const announceFollowUps = announce(documentsChanged, {}, { delayMs: followUpDelayMs })

/** Reports a part that is too damaged to be read and continues with the other parts. */
const orUnexamined =
  <A>(inspector: Inspector<FindingCode>, phase: DoctorProgress["phase"], fallback: A) =>
  <E, R>(inspect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAllCause(inspect, (cause) => {
      const defect = Cause.dieOption(cause)
      if (defect._tag === "None" || Cause.isInterrupted(cause) || isTransient(defect.value))
        return Effect.failCause(cause)
      return Effect.as(
        inspector.report("unexamined", {
          subject: phase,
          message: `This part could not be inspected: ${messageOf(defect.value)}. If a rebuild does not help: ${restoreAdvice}`
        }),
        fallback
      )
    })

/** Returns whether a defect is transient: a busy database or a full disk is no damage. */
const isTransient = (defect: unknown): boolean =>
  isFault(defect) && (defect._tag === "DataBusy" || defect._tag === "DataFull")

const messageMax = 200

/** The first line of an error message. */
const messageOf = (defect: unknown): string => {
  const cause: unknown = defect instanceof Error && defect.cause !== undefined ? defect.cause : defect
  const message =
    cause instanceof z.ZodError
      ? cause.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")
      : cause instanceof Error
        ? cause.message
        : String(cause)
  return (message.split("\n", 1)[0] ?? "").slice(0, messageMax)
}

const pending = (kind: string) => ({
  isPending: Effect.gen(function* () {
    const [store, { workspace }] = [yield* JobStore, yield* Caller]
    const { running, waiting } = yield* store.depth(workspace, [kind])
    return running + waiting > 0
  })
})

/** Verifies the hash chain of the audit trail. Gives the number of events. */
const inspectAudit = (inspector: Inspector<FindingCode>) =>
  Effect.gen(function* () {
    const { events, findings } = yield* verifyAudit()
    for (const { count, id, message, position } of findings)
      yield* inspector.report("audit_broken", {
        subject: id === null ? `audit event ${position}` : `audit event ${position} (${id})`,
        message: `${message}. ${restoreAdvice}`,
        count
      })
    yield* inspector.progress(events, events)
    return events
  })
