import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, expect, it } from "vitest"
import { JobStore } from "../../core/platform/jobs/index.js"
import { Atomic, type Ids, JobId } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { runEffect } from "./contract-tests.js"
import { equalLaws } from "./job-store-equals.js"
import { leaseLaws } from "./job-store-leases.js"
import { shareLaws } from "./job-store-shares.js"
import {
  add,
  away,
  claim,
  claimOne,
  home,
  type JobLaw,
  only,
  type Store,
  statuses
} from "./job-store-world.js"
import { makeWorkspace } from "./workspace.js"

/**
 * The laws of a job store, each over a fresh and empty database and under the test clock.
 *
 * @param database Makes a database that lasts as long as the scope, and gives a layer that opens it: each build of the
 * layer stands for a process of its own.
 */
export const jobStoreContract = (
  name: string,
  database: Effect.Effect<Layer.Layer<JobStore | Atomic | WorkspaceStore | Ids>, never, Scope>
): void => {
  describe(`JobStore: ${name}`, () => {
    const law: JobLaw = (sentence, proof) =>
      it(sentence, () =>
        runEffect(
          Effect.gen(function* () {
            const layer = yield* database
            const open = Effect.map(Layer.build(layer), (context) => ({
              store: Context.get(context, JobStore),
              atomic: Context.get(context, Atomic),
              workspace: Effect.orDie(Effect.provide(makeWorkspace, context))
            }))
            const [a, b] = [yield* open, yield* open]
            yield* Effect.gen(() => proof(a, b))
          }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext))
        )
      )

    law("rolls an enqueued job back with its unit of work, and keeps a committed one", function* (a, b) {
      yield* Effect.flip(a.atomic.run(Effect.zipRight(add(a.store, [{}]), Effect.fail("no"))))
      expect(yield* claim(b.store)).toEqual([])
      const [job] = yield* a.atomic.run(add(a.store, [{ subjectId: "doc", payload: { deep: [1, "ä"] } }]))
      expect(yield* claim(b.store)).toMatchObject([
        {
          token: 1,
          owner: "one",
          job: { ...job, status: "running", attempt: 1, startedAt: "1970-01-01T00:00:00.000Z" }
        }
      ])
    })

    law("gives each job to one of many takers", function* (a, b) {
      for (const workspace of [home, away])
        yield* add(
          a.store,
          Array.from({ length: 100 }, () => ({})),
          workspace
        )
      const taken = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? a : b)),
        ({ store }, index) => claim(store, { limit: 4, owner: `taker ${index}` }),
        { concurrency: 8 }
      )
      const ids = taken.flat().map(({ job }) => job.id)
      expect([ids.length, new Set(ids).size]).toEqual([200, 200])
    })

    law("takes by priority, then by due moment, and never a kind that was not asked for", function* (a) {
      yield* add(a.store, [
        { subjectId: "2" },
        { subjectId: "3" },
        { subjectId: "1", priority: -1 },
        { kind: "other" }
      ])
      const order = yield* Effect.replicateEffect(
        Effect.map(claim(a.store), ([lease]) => lease?.job.subjectId),
        4
      )
      expect(order).toEqual(["1", "2", "3", undefined])
    })

    law(
      "tells which kinds are due, whether for more than one workspace, and when others will be",
      function* (a) {
        expect(yield* a.store.due).toEqual({ kinds: [], nextMs: Option.none() })
        yield* add(a.store, [{}, {}, { kind: "other" }, { kind: "later", delayMs: 5_000 }])
        yield* add(a.store, [{}, { kind: "other", delayMs: 9_000 }], away)
        const { kinds, nextMs } = yield* a.store.due
        expect(kinds).toEqual([
          { kind: "other", first: home, last: home },
          { kind: "work", first: home, last: away }
        ])
        expect(nextMs).toEqual(Option.some(5_000))
        yield* claim(a.store, { kind: "other" })
        yield* TestClock.adjust(6_000)
        expect(yield* a.store.due).toMatchObject({ kinds: [{ kind: "work" }], nextMs: Option.some(0) })
      }
    )

    law("retries at the moment that was asked, then lets the dead be put back", function* (a, b) {
      yield* add(a.store, [{}])
      expect(yield* a.store.fail(yield* claimOne(a.store), "first", 5_000)).toBe(true)
      expect(yield* b.store.promote).toEqual(Option.some(5_000))
      expect(yield* claim(b.store)).toEqual([])
      yield* TestClock.adjust(5_000)
      expect(yield* b.store.promote).toEqual(Option.none())
      const second = yield* claimOne(b.store)
      expect(second.job).toMatchObject({ attempt: 2, error: "first" })
      expect(yield* b.store.fail(second, "second", null)).toBe(true)
      expect(yield* only(a.store)).toMatchObject({ status: "dead", error: "second" })
      expect(yield* a.store.retry(home, "all")).toMatchObject([
        { status: "queued", attempt: 0, error: "second" }
      ])
      const third = yield* claimOne(a.store)
      expect(third.token).toBeGreaterThan(second.token + 1)
      expect(yield* a.store.succeed(third)).toBe(true)
      expect(yield* only(a.store)).toMatchObject({ status: "succeeded", error: null, attempt: 1 })
    })

    law("shows, counts and puts back nothing of another workspace", function* (a) {
      const [job] = yield* add(a.store, [{ subjectId: "s" }])
      yield* a.store.fail(yield* claimOne(a.store), "broken", null)
      const ids = job === undefined ? [] : [job.id]
      expect(yield* a.store.find(away, ids)).toEqual([])
      expect(yield* a.store.list(away, { limit: 10, offset: 0 }, {})).toEqual({ items: [], total: 0 })
      expect(yield* a.store.retry(away, ids)).toEqual([])
      expect(yield* a.store.retry(away, "all")).toEqual([])
      expect(yield* a.store.depth(away)).toEqual({ waiting: 0, running: 0, dead: 0, oldestQueuedAt: null })
      expect(yield* a.store.newestOpen(away)).toEqual(new Map())
      expect(yield* statuses(a.store)).toEqual(["dead"])
    })

    law("lists newest first through its filters, and counts by kind", function* (a) {
      const jobs = yield* add(a.store, [
        { subjectId: "x" },
        { kind: "other" },
        { subjectId: "y", delayMs: 9 },
        {}
      ])
      yield* claimOne(a.store)
      const list = (filter: Parameters<Store["list"]>[2], offset = 0) =>
        Effect.map(a.store.list(home, { limit: 2, offset }, filter), ({ items, total }) => [
          items.map((item) => jobs.findIndex((job) => job.id === item.id)),
          total
        ])
      expect(yield* list({})).toEqual([[3, 2], 4])
      expect(yield* list({}, 3)).toEqual([[0], 4])
      expect(yield* list({ kind: "work", status: "queued" })).toEqual([[3], 1])
      expect(yield* list({ subjectId: "y" })).toEqual([[2], 1])
      expect(yield* list({ status: "running" })).toEqual([[0], 1])
      expect(yield* a.store.depth(home)).toEqual({
        waiting: 3,
        running: 1,
        dead: 0,
        oldestQueuedAt: "1970-01-01T00:00:00.000Z"
      })
      expect(yield* a.store.depth(home, ["other"])).toMatchObject({ waiting: 1, running: 0 })
      expect(yield* a.store.depth(home, ["work"], jobs[2]?.id)).toMatchObject({ waiting: 1, running: 1 })
      expect(yield* a.store.depth(home, undefined, jobs[0]?.id)).toMatchObject({ waiting: 0, running: 1 })
      const [, other, , newest] = jobs.map(({ id }) => id)
      expect(yield* a.store.newestOpen(home)).toEqual(
        new Map([
          ["work", newest],
          ["other", other]
        ])
      )
      expect(yield* a.store.newestOpen(home, ["other", "none"])).toEqual(new Map([["other", other]]))
      expect(yield* a.store.find(home, [JobId.parse(`job_01${"a".repeat(24)}`)])).toEqual([])
    })

    law(
      "takes a census of all workspaces: what waits, runs or is dead, by kind, with the oldest",
      function* (a) {
        expect(yield* a.store.census).toEqual([])
        yield* add(a.store, [{}, { kind: "other" }, {}, {}, { kind: "other", delayMs: 60_000 }])
        yield* a.store.succeed(yield* claimOne(a.store))
        yield* a.store.fail(yield* claimOne(a.store), "broken", null)
        yield* TestClock.adjust(5_000)
        yield* add(a.store, [{}], away)
        const start = "1970-01-01T00:00:00.000Z"
        const byKind = (yield* a.store.census).map(
          ({ jobs, kind, oldestAt, status }) => `${kind} ${status} ${jobs} ${oldestAt}`
        )
        expect(byKind.sort()).toEqual([
          `other queued 1 ${start}`,
          `other scheduled 1 ${start}`,
          `work dead 1 ${start}`,
          `work queued 2 ${start}`
        ])
      }
    )

    law("prunes only what is over, and no more than asked", function* (a) {
      yield* add(a.store, [{}, {}, {}, {}, { delayMs: 1 }, {}])
      yield* a.store.succeed(yield* claimOne(a.store))
      yield* a.store.succeed(yield* claimOne(a.store))
      yield* a.store.fail(yield* claimOne(a.store), "broken", null)
      yield* claimOne(a.store)
      yield* TestClock.adjust(1_000)
      const [long, later] = ["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z"]
      expect(yield* a.store.prune({ succeeded: long, dead: long }, 10)).toBe(0)
      expect(yield* a.store.prune({ succeeded: later, dead: long }, 1)).toBe(1)
      expect(yield* a.store.prune({ succeeded: later, dead: long }, 10)).toBe(1)
      expect(yield* a.store.prune({ succeeded: later, dead: later }, 10)).toBe(1)
      expect(yield* statuses(a.store)).toEqual(["queued", "scheduled", "running"])
    })

    law(
      "wakes those who claim when there is more to claim, also by the end of a job's equal",
      function* (a, b) {
        const due = yield* a.store.watchDue
        yield* add(b.store, [{ dedupeKey: "k" }])
        const lease = yield* claimOne(b.store)
        yield* TestClock.adjust(1_000)
        yield* due
        yield* add(b.store, [{ dedupeKey: "k" }])
        yield* TestClock.adjust(1_000)
        yield* due
        const waiting = yield* Effect.fork(due)
        yield* b.store.succeed(lease)
        yield* TestClock.adjust(1_000)
        yield* Fiber.join(waiting)
      }
    )

    law(
      "wakes who watches: for a change before the wait, during it, and in another process",
      function* (a, b) {
        const changed = yield* a.store.watch
        yield* add(a.store, [{}, {}])
        yield* changed
        /** Somebody who waits. One may be woken for nothing, as when it is only now heard what others say, but not always. */
        const stillWaiting = Effect.gen(function* () {
          for (let woken = 0; woken < 5; woken += 1) {
            const waiting = yield* Effect.fork(changed)
            yield* TestClock.adjust(1_000)
            if (Option.isNone(yield* Fiber.poll(waiting))) return waiting
          }
          return yield* Effect.dieMessage("Whoever waits is woken though nothing changes.")
        })
        for (const { store } of [a, b]) {
          const waiting = yield* stillWaiting
          yield* add(store, [{}])
          yield* TestClock.adjust(1_000)
          yield* Fiber.join(waiting)
        }
      }
    )

    leaseLaws(law)
    equalLaws(law)
    shareLaws(law)
  })
}
