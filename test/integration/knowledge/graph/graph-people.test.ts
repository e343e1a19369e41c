import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  createEntity,
  EntityStore,
  resolveEntities,
  updateEntity
} from "../../../../core/knowledge/entities/index.js"
import { extractGraph, rebuildGraph } from "../../../../core/knowledge/extraction/index.js"
import {
  createRelation,
  deleteEntity,
  deleteRelation,
  GraphStore,
  graphOperations,
  listMentions,
  listRelations,
  mergeEntities,
  neighborhood,
  rankGraph,
  restoreEntity
} from "../../../../core/knowledge/graph/index.js"
import { AuditLog } from "../../../../core/platform/audit/index.js"
import {
  type DocumentId,
  type EntityId,
  Ids,
  runOperation,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { graphPicture } from "../../../support/graph-picture.js"
import { graphLayer, MemoryVault } from "../../../support/graph-vault.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const texts = [
  "---\ntags: [orbit, mission]\n---\n# Orbit Plan\n\nThe Apollo Program uses Zeta Engine parts. See [[Luna]].",
  "# Luna\n\nAll of the Apollo Program and the Zeta Engine. See [[Orbit Plan]] and [[Missing Page]].",
  "---\ntype: project\naliases: [AP]\n---\n# Apollo Program\n\nAP needs the Zeta Engine, says [[Luna]].",
  "# Nothing\n\nOnly small words and an orbit."
]
/** Names of one word or of stop words, in the ways to write them. */
const spellings = [
  "# Words\n\nOnly small words: an orbit, a luna, a mission, ap and how to.",
  "---\ntags: [ORBIT, how-to]\n---\n# luna\n\nThe ORBIT, the Orbit and How-To.",
  "---\ntags: [How-To, Mission]\n---\n# Luna\n\nThe orbit, the MISSION and how-to."
]
const place = fc.nat({ max: 30 })
const name = fc.constantFrom(
  "Zeta Engine",
  "Luna",
  "Orbit",
  "Apollo Program",
  "AP",
  "Missing Page",
  "New One"
)
const type = fc.constantFrom("concept", "document", "tag", "thing")
const step = fc.oneof(
  fc.record({
    do: fc.constant("write" as const),
    place: fc.nat({ max: 3 }),
    text: fc.constantFrom(...texts, ...spellings)
  }),
  fc.record({ do: fc.constant("remove" as const), place: fc.nat({ max: 3 }) }),
  fc.record({ do: fc.constant("create" as const), name, type, aliases: fc.array(name, { maxLength: 1 }) }),
  fc.record({ do: fc.constant("rename" as const), place, name }),
  fc.record({ do: fc.constant("describe" as const), place, aliases: fc.array(name, { maxLength: 1 }) }),
  fc.record({ do: fc.constant("delete" as const), place }),
  fc.record({ do: fc.constant("restore" as const), place }),
  fc.record({ do: fc.constant("merge" as const), place, into: place }),
  fc.record({ do: fc.constant("relate" as const), place, into: place }),
  fc.record({ do: fc.constant("unrelate" as const), place }),
  fc.record({ do: fc.constant("extract" as const) }),
  fc.record({ do: fc.constant("extract" as const) })
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** All entities ever, in an order that the same steps always give. */
const everyEntity = (workspace: WorkspaceScope) =>
  Effect.flatMap(EntityStore, (store) =>
    Effect.map(store.changesSince(workspace, 0, 1000), (all) =>
      [...all].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ id }) => id)
    )
  )

/** Does one step; what the state does not allow is refused with a fault, and does nothing. */
const take = (workspace: WorkspaceScope, vault: MemoryVault, one: Step) =>
  Effect.gen(function* () {
    if (one.do === "write") {
      const path = `${one.place}.md`
      const old = vault.documents.find((other) => other.path === path)
      if (old === undefined) vault.create(path, one.text)
      else vault.replace(old.id, one.text)
      return
    }
    if (one.do === "remove") {
      const old = vault.documents.find((other) => other.path === `${one.place}.md`)
      if (old !== undefined) vault.remove(old.id)
      return
    }
    if (one.do === "extract") return yield* extractGraph(workspace)
    if (one.do === "create") return yield* createEntity(one)
    const ids = yield* everyEntity(workspace)
    const pick = (at: number): EntityId | undefined => ids[at % Math.max(1, ids.length)]
    const id = pick(one.place)
    if (id === undefined) return
    if (one.do === "rename") return yield* updateEntity(id, { name: one.name })
    if (one.do === "describe") return yield* updateEntity(id, { aliases: one.aliases })
    if (one.do === "delete") return yield* deleteEntity(id)
    if (one.do === "restore") return yield* restoreEntity(id)
    if (one.do === "unrelate") {
      const { items } = yield* (yield* GraphStore).relations(workspace, {}, { limit: 100, offset: 0 })
      const relation = items[one.place % Math.max(1, items.length)]
      return relation === undefined ? undefined : yield* deleteRelation(relation.id)
    }
    const into = pick(one.into)
    if (into === undefined) return
    if (one.do === "merge") return yield* mergeEntities(id, into)
    return yield* createRelation({ srcEntityId: id, dstEntityId: into, type: "knows" })
  }).pipe(Effect.either)

