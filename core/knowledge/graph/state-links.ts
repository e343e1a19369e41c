import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  crashPoint,
  type EntityId,
  Ids,
  now,
  traced
} from "../../platform/kernel/index.js"
import { EntityStore } from "../entities/index.js"
import type { Relation } from "./model.js"
import { markNamesUnresolved } from "./relations.js"
import { GraphStore } from "./store.js"

/** A relation between two heads. */
export interface HeadLink {
  readonly src: EntityId
  readonly type: string
  readonly dst: EntityId
}

/** Hierarchical relations of vocabularies; every other type is exported as `related`, in either direction. */
const hierarchical = new Set(["broader", "narrower"])

/**
 * Returns whether a live relation already expresses a link of this type. An export writes every non-hierarchical
 * relation as `related`, so any of them counts; importing one's own export adds nothing.
 */
export const alreadyRelated = (src: EntityId, type: string, dst: EntityId) =>
  Effect.gen(function* () {
    const [graph, { workspace }] = [yield* GraphStore, yield* Caller]
    if (src === dst) return true
    if (type !== "related") return Option.isSome(yield* graph.relationAlong(workspace, src, type, dst))
    return (yield* graph.edgesAmong(workspace, [src, dst])).some((edge) => !hierarchical.has(edge.type))
  })

/**
 * Creates the imported relations between heads in one unit of work. Existing relations and those that a person
 * deleted are skipped. Returns the number of new relations; the caller announces the change of entities.
 */
export const stateLinks = traced("graph.stateLinks")(function* (links: ReadonlyArray<HeadLink>) {
  const [graph, entities, { workspace }, ids, at] = [
    yield* GraphStore,
    yield* EntityStore,
    yield* Caller,
    yield* Ids,
    yield* now
  ]
  return yield* atomically(
    Effect.gen(function* () {
      const made: Array<Relation> = []
      for (const { dst, src, type } of links) {
        if (yield* alreadyRelated(src, type, dst)) continue
        const known = Option.getOrNull(yield* graph.relationBetween(workspace, src, type, dst))
        if (known !== null) continue
        const relation: Relation = {
          id: ids.make("relation"),
          srcId: src,
          type,
          dstId: dst,
          origin: "import",
          note: null,
          srcHead: src,
          dstHead: dst,
          evidenceCount: 0,
          deletedAt: null,
          createdAt: at
        }
        yield* graph.saveRelation(workspace, relation)
        yield* crashPoint("relation.write.insideTransaction")
        made.push(relation)
      }
      if (made.length === 0) return 0
      yield* record(
        made.map(({ dstId, id, srcId, type }) => ({
          action: "relation.create",
          subjectId: id,
          details: { src: srcId, type, dst: dstId }
        }))
      )
      yield* markNamesUnresolved(
        yield* entities.findMany(workspace, [...new Set(made.flatMap(({ dstId, srcId }) => [srcId, dstId]))])
      )
      return made.length
    })
  )
})
