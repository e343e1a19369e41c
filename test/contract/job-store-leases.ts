import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { expect } from "vitest"
import type { Lease } from "../../core/platform/jobs/index.js"
import { scopeOf } from "../../core/platform/kernel/index.js"
import {
  add,
  away,
  claim,
  claimOne,
  home,
  type JobLaw,
  leaseMs,
  only,
  type Store
} from "./job-store-world.js"

/** Contract tests of leases: what they allow their holder, and what they refuse once they are lost. */
export const leaseLaws = (law: JobLaw): void => {
  law("takes a lease back when it ends, raises the token, and refuses every late write", function* (a, b) {
    yield* add(a.store, [{}])
    const old = yield* claimOne(a.store)
    yield* TestClock.adjust(leaseMs - 1)
    expect(yield* b.store.sweep).toBe(0)
    expect(yield* claim(b.store)).toEqual([])
    yield* TestClock.adjust(1)
    expect(yield* b.store.sweep).toBe(1)
    expect(yield* lateWrites(a.store, old)).toEqual(Array(6).fill(false))
    const fresh = yield* claimOne(b.store, { owner: "two" })
    expect([fresh.token, fresh.job.attempt]).toEqual([old.token + 1, 2])
    expect(yield* lateWrites(a.store, old)).toEqual(Array(6).fill(false))
    expect(yield* only(a.store)).toMatchObject({ status: "running", progress: null })
    expect(yield* b.store.fence(fresh, leaseMs)).toBe(true)
  })

  law(
    "extends a lease by each unit of work of its holder, however late its heartbeats are",
    function* (a, b) {
      yield* add(a.store, [{}])
      const lease = yield* claimOne(a.store)
      for (let unit = 0; unit < 3; unit += 1) {
        yield* TestClock.adjust(leaseMs - 1)
        expect(yield* a.atomic.run(a.store.fence(lease, leaseMs))).toBe(true)
      }
      yield* TestClock.adjust(leaseMs - 1)
      expect(yield* b.store.sweep).toBe(0)
      yield* TestClock.adjust(1)
      expect(yield* b.store.sweep).toBe(1)
    }
  )

  law("takes back what was leased or put off by a clock that was set back by days since", function* (a, b) {
    // As a clock that was a year ahead left it.
    const yearMs = 365 * 24 * 3_600_000
    const [leased, later] = yield* add(a.store, [{ kind: "leased" }, { kind: "later", delayMs: yearMs }])
    yield* claimOne(a.store, { kind: "leased", leaseMs: yearMs })
    expect(yield* b.store.sweep).toBe(1)
    const { items } = yield* b.store.list(home, { limit: 9, offset: 0 }, { status: "queued" })
    expect(items.map(({ id }) => id).sort()).toEqual([leased?.id, later?.id].sort())
  })

  law("keeps a lease as long as it is prolonged, and stores its progress", function* (a, b) {
    yield* add(a.store, [{}, {}])
    const leases = yield* claim(a.store, { limit: 2 })
    const progress = { done: 1, total: 2, note: "half" }
    for (let beat = 0; beat < 9; beat++) {
      yield* TestClock.adjust(leaseMs / 3)
      const beats = leases.map((lease, index) => ({ lease, progress: index === 0 ? progress : null }))
      expect(yield* a.store.beat(beats, leaseMs)).toHaveLength(2)
      expect(yield* b.store.sweep).toBe(0)
    }
    const { items } = yield* b.store.list(home, { limit: 9, offset: 0 }, { status: "running" })
    expect(items.map((job) => job.progress)).toEqual([null, progress])
  })

  law("keeps how far a job came at last, and what it told before when it says no more", function* (a) {
    yield* add(a.store, [{}, {}])
    const [one, other] = yield* claim(a.store, { limit: 2 })
    if (one === undefined || other === undefined) return yield* Effect.die("Two jobs were to be taken.")
    const [half, whole] = [
      { done: 1, total: 2, note: "half" },
      { done: 2, total: 2, note: "whole" }
    ]
    yield* a.store.beat(
      [one, other].map((lease) => ({ lease, progress: half })),
      leaseMs
    )
    yield* a.store.succeed(one, whole)
    yield* a.store.succeed(other)
    const found = yield* a.store.find(home, [one.job.id, other.job.id])
    const progress = new Map(found.map((job) => [job.id, job.progress]))
    expect([progress.get(one.job.id), progress.get(other.job.id)]).toEqual([whole, half])
  })

  law("lets a finished job rest", function* (a, b) {
    yield* add(a.store, [{}])
    const lease = yield* claimOne(a.store)
    expect(yield* a.store.succeed(lease)).toBe(true)
    expect(yield* lateWrites(b.store, lease)).toEqual(Array(6).fill(false))
    yield* TestClock.adjust(leaseMs * 2)
    expect(yield* b.store.sweep).toBe(0)
    expect(yield* only(b.store)).toMatchObject({
      status: "succeeded",
      finishedAt: "1970-01-01T00:00:00.000Z"
    })
  })

  law("stores ends that come together, each for itself: of a lost lease nothing", function* (a, b) {
    for (const workspace of [home, away]) yield* add(a.store, [{}, {}, {}], workspace)
    const leases = yield* claim(a.store, { limit: 6 })
    const [lost, ...held] = leases
    if (lost === undefined) return yield* Effect.die("Jobs were to be taken.")
    yield* b.store.release(lost)
    const fresh = yield* claim(b.store, { limit: 6, owner: "two" })
    expect(fresh.map(({ job }) => job.id)).toEqual([lost.job.id])
    const done = { done: 1, total: 1, note: "last" }
    const ended = yield* Effect.forEach([lost, ...held], (lease) => a.store.succeed(lease, done), {
      concurrency: "unbounded"
    })
    expect(ended).toEqual([false, ...held.map(() => true)])
    const [first] = yield* b.store.find(scopeOf(lost.job.workspaceId), [lost.job.id])
    expect(first).toMatchObject({ status: "running", progress: null })
    const rest = yield* Effect.forEach(held, ({ job }) => b.store.find(scopeOf(job.workspaceId), [job.id]))
    expect(rest.flat().map(({ progress, status }) => [status, progress])).toEqual(
      held.map(() => ["succeeded", done])
    )
  })

  law("ends a job with the unit of work that it ends in, or not at all", function* (a) {
    yield* add(a.store, [{}])
    const lease = yield* claimOne(a.store)
    yield* Effect.flip(a.atomic.run(Effect.zipRight(a.store.succeed(lease), Effect.fail("no"))))
    expect((yield* only(a.store)).status).toBe("running")
    expect(yield* a.atomic.run(a.store.succeed(lease))).toBe(true)
    expect((yield* only(a.store)).status).toBe("succeeded")
  })

  law("lets a job die that was lost as often as it may be tried", function* (a) {
    yield* add(a.store, [{ maxAttempts: 2 }])
    for (const expected of ["queued", "dead"]) {
      yield* claimOne(a.store, { maxAttempts: 9 })
      yield* TestClock.adjust(leaseMs)
      expect(yield* a.store.sweep).toBe(1)
      expect((yield* only(a.store)).status).toBe(expected)
    }
  })

  law("lets a job die that was lost three times in a row, before it runs again", function* (a, b) {
    yield* add(a.store, [{ maxAttempts: 20 }])
    const lose = Effect.gen(function* () {
      yield* claimOne(a.store)
      yield* TestClock.adjust(leaseMs)
      expect(yield* b.store.sweep).toBe(1)
      return (yield* only(a.store)).status
    })
    expect([yield* lose, yield* lose]).toEqual(["queued", "queued"])
    // An attempt that ends in order begins the count anew.
    yield* a.store.fail(yield* claimOne(a.store), "failed", 0)
    expect([yield* lose, yield* lose]).toEqual(["queued", "queued"])
    yield* a.store.release(yield* claimOne(a.store))
    expect([yield* lose, yield* lose, yield* lose]).toEqual(["queued", "queued", "dead"])
    expect((yield* only(a.store)).error).toContain("ended during it 3 times")
    yield* a.store.retry(home, "all")
    expect([yield* lose, yield* lose, yield* lose]).toEqual(["queued", "queued", "dead"])
  })

  law("counts no attempt that was handed back", function* (a) {
    yield* add(a.store, [{}])
    for (let round = 0; round < 3; round++) {
      const lease = yield* claimOne(a.store)
      expect([lease.job.attempt, lease.token]).toEqual([1, round + 1])
      expect(yield* a.store.release(lease)).toBe(true)
    }
    expect(yield* only(a.store)).toMatchObject({ status: "queued", attempt: 0 })
  })
}

/** All that a holder can try; each of them must be refused to one that was replaced. */
const lateWrites = (store: Store, lease: Lease) =>
  Effect.all([
    Effect.map(
      store.beat([{ lease, progress: { done: 9, total: 9, note: "late" } }], leaseMs),
      (kept) => kept.length > 0
    ),
    store.fence(lease, leaseMs),
    store.succeed(lease),
    store.fail(lease, "late", 0),
    store.fail(lease, "late", null),
    store.release(lease)
  ])
