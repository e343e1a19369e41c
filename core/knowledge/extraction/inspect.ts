import * as Effect from "effect/Effect"
import { atomically, Caller, inspectCount, traced } from "../../platform/kernel/index.js"
import { EntityStore } from "../entities/index.js"
import { type GraphState, GraphStore, type KnownSurface, ranksToSet } from "../graph/index.js"
import { indexingLag } from "./indexing-lag.js"
import { inspectDrawings } from "./inspect-drawings.js"
import { inspectReadings } from "./inspect-readings.js"
import type { GraphInspector } from "./inspection.js"
import { decisionsFor, detectedBy } from "./resolve-entities.js"

/**
 * Returns whether a job that updates derived data is pending or running; called in the transaction that confirms a
 * finding.
 */
export interface PendingJob<E, R> {
  readonly isPending: Effect.Effect<boolean, E, R>
}

const namesPerPage = 400
const entitiesPerPage = 400

/**
 * Extracts the graph again, document by document, and compares the result with what is stored: extraction records, name
 * claims, entities, surfaces, mentions, relations and edges. The graph is a function of the live documents and of edits
 * by people, so each difference is damage unless an extraction is pending. A rebuild marks what differs for the next
 * extraction. Gives the number of documents compared.
 */
export const inspectGraph = traced("graph.inspect")(function* <E, R>(
  inspector: GraphInspector,
  options: PendingJob<E, R>
) {
  const isLate = yield* inspectLag(inspector, options)
  yield* inspectOrphans(inspector)
  if (isLate) return 0
  const documents = yield* inspectReadings(inspector)
  yield* inspectNames(inspector)
  yield* inspectSurfaces(inspector)
  yield* inspectDrawings(inspector)
  yield* inspectRelations(inspector)
  return documents
})

/** Compares the stored ranks with those of the graph. Only useful while the graph itself has no difference. */
export const inspectRanks = traced("graph.inspectRanks")(function* <E, R>(
  inspector: GraphInspector,
  { isPending }: PendingJob<E, R>
) {
  const { workspace } = yield* Caller
  if ((yield* ranksToSet(workspace)).length === 0) return
  if ((yield* indexingLag) !== "none") return
  // One transaction, so that the graph does not change in between.
  const found = yield* atomically(
    Effect.map(Effect.all([ranksToSet(workspace), isPending]), ([ranks, pending]) => ({
      count: ranks.length,
      pending
    }))
  )
  if (found.count === 0) return
  yield* found.pending
    ? inspector.report("ranks_behind", {
        subject: "",
        message: "The ranks are behind the graph; a job that updates them is pending.",
        count: found.count
      })
    : inspector.report("ranks_differ", {
        subject: "",
        message: "The ranks of entities are not those of the graph.",
        count: found.count
      })
})

/** Returns whether the graph lags behind its feeds, in which case comparing it would be pointless. */
const inspectLag = <E, R>(inspector: GraphInspector, { isPending }: PendingJob<E, R>) =>
  Effect.gen(function* () {
    if ((yield* indexingLag) === "none") return false
    return yield* atomically(
      Effect.gen(function* () {
        const found = yield* indexingLag
        if (found === "none") return false
        if (found === "ahead") {
          yield* inspector.report("graph_cursor_ahead", {
            subject: "",
            message: "The cursor of the graph is ahead of the documents."
          })
          if (inspector.rebuild) yield* changeState({ documentCursor: 0, entityCursor: 0, relink: true })
          return true
        }
        yield* (yield* isPending)
          ? inspector.report("graph_behind", {
              subject: "",
              message: "The graph is behind the documents; a job that updates it is pending."
            })
          : inspector.report("graph_unattended", {
              subject: "",
              message: "The graph is behind the documents and no job is pending that updates it."
            })
        return true
      })
    )
  })

const changeState = (change: Partial<GraphState>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [(yield* GraphStore).extraction, yield* Caller]
    yield* store.setState(workspace, { ...(yield* store.state(workspace)), ...change })
  })

const inspectOrphans = (inspector: GraphInspector) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* GraphStore).inspection, yield* Caller]
    yield* inspectCount(inspector, "graph_rows_stray", {
      // Rows of a document that was just deleted are removed by the pending extraction.
      count: Effect.flatMap(inspection.orphanCount(workspace), (count) =>
        count === 0 ? Effect.succeed(0) : Effect.map(indexingLag, (lag) => (lag === "behind" ? 0 : count))
      ),
      message: "Rows of the graph belong to no live document, relation or entity.",
      rebuild: Effect.gen(function* () {
        yield* (yield* GraphStore).unresolved.add(workspace, yield* inspection.removeOrphans(workspace))
        yield* inspection.rebuildRelations(workspace)
        yield* changeState({ relink: true })
      })
    })
  })

