import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { expect } from "vitest"
import type { Lease } from "../../core/platform/jobs/index.js"
import {
  add,
  away,
  claim,
  claimOne,
  home,
  type JobLaw,
  leaseMs,
  statuses,
  workspaceOf
} from "./job-store-world.js"

/** Equal jobs: one waits and one runs at most. */
export const equalLaws = (law: JobLaw): void => {
  law("returns an equal job that waits, moved forward, and doubles one that runs", function* (a, b) {
    const [first] = yield* add(a.store, [{ dedupeKey: "k", delayMs: 60_000, priority: 3 }])
    const [again, same, other] = yield* add(b.store, [
      { dedupeKey: "k", delayMs: 1_000, priority: 1 },
      { dedupeKey: "k" },
      { dedupeKey: "j" }
    ])
    expect([again?.id, same?.id]).toEqual([first?.id, first?.id])
    expect(other?.id).not.toBe(first?.id)
    expect(again).toMatchObject({ status: "scheduled", priority: 1, runAt: "1970-01-01T00:00:01.000Z" })
    const [foreign] = yield* add(b.store, [{ dedupeKey: "k" }], away)
    const [unlike] = yield* add(b.store, [{ dedupeKey: "k", kind: "other" }])
    expect(new Set([first?.id, foreign?.id, unlike?.id]).size).toBe(3)
    yield* TestClock.adjust(1_000)
    yield* a.store.promote
    yield* claim(a.store, { limit: 9 })
    const [next] = yield* add(a.store, [{ dedupeKey: "k" }])
    expect(next?.id).not.toBe(first?.id)
    expect(next?.status).toBe("queued")
  })

  law("never runs equal jobs at once, and drops one that would wait beside its equal", function* (a, b) {
    const ends: ReadonlyArray<(lease: Lease) => Effect.Effect<unknown>> = [
      (lease) => a.store.fail(lease, "broken", 0),
      (lease) => a.store.release(lease),
      () => Effect.zipRight(TestClock.adjust(leaseMs), b.store.sweep)
    ]
    for (const end of ends) {
      yield* add(a.store, [{ dedupeKey: "k" }])
      const lease = yield* claimOne(a.store)
      const [next] = yield* add(b.store, [{ dedupeKey: "k" }])
      expect(yield* claim(b.store)).toEqual([])
      yield* end(lease)
      expect(yield* a.store.find(home, [lease.job.id])).toMatchObject([{ status: "cancelled" }])
      const taken = yield* claimOne(b.store)
      expect(taken.job.id).toBe(next?.id)
      yield* b.store.succeed(taken)
    }
  })

  law("puts one of several equal dead jobs back, and none beside an equal that waits", function* (a) {
    for (let round = 0; round < 3; round++) {
      yield* add(a.store, [{ dedupeKey: "k" }])
      yield* a.store.fail(yield* claimOne(a.store), "broken", null)
    }
    const [back, ...more] = yield* a.store.retry(home, "all")
    expect(more).toEqual([])
    expect(yield* statuses(a.store)).toEqual(["queued", "cancelled", "cancelled"])
    yield* a.store.fail(yield* claimOne(a.store), "broken", null)
    const [waiting] = yield* add(a.store, [{ dedupeKey: "k" }])
    expect(yield* a.store.retry(home, back === undefined ? [] : [back.id])).toEqual([waiting])
  })

  law("passes by workspaces whose only job has to wait for its equal", function* (a) {
    const all = [..."cdefgh"].map(workspaceOf)
    for (const workspace of all) yield* add(a.store, [{ dedupeKey: "k" }], workspace)
    expect(yield* claim(a.store, { limit: 6 })).toHaveLength(6)
    for (const workspace of all) yield* add(a.store, [{ dedupeKey: "k" }], workspace)
    // The workspace that was served last comes last in the next round.
    const [free] = yield* add(a.store, [{}], workspaceOf("h"))
    expect((yield* claim(a.store)).map(({ job }) => job.id)).toEqual([free?.id])
    expect(yield* claim(a.store)).toEqual([])
  })
}
