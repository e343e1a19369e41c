import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { record, verifyAudit } from "./audit/index.js"
import { cacheFindings, checkCache } from "./cache/index.js"
import { checkDatabase, databaseFindings, takeBack } from "./check-database.js"
import { checkLostRequests, checkRequests, lostRequestFindings, requestFindings } from "./curation/index.js"
import { DoctorLedger } from "./doctor-ledger.js"
import {
  checkFiles,
  checkOrphans,
  checkRows,
  documentsChanged,
  fileFindings,
  mendNumbers,
  rowFindings
} from "./documents/index.js"
import { checkEntities, entityFindings } from "./entities/index.js"
import { checkGraph, checkRanks, graphFindings } from "./graph/index.js"
import { checkHolders, checkLostHolders, holderFindings, lostHolderFindings } from "./identity/index.js"
import { jobKinds, leadsTo } from "./job-kinds.js"
import {
  announce,
  checkJobs,
  drain,
  enqueue,
  inRepairTurn,
  JobStore,
  jobFindings,
  type Listeners,
  startWorker
} from "./jobs/index.js"
import {
  type Atomic,
  atomically,
  Caller,
  type Examiner,
  type Finding,
  isFault,
  type Severity,
  traced
} from "./kernel/index.js"
import { checkPostings, checkSegments, lexicalFindings } from "./lexical/index.js"
import { checkDecisions, decisionFindings } from "./policy/index.js"
import { checkRecords, recordFindings } from "./transfer/index.js"
import { checkVectors, vectorFindings } from "./vectors/index.js"
import { checkConcepts, conceptFindings } from "./vocabulary/index.js"
import { whileWritable } from "./while-writable.js"
import { handlers } from "./wiring.js"
import { checkWorkspace, workspaceFindings } from "./workspace/index.js"

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

/** Whether an examination mends, and whom it tells how far it is. */
export interface DoctorOptions {
  /** Mends what it finds; by default it only looks. */
  readonly repair?: boolean
  readonly onProgress?: (progress: DoctorProgress) => void
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

/** What a doctor met and did. */
export interface DoctorReport {
  /** No difference stands: none was met, or all were mended. */
  readonly ok: boolean
  /** Findings that are differences and still stand. */
  readonly differences: number
  /** Findings that were differences and were mended. */
  readonly repaired: number
  readonly remarks: number
  /** At most 100 of a kind one by one; the others of the kind are one finding without a subject. */
  readonly findings: ReadonlyArray<Finding>
  readonly checked: DoctorChecked
  readonly durationMs: number
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

/** The process that examines. */
export interface DoctorHost {
  /** Names this process as a worker. */
  readonly owner: string
  /** Whether this process works on jobs already; else a repair does so until they are done. */
  readonly works: boolean
}

/** Mending looks again afterwards, and mends what came to light then; so often at most. */
const roundsMax = 3

/**
 * Compares everything that is stored with what it was made from and, if asked, mends what differs: with the units of
 * work, the jobs and the rules of ordinary work, so that it may run beside it. Differences are judged twice, the
 * second time while nobody writes, so that a write in flight is none. One repairs at a time, so that each difference is
 * mended, and told, once.
 */
export const doctor = traced("doctor")(function* (
  { onProgress, repair = false }: DoctorOptions,
  host: DoctorHost
) {
  const examined = examineAll({ repair, host, onProgress })
  return yield* repair ? inRepairTurn(examined) : examined
})

const examineAll = ({
  host,
  onProgress,
  repair
}: {
  readonly host: DoctorHost
  readonly onProgress: DoctorOptions["onProgress"]
  readonly repair: boolean
}) =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const tell = (progress: DoctorProgress) => Effect.sync(() => onProgress?.(progress))
    const met = new DoctorLedger()
    for (let round = 1; ; round++) {
      const ledger = new DoctorLedger()
      const isMending = repair && round <= roundsMax
      const checked = yield* examine(ledger, isMending, tell)
      met.add(ledger)
      if (!isMending || !ledger.hasDifferences) {
        const findings = met.findings(ledger, ["audit_broken"])
        yield* remember(findings)
        const durationMs = (yield* Clock.currentTimeMillis) - startedAt
        return reportOf(findings, checked, durationMs)
      }
      yield* workOff(host, tell)
    }
  })

const reportOf = (
  findings: ReadonlyArray<Finding>,
  checked: DoctorChecked,
  durationMs: number
): DoctorReport => {
  const differences = findings.filter(({ severity }) => severity === "difference")
  const standing = differences.filter(({ repaired }) => !repaired).length
  return {
    ok: standing === 0,
    differences: standing,
    repaired: differences.length - standing,
    remarks: findings.length - differences.length,
    findings,
    checked,
    durationMs
  }
}

type Tell = (progress: DoctorProgress) => Effect.Effect<void>

/** All parts, in an order in which what one puts right is what the next one compares with. */
const examine = (ledger: DoctorLedger, repair: boolean, tell: Tell) =>
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

/** Has the work done that follows from mended data: whoever works, it is waited for. */
const workOff = ({ owner, works }: DoctorHost, tell: Tell) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    yield* atomically(
      Effect.zipRight(
        announce(documentsChanged, {}),
        enqueue([{ kind: jobKinds.analytics, dedupeKey: jobKinds.analytics }])
      )
    )
    if (!works) yield* startWorker(handlers, { owner: `${owner}/doctor` })
    yield* whileWritable(
      drain(workspace, {
        leadsTo,
        onChange: ({ running, waiting }) => tell({ phase: "work", done: 0, total: running + waiting })
      })
    )
  }).pipe(Effect.scoped)

/** What was mended stands in the trail: one event for each kind. */
const remember = (findings: ReadonlyArray<Finding>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const counts = new Map<string, number>()
    for (const { code, count, repaired } of findings)
      if (repaired) counts.set(code, (counts.get(code) ?? 0) + count)
    if (counts.size === 0) return
    yield* atomically(
      record(
        [...counts].map(([code, count]) => ({
          action: "workspace.repair",
          subjectId: workspace,
          details: { code, count }
        }))
      )
    )
  })