/** Resolves every name again; a change that results means that the entities differ from the documents. */
const inspectNames = (inspector: GraphInspector) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* GraphStore).inspection, yield* Caller]
    for (let after = ""; ; ) {
      const keys = yield* inspection.keysAfter(workspace, after, namesPerPage)
      const suspects = (yield* decisionsFor(workspace, keys)).filter(({ changes }) => changes.length > 0)
      if (suspects.length > 0) {
        yield* atomically(
          Effect.gen(function* () {
            if ((yield* indexingLag) !== "none" && !inspector.rebuild) return
            const wrong = (yield* decisionsFor(
              workspace,
              suspects.map(({ key }) => key)
            )).filter(({ changes }) => changes.length > 0)
            for (const { key } of wrong)
              yield* inspector.report("names_differ", {
                subject: key,
                message: "The entity of this name is not the one that the documents give."
              })
            if (!inspector.rebuild) return
            yield* (yield* GraphStore).unresolved.add(
              workspace,
              wrong.map(({ key }) => key)
            )
          })
        )
      }
      const last = keys.at(-1)
      if (last === undefined || keys.length < namesPerPage) return
      after = last
      yield* Effect.sleep(0)
    }
  })

/** Compares the detection surfaces of entities with their names and aliases. */
const inspectSurfaces = (inspector: GraphInspector) =>
  Effect.gen(function* () {
    const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
    for (let seq = 0; ; ) {
      const page = yield* entities.changesSince(workspace, seq, entitiesPerPage)
      const last = page.at(-1)
      if (last === undefined) return
      const ids = page.map(({ id }) => id)
      yield* inspectCount(inspector, "surfaces_differ", {
        count: Effect.gen(function* () {
          const count = yield* wrongSurfaces(yield* entities.findMany(workspace, ids))
          const isExplained = count > 0 && !inspector.rebuild && (yield* indexingLag) !== "none"
          return isExplained ? 0 : count
        }),
        message: "The names by which entities are detected are not their names and aliases.",
        rebuild: changeState({ entityCursor: 0 })
      })
      seq = last.seq
      yield* Effect.sleep(0)
    }
  })

const wrongSurfaces = (page: Effect.Effect.Success<ReturnType<EntityStore["Type"]["changesSince"]>>) =>
  Effect.gen(function* () {
    const [entities, store, { workspace }] = [
      yield* EntityStore,
      (yield* GraphStore).extraction,
      yield* Caller
    ]
    const heads = new Map(
      (yield* entities.findMany(
        workspace,
        page.map(({ headId }) => headId)
      )).map((head) => [head.id, head])
    )
    const text = ({ entityId, headId, key }: KnownSurface) => `${entityId} ${headId} ${key}`
    const wanted = new Set(page.flatMap((entity) => detectedBy(entity, heads.get(entity.headId))).map(text))
    const there = new Set(
      (yield* store.surfaces(
        workspace,
        page.map(({ id }) => id)
      )).map(text)
    )
    return (
      [...wanted].filter((one) => !there.has(one)).length +
      [...there].filter((one) => !wanted.has(one)).length
    )
  })

/** Compares evidence counts and heads of relations, and edges, with evidence and entities. */
const inspectRelations = (inspector: GraphInspector) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* GraphStore).inspection, yield* Caller]
    const count = Effect.gen(function* () {
      const relations = (yield* inspection.miscounted(workspace)) + (yield* inspection.misheaded(workspace))
      return { relations, edges: yield* inspection.misdrawnEdges(workspace) }
    })
    const first = yield* count
    if (first.relations + first.edges === 0) return
    yield* atomically(
      Effect.gen(function* () {
        if ((yield* indexingLag) !== "none" && !inspector.rebuild) return
        const { edges, relations } = yield* count
        if (relations > 0)
          yield* inspector.report("relations_differ", {
            subject: "",
            message: "Counts or ends of relations are not those of their evidence and entities.",
            count: relations
          })
        if (edges > 0)
          yield* inspector.report("edges_differ", {
            subject: "",
            message: "The edges are not those that the relations give.",
            count: edges
          })
        if (inspector.rebuild && relations + edges > 0) yield* inspection.rebuildRelations(workspace)
      })
    )
  })
