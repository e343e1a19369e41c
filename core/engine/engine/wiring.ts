import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { answerCache } from "../../answers/answer-cache/index.js"
import { evidenceCache } from "../../answers/gathering/index.js"
import { calibrations } from "../../answers/policy/index.js"
import { hasOutdatedPages, refreshTopicPages } from "../../answers/topic-pages/index.js"
import { scheduleHandler, syncHandler } from "../../connected/sources/index.js"
import { completedFileOperations, documentsChanged } from "../../files/documents/index.js"
import { fileSync } from "../../files/vault-sync/index.js"
import { requestsDecided } from "../../knowledge/curation/index.js"
import { cachedDetectors, entitiesChanged } from "../../knowledge/entities/index.js"
import { builtInExtractor, Extractor, extractGraph, readingNames } from "../../knowledge/extraction/index.js"
import { rankGraph } from "../../knowledge/graph/index.js"
import { continueImports, runImport } from "../../knowledge/vocabulary/index.js"
import { answerTexts } from "../../language/text-analysis/index.js"
import { visibility } from "../../platform/access/index.js"
import { CacheBytes } from "../../platform/caching/index.js"
import { keyUses } from "../../platform/identity/index.js"
import { enqueue, type Handler, JobFailed, JobStore, jobKinds, Listeners } from "../../platform/jobs/index.js"
import { Caller, chosenLayer, mergeServices, serviceLayer } from "../../platform/kernel/index.js"
import { countedAtOnce } from "../../platform/workspace/index.js"
import type { Ports } from "../../ports.js"
import { chunkIndex, mergeSegments, segmentReader } from "../../search/lexical/index.js"
import { searchCache } from "../../search/retrieval/index.js"
import { persistVectors, refreshVectors, vectorChannelLive } from "../../search/vectors/index.js"
import { maintenanceJobs } from "../../upkeep/maintenance/index.js"
import { reconcileHandler, runFeed, runHandler } from "../../work/agents/index.js"
import { workOnEval } from "../../work/evaluation/index.js"
import { runGuard, toolbox } from "../agent-tools/index.js"

/** Who listens to whom. Each listener follows a feed: one waiting job a workspace is enough, whoever told of a change. */
const listeners = serviceLayer(
  Listeners,
  Effect.succeed({
    [documentsChanged]: [
      { kind: jobKinds.extraction, dedupe: "workspace" },
      { kind: jobKinds.embedding, dedupe: "workspace" },
      { kind: jobKinds.merging, dedupe: "workspace" }
    ],
    [entitiesChanged]: [{ kind: jobKinds.extraction, dedupe: "workspace" }],
    [requestsDecided]: [{ kind: jobKinds.vocabularySettling, dedupe: "workspace" }]
  })
)

/** The extractor that stands beside the ports, else the built-in one. */
const extractor = chosenLayer(
  Effect.map(
    Effect.serviceOption(Extractor),
    Option.match({
      onNone: () => builtInExtractor,
      onSome: (own) => serviceLayer(Extractor, Effect.succeed(own))
    })
  )
)

/**
 * Layer that builds the core's services from the ports: the indexes and caches that rooms use of each other. An
 * `Extractor` in the layer of ports replaces the built-in one.
 */
export const wiring = mergeServices(toolbox, runGuard, runFeed).pipe(
  Layer.provideMerge(mergeServices(answerCache, calibrations, evidenceCache, fileSync)),
  Layer.provideMerge(
    mergeServices(chunkIndex, completedFileOperations, vectorChannelLive, cachedDetectors(), keyUses)
  ),
  Layer.provideMerge(
    mergeServices(segmentReader(), searchCache(), answerTexts(), listeners, extractor, visibility)
  )
)

/** The same with caches that may keep so many bytes; as many as usual where nobody says. */
export const wiringWithin = (cacheBytes: number | null) =>
  cacheBytes === null ? wiring : Layer.provide(wiring, Layer.succeed(CacheBytes, cacheBytes))

/** The services that `wiring` adds to the ports. */
export type Wired = Layer.Layer.Success<typeof wiring>

type Work = Handler<Ports | Wired | Caller>

/** Ranks rest while a run of extraction goes on; if it dies, they come by themselves so much later. */
const restMs = 60_000
const pages = { kind: jobKinds.topicPages, dedupeKey: jobKinds.topicPages }
const ranks = { kind: jobKinds.analytics, dedupeKey: jobKinds.analytics }

/** One handler at a time for each workspace's feed: two would only undo each other's units of work. */
const oneSlot = 1

const extraction: Work = {
  kind: jobKinds.extraction,
  slots: oneSlot,
  run: (job, { fenced, progress }) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const extracted = extractGraph(workspace, {
        unit: fenced,
        activity: `${jobKinds.extraction}:${job.id}`,
        runId: job.id,
        // Noted with the change itself, so that a crash before the end of the run does not forget it.
        changed: enqueue([{ ...ranks, delayMs: restMs }]),
        onProgress: (done, total) => progress({ done, total, note: "documents" })
      })
      const { drawn, names } = yield* readingNames(extracted).pipe(
        // A person changed an entity at the same moment: the next attempt sees it.
        Effect.mapError(({ message }) => new JobFailed({ message, retryable: true }))
      )
      const { waiting } = yield* (yield* JobStore).depth(workspace, [jobKinds.analytics])
      if (drawn + names + waiting > 0) yield* enqueue([ranks])
      if (yield* hasOutdatedPages) yield* enqueue([pages])
    })
}

const analytics: Work = {
  kind: jobKinds.analytics,
  slots: oneSlot,
  run: (_job, { fenced, progress }) =>
    Effect.flatMap(Caller, ({ workspace }) =>
      Effect.asVoid(
        rankGraph(workspace, {
          unit: fenced,
          onProgress: (done, total) => progress({ done, total, note: "ranks" })
        })
      )
    )
}

const embedding: Work = {
  kind: jobKinds.embedding,
  slots: oneSlot,
  run: (_job, { progress }) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const refreshed = refreshVectors(workspace, {
        onProgress: (done, total) => progress({ done, total, note: "passages" })
      })
      yield* countedAtOnce(workspace, refreshed).pipe(
        Effect.mapError(({ message, retryable }) => new JobFailed({ message, retryable }))
      )
      yield* persistVectors(workspace)
    })
}

const merging: Work = {
  kind: jobKinds.merging,
  slots: oneSlot,
  run: () => Effect.flatMap(Caller, ({ workspace }) => Effect.asVoid(mergeSegments(workspace)))
}

const vocabulary: Work = {
  kind: jobKinds.vocabulary,
  slots: oneSlot,
  run: (job, { progress }) =>
    runImport(job.id, (done, total) => progress({ done, total, note: "concepts" })).pipe(
      // A name was taken at the same moment: the next attempt sees it.
      Effect.mapError(({ message }) => new JobFailed({ message, retryable: true }))
    )
}

const settling: Work = {
  kind: jobKinds.vocabularySettling,
  slots: oneSlot,
  run: () => continueImports()
}

const topicPages: Work = {
  kind: jobKinds.topicPages,
  slots: oneSlot,
  run: () => Effect.asVoid(refreshTopicPages())
}

const evaluation: Work = {
  kind: jobKinds.evaluation,
  slots: oneSlot,
  run: workOnEval
}

/** Handlers of the worker, by kind of job. */
export const handlers: ReadonlyArray<Work> = [
  extraction,
  analytics,
  embedding,
  merging,
  vocabulary,
  settling,
  runHandler,
  reconcileHandler,
  syncHandler,
  scheduleHandler,
  evaluation,
  topicPages,
  ...maintenanceJobs
]
