import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { cacheFindings, checkCache } from "../answer-cache/index.js"
import { verifyAudit } from "../audit/index.js"
import { checkLostRequests, checkRequests, lostRequestFindings, requestFindings } from "../curation/index.js"
import {
  checkOrphans,
  checkRows,
  checkTrash,
  documentsChanged,
  mendNumbers,
  rowFindings
} from "../documents/index.js"
import { checkEntities, entityFindings } from "../entities/index.js"
import { checkGraph, checkRanks, graphFindings } from "../extraction/index.js"
import { checkHolders, checkLostHolders, holderFindings, lostHolderFindings } from "../identity/index.js"
import { announce, checkJobs, JobStore, jobFindings, type Listeners } from "../jobs/index.js"
import { jobKinds } from "../jobs/job-kinds.js"
import { type Atomic, Caller, type Examiner, isFault, type Severity } from "../kernel/index.js"
import { checkPostings, checkSegments, lexicalFindings } from "../lexical/index.js"
import { checkDecisions, decisionFindings } from "../policy/index.js"
import { checkRecords, recordFindings } from "../transfer/index.js"
import { checkFiles, fileFindings } from "../vault-sync/index.js"
import { checkVectors, vectorFindings } from "../vectors/index.js"
import { checkConcepts, conceptFindings } from "../vocabulary/index.js"
import { checkWorkspace, workspaceFindings } from "../workspace/index.js"
import type { DoctorLedger } from "./doctor-ledger.js"
import { checkDatabase, databaseFindings, takeBack } from "./inspect-database.js"

/** How far a doctor is; `work` is the background work that a repair asked for. */
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

/** What was compared. */
export interface DoctorChecked {
  readonly files: number
  readonly documents: number
  readonly passages: number
  /** Segments of the text index, and passages that it holds. */
  readonly segments: number
  readonly postings: number
  readonly vectors: number
  readonly entities: number
  /** Documents of which the graph was drawn again; 0 while it is behind. */
  readonly drawn: number
  /** Jobs that wait, run or were given up. */
  readonly jobs: number
  /** Events of the audit trail. */
  readonly events: number
}

/** Every kind of finding and whether it is a difference or a remark. */
export const findingKinds = {
  ...databaseFindings,
  audit_broken: "difference",
  unexamined: "difference",
  ...fileFindings,
  ...rowFindings,
  ...lexicalFindings,
  ...vectorFindings,
  ...entityFindings,
  ...graphFindings,
  ...jobFindings,
  ...requestFindings,
  ...lostRequestFindings,
  ...holderFindings,
  ...lostHolderFindings,
  ...conceptFindings,
  ...cacheFindings,
  ...decisionFindings,
  ...recordFindings,
  ...workspaceFindings
} as const satisfies Record<string, Severity>

/** What can be wrong with a workspace, or worth a remark; `findingKinds` tells which of the two each is. */
export type FindingCode = keyof typeof findingKinds

/** Who is told how far an examination is. */
export type Tell = (progress: DoctorProgress) => Effect.Effect<void>