const inVault = <A, E, R>(work: (vault: MemoryVault, workspace: WorkspaceScope) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const vault = new MemoryVault(yield* Ids)
    const workspace = yield* makeWorkspace()
    return yield* work(vault, workspace).pipe(Effect.provide(vault.layer), asCaller(workspace))
  }).pipe(Effect.provide(graphLayer()), Effect.orDie)

const named = (workspace: WorkspaceScope, wanted: string) =>
  Effect.map(everyWith(workspace, wanted), ([first]) => {
    if (first === undefined) throw new Error(`No entity ${wanted}.`)
    return first
  })
const everyWith = (workspace: WorkspaceScope, wanted: string) =>
  Effect.flatMap(EntityStore, (store) =>
    Effect.map(store.changesSince(workspace, 0, 1000), (all) => all.filter((one) => one.name === wanted))
  )

describe("the graph in people's hands", () => {
  it("equals a rebuild after any history of people and documents", async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { minLength: 2, maxLength: 18 }), (built, steps) =>
        runEffect(
          inVault((vault, workspace) =>
            Effect.gen(function* () {
              if (built) yield* build(vault)
              yield* extractGraph(workspace)
              for (const one of steps) yield* take(workspace, vault, one)
              yield* extractGraph(workspace)
              const lived = yield* graphPicture(workspace)
              yield* rebuildGraph(workspace)
              expect(yield* graphPicture(workspace)).toEqual(lived)
            })
          )
        )
      ),
      { numRuns: runs(30) }
    )
  })

  it("leaves exactly one revision and one audit event for each version of each entity", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), (steps) =>
        runEffect(
          inVault((vault, workspace) =>
            Effect.gen(function* () {
              for (const one of steps) yield* take(workspace, vault, one)
              const [store, audit] = [yield* EntityStore, yield* AuditLog]
              for (const { id, version } of yield* store.changesSince(workspace, 0, 1000)) {
                const wanted = Array.from({ length: version }, (_, place) => version - place)
                expect((yield* store.revisions(workspace, id, 200)).map((one) => one.version)).toEqual(wanted)
                const events = yield* audit.ofSubject(workspace, id, 200)
                expect(events.map(({ details }) => details["version"])).toEqual(wanted)
              }
            })
          )
        )
      ),
      { numRuns: runs(30) }
    )
  })

  const build = (vault: MemoryVault): Effect.Effect<ReadonlyArray<DocumentId>> =>
    Effect.sync(() => texts.map((text, at) => vault.create(`${at}.md`, text)))

  it("merges for readers at once, and a restore gives back exactly what was", () =>
    runEffect(
      inVault((vault, workspace) =>
        Effect.gen(function* () {
          yield* build(vault)
          yield* extractGraph(workspace)
          const [luna, plan, zeta] = [
            yield* named(workspace, "Luna"),
            yield* named(workspace, "Orbit Plan"),
            yield* named(workspace, "Zeta Engine")
          ]
          const before = yield* graphPicture(workspace)
          const seen = (id: EntityId) =>
            Effect.map(listMentions({ entityId: id }, { limit: 50, offset: 0 }), ({ total }) => total)
          const [ofLuna, ofPlan] = [yield* seen(luna.id), yield* seen(plan.id)]
          const dry = yield* mergeEntities(luna.id, plan.id, { dryRun: true })
          expect(yield* graphPicture(workspace)).toEqual(before)
          const merged = yield* mergeEntities(luna.id, plan.id)
          expect({ ...merged, droppedDuplicateEdges: 0, curation: null }).toEqual({
            ...dry,
            droppedDuplicateEdges: 0,
            curation: null
          })
          expect(merged).toMatchObject({ canonicalId: plan.id, mergedId: luna.id, aliasesAdded: ["Luna"] })
          expect(yield* seen(luna.id)).toBe(ofLuna + ofPlan)
          const shown = yield* runOperation(graphOperations.getEntity, { id: luna.id })
          expect([shown.id, shown.aliases.includes("Luna")]).toEqual([plan.id, true])
          // Chains flatten, and the ids of the merged mean the head: no way to a cycle.
          yield* mergeEntities(plan.id, zeta.id)
          expect((yield* runOperation(graphOperations.getEntity, { id: luna.id })).id).toBe(zeta.id)
          expect((yield* Effect.flip(mergeEntities(zeta.id, luna.id)))._tag).toBe("InvalidInput")
          yield* extractGraph(workspace)
          yield* restoreEntity(plan.id)
          expect((yield* runOperation(graphOperations.getEntity, { id: luna.id })).id).toBe(plan.id)
          yield* restoreEntity(luna.id)
          yield* extractGraph(workspace)
          expect(yield* graphPicture(workspace)).toEqual(before)
        })
      )
    ))

  it("does not extract again what a person deleted, and revives what it retired by its old id", () =>
    runEffect(
      inVault((vault, workspace) =>
        Effect.gen(function* () {
          const [plan, luna] = yield* build(vault)
          yield* extractGraph(workspace)
          const zeta = yield* named(workspace, "Zeta Engine")
          yield* deleteEntity(zeta.id)
          yield* extractGraph(workspace)
          if (plan !== undefined) vault.replace(plan, texts[0] ?? "")
          yield* extractGraph(workspace)
          expect(
            (yield* resolveEntities("Zeta Engine", { limit: 5 })).filter(
              ({ matchKind }) => matchKind !== "fuzzy"
            )
          ).toEqual([])
          const page = yield* named(workspace, "Missing Page")
          if (luna !== undefined) vault.remove(luna)
          yield* extractGraph(workspace)
          expect((yield* named(workspace, "Missing Page")).retired).toBe(true)
          if (luna !== undefined) vault.restore(luna)
          yield* extractGraph(workspace)
          const back = yield* everyWith(workspace, "Missing Page")
          expect(back.map(({ deletedAt, id, version }) => [deletedAt, id, version])).toEqual([
            [null, page.id, 3]
          ])
        })
      )
    ))

  it("keeps an extracted entity that a person stated something about, as long as that stands", () =>
    runEffect(
      inVault((vault, workspace) =>
        Effect.gen(function* () {
          const documents = yield* build(vault)
          yield* extractGraph(workspace)
          const [zeta, luna] = [yield* named(workspace, "Zeta Engine"), yield* named(workspace, "Luna")]
          const { relationId } = yield* createRelation({
            srcEntityId: zeta.id,
            dstEntityId: luna.id,
            type: "part of",
            evidence: "I say"
          })
          const again = yield* Effect.flip(
            createRelation({ srcEntityId: zeta.id, dstEntityId: luna.id, type: "part of" })
          )
          expect(again).toMatchObject({ _tag: "Conflict" })
          for (const id of documents) vault.remove(id)
          yield* extractGraph(workspace)
          const { items } = yield* listRelations({}, { limit: 10, offset: 0 })
          expect(items).toMatchObject([
            {
              id: relationId,
              srcName: "Zeta Engine",
              mentionCount: 1,
              evidence: [{ docId: null, quote: "I say" }]
            }
          ])
          yield* deleteRelation(relationId)
          yield* extractGraph(workspace)
          const left = yield* (yield* EntityStore).list(workspace, { limit: 10, offset: 0 }, {})
          expect(left.total).toBe(0)
        })
      )
    ))

  it("shows the neighbourhood from both sides, capped and marked as such", () =>
    runEffect(
      inVault((vault, workspace) =>
        Effect.gen(function* () {
          yield* build(vault)
          yield* extractGraph(workspace)
          yield* rankGraph(workspace)
          const luna = yield* named(workspace, "Luna")
          const all = yield* neighborhood(luna.id, { depth: 1, perHopCap: 25, totalCap: 200 })
          expect(all.nodes.map((node) => node.name).sort()).toEqual([
            "Apollo Program",
            "Luna",
            "Missing Page",
            "Orbit Plan"
          ])
          expect(all.truncated).toBe(false)
          expect(all.entity).toMatchObject({ id: luna.id, topRelations: ["links_to"] })
          const few = yield* neighborhood(luna.id, { depth: 3, perHopCap: 25, totalCap: 2 })
          expect([few.nodes.length, few.truncated]).toEqual([2, true])
          const one = yield* neighborhood(luna.id, { depth: 1, perHopCap: 1, totalCap: 200 })
          expect([one.nodes.length, one.truncated]).toEqual([2, true])
          const gone = yield* Effect.flip(
            neighborhood(`ent_${"0".repeat(26)}` as EntityId, { depth: 1, perHopCap: 1, totalCap: 1 })
          )
          expect(gone._tag).toBe("NotFound")
        })
      )
    ))
})
