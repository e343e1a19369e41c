import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sqlOverviewStore } from "../../../../adapters/sql/upkeep/overview/overview-store.js"
import { createEntity, EntityStore, updateEntity } from "../../../../core/knowledge/entities/index.js"
import { extractGraph, rebuildGraph } from "../../../../core/knowledge/extraction/index.js"
import {
  createRelation,
  deleteEntity,
  deleteRelation,
  GraphStore,
  graphOperations,
  listRelations,
  mergeEntities,
  rankGraph,
  restoreEntity,
  restoreRelation
} from "../../../../core/knowledge/graph/index.js"
import { AuditLog } from "../../../../core/platform/audit/index.js"
import {
  type DocumentId,
  EntityId,
  Ids,
  RelationId,
  runOperation,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { OverviewStore, type TrashEntry } from "../../../../core/upkeep/overview/index.js"
import type { TrashId } from "../../../../core/upkeep/trash/index.js"
import { graphPicture } from "../../../support/graph-picture.js"
import { graphLayer, MemoryVault } from "../../../support/graph-vault.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const texts = [
  "---\ntags: [orbit, mission]\n---\n# Orbit Plan\n\nThe Apollo Program uses Zeta Engine parts. See [[Luna]].",
  "# Luna\n\nAll of the Apollo Program and the Zeta Engine. See [[Orbit Plan]] and [[Missing Page]].",
  "---\ntype: project\naliases: [AP]\n---\n# Apollo Program\n\nAP needs the Zeta Engine, says [[Luna]], on a mission into orbit."
]
const place = fc.nat({ max: 30 })
const deletion = fc.oneof(
  fc.record({ do: fc.constant("delete" as const), place }),
  fc.record({ do: fc.constant("merge" as const), place, into: place }),
  fc.record({ do: fc.constant("unrelate" as const), place })
)
const step = fc.oneof(
  { weight: 4, arbitrary: deletion },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restore" as const), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("extract" as const) }) }
)
const anything = fc.oneof(
  { weight: 5, arbitrary: step },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      place: fc.nat({ max: 2 }),
      text: fc.constantFrom(...texts, "# Nothing")
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), place: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("relate" as const), place, into: place }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("rename" as const),
      place,
      name: fc.constantFrom("Luna", "Zeta Engine", "Ada")
    })
  }
)
type Step = typeof anything extends fc.Arbitrary<infer Value> ? Value : never

const page = { limit: 1000, offset: 0 }
const trashOf = (workspace: WorkspaceScope) =>
  Effect.flatMap(OverviewStore, (store) =>
    Effect.map(store.trash.list(workspace, undefined, page), ({ items }) => items)
  )

const bringBack = (id: TrashId) =>
  RelationId.safeParse(id).success
    ? Effect.asVoid(restoreRelation(RelationId.parse(id)))
    : Effect.asVoid(restoreEntity(EntityId.parse(id)))

/** Brings one item back and holds what happens against what the list said of it. */
const restoreAsListed = ({ blockedBy, carried, id }: TrashEntry) =>
  Effect.gen(function* () {
    const came = yield* Effect.either(bringBack(id))
    const happened = Either.match(came, {
      onLeft: (fault) => ({
        fault: fault._tag,
        existingId: "existingId" in fault ? (fault.existingId ?? null) : null
      }),
      onRight: () => "restored"
    })
    const promised =
      blockedBy !== null || !carried ? { fault: "Conflict", existingId: blockedBy } : "restored"
    expect([id, happened]).toEqual([id, promised])
  })

const liveEntities = (workspace: WorkspaceScope) =>
  Effect.flatMap(EntityStore, (store) =>
    Effect.map(store.list(workspace, page, {}), ({ items }) => items.map(({ id }) => id).sort())
  )

