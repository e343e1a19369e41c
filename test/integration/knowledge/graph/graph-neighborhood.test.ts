import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { entityOperations } from "../../../../core/knowledge/entities/index.js"

import { type Edge, GraphStore, neighborhood } from "../../../../core/knowledge/graph/index.js"
import {
  type EntityId,
  Ids,
  runOperation,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { graphLayer } from "../../../support/graph-vault.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const size = 9
interface Pair {
  readonly src: number
  readonly dst: number
  readonly type: string
  readonly weight: number
}
const pair: fc.Arbitrary<Pair> = fc.record({
  src: fc.nat(size - 1),
  dst: fc.nat(size - 1),
  type: fc.constantFrom("links_to", "part of, or not"),
  weight: fc.integer({ min: 1, max: 3 })
})

/** The walk as the contract words it, over all edges at once. */
const reference = (
  edges: ReadonlyArray<Edge>,
  seed: string,
  {
    depth,
    perHopCap,
    totalCap
  }: { readonly depth: number; readonly perHopCap: number; readonly totalCap: number },
  mentionsOf: (id: string) => number
) => {
  const reached = [seed]
  let [frontier, truncated] = [[seed], false]
  for (let hop = 0; hop < depth; hop++) {
    const next: Array<string> = []
    for (const one of frontier) {
      const touching = edges
        .filter(({ dst, src }) => src === one || dst === one)
        .map(({ dst, mentionCount, src }) => ({ other: src === one ? dst : src, mentionCount }))
        .sort((a, b) => b.mentionCount - a.mentionCount || (a.other < b.other ? -1 : 1))
      const others = [...new Set(touching.map(({ other }) => other))].sort(
        (a, b) => mentionsOf(b) - mentionsOf(a)
      )
      if (others.length > perHopCap) truncated = true
      for (const other of others.slice(0, perHopCap)) {
        if (reached.includes(other)) continue
        if (reached.length >= totalCap) truncated = true
        else {
          reached.push(other)
          next.push(other)
        }
      }
    }
    frontier = next
  }
  return { reached, truncated }
}

describe("a neighbourhood", () => {
  it("is the most mentioned neighbours hop by hop, within its caps, with all that lies between", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(pair, { maxLength: 40 }),
        fc.array(
          fc.record({
            depth: fc.integer({ min: 1, max: 3 }),
            perHopCap: fc.integer({ min: 1, max: 6 }),
            totalCap: fc.integer({ min: 2, max: size })
          }),
          { minLength: 1, maxLength: 5 }
        ),
        (pairs, asked) =>
          runEffect(
            Effect.gen(function* () {
              const workspace = yield* makeWorkspace()
              const as = asCaller(workspace)
              const entities = yield* as(drawnGraph(workspace, pairs))
              const edges = yield* (yield* GraphStore).allEdges(workspace)
              for (const options of asked)
                for (const id of entities.slice(0, 3)) {
                  const { edges: between, entity, nodes, truncated } = yield* as(neighborhood(id, options))
                  const expected = reference(edges, id, options, (one) =>
                    mentionCount(entities.findIndex((other: string) => other === one))
                  )
                  expect(entity.id).toBe(id)
                  expect({ reached: nodes.map((node) => node.id), truncated }).toEqual(expected)
                  const { reached } = expected
                  expect(sorted(between)).toEqual(
                    sorted(edges.filter(({ dst, src }) => reached.includes(src) && reached.includes(dst)))
                  )
                }
            }).pipe(Effect.provide(graphLayer()))
          )
      ),
      { numRuns: runs(12) }
    ))
})

/** How often the thing at a place is mentioned; some equally often. */
const mentionCount = (place: number): number => (place * 7) % 4

const sorted = (edges: ReadonlyArray<Edge>) =>
  edges.map(({ dst, mentionCount, src, type }) => `${src} ${type} ${dst} ${mentionCount}`).sort()

/** Entities, and relations between them as documents would carry them, some more often than others. */
const drawnGraph = (workspace: WorkspaceScope, pairs: ReadonlyArray<Pair>) =>
  Effect.gen(function* () {
    const [store, ids] = [(yield* GraphStore).extraction, yield* Ids]
    const entities: Array<EntityId> = []
    for (let place = 0; place < size; place++)
      entities.push(
        (yield* runOperation(entityOperations.createEntity, { name: `Thing ${place}`, type: "concept" })).id
      )
    const seen = new Set<string>()
    const relations = pairs.flatMap(({ dst, src, type, weight }) => {
      const [from, to] = [entities[src], entities[dst]]
      if (from === undefined || to === undefined || src === dst || seen.has(`${src} ${dst} ${type}`))
        return []
      seen.add(`${src} ${dst} ${type}`)
      const evidence = Array.from({ length: weight }, (_, quote) => ({ label: 1, quote: String(quote) }))
      return [{ srcId: from, type, dstId: to, srcHead: from, dstHead: to, evidence }]
    })
    const document = ids.make("document")
    yield* store.setMentions(
      workspace,
      document,
      entities.flatMap((entityId, place) =>
        Array.from({ length: mentionCount(place) }, (_, at) => ({
          documentId: document,
          label: 1,
          start: place * 10 + at,
          end: place * 10 + at + 1,
          entityId,
          key: `thing ${place}`,
          confidence: 1,
          runId: null
        }))
      )
    )
    const fresh = { id: () => ids.make("relation"), at: "2026-01-01T00:00:00.000Z" }
    yield* store.setRelations(workspace, document, relations, fresh)
    return entities
  })
