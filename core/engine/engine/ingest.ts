import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { DocumentStore } from "../../files/documents/index.js"
import { parseVaultScope } from "../../files/markdown/index.js"
import { reconcileFiles, syncVault } from "../../files/vault-sync/index.js"
import { EntityStore } from "../../knowledge/entities/index.js"
import { GraphStore } from "../../knowledge/graph/index.js"
import { drain, jobKinds, leadsTo, whileWritable } from "../../platform/jobs/index.js"
import { Caller, invalid, now, traced } from "../../platform/kernel/index.js"
import type { BackgroundWorker } from "./background-worker.js"
import type { IngestOptions, IngestProgress, IngestReport } from "./ingest-report.js"

/** More changed files or bytes than this are ingested by the background worker, if there is one. */
const [changesHereMax, bytesHereMax] = [50, 1024 * 1024]

/**
 * Updates the catalog from the files and by default waits until the resulting background jobs are done, in whatever
 * process. Large ingests run in the background worker, if there is one.
 */
export const ingest = traced("ingest")(function* (
  options: IngestOptions,
  workshop: BackgroundWorker | null = null
) {
  const { onProgress, path, wait = true } = options
  const [startedAt, since, caller] = [yield* Clock.currentTimeMillis, yield* now, yield* Caller]
  const under = yield* scopeOf(path)
  const tell = (progress: IngestProgress) => Effect.sync(() => onProgress?.(progress))
  const { owed } = yield* reconcileFiles()
  const sync = (bounds: { readonly changesMax?: number; readonly bytesMax?: number }) =>
    syncVault({ under, ...bounds, onProgress: (done, total) => tell({ phase: "files", done, total }) })
  let synced = yield* sync(workshop === null ? {} : { changesMax: changesHereMax, bytesMax: bytesHereMax })
  if (workshop !== null && synced.left > 0) {
    if (yield* workshop.open) return yield* workshop.ingest({ ...options, wait })
    synced = yield* sync({})
  }
  const { errors, left: _, warnings, ...documents } = synced
  const dead = wait
    ? yield* whileWritable(
        drain(caller.workspace, {
          leadsTo,
          // A worker may finish the resulting jobs before this wait begins.
          since,
          onChange: ({ jobs }) =>
            Effect.forEach(
              jobs,
              ({ kind, progress }) =>
                tell({ phase: phaseOf(kind), done: progress?.done ?? 0, total: progress?.total ?? 0 }),
              { discard: true }
            )
        })
      )
    : []
  const { chunks } = yield* (yield* DocumentStore).counts(caller.workspace)
  const { entities } = yield* (yield* EntityStore).counts(caller.workspace)
  const { relations } = yield* (yield* GraphStore).counts(caller.workspace)
  const report: IngestReport = {
    documents: { ...documents, failed: documents.failed + owed.length },
    chunks,
    entities,
    relations,
    warnings,
    errors: [
      ...errors,
      ...owed,
      ...dead.map(({ error, kind }) => ({
        path: "",
        code: `job_dead:${kind}`,
        message: error ?? "It failed for good."
      }))
    ],
    durationMs: (yield* Clock.currentTimeMillis) - startedAt
  }
  return report
})

/** Validates the path at run time, because JavaScript callers may pass any value. */
const scopeOf = (path: unknown = "") =>
  typeof path === "string"
    ? parseVaultScope(path)
    : Either.left(invalid(["path"], "invalid_type", "A path is a text."))

const phaseOf = (kind: string): IngestProgress["phase"] => {
  switch (kind) {
    case jobKinds.extraction:
      return "graph"
    case jobKinds.analytics:
      return "ranks"
    case jobKinds.embedding:
      return "vectors"
    default:
      return "index"
  }
}