/** Does one step; what the state does not allow does nothing. */
const take = (workspace: WorkspaceScope, vault: MemoryVault, one: Step) =>
  Effect.gen(function* () {
    if (one.do === "extract") return yield* extractGraph(workspace)
    if (one.do === "write" || one.do === "remove") {
      const old = vault.documents.find(({ path }) => path === `${one.place}.md`)
      if (old === undefined) return
      if (one.do === "write") vault.replace(old.id, one.text)
      else vault.remove(old.id)
      return
    }
    if (one.do === "restore") {
      const trash = yield* trashOf(workspace)
      const item = trash[one.place % Math.max(1, trash.length)]
      return item === undefined ? undefined : yield* restoreAsListed(item)
    }
    if (one.do === "unrelate") {
      const { items } = yield* (yield* GraphStore).relations(workspace, {}, page)
      const relation = items[one.place % Math.max(1, items.length)]
      return relation === undefined ? undefined : yield* deleteRelation(relation.id)
    }
    const ids = yield* liveEntities(workspace)
    const pick = (at: number) => ids[at % Math.max(1, ids.length)]
    const id = pick(one.place)
    if (id === undefined) return
    if (one.do === "delete") return yield* deleteEntity(id)
    if (one.do === "rename") return yield* updateEntity(id, { name: one.name })
    const into = pick(one.into)
    if (into === undefined) return
    if (one.do === "merge") return yield* mergeEntities(id, into)
    return yield* createRelation({ srcEntityId: id, dstEntityId: into, type: "knows" })
  }).pipe(Effect.either)

const inVault = <A, E, R>(
  work: (given: {
    readonly vault: MemoryVault
    readonly workspace: WorkspaceScope
    readonly documents: ReadonlyArray<DocumentId>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const vault = new MemoryVault(yield* Ids)
    const workspace = yield* makeWorkspace()
    const documents = texts.map((text, at) => vault.create(`${at}.md`, text))
    return yield* work({ vault, workspace, documents }).pipe(
      Effect.provide(vault.layer),
      asCaller(workspace, "usr_ada")
    )
  }).pipe(Effect.provide(Layer.provideMerge(sqlOverviewStore, graphLayer())), Effect.orDie)

/** Brings everything back, in the order in which the list allows it; nothing may be left. */
const bringAllBack = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    for (let left = yield* trashOf(workspace); left.length > 0; left = yield* trashOf(workspace)) {
      const before = left.length
      // A relation waits for the documents that carry it, and these for its ends.
      yield* extractGraph(workspace)
      for (const item of left) {
        const now = (yield* trashOf(workspace)).find(({ id }) => id === item.id)
        if (now !== undefined) yield* restoreAsListed(now)
      }
      expect((yield* trashOf(workspace)).length).toBeLessThan(before)
    }
  })