/** All parts, in an order in which what one puts right is what the next one compares with. */
export const examine = (ledger: DoctorLedger, repair: boolean, tell: Tell) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<JobStore | Listeners | Atomic | Caller>()
    const examiner = (phase: DoctorProgress["phase"]): Examiner<FindingCode> => {
      let isAsked = false
      return {
        repair,
        tell: (code, symptom) =>
          Effect.suspend(() => {
            const severity = findingKinds[code]
            ledger.note(code, severity, symptom)
            if (!repair || isAsked || severity === "remark") return Effect.void
            isAsked = true
            return Effect.provide(followingWork, context)
          }),
        progress: (done, total) => tell({ phase, done, total })
      }
    }
    const part = <A, E, R>(
      phase: DoctorProgress["phase"],
      otherwise: A,
      check: (examiner: Examiner<FindingCode>) => Effect.Effect<A, E, R>
    ) =>
      Effect.zipRight(tell({ phase, done: 0, total: 0 }), check(examiner(phase))).pipe(
        unexamined(examiner(phase), phase, otherwise)
      )
    yield* part("database", undefined, checkDatabase)
    const events = yield* part("audit", null, checkAudit)
    const trailHolds = events !== null && !ledger.hasDifferenceOf(["audit_broken"])
    const jobs = yield* part("jobs", 0, checkJobs)
    const { damaged, segments } = yield* part("text", { damaged: 1, segments: 0 }, checkSegments)
    yield* part("documents", undefined, checkOrphans)
    if (repair && trailHolds) yield* part("documents", undefined, mendNumbers)
    const files = yield* part("files", 0, checkFiles)
    yield* part("files", undefined, checkTrash)
    const { documents, passages } = yield* part("documents", { documents: 0, passages: 0 }, (one) =>
      checkRows(one, { trailHolds })
    )
    const postings = yield* part("text", 0, (one) => checkPostings(one, { damaged: damaged > 0 }))
    const entities = yield* part("entities", 0, checkEntities)
    yield* part("entities", undefined, checkRequests)
    yield* part("entities", undefined, checkLostRequests)
    yield* part("entities", undefined, checkConcepts)
    const isSure = trailHolds && !ledger.hasDifferenceOf(["unexamined"])
    yield* part("records", undefined, (one) => checkWorkspace(one, { trailHolds: isSure }))
    yield* part("records", undefined, (one) => checkHolders(one, { trailHolds: isSure }))
    if (isSure) yield* part("records", undefined, checkLostHolders)
    yield* part("documents", undefined, checkCache)
    yield* part("documents", undefined, checkDecisions)
    const drawn = yield* part("graph", null, (one) => checkGraph(one, awaiting(jobKinds.extraction)))
    // The ranks of a graph that is wrong, or could not be looked at, nobody knows: they follow with what mends it.
    if (drawn !== null && !ledger.hasDifferenceOf(ranked))
      yield* part("graph", undefined, (one) => checkRanks(one, awaiting(jobKinds.analytics)))
    const vectors = yield* part("vectors", 0, (one) => checkVectors(one, awaiting(jobKinds.embedding)))
    yield* part("records", undefined, checkRecords)
    const checked: DoctorChecked = {
      files,
      documents,
      passages,
      segments,
      postings,
      vectors,
      entities,
      drawn: drawn ?? 0,
      jobs,
      events: events ?? 0
    }
    return checked
  })

/** Kinds of findings about what ranks are made from. */
const ranked = Object.keys({ ...entityFindings, ...graphFindings })

/** The repair itself has the work done that follows; one that dies before leaves it to come by itself so much later. */
const restMs = 60_000

/** Asked for in the unit of work that mends, so that nobody who looks meanwhile finds it forgotten. */
const followingWork = announce(documentsChanged, {}, { delayMs: restMs })

/** Damage may be such that a part cannot even be read; the others are looked at all the same. */
const unexamined =
  <A>(examiner: Examiner<FindingCode>, phase: DoctorProgress["phase"], otherwise: A) =>
  <E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAllCause(check, (cause) => {
      const defect = Cause.dieOption(cause)
      if (defect._tag === "None" || Cause.isInterrupted(cause) || isPassing(defect.value))
        return Effect.failCause(cause)
      return Effect.as(
        examiner.tell("unexamined", {
          subject: phase,
          message: `it could not be looked at: ${wordsOf(defect.value)}; where a repair does not help, ${takeBack}`
        }),
        otherwise
      )
    })

/** Data that is only busy is not damaged, nor is a disk that is full. */
const isPassing = (defect: unknown): boolean =>
  isFault(defect) && (defect._tag === "DataBusy" || defect._tag === "DataFull")

const wordsMax = 200

/** The first line of what an error says. */
const wordsOf = (defect: unknown): string => {
  const cause: unknown = defect instanceof Error && defect.cause !== undefined ? defect.cause : defect
  const words =
    cause instanceof z.ZodError
      ? cause.issues.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ")
      : cause instanceof Error
        ? cause.message
        : String(cause)
  return (words.split("\n", 1)[0] ?? "").slice(0, wordsMax)
}

const awaiting = (kind: string) => ({
  isAwaited: Effect.gen(function* () {
    const [store, { workspace }] = [yield* JobStore, yield* Caller]
    const { running, waiting } = yield* store.depth(workspace, [kind])
    return running + waiting > 0
  })
})

/** The chain of the audit trail. What was done to it cannot be undone: it is told, never mended. */
const checkAudit = (examiner: Examiner<FindingCode>) =>
  Effect.gen(function* () {
    const { events, findings } = yield* verifyAudit()
    for (const { count, id, message, position } of findings)
      yield* examiner.tell("audit_broken", {
        subject: id === null ? `event ${position}` : `event ${position} (${id})`,
        message: `${message}; a repair leaves it as it is`,
        count
      })
    yield* examiner.progress(events, events)
    return events
  })
