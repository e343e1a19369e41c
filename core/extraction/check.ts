import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { type EntityChange, EntityStore } from "../entities/index.js"
import { ranksToSet } from "../graph/index.js"
import { atomically, Caller, traced } from "../kernel/index.js"
import { checkDrawings } from "./check-drawings.js"
import type { GraphExaminer } from "./check-kinds.js"
import { checkReadings } from "./check-readings.js"
import { indexingLag } from "./indexing-lag.js"
import { GraphInspection } from "./inspection.js"
import { decisionsFor, detectedBy } from "./resolve-entities.js"
import { ClaimStore, ExtractionStore, type GraphState, type KnownSurface } from "./store.js"

/** Whether work waits or runs that would bring something up; asked in the unit of work that judges. */
export interface Awaiting<E, R> {
  readonly isAwaited: Effect.Effect<boolean, E, R>
}

const namesPerPage = 400
const entitiesPerPage = 400

/**
 * Draws the graph anew, document by document and without a change, and compares that with what there is: readings
 * and claims, names and entities, surfaces, mentions, relations and edges. The graph is a function of the live
 * documents and of people's edits, so any difference is damage, while no extraction is under way. Mending marks what
 * is wrong as to be done again and leaves the doing to the next extraction. Gives how many documents were compared.
 */
export const checkGraph = traced("graph.check")(function* <E, R>(
  examiner: GraphExaminer,
  options: Awaiting<E, R>
) {
  const isLate = yield* checkLateness(examiner, options)
  yield* checkStrays(examiner)
  yield* checkRuns(examiner)
  if (isLate) return 0
  const documents = yield* checkReadings(examiner)
  yield* checkNames(examiner)
  yield* checkSurfaces(examiner)
  yield* checkDrawings(examiner)
  yield* checkRelations(examiner)
  return documents
})

/** Compares the stored ranks with those that the graph gives. Not to be asked while the graph itself is wrong. */
export const checkRanks = traced("graph.checkRanks")(function* <E, R>(
  examiner: GraphExaminer,
  { isAwaited }: Awaiting<E, R>
) {
  const { workspace } = yield* Caller
  if ((yield* ranksToSet(workspace)).length === 0) return
  if ((yield* indexingLag) !== "none") return
  // As a unit, in which the graph stands still.
  const found = yield* atomically(
    Effect.map(Effect.all([ranksToSet(workspace), isAwaited]), ([ranks, awaited]) => ({
      count: ranks.length,
      awaited
    }))
  )
  if (found.count === 0) return
  yield* found.awaited
    ? examiner.tell("ranks_behind", {
        subject: "",
        message: "the ranks follow with the background work that waits",
        count: found.count
      })
    : examiner.tell("ranks_differ", {
        subject: "",
        message: "entities have another rank than the graph gives them",
        count: found.count
      })
})

/** True when the graph is on its way, so that comparing it would tell nothing. */
const checkLateness = <E, R>(examiner: GraphExaminer, { isAwaited }: Awaiting<E, R>) =>
  Effect.gen(function* () {
    if ((yield* indexingLag) === "none") return false
    return yield* atomically(
      Effect.gen(function* () {
        const found = yield* indexingLag
        if (found === "none") return false
        if (found === "ahead") {
          yield* examiner.tell("graph_cursor_ahead", {
            subject: "",
            message: "the graph counts as drawn for changes that there are not yet"
          })
          if (examiner.repair) yield* beginAnew({ documentCursor: 0, entityCursor: 0, relink: true })
          return true
        }
        yield* (yield* isAwaited)
          ? examiner.tell("graph_behind", {
              subject: "",
              message: "the graph follows the documents with the background work that waits"
            })
          : examiner.tell("graph_unattended", {
              subject: "",
              message: "the graph is behind the documents and no work waits that would bring it up"
            })
        return true
      })
    )
  })

const beginAnew = (change: Partial<GraphState>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* ExtractionStore, yield* Caller]
    yield* store.setState(workspace, { ...(yield* store.state(workspace)), ...change })
  })

const checkStrays = (examiner: GraphExaminer) =>
  Effect.gen(function* () {
    const [inspection, store, { workspace }] = [yield* GraphInspection, yield* ClaimStore, yield* Caller]
    if ((yield* inspection.strays(workspace)) === 0 || (yield* indexingLag) === "behind") return
    yield* atomically(
      Effect.gen(function* () {
        // What was deleted a moment ago is swept by the extraction that this asked for.
        const count = (yield* indexingLag) === "behind" ? 0 : yield* inspection.strays(workspace)
        if (count === 0) return
        yield* examiner.tell("graph_rows_stray", {
          subject: "",
          message: "rows of the graph that belong to no live document, relation or entity",
          count
        })
        if (!examiner.repair) return
        yield* store.addUndecided(workspace, yield* inspection.removeStrays(workspace))
        yield* inspection.mendRelations(workspace)
        yield* beginAnew({ relink: true })
      })
    )
  })

