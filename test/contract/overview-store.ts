import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import type { EntityStore } from "../../core/knowledge/entities/index.js"
import type { GraphStore } from "../../core/knowledge/graph/index.js"
import { AuditLog } from "../../core/platform/audit/index.js"
import { type Atomic, Ids, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { type InboxMark, OverviewStore, type Report } from "../../core/upkeep/overview/index.js"

import { contractTestsFor } from "./contract-tests.js"
import { putEntity, putRelation } from "./seeds.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const page = { limit: 100, offset: 0 }
const day = (number: number): string => `2026-03-0${number}T00:00:00.000Z`

/** Says in the trail who did something. */
const told = (scope: WorkspaceScope, action: string, subjectId: string, actor: string) =>
  Effect.gen(function* () {
    const [log, ids] = [yield* AuditLog, yield* Ids]
    const details = {}
    const event = { id: ids.make("audit"), action, actor, activity: "ui", subjectId, at: day(9), details }
    yield* log.append(scope, [{ ...event, requestId: null }])
  })

const report = Effect.map(
  Ids,
  ({ make }): Report => ({
    id: make("report"),
    title: "A title",
    kind: "engagement",
    status: "ready",
    layoutVersion: 1,
    createdBy: "ann",
    generatedAt: lawsAt,
    summary: { highlights: ["One."], questions: 1 },
    coverage: { rows: [], columns: [], cells: [] },
    sections: [{ id: "s", title: "S", columns: ["a"], rows: [["x"], [1], [null]] }]
  })
)

/**
 * The laws of `OverviewStore`: of its reports, and of its trash, which reads what `EntityStore`, `GraphStore` and `AuditLog` of the same database hold.
 * `layer` gives empty stores each time.
 */
export const overviewStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<
    OverviewStore | EntityStore | GraphStore | AuditLog | WorkspaceStore | Atomic | Ids,
    E
  >
): void => {
  describe(`OverviewStore.trash: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("keeps one mark for each item of the inbox, the last one, in its own workspace", function* () {
      const { inbox } = yield* OverviewStore
      const [here, there] = [yield* makeWorkspace, yield* makeWorkspace]
      const mark = (given: Partial<InboxMark>): InboxMark => ({
        kind: "review",
        itemId: "ent_1",
        state: "open",
        assignedTo: null,
        waitedSince: lawsAt,
        markedBy: "usr_1",
        updatedAt: lawsAt,
        ...given
      })
      const last = mark({ state: "rejected", assignedTo: "usr_2", markedBy: "usr_3" })
      for (const one of [mark({}), last]) yield* inbox.mark(here, one)
      yield* inbox.mark(there, mark({ itemId: "ent_2", state: "rejected" }))
      expect(yield* inbox.marksOf(here, ["ent_1", "ent_2"])).toEqual([last])
      expect(yield* inbox.marksOf(there, ["ent_1"])).toEqual([])
      expect(yield* inbox.rejected(here, "review")).toEqual(["ent_1"])
      expect(yield* inbox.rejected(here, "change")).toEqual([])
      expect(yield* inbox.foreignChanges(here, { person: "usr_1", since: lawsAt, limit: 10 })).toEqual([])
    })

    law("lists what was deleted, of every kind or of one, the newest first and then by id", function* () {
      const [store, scope] = [(yield* OverviewStore).trash, yield* makeWorkspace]
      const live = yield* putEntity(scope, "Live")
      const other = yield* putEntity(scope, "Other")
      const first = yield* putEntity(scope, "First", { deletedAt: day(1) })
      const third = yield* putEntity(scope, "Third", { deletedAt: day(3) })
      const twin = yield* putEntity(scope, "Twin", { deletedAt: day(3) })
      const merged = yield* putEntity(
        scope,
        "Merged",
        { mergedInto: live.id },
        { changeKind: "merge", at: day(2) }
      )
      const relation = yield* putRelation(scope, live.id, "near", other.id, { deletedAt: day(4) })
      const { items, total } = yield* store.list(scope, undefined, page)
      expect(items.map(({ deletedAt, id, kind, label }) => [id, kind, label, deletedAt])).toEqual([
        [relation.id, "relation", "Live near Other", day(4)],
        [third.id, "entity", "Third", day(3)],
        [twin.id, "entity", "Twin", day(3)],
        [merged.id, "merged_entity", "Merged", day(2)],
        [first.id, "entity", "First", day(1)]
      ])
      expect(total).toBe(5)
      const some = yield* store.list(scope, "entity", { limit: 1, offset: 1 })
      expect([some.items.map(({ id }) => id), some.total]).toEqual([[twin.id], 3])
      expect(yield* store.list(scope, "document", page)).toEqual({ items: [], total: 0 })
    })

    law("leaves out what extraction withdrew by itself", function* () {
      const [store, scope] = [(yield* OverviewStore).trash, yield* makeWorkspace]
      yield* putEntity(scope, "Withdrawn", { deletedAt: day(1), retired: true })
      expect(yield* store.list(scope, undefined, page)).toEqual({ items: [], total: 0 })
    })

    law("tells who deleted it last, as far as the trail does", function* () {
      const [store, scope] = [(yield* OverviewStore).trash, yield* makeWorkspace]
      const known = yield* putEntity(scope, "Known", { deletedAt: day(2) })
      yield* putEntity(scope, "Unknown", { deletedAt: day(1) })
      yield* told(scope, "entity.delete", known.id, "ann")
      yield* told(scope, "entity.restore", known.id, "bob")
      yield* told(scope, "entity.delete", known.id, "cy")
      yield* told(scope, "entity.certify", known.id, "dan")
      const { items } = yield* store.list(scope, undefined, page)
      expect(items.map(({ deletedBy }) => deletedBy)).toEqual(["cy", null])
    })

    law(
      "names what is in the way of a restore: who has the name or the edge, or an end that is deleted",
      function* () {
        const [store, scope] = [(yield* OverviewStore).trash, yield* makeWorkspace]
        const gone = yield* putEntity(scope, "Crane", { deletedAt: day(5) })
        const holder = yield* putEntity(scope, "CRANE")
        const other = yield* putEntity(scope, "Quay")
        const free = yield* putEntity(scope, "Crane", { type: "other", deletedAt: day(4) })
        yield* putRelation(scope, holder.id, "near", other.id, { deletedAt: day(3) })
        yield* putRelation(scope, gone.id, "near", other.id, { srcHead: null, deletedAt: day(2) })
        const { items } = yield* store.list(scope, undefined, page)
        expect(items.map(({ blockedBy, id, kind }) => [kind === "relation" ? kind : id, blockedBy])).toEqual([
          [gone.id, holder.id],
          [free.id, null],
          ["relation", null],
          ["relation", gone.id]
        ])
        expect(items.every(({ carried }) => carried)).toBe(true)
      }
    )

    law("tells of a relation that nobody states and no document carries any more", function* () {
      const [store, scope] = [(yield* OverviewStore).trash, yield* makeWorkspace]
      const [a, b] = [yield* putEntity(scope, "A"), yield* putEntity(scope, "B")]
      yield* putRelation(scope, a.id, "links_to", b.id, { origin: "extraction", deletedAt: day(2) })
      yield* putRelation(scope, b.id, "links_to", a.id, {
        origin: "extraction",
        evidenceCount: 1,
        deletedAt: day(1)
      })
      const { items } = yield* store.list(scope, "relation", page)
      expect(items.map(({ carried }) => carried)).toEqual([false, true])
    })

    law("shows nothing to another workspace", function* () {
      const [store, scope, foreign] = [
        (yield* OverviewStore).trash,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      yield* putEntity(scope, "Gone", { deletedAt: day(1) })
      expect(yield* store.list(foreign, undefined, page)).toEqual({ items: [], total: 0 })
    })
  })
  describe(`OverviewStore.reports: ${name}`, () => {
    const check = contractTestsFor(layer)

    check(
      "a report is given back, listed newest first, and archived by kind and title",
      Effect.gen(function* () {
        const [store, scope, other] = [
          (yield* OverviewStore).reports,
          yield* makeWorkspace,
          yield* makeWorkspace
        ]
        const [first, second] = [yield* report, { ...(yield* report), title: "Other" }]
        yield* store.add(scope, [first, second])
        yield* store.archive(other, first.kind, first.title)
        expect(yield* store.find(scope, first.id)).toEqual(Option.some(first))
        yield* store.archive(scope, first.kind, first.title)
        expect(yield* store.find(scope, first.id)).toEqual(Option.some({ ...first, status: "archived" }))
        const { items, total } = yield* store.list(scope)
        expect([total, ...items.map(({ id, status }) => `${id} ${status}`)]).toEqual([
          2,
          `${second.id} ready`,
          `${first.id} archived`
        ])
        expect(items[0]).not.toHaveProperty("sections")
        expect(yield* store.find(other, first.id)).toEqual(Option.none())
        expect(yield* store.mentions(scope)).toEqual([])
        expect(yield* store.undecidedAnswers(scope, lawsAt, lawsAt)).toEqual([])
      })
    )
  })
}
