import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import {
  type EntityRecord,
  EntityStore,
  newRecord,
  type StoredEntity
} from "../../core/knowledge/entities/index.js"
import { type Atomic, atomically, Ids, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { changeRequestStoreLaws } from "./change-request-store.js"
import { contractTestsFor } from "./contract-tests.js"
import { entityInspectionLaws } from "./inspections.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

const entity = (name: string, change: Partial<EntityRecord> = {}) =>
  Effect.map(Ids, (ids) =>
    newRecord(
      { id: ids.make("entity"), name, type: "thing", origin: "manual", authority: "asserted", ...change },
      at
    )
  )

const revision = (note: string | null = null) => ({
  changeKind: "update" as const,
  diff: { name: { from: "a", to: "b" } },
  snapshot: { name: "b" },
  activity: "ui",
  changedBy: "local",
  note,
  createdAt: at
})

const insert = (scope: WorkspaceScope, ...records: ReadonlyArray<EntityRecord>) =>
  Effect.flatMap(EntityStore, (store) =>
    store.commit(
      scope,
      records.map((after) => ({ before: null, after, revision: revision() }))
    )
  )

const stored = (scope: WorkspaceScope, id: EntityRecord["id"]) =>
  Effect.flatMap(EntityStore, (store) => Effect.flatten(store.find(scope, id)))

/** The record in a stored entity: what a version covers. */
const recordOf = ({ headId: _head, pagerank: _rank, seq: _seq, ...record }: StoredEntity): EntityRecord =>
  record

/** The laws of `EntityStore`. `layer` gives an empty store each time. */
export const entityStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<EntityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  entityInspectionLaws(name, layer)
  changeRequestStoreLaws(name, layer)
  describe(`EntityStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back what was committed, field by field, with its revision", function* () {
      const [store, scope] = [yield* EntityStore, yield* makeWorkspace]
      const one = yield* entity("Ünï 東", {
        description: "d",
        aliases: ["Zed", "Alpha"],
        extractedAliases: ["Found"],
        stewardIds: ["s"],
        personFields: ["name"],
        claim: { type: "t", key: "k" },
        ownerId: "o",
        editorialNote: "n"
      })
      yield* insert(scope, one)
      const got = yield* stored(scope, one.id)
      expect(recordOf(got)).toEqual(one)
      expect([got.headId, got.pagerank]).toEqual([one.id, null])
      expect(yield* store.revisions(scope, one.id, 10)).toEqual([{ version: 1, ...revision() }])
    })

    law(
      "lets one of many writers of the same version win, with exactly one revision each time",
      function* () {
        const [store, scope] = [yield* EntityStore, yield* makeWorkspace]
        const one = yield* entity("One")
        yield* insert(scope, one)
        const before = yield* stored(scope, one.id)
        const tries = Array.from({ length: 8 }, (_, place) =>
          Effect.either(
            atomically(
              store.commit(scope, [
                { before, after: { ...one, version: 2, description: String(place) }, revision: revision() }
              ])
            )
          )
        )
        const results = yield* Effect.all(tries, { concurrency: 8 })
        expect(results.filter(Either.isRight)).toHaveLength(1)
        expect((yield* store.revisions(scope, one.id, 10)).map(({ version }) => version)).toEqual([2, 1])
      }
    )

    law("holds one live canonical entity of a type and nameNorm, and fails as a whole", function* () {
      const [store, scope] = [yield* EntityStore, yield* makeWorkspace]
      const [one, twin, other, free] = [
        yield* entity("One"),
        yield* entity("ONE "),
        yield* entity("one", { type: "other" }),
        yield* entity("Free")
      ]
      yield* insert(scope, one, other)
      expect(Either.isLeft(yield* Effect.either(atomically(insert(scope, free, twin))))).toBe(true)
      expect(Option.isNone(yield* store.find(scope, free.id))).toBe(true)
      const before = yield* stored(scope, one.id)
      yield* store.commit(scope, [
        { before, after: { ...one, version: 2, deletedAt: at }, revision: revision() }
      ])
      yield* insert(scope, twin)
      const held = yield* Effect.flatten(store.findByName(scope, "thing", "one"))
      expect(held.id).toBe(twin.id)
    })

    law("finds by the surface of name, alias and claim, whatever the spelling and state", function* () {
      const [store, scope] = [yield* EntityStore, yield* makeWorkspace]
      const one = yield* entity("EIP-20", {
        aliases: ["Token Standard"],
        claim: { type: "c", key: "claimed" },
        deletedAt: at
      })
      yield* insert(scope, one, yield* entity("Else"))
      for (const key of ["eip 20", "token standard", "claimed"]) {
        expect((yield* store.bySurface(scope, [key, "nobody"])).map(({ id }) => id)).toEqual([one.id])
      }
      expect(yield* store.bySurface(scope, [])).toEqual([])
    })

    law("lists live canonical entities by rank, then by name; no rank comes last", function* () {
      const [store, scope] = [yield* EntityStore, yield* makeWorkspace]
      const [a, b, c, d, gone] = [
        yield* entity("a"),
        yield* entity("b"),
        yield* entity("c", { type: "other" }),
        yield* entity("d"),
        yield* entity("gone", { deletedAt: at })
      ]
      yield* insert(scope, d, c, b, a, gone)
      yield* store.setRanks(scope, [
        { id: b.id, pagerank: 0.25 },
        { id: c.id, pagerank: 0.5 }
      ])
      const all = yield* store.list(scope, { limit: 10, offset: 0 }, {})
      expect([all.total, all.items.map((one) => one.name)]).toEqual([4, ["c", "b", "a", "d"]])
      const some = yield* store.list(scope, { limit: 1, offset: 1 }, { type: "thing" })
      expect([some.total, some.items.map((one) => one.name)]).toEqual([3, ["a"]])
      const canonical = yield* store.canonical(scope)
      expect(canonical.map((one) => [one.nameNorm, one.pagerank])).toEqual([
        ["c", 0.5],
        ["a", null],
        ["b", 0.25],
        ["d", null]
      ])
      const many = yield* store.findMany(scope, [gone.id, b.id, b.id, (yield* entity("unknown")).id])
      expect(many.map((one) => one.name).sort()).toEqual(["b", "gone"])
      expect((yield* stored(scope, b.id)).version).toBe(1)
      expect(yield* store.counts(scope)).toEqual({ entities: 4, byType: { other: 1, thing: 3 } })
    })

    law("feeds every change in commit order and offers only what may be detected", function* () {
      const [store, scope] = [yield* EntityStore, yield* makeWorkspace]
      const [head, member, draft] = [
        yield* entity("Head", { aliases: ["H"] }),
        yield* entity("Member"),
        yield* entity("Draft", { lifecycle: "draft" })
      ]
      yield* insert(scope, head, member, draft)
      const from = yield* store.position(scope)
      const before = yield* stored(scope, member.id)
      yield* store.commit(scope, [
        { before, after: { ...member, version: 2, mergedInto: head.id }, revision: revision() }
      ])
      expect((yield* store.changesSince(scope, from, 10)).map(({ headId, id }) => [id, headId])).toEqual([
        [member.id, head.id]
      ])
      const offered = (yield* store.surfaces(scope)).map(({ headId, surfaces }) => [headId, surfaces])
      expect(offered).toEqual([
        [head.id, ["Head", "H"]],
        [head.id, ["Member"]]
      ])
      expect((yield* store.members(scope, [head.id])).map(({ id }) => id).sort()).toEqual(
        [head.id, member.id].sort()
      )
      const { authority, lifecycle } = head
      const brief = { type: "thing", extractedAliases: [], authority, lifecycle, headId: head.id }
      expect((yield* store.briefs(scope, [head.id])).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
        { ...brief, id: head.id, name: "Head", aliases: ["H"] },
        { ...brief, id: member.id, name: "Member", aliases: [] }
      ])
      yield* store.commit(scope, [
        {
          before: yield* stored(scope, member.id),
          after: { ...member, version: 3, mergedInto: head.id, deletedAt: at },
          revision: revision()
        }
      ])
      expect((yield* store.briefs(scope, [head.id])).map(({ id }) => id)).toEqual([head.id])
      expect((yield* store.members(scope, [head.id])).length).toBe(2)
      yield* store.setHead(scope, [member.id], member.id)
      expect((yield* store.changesSince(scope, from + 1, 10)).map(({ id }) => id)).toEqual([member.id])
    })

    law(
      "offers as extracted what no person has set a field of, whatever was merged or restored",
      function* () {
        const [store, scope] = [yield* EntityStore, yield* makeWorkspace]
        const made = { origin: "extraction", authority: "machine_extracted" } as const
        yield* insert(
          scope,
          yield* entity("By hand"),
          yield* entity("Certified", { ...made, authority: "certified", touched: true }),
          yield* entity("Described", { ...made, personFields: ["description"], touched: true }),
          yield* entity("Restored", { ...made, touched: true }),
          yield* entity("Seen", made)
        )
        const offered = (yield* store.surfaces(scope)).filter(({ isExtracted }) => isExtracted === true)
        expect(offered.flatMap(({ surfaces }) => surfaces).sort()).toEqual(["Restored", "Seen"])
      }
    )

    law("shows nothing to another workspace", function* () {
      const [store, scope, foreign] = [yield* EntityStore, yield* makeWorkspace, yield* makeWorkspace]
      const one = yield* entity("One", { aliases: ["Uno"] })
      yield* insert(scope, one)
      expect(Option.isNone(yield* store.find(foreign, one.id))).toBe(true)
      expect(Option.isNone(yield* store.findByName(foreign, "thing", "one"))).toBe(true)
      expect(yield* store.bySurface(foreign, ["one", "uno"])).toEqual([])
      expect(yield* store.surfaces(foreign)).toEqual([])
      expect(yield* store.revisions(foreign, one.id, 10)).toEqual([])
      expect(yield* store.changesSince(foreign, 0, 10)).toEqual([])
      expect(yield* store.findMany(foreign, [one.id])).toEqual([])
      expect(yield* store.members(foreign, [one.id])).toEqual([])
      expect(yield* store.briefs(foreign, [one.id])).toEqual([])
      expect(yield* store.canonical(foreign)).toEqual([])
      expect((yield* store.counts(foreign)).entities).toBe(0)
      expect(yield* store.position(foreign)).toBe(0)
      yield* store.setRanks(foreign, [{ id: one.id, pagerank: 0.5 }])
      yield* store.setHead(foreign, [one.id], (yield* entity("Other")).id)
      const { headId, pagerank } = yield* stored(scope, one.id)
      expect([headId, pagerank]).toEqual([one.id, null])
      expect((yield* store.list(foreign, { limit: 10, offset: 0 }, {})).total).toBe(0)
      yield* insert(foreign, yield* entity("One"))
    })
  })
}
