import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { expect } from "vitest"
import type { Lease } from "../../core/platform/jobs/index.js"
import { add, away, claim, claimOne, home, type JobLaw, statuses, workspaceOf } from "./job-store-world.js"

/** Laws of who gets how much: workspaces beside each other, and what comes by itself in each. */
export const shareLaws = (law: JobLaw): void => {
  law("serves another workspace within its turn, whatever the first has queued", function* (a) {
    yield* add(
      a.store,
      Array.from({ length: 2_000 }, () => ({}))
    )
    yield* add(
      a.store,
      Array.from({ length: 10 }, () => ({})),
      away
    )
    const slots = 4
    let [starts, theirs] = [0, 0]
    for (let held: Array<Lease> = []; theirs < 10; ) {
      held = [...held, ...(yield* claim(a.store, { limit: slots - held.length, workspaceMax: 3 }))]
      expect(held).toHaveLength(slots)
      const oldest = held.shift()
      if (oldest === undefined) break
      starts += 1
      if (oldest.job.workspaceId === away) theirs += 1
      yield* a.store.succeed(oldest)
    }
    expect(starts).toBeLessThanOrEqual(10 * slots)
  })

  law("goes round all workspaces that wait before it comes back to the first", function* (a) {
    const all = [..."abcdefghjkmnpq"].map(workspaceOf)
    for (const workspace of all) yield* add(a.store, [{}, {}, {}], workspace)
    const rounds: Array<string> = []
    while (rounds.length < all.length * 3) {
      const leases = yield* claim(a.store, { limit: 3 })
      expect(leases.length).toBeGreaterThan(0)
      for (const lease of leases) {
        rounds.push(lease.job.workspaceId)
        yield* a.store.succeed(lease)
      }
    }
    for (const workspace of all) {
      const place = rounds.indexOf(workspace)
      expect(place).toBeLessThan(all.length)
      expect(rounds.indexOf(workspace, place + 1)).toBeGreaterThanOrEqual(all.length)
    }
  })

  law("gives a lone workspace every slot, and keeps one free of it when others wait", function* (a) {
    yield* add(
      a.store,
      Array.from({ length: 20 }, () => ({}))
    )
    expect(yield* claim(a.store, { limit: 4, workspaceMax: 3 })).toHaveLength(4)
    yield* add(a.store, [{}, {}], away)
    // The first workspace holds four of eight slots and may have six of them.
    const more = yield* claim(a.store, { limit: 4, workspaceMax: 5 })
    expect(more.map(({ job }) => job.workspaceId).sort()).toEqual([home, away, away].sort())
    expect(yield* claim(a.store, { limit: 1, workspaceMax: 5 })).toHaveLength(1)
  })

  law(
    "gives a lone workspace no more than it may hold, and the place beside it to whoever comes",
    function* (a) {
      yield* add(
        a.store,
        Array.from({ length: 20 }, () => ({}))
      )
      const most = { limit: 5, workspaceMax: 3, loneMax: 4 }
      expect(yield* claim(a.store, most)).toHaveLength(4)
      expect(yield* claim(a.store, { ...most, limit: 1 })).toEqual([])
      yield* add(a.store, [{}, {}], away)
      const beside = yield* claim(a.store, { ...most, limit: 1 })
      expect(beside.map(({ job }) => job.workspaceId)).toEqual([away])
    }
  )

  law("makes nobody wait more than a fifth longer for one that floods its own queue", function* (a) {
    const samples = 40
    /** Ninety-fifth of the latencies of one workspace's jobs, in steps: a job comes every nine, and lasts eight. */
    const latency = Effect.gen(function* () {
      const [asked, latencies] = [new Map<string, number>(), [] as number[]]
      let held: Array<{ readonly lease: Lease; readonly until: number }> = []
      for (let step = 0; latencies.length < samples; step++) {
        for (const { lease } of held.filter(({ until }) => until <= step)) {
          yield* a.store.succeed(lease)
          const from = asked.get(lease.job.id)
          if (from !== undefined) latencies.push(step - from)
        }
        held = held.filter(({ until }) => until > step)
        if (step % 9 === 0) {
          const [job] = yield* add(a.store, [{}], away)
          if (job !== undefined) asked.set(job.id, step)
        }
        const room = { limit: 5 - held.length, workspaceMax: 3, loneMax: 4 }
        for (const lease of yield* claim(a.store, room)) held.push({ lease, until: step + 8 })
      }
      for (const { lease } of held) yield* a.store.succeed(lease)
      return latencies.sort((one, other) => one - other)[Math.ceil(samples * 0.95) - 1] ?? Number.NaN
    })
    const alone = yield* latency
    yield* add(
      a.store,
      Array.from({ length: 400 }, () => ({}))
    )
    expect((yield* latency) / alone).toBeLessThanOrEqual(1.2)
  })

  law("asks for what comes by itself once an interval in each workspace, whoever looks", function* (a, b) {
    const [first, second] = [yield* a.workspace, yield* a.workspace]
    const work = [{ kind: "work", everyMs: 60_000 }]
    const looks = Effect.map(
      Effect.forEach([a, b, a, b], ({ store }) => store.recur(work), { concurrency: 4 }),
      (counts) => counts.reduce((sum, count) => sum + count, 0)
    )
    expect(yield* looks).toBe(0)
    yield* TestClock.adjust(59_999)
    expect(yield* looks).toBe(0)
    for (let round = 0; round < 3; round++) {
      // Moments that nobody looked at come once in all.
      yield* TestClock.adjust(round === 1 ? 600_000 : 60_000)
      expect(yield* looks).toBe(2)
      const leases = yield* claim(a.store, { limit: 9 })
      expect(leases.map(({ job }) => job.workspaceId).sort()).toEqual([first, second].sort())
      for (const lease of leases) {
        expect(lease.job.payload).toEqual({ recurring: true })
        yield* b.store.succeed(lease)
      }
      // Finished jobs made room: one job of each workspace is known.
      expect(yield* statuses(a.store, first)).toEqual(["succeeded"])
    }
    yield* TestClock.setTime(0)
    expect(yield* looks).toBe(0)
    yield* TestClock.adjust(60_000)
    expect(yield* looks).toBe(2)
  })

  law("leaves the job that somebody asked for, and doubles none that waits", function* (a) {
    const one = yield* a.workspace
    const work = [{ kind: "work", everyMs: 1_000 }]
    yield* a.store.recur(work)
    const [asked] = yield* add(a.store, [{ dedupeKey: "work" }], one)
    for (let round = 0; round < 2; round++) {
      yield* TestClock.adjust(1_000)
      expect(yield* a.store.recur(work)).toBe(1)
      expect(yield* statuses(a.store, one)).toEqual(["queued"])
    }
    yield* a.store.succeed(yield* claimOne(a.store))
    yield* TestClock.adjust(1_000)
    yield* a.store.recur(work)
    const kept = yield* a.store.find(one, asked === undefined ? [] : [asked.id])
    expect(kept.map(({ status }) => status)).toEqual(["succeeded"])
    expect(yield* statuses(a.store, one)).toEqual(["queued", "succeeded"])
  })
}
