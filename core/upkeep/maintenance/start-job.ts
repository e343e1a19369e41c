import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { DocumentStore } from "../../files/documents/index.js"
import { hasOwnExtractor } from "../../knowledge/extraction/index.js"
import { enqueue, jobKinds, retryJobs, StartedJobs } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  DocumentId,
  JobId,
  NoModelConfigured,
  NotFound,
  operation
} from "../../platform/kernel/index.js"
import { modelsIn } from "../../platform/workspace/index.js"

/** Kinds that apply to given documents, or to all. */
const documentKinds = [jobKinds.ingest, jobKinds.reindex, jobKinds.reembed, jobKinds.reextract] as const
/** Kinds that apply to the whole workspace. */
const wholeKinds = [jobKinds.analytics, jobKinds.reconcile, jobKinds.contradictions] as const
/** Kinds that can be started; `retry` requeues dead jobs. */
const startableKinds = [...documentKinds, ...wholeKinds, "retry"] as const
type Startable = (typeof startableKinds)[number]

const subjectsMax = 1000

export const startJob = operation({
  name: "startJob",
  summary: "Start a background job, or return the equal job that is queued; retry dead jobs.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z
    .object({
      kind: z
        .enum(startableKinds)
        .describe(
          "ingest: bring the index in line with the files. reindex: cut passages and rebuild the text index. reembed: rebuild the vectors. reextract: read all documents for the graph again. graph_analytics: compute ranks. reconcile: mend what a crash left. contradictions: compare documents that changed. retry: put dead jobs back."
        ),
      subjectIds: z
        .array(z.union([JobId, DocumentId]))
        .min(1)
        .max(subjectsMax)
        .optional()
        .describe(
          "Documents, or for retry the dead jobs; graph_analytics, reconcile and contradictions take all."
        ),
      all: z.literal(true).optional().describe("The whole workspace, or for retry every dead job.")
    })
    .superRefine(({ all, kind, subjectIds }, context) => {
      const refuse = (path: ReadonlyArray<string | number>, message: string) =>
        context.addIssue({ code: "custom", path: [...path], message })
      if ((all === undefined) === (subjectIds === undefined)) refuse([], "Give either subjectIds or all.")
      if (subjectIds === undefined) return
      if (isWhole(kind)) refuse(["subjectIds"], `${kind} is about the whole workspace: give all.`)
      else
        for (const [place, id] of subjectIds.entries())
          if (kind === "retry" ? !isJob(id) : isJob(id))
            refuse(["subjectIds", place], `${kind} is about ${kind === "retry" ? "jobs" : "documents"}.`)
    }),
  output: StartedJobs,
  faults: ["NotFound", "InvalidTransition", "NoModelConfigured"],
  run: ({ kind, subjectIds }) =>
    Effect.map(start(kind, subjectIds === undefined ? "all" : [...new Set(subjectIds)]), (jobs) => ({
      items: jobs.map(({ id, kind, subjectId }) => ({ jobId: id, kind, subjectId })),
      total: jobs.length
    }))
})

const start = (kind: Startable, subjects: ReadonlyArray<DocumentId | JobId> | "all") =>
  Effect.gen(function* () {
    if (kind === "retry") return yield* retryJobs(subjects === "all" ? "all" : subjects.filter(isJob))
    yield* refuseWithoutModel(kind)
    if (subjects === "all") return yield* enqueue([{ kind, dedupeKey: isWhole(kind) ? kind : wholeKey }])
    return yield* atomically(
      Effect.gen(function* () {
        const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
        for (const id of subjects) {
          const found = isJob(id) ? Option.none() : yield* store.find(workspace, id)
          if (Option.isNone(found) || found.value.deletedAt !== null)
            return yield* new NotFound({ what: "document" })
        }
        return yield* enqueue(subjects.map((id) => ({ kind, subjectId: id, dedupeKey: id })))
      })
    )
  })

/** The key of a job over the whole workspace. */
const wholeKey = "all"

/** Fails if the workspace has no model, neither its own nor the built-in one. */
const refuseWithoutModel = (kind: Startable) =>
  Effect.gen(function* () {
    if (kind !== jobKinds.reembed && kind !== jobKinds.reextract) return
    const { builtIn, embedder, extraction } = yield* modelsIn((yield* Caller).workspace)
    const reads = (extraction !== undefined && Option.isSome(extraction)) || (yield* hasOwnExtractor)
    const has = builtIn || (kind === jobKinds.reembed ? Option.isSome(embedder) : reads)
    if (!has)
      return yield* new NoModelConfigured({
        message: `No ${kind === jobKinds.reembed ? "embedding" : "extraction"} model is configured, and the built-in one is switched off.`
      })
  })

const isWhole = (kind: Startable): boolean => wholeKinds.some((one) => one === kind)
const isJob = (id: string): id is JobId => JobId.safeParse(id).success
