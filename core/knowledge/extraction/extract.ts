import * as Effect from "effect/Effect"
import type { JobStore } from "../../platform/jobs/index.js"
import {
  type Atomic,
  atomically,
  Caller,
  type CrashPointName,
  crashPoint,
  type JobId,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { EntityStore, sharedKey } from "../entities/index.js"
import { GraphStore } from "../graph/index.js"
import { linkNextDocuments } from "./link-mentions.js"
import {
  extractNextByModel,
  lazyResolverOf,
  readNextDocuments,
  resolveAllLinks,
  resolveNewLinks
} from "./read-documents.js"
import { applyEntityChanges, resolveNextNames } from "./resolve-entities.js"

/** Result of an extraction run. */
export interface ExtractionReport {
  /** Number of changed documents that were read. */
  readonly documents: number
  /** Number of names resolved. */
  readonly names: number
  /** Number of documents whose mentions and relations were updated. */
  readonly drawn: number
}

export interface ExtractionOptions {
  /** Runs one unit of work; a job passes its fenced version. */
  readonly unit?: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | Atomic>
  /** Called after each unit with the number of documents done and in total. */
  readonly onProgress?: (done: number, total: number) => Effect.Effect<void>
  /** Runs in the unit of work that changed names, mentions or relations. */
  readonly changed?: Effect.Effect<unknown, never, JobStore | Atomic | Caller>
  /** The activity that revisions record; `extraction:<job id>` for a job. */
  readonly activity?: string
  /** The current job, stored with mentions and source references. */
  readonly runId?: JobId
}

/**
 * Updates the graph to the present documents and entities by following both change feeds from the last position. Work
 * is done in bounded units that each leave a resumable state, so a run may stop at any point; a run without changes
 * writes nothing. The result does not depend on the history of the documents.
 */
export const extractGraph = traced("graph.extract")(function* (
  workspace: WorkspaceScope,
  options: ExtractionOptions = {}
) {
  const { changed = Effect.void, onProgress = () => Effect.void, unit = atomically } = options
  const store = (yield* GraphStore).records
  let [documents, names, drawn] = [0, 0, 0]
  const bySystem = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    unit(
      Effect.zipLeft(work, crashPoint("extraction.unit.insideTransaction")).pipe(
        Effect.provideService(Caller, {
          workspace,
          actor: "system",
          activity: options.activity ?? "extraction:none"
        })
      )
    )
  /** Repeats a step until it has nothing left to do. */
  const exhaust = <E, R>(step: Effect.Effect<number, E, R>, after: CrashPointName) =>
    Effect.gen(function* () {
      let total = 0
      for (let did = yield* bySystem(step); did > 0; did = yield* bySystem(step)) {
        yield* crashPoint(after)
        total += did
      }
      return total
    })

  const announced = <E, R>(step: Effect.Effect<number, E, R>) =>
    Effect.tap(step, (did) => (did > 0 ? changed : Effect.void))

  for (;;) {
    const before = documents
    for (;;) {
      const readByModel = yield* extractNextByModel(workspace)
      const did = yield* bySystem(readNextDocuments(workspace, readByModel))
      if (did === null) break
      if (did > 0) yield* crashPoint("extraction.read.afterUnit")
      documents += did
      yield* onProgress(documents, documents * 2)
    }
    const read = documents - before
    yield* relink(workspace, bySystem)
    let moved = 0
    for (;;) {
      const settled = yield* exhaust(announced(resolveNextNames(workspace)), "extraction.names.afterUnit")
      const applied = yield* exhaust(applyEntityChanges(workspace), "extraction.entities.afterUnit")
      names += settled
      moved += settled + applied
      if (settled + applied === 0) break
    }
    const left = yield* store.staleCount(workspace)
    const drawnBefore = drawn
    yield* exhaust(
      Effect.tap(announced(linkNextDocuments(workspace, options.runId ?? null)), (did) => {
        drawn += did
        return onProgress(documents + drawn, documents + drawnBefore + left)
      }),
      "extraction.draw.afterUnit"
    )
    if (read + moved + (drawn - drawnBefore) === 0)
      return { documents, names, drawn } satisfies ExtractionReport
  }
})

/** Runs a unit of work as the system. */
type AsSystem = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Caller> | Atomic>

/** Resolves links: all of them if the addresses of documents changed, else those of newly read documents. */
const relink = (workspace: WorkspaceScope, run: AsSystem) =>
  Effect.gen(function* () {
    const [extraction, readingStore] = [(yield* GraphStore).extraction, (yield* GraphStore).records]
    const { relink: all } = yield* extraction.state(workspace)
    if (!all && (yield* readingStore.unfollowed(workspace, 1)).length === 0) return
    const resolver = lazyResolverOf(workspace)
    if (all) {
      for (let after: string | null = ""; after !== null; )
        after = yield* run(resolveAllLinks(workspace, resolver, after))
      yield* run(
        Effect.flatMap(extraction.state(workspace), (state) =>
          extraction.setState(workspace, { ...state, relink: false })
        )
      )
    } else while ((yield* run(resolveNewLinks(workspace, resolver))) > 0);
    yield* crashPoint("extraction.links.afterUnit")
  })

const entitiesPerPage = 1000

/** Deletes everything extracted and extracts all documents again. */
export const rebuildGraph = traced("graph.rebuild")(function* (
  workspace: WorkspaceScope,
  options: ExtractionOptions = {}
) {
  const { unit = atomically } = options
  const [extraction, unresolved, entities] = [
    (yield* GraphStore).extraction,
    (yield* GraphStore).unresolved,
    yield* EntityStore
  ]
  yield* unit(extraction.clear(workspace))
  // Every extracted entity must be confirmed again, including those that no document claims any more.
  for (let seq = 0; ; ) {
    const page = yield* entities.changesSince(workspace, seq, entitiesPerPage)
    yield* unit(
      unresolved.add(
        workspace,
        page.flatMap(({ claim }) => (claim === null ? [] : sharedKey(claim.key)))
      )
    )
    const last = page.at(-1)
    if (last === undefined) break
    seq = last.seq
  }
  return yield* extractGraph(workspace, options)
})