/** Which run found a mention is told by the run alone: where that is gone, the mention names none. */
const checkRuns = (examiner: GraphExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* GraphInspection, yield* Caller]
    if ((yield* inspection.runless(workspace)) === 0) return
    yield* atomically(
      Effect.gen(function* () {
        const count = yield* inspection.runless(workspace)
        if (count === 0) return
        yield* examiner.tell("graph_rows_stray", {
          subject: "runs",
          message: "mentions of runs that nobody knows any more",
          count
        })
        if (examiner.repair) yield* inspection.forgetRuns(workspace)
      })
    )
  })

/** Every name is decided again; where that would change an entity, the entity is not what the documents say. */
const checkNames = (examiner: GraphExaminer) =>
  Effect.gen(function* () {
    const [inspection, store, { workspace }] = [yield* GraphInspection, yield* ClaimStore, yield* Caller]
    for (let after = ""; ; ) {
      const keys = yield* inspection.keysAfter(workspace, after, namesPerPage)
      const suspects = (yield* decisionsFor(workspace, keys)).filter(({ changes }) => changes.length > 0)
      if (suspects.length > 0) {
        yield* atomically(
          Effect.gen(function* () {
            if ((yield* indexingLag) !== "none" && !examiner.repair) return
            const wrong = (yield* decisionsFor(
              workspace,
              suspects.map(({ key }) => key)
            )).filter(({ changes }) => changes.length > 0)
            for (const { key } of wrong)
              yield* examiner.tell("names_differ", {
                subject: key,
                message: "the documents name another entity than there is"
              })
            if (!examiner.repair) return
            yield* claimAgain(wrong.flatMap(({ changes }) => changes))
            yield* store.addUndecided(
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

/**
 * An entity that is to be made and that is there under its very name is one whose claim was damaged: it is the one that
 * the documents mean, and goes on being it.
 */
const claimAgain = (changes: ReadonlyArray<EntityChange>) =>
  Effect.gen(function* () {
    const [entities, inspection, { workspace }] = [yield* EntityStore, yield* GraphInspection, yield* Caller]
    for (const { after, before } of changes) {
      if (before !== null || after.claim === null) continue
      const there = yield* entities.findByName(workspace, after.type, after.nameNorm)
      if (there._tag === "None") continue
      const { id, origin, personFields } = there.value
      if (origin !== "extraction" || personFields.includes("name")) continue
      yield* inspection.setClaim(workspace, id, after.claim)
      yield* record([{ action: "entity.repair", subjectId: id, details: { claim: after.claim.key } }])
    }
  })

/** The names by which entities are detected are those that they have. */
const checkSurfaces = (examiner: GraphExaminer) =>
  Effect.gen(function* () {
    const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
    for (let seq = 0; ; ) {
      const page = yield* entities.changesSince(workspace, seq, entitiesPerPage)
      const last = page.at(-1)
      if (last === undefined) return
      if ((yield* wrongSurfaces(page)) > 0) {
        yield* atomically(
          Effect.gen(function* () {
            if ((yield* indexingLag) !== "none" && !examiner.repair) return
            const count = yield* wrongSurfaces(
              yield* entities.findMany(
                workspace,
                page.map(({ id }) => id)
              )
            )
            if (count === 0) return
            yield* examiner.tell("surfaces_differ", {
              subject: "",
              message: "names by which entities are found are not those that they have",
              count
            })
            if (examiner.repair) yield* beginAnew({ entityCursor: 0 })
          })
        )
      }
      seq = last.seq
      yield* Effect.sleep(0)
    }
  })

const wrongSurfaces = (page: Effect.Effect.Success<ReturnType<EntityStore["Type"]["changesSince"]>>) =>
  Effect.gen(function* () {
    const [entities, store, { workspace }] = [yield* EntityStore, yield* ExtractionStore, yield* Caller]
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

/** Counts, heads and edges are what the evidence and the entities give. */
const checkRelations = (examiner: GraphExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* GraphInspection, yield* Caller]
    const count = Effect.gen(function* () {
      const relations = (yield* inspection.miscounted(workspace)) + (yield* inspection.misheaded(workspace))
      return { relations, edges: yield* inspection.misdrawnEdges(workspace) }
    })
    const first = yield* count
    if (first.relations + first.edges === 0) return
    yield* atomically(
      Effect.gen(function* () {
        if ((yield* indexingLag) !== "none" && !examiner.repair) return
        const { edges, relations } = yield* count
        if (relations > 0)
          yield* examiner.tell("relations_differ", {
            subject: "",
            message: "relations that count or connect something else than they carry",
            count: relations
          })
        if (edges > 0)
          yield* examiner.tell("edges_differ", {
            subject: "",
            message: "edges that are not what the relations give",
            count: edges
          })
        if (examiner.repair && relations + edges > 0) yield* inspection.mendRelations(workspace)
      })
    )
  })