describe("the trash of the graph", () => {
  it("gives back the very graph that was, whatever was deleted and merged and in whichever order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 16 }), (steps) =>
        runEffect(
          inVault(({ vault, workspace }) =>
            Effect.gen(function* () {
              const ada = yield* createEntity({ name: "Ada", type: "person", aliases: ["A. L."] })
              yield* extractGraph(workspace)
              const [first] = yield* liveEntities(workspace)
              if (first !== undefined)
                yield* createRelation({ srcEntityId: ada.id, dstEntityId: first, type: "knows" })
              yield* extractGraph(workspace)
              yield* rankGraph(workspace)
              const before = yield* graphPicture(workspace)
              for (const one of steps) yield* take(workspace, vault, one)
              yield* bringAllBack(workspace)
              yield* extractGraph(workspace)
              yield* rankGraph(workspace)
              expect(yield* graphPicture(workspace)).toEqual(before)
            })
          )
        )
      ),
      { numRuns: runs(12) }
    )
  })

  it("equals a rebuild after any history with restores in it, and says of each what would happen", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { minLength: 2, maxLength: 20 }), (steps) =>
        runEffect(
          inVault(({ vault, workspace }) =>
            Effect.gen(function* () {
              yield* extractGraph(workspace)
              for (const one of steps) yield* take(workspace, vault, one)
              yield* extractGraph(workspace)
              const lived = yield* graphPicture(workspace)
              yield* rebuildGraph(workspace)
              expect(yield* graphPicture(workspace)).toEqual(lived)
              for (const item of yield* trashOf(workspace)) {
                const now = (yield* trashOf(workspace)).find(({ id }) => id === item.id)
                if (now !== undefined) yield* restoreAsListed(now)
              }
            })
          )
        )
      ),
      { numRuns: runs(12) }
    )
  })

  const entity = (name: string, aliases: ReadonlyArray<string> = []) =>
    Effect.map(createEntity({ name, type: "thing", aliases }), ({ id }) => id)
  const shown = (id: EntityId) =>
    Effect.map(runOperation(graphOperations.getEntity, { id }), ({ aliases, id: head }) => ({
      head,
      aliases
    }))
  const edgesOf = (id: EntityId) =>
    Effect.map(listRelations({ entityId: id }, page), ({ items }) =>
      items.map(({ dstName, srcName, type }) => `${srcName} ${type} ${dstName}`).sort()
    )
  const relate = (srcEntityId: EntityId, dstEntityId: EntityId, type: string) =>
    Effect.map(createRelation({ srcEntityId, dstEntityId, type }), ({ relationId }) => relationId)

  it("takes from the head what the merge brought, and leaves it what was said of it since", () =>
    runEffect(
      inVault(({ workspace }) =>
        Effect.gen(function* () {
          const [one, head, other] = [
            yield* entity("One", ["Uno"]),
            yield* entity("Head"),
            yield* entity("Other")
          ]
          yield* relate(one, other, "before")
          yield* mergeEntities(one, head)
          yield* relate(one, other, "since")
          const merged = yield* shown(head)
          expect(merged.aliases).toEqual(["One", "Uno"])
          expect(yield* edgesOf(head)).toEqual(["Head before Other", "Head since Other"])
          // Somebody types one of the aliases that the head shows: it is the head's own from then on.
          yield* updateEntity(head, { aliases: ["Uno"] })
          expect(yield* restoreEntity(one)).toBe("merged_entity")
          expect(yield* shown(one)).toEqual({ head: one, aliases: ["Uno"] })
          expect(yield* shown(head)).toEqual({ head, aliases: ["Uno"] })
          expect(yield* edgesOf(one)).toEqual(["One before Other"])
          expect(yield* edgesOf(head)).toEqual(["Head since Other"])
          expect(yield* trashOf(workspace)).toEqual([])
        })
      )
    ))

  it("splits out of a chain, whatever became of the heads, with those that were merged before", () =>
    runEffect(
      inVault(({ workspace }) =>
        Effect.gen(function* () {
          const [a, b, c, d] = [
            yield* entity("A"),
            yield* entity("B"),
            yield* entity("C"),
            yield* entity("D")
          ]
          yield* mergeEntities(a, b)
          yield* mergeEntities(b, c)
          yield* mergeEntities(c, d)
          // Out of the middle: A comes along, D keeps C.
          yield* restoreEntity(b)
          expect([(yield* shown(a)).head, (yield* shown(b)).head, (yield* shown(c)).head]).toEqual([b, b, d])
          yield* mergeEntities(b, d)
          yield* deleteEntity(d)
          expect((yield* trashOf(workspace)).map(({ id, kind }) => `${kind} ${id}`).sort()).toEqual(
            [`entity ${d}`, `merged_entity ${a}`, `merged_entity ${b}`, `merged_entity ${c}`].sort()
          )
          // Out of a head that is itself in the trash, through another one that was merged.
          yield* restoreEntity(a)
          expect((yield* shown(a)).head).toBe(a)
          expect(yield* Effect.either(shown(b))).toMatchObject({ _tag: "Left" })
          yield* restoreEntity(d)
          expect((yield* shown(d)).aliases).toEqual(["B", "C"])
          expect((yield* shown(a)).aliases).toEqual([])
        })
      )
    ))

  it("leaves a revision `restore` and an audit event for each version, and names who deleted", () =>
    runEffect(
      inVault(({ workspace }) =>
        Effect.gen(function* () {
          const [one, head] = [yield* entity("One"), yield* entity("Head")]
          const edge = yield* relate(one, head, "knows")
          yield* deleteRelation(edge)
          yield* mergeEntities(one, head)
          yield* deleteEntity(head)
          const trash = yield* trashOf(workspace)
          expect(trash.map(({ deletedBy }) => deletedBy)).toEqual(["usr_ada", "usr_ada", "usr_ada"])
          // Its ends are one by now, and that one is deleted.
          expect(trash.find(({ id }) => id === edge)).toMatchObject({
            blockedBy: head,
            label: "One knows Head"
          })
          for (const id of [head, one, edge]) yield* bringBack(id)
          const [store, audit] = [yield* EntityStore, yield* AuditLog]
          const kinds = (id: EntityId) =>
            Effect.map(store.revisions(workspace, id, 9), (all) => all.map(({ changeKind }) => changeKind))
          expect(yield* kinds(one)).toEqual(["restore", "merge", "create"])
          expect(yield* kinds(head)).toEqual(["restore", "restore", "delete", "merge", "create"])
          const deeds = (id: string) =>
            Effect.map(audit.ofSubject(workspace, id, 9), (all) => all.map(({ action }) => action))
          expect(yield* deeds(one)).toEqual(["entity.restore", "entity.merge", "entity.create"])
          expect(yield* deeds(edge)).toEqual(["relation.restore", "relation.delete", "relation.create"])
          expect(yield* edgesOf(one)).toEqual(["One knows Head"])
        })
      )
    ))

  it("brings an end that no document carries any more back with what a person said of it", () =>
    runEffect(
      inVault(({ documents, vault, workspace }) =>
        Effect.gen(function* () {
          yield* extractGraph(workspace)
          const ada = yield* entity("Ada")
          const { items } = yield* (yield* EntityStore).list(workspace, page, { type: "project" })
          const [apollo] = items.map(({ id }) => id)
          if (apollo === undefined) throw new RangeError("Nothing was extracted.")
          const edge = yield* relate(ada, apollo, "leads")
          const [, , third] = documents
          if (third !== undefined) vault.remove(third)
          yield* extractGraph(workspace)
          yield* deleteRelation(edge)
          yield* extractGraph(workspace)
          expect((yield* trashOf(workspace)).map(({ blockedBy, id }) => [id, blockedBy])).toEqual([
            [edge, null]
          ])
          expect(yield* Effect.either(restoreEntity(apollo))).toMatchObject({ left: { _tag: "NotFound" } })
          yield* restoreRelation(edge)
          yield* extractGraph(workspace)
          expect(yield* edgesOf(apollo)).toEqual(["Ada leads Apollo Program"])
        })
      )
    ))

  it("lets a document be about the entity to which a person gave the document's name", () =>
    runEffect(
      inVault(({ vault, workspace }) =>
        Effect.gen(function* () {
          yield* extractGraph(workspace)
          const { items } = yield* (yield* EntityStore).list(workspace, page, { type: "document" })
          const luna = items.find(({ name }) => name === "Luna")
          if (luna === undefined) throw new RangeError("Nothing was extracted.")
          yield* updateEntity(luna.id, { name: "Selene" })
          vault.create("selene.md", "# Selene\n\nSee [[Orbit Plan]].")
          yield* extractGraph(workspace)
          expect(yield* edgesOf(luna.id)).toContain("Selene links_to Orbit Plan")
          const lived = yield* graphPicture(workspace)
          yield* rebuildGraph(workspace)
          expect(yield* graphPicture(workspace)).toEqual(lived)
        })
      )
    ))
})
