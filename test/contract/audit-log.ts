import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import {
  type AuditDraft,
  type AuditFilter,
  AuditLog,
  chainStart,
  hashedText
} from "../../core/platform/audit/index.js"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const event = (action: string, change: Partial<AuditDraft> = {}) =>
  Effect.map(
    Ids,
    (ids): AuditDraft => ({
      id: ids.make("audit"),
      action,
      actor: "local",
      activity: "ui",
      subjectId: "doc_1",
      at: lawsAt,
      details: {},
      requestId: null,
      ...change
    })
  )

/** The laws of `AuditLog`. `layer` gives an empty log each time. */
export const auditLogContract = <E>(
  name: string,
  layer: () => Layer.Layer<AuditLog | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`AuditLog: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back what was appended, field by field", function* () {
      const [log, scope] = [yield* AuditLog, yield* makeWorkspace]
      const full = yield* event("document.replace", {
        details: { path: "Größe '東京.md", deep: [1, { none: null }], flag: true },
        requestId: "req-1"
      })
      yield* log.append(scope, [full])
      expect(yield* log.ofSubject(scope, "doc_1", 10)).toEqual([expect.objectContaining(full)])
      yield* log.append(scope, [])
      expect((yield* log.page(scope, 0, 10)).events.map(({ position }) => position)).toEqual([1])
    })

    law("tells the newest of one subject first, in the order appended where times are equal", function* () {
      const [log, scope] = [yield* AuditLog, yield* makeWorkspace]
      yield* log.append(scope, [yield* event("a"), yield* event("b")])
      yield* log.append(scope, [yield* event("other", { subjectId: "doc_2" }), yield* event("c")])
      const actions = (limit: number) =>
        Effect.map(log.ofSubject(scope, "doc_1", limit), (events) => events.map(({ action }) => action))
      expect(yield* actions(10)).toEqual(["c", "b", "a"])
      expect(yield* actions(2)).toEqual(["c", "b"])
    })

    law("keeps nothing of a unit of work that fails", function* () {
      const [log, scope] = [yield* AuditLog, yield* makeWorkspace]
      const append = log.append(scope, [yield* event("a")])
      yield* Effect.flip(atomically(Effect.zipRight(append, Effect.fail("no"))))
      expect(yield* log.ofSubject(scope, "doc_1", 10)).toEqual([])
    })

    law("links each event to the one before, one chain a workspace", function* () {
      const [log, { sha256 }] = [yield* AuditLog, yield* Ids]
      for (const scope of [yield* makeWorkspace, yield* makeWorkspace]) {
        const start = chainStart(scope, sha256)
        expect(yield* log.page(scope, 0, 10)).toEqual({ events: [], head: null })
        yield* log.append(scope, [yield* event("a"), yield* event("b", { details: { z: 1, a: [2] } })])
        yield* log.append(scope, [yield* event("c")])
        const { events, head } = yield* log.page(scope, 0, 10)
        expect(events.map(({ action }) => action)).toEqual(["a", "b", "c"])
        expect(events.map(({ position }) => position)).toEqual([1, 2, 3])
        expect(events.map(({ prevHash }) => prevHash)).toEqual([
          start.hash,
          ...events.slice(0, -1).map(({ hash }) => hash)
        ])
        for (const one of events) expect(one.hash).toBe(sha256(hashedText(one)))
        expect(events[1]?.details).toBe('{"a":[2],"z":1}')
        expect(head).toEqual({ position: 3, hash: events.at(-1)?.hash })
        expect(yield* log.page(scope, 1, 1)).toEqual({ events: [events[1]], head })
        expect(yield* Effect.forEach(events, ({ id }) => log.positionOf(scope, id))).toEqual(
          [1, 2, 3].map(Option.some)
        )
      }
    })

    law("never forks a chain, however many append at once", function* () {
      const [log, scope, { sha256 }] = [yield* AuditLog, yield* makeWorkspace, yield* Ids]
      const one = Effect.flatMap(event("a"), (draft) => log.append(scope, [draft]))
      const units = Array.from({ length: 20 }, () => atomically(Effect.zipRight(one, one)))
      yield* Effect.all([...units, one, one], { concurrency: "unbounded" })
      const { events, head } = yield* log.page(scope, 0, 100)
      expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 42 }, (_, at) => at + 1))
      let before = chainStart(scope, sha256).hash
      for (const { hash, prevHash } of events) {
        expect(prevHash).toBe(before)
        before = hash
      }
      expect(head).toEqual({ position: 42, hash: before })
    })

    law(
      "goes on from what is there after units that were undone, and after somebody else appended",
      function* () {
        const [log, scope, { sha256 }] = [yield* AuditLog, yield* makeWorkspace, yield* Ids]
        const one = Effect.flatMap(event("a"), (draft) => log.append(scope, [draft]))
        const undone = atomically(Effect.zipRight(Effect.zipRight(one, one), Effect.fail("no")))
        yield* Effect.flip(undone)
        yield* one
        yield* Effect.flip(undone)
        yield* one
        // The adopted events stand for those of another process, which this one did not see appended.
        const copy = yield* makeWorkspace
        const told = yield* log.page(scope, 0, 10)
        yield* Effect.flatMap(event("b"), (draft) => log.append(copy, [draft]))
        const [own] = (yield* log.page(copy, 0, 10)).events
        const foreign = told.events.slice(1).map((last) => ({ ...last, prevHash: own?.hash ?? "" }))
        yield* log.adopt(copy, foreign, foreign[0] ?? null)
        yield* Effect.flatMap(event("c"), (draft) => log.append(copy, [draft]))
        expect((yield* log.page(copy, 2, 10)).events).toMatchObject([
          { position: 3, prevHash: foreign[0]?.hash }
        ])
        const { events, head } = yield* log.page(scope, 0, 10)
        expect(events.map(({ position }) => position)).toEqual([1, 2])
        expect(events[0]?.prevHash).toBe(chainStart(scope, sha256).hash)
        expect(events[1]?.prevHash).toBe(events[0]?.hash)
        expect(head).toEqual({ position: 2, hash: events[1]?.hash })
      }
    )

    law("takes in what was linked elsewhere, and goes on from there", function* () {
      const [log, scope] = [yield* AuditLog, yield* makeWorkspace]
      yield* log.append(scope, [yield* event("a"), yield* event("b"), yield* event("c")])
      const told = yield* log.page(scope, 0, 10)
      const copy = yield* makeWorkspace
      yield* log.adopt(copy, [], told.head)
      yield* log.adopt(copy, told.events.slice(0, 2), told.events[1] ?? null)
      yield* log.adopt(copy, told.events.slice(2), told.events[2] ?? null)
      expect(yield* log.page(copy, 0, 10)).toEqual(told)
      yield* log.append(copy, [yield* event("d")])
      const { events } = yield* log.page(copy, 3, 10)
      expect(events).toMatchObject([{ position: 4, prevHash: told.head?.hash }])
    })

    law("lists what every condition lets through, in both directions and from a place on", function* () {
      const [log, scope] = [yield* AuditLog, yield* makeWorkspace]
      const later = "2026-02-01T00:00:00.000Z"
      yield* log.append(scope, [
        yield* event("a"),
        yield* event("b", { actor: "ada" }),
        yield* event("a", { subjectId: "doc_2", at: later }),
        yield* event("a", { actor: "ada", at: later })
      ])
      const { events } = yield* log.page(scope, 0, 10)
      const places = (filter: AuditFilter, after?: number, limit = 10) =>
        Effect.gen(function* () {
          const [down, up] = [
            yield* log.list(scope, { ...filter, after, order: "newest_first", limit }),
            yield* log.list(scope, { ...filter, after, order: "oldest_first", limit })
          ]
          for (const { hashBefore, position, ...one } of [...down, ...up]) {
            expect({ ...one, position }).toEqual(events[position - 1])
            expect(hashBefore).toBe(events[position - 2]?.hash ?? null)
          }
          return [
            ...[down, up].map((all) => all.map(({ position }) => position)),
            yield* log.count(scope, filter)
          ]
        })
      expect(yield* places({})).toEqual([[4, 3, 2, 1], [1, 2, 3, 4], 4])
      expect(yield* places({}, 2)).toEqual([[1], [3, 4], 4])
      expect(yield* places({}, undefined, 2)).toEqual([[4, 3], [1, 2], 4])
      expect(yield* places({ action: "a" })).toEqual([[4, 3, 1], [1, 3, 4], 3])
      expect(yield* places({ action: "a" }, 3, 1)).toEqual([[1], [4], 3])
      expect(yield* places({ action: "a", actor: "ada" })).toEqual([[4], [4], 1])
      expect(yield* places({ subjectId: "doc_1" }, 2)).toEqual([[1], [4], 3])
      expect(yield* places({ from: later })).toEqual([[4, 3], [3, 4], 2])
      expect(yield* places({ to: later })).toEqual([[2, 1], [1, 2], 2])
      expect(yield* places({ action: "none" })).toEqual([[], [], 0])
    })

    law("shows nothing to another workspace", function* () {
      const [log, scope, foreign] = [yield* AuditLog, yield* makeWorkspace, yield* makeWorkspace]
      const one = yield* event("a")
      yield* log.append(scope, [one])
      expect(yield* log.ofSubject(foreign, "doc_1", 10)).toEqual([])
      expect(yield* log.page(foreign, 0, 10)).toEqual({ events: [], head: null })
      expect(yield* log.list(foreign, { order: "newest_first", limit: 9 })).toEqual([])
      expect(yield* log.count(foreign, {})).toBe(0)
      expect(yield* log.positionOf(foreign, one.id)).toEqual(Option.none())
    })
  })
}
