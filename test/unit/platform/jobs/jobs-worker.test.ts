import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { describe, expect, it } from "vitest"
import {
  type Handler,
  JobFailed,
  JobStore,
  retryJobs,
  startWorker
} from "../../../../core/platform/jobs/index.js"
import { atomically, Caller, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import {
  addJobs as add,
  jobsOf as jobs,
  proof,
  settle,
  startFor as start
} from "../../../support/job-proof.js"
import { asCaller, makeWorkspace } from "../../../support/run.js"

const seconds = Effect.map(
  Effect.clockWith((clock) => clock.currentTimeMillis),
  (millis) => millis / 1000
)

describe("the worker", () => {
  it(
    "does a job that is there, and one that comes later, as the system in its workspace",
    proof((workspace) =>
      Effect.gen(function* () {
        const seen: Array<unknown> = []
        yield* add(workspace, { payload: { n: 1 } })
        yield* start((job) =>
          Effect.map(Caller, (caller) => void seen.push([job.payload, caller.workspace, caller.actor]))
        )
        yield* settle
        yield* add(workspace, { payload: { n: 2 } })
        yield* settle
        expect(seen).toEqual([1, 2].map((n) => [{ n }, workspace, "system"]))
        expect((yield* jobs(workspace)).map((job) => job.status)).toEqual(["succeeded", "succeeded"])
      })
    )
  )

  it(
    "tries again with growing waits, then lets the job die, and does it when it is put back",
    proof((workspace) =>
      Effect.gen(function* () {
        const tries: Array<number> = []
        let broken = true
        yield* add(workspace, { maxAttempts: 4 })
        yield* start(() =>
          Effect.zipRight(
            Effect.map(seconds, (at) => void tries.push(at)),
            Effect.suspend(() =>
              broken ? new JobFailed({ message: "no answer", retryable: true }) : Effect.void
            )
          )
        )
        yield* TestClock.adjust("10 seconds")
        // Half of 1, 2 and 4 seconds after the try before.
        expect(tries).toEqual([0, 0.5, 1.5, 3.5])
        const [dead] = yield* jobs(workspace)
        expect(dead).toMatchObject({ status: "dead", attempt: 4, error: "no answer" })
        broken = false
        if (dead === undefined) throw new RangeError("No job has died.")
        const again = yield* asCaller(workspace)(retryJobs([dead.id]))
        expect(again).toMatchObject([{ id: dead.id, kind: "work", subjectId: null }])
        yield* settle
        expect(yield* jobs(workspace)).toMatchObject([{ status: "succeeded", attempt: 1, error: null }])
      })
    )
  )

  it(
    "lets a job die at once when another try would be in vain",
    proof((workspace) =>
      Effect.gen(function* () {
        yield* add(workspace, {})
        yield* start(() => new JobFailed({ message: `bad ${"x".repeat(9000)}`, retryable: false }))
        yield* settle
        const [job] = yield* jobs(workspace)
        expect([job?.status, job?.attempt, job?.error?.length]).toEqual(["dead", 1, 500])
      })
    )
  )

  it(
    "takes a defect for a failure, whose text is in the log and not in the job",
    proof((workspace) =>
      Effect.gen(function* () {
        const defects = [
          new TypeError("key sk-123"),
          "key sk-123",
          Object.assign(new Error("sk-123"), { name: "sk-123" })
        ]
        yield* add(workspace, ...defects.map((_, index) => ({ maxAttempts: 1, payload: { index } })))
        const logged: Array<string> = []
        const logger = Logger.make(({ cause }) => void logged.push(Cause.pretty(cause)))
        yield* Effect.provide(
          start((job) => Effect.die(defects[Number(job.payload["index"])])),
          Logger.add(logger)
        )
        yield* settle
        expect(logged.join()).toContain("TypeError: key sk-123")
        const errors = (yield* jobs(workspace)).map((job) => job.error)
        expect(errors.join()).not.toContain("sk-123")
        expect(errors[2]).toContain("TypeError")
        expect((yield* jobs(workspace)).map((job) => job.status)).toEqual(["dead", "dead", "dead"])
      })
    )
  )

  it(
    "counts a handler that interrupts itself as failed",
    proof((workspace) =>
      Effect.gen(function* () {
        yield* add(workspace, { maxAttempts: 2 })
        yield* start(() => Effect.interrupt)
        yield* TestClock.adjust("5 seconds")
        expect(yield* jobs(workspace)).toMatchObject([{ status: "dead", attempt: 2 }])
      })
    )
  )

  it(
    "keeps a handler that is longer than many leases the only one, and stores its progress",
    proof((workspace) =>
      Effect.gen(function* () {
        let [starts, ends] = [0, 0]
        yield* add(workspace, {})
        const run: Handler["run"] = (_job, { progress }) =>
          Effect.gen(function* () {
            starts += 1
            for (let done = 0; done < 70; done++) {
              yield* progress({ done, total: 70, note: "minutes" })
              yield* Effect.sleep("1 second")
            }
            ends += 1
          })
        yield* start(run)
        yield* start(run, {}, { owner: "there" })
        yield* TestClock.adjust("65 seconds")
        const [job] = yield* jobs(workspace)
        expect(job?.status).toBe("running")
        expect(job?.progress?.done).toBeGreaterThan(60)
        yield* TestClock.adjust("10 seconds")
        expect([starts, ends]).toEqual([1, 1])
        expect(yield* jobs(workspace)).toMatchObject([{ status: "succeeded", attempt: 1 }])
      })
    )
  )

  it(
    "stops a handler whose lease was lost, and stores nothing of it",
    proof((workspace) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        const stopped = yield* Deferred.make<void>()
        yield* add(workspace, {})
        yield* start(() => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined)))
        yield* settle
        yield* takeAway(workspace)
        const [stolen] = yield* store.claim({ ...request, owner: "thief" })
        yield* TestClock.adjust("15 seconds")
        yield* Deferred.await(stopped)
        expect(yield* jobs(workspace)).toMatchObject([
          { status: "running", attempt: stolen?.job.attempt, error: null }
        ])
      })
    )
  )

  it(
    "rolls back what a handler writes after its lease was lost, in plain units of work too",
    proof((workspace) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        const counters = yield* WorkspaceStore
        const go = yield* Deferred.make<void>()
        const write = counters.advance(workspace, "written", 1)
        yield* add(workspace, { payload: { fenced: true } }, {})
        yield* start((job, { fenced }) =>
          Effect.gen(function* () {
            yield* atomically(write)
            yield* Deferred.await(go)
            yield* job.payload["fenced"] === true ? fenced(write) : atomically(atomically(write))
          })
        )
        yield* settle
        yield* takeAway(workspace)
        yield* store.claim({ ...request, owner: "thief" })
        yield* Deferred.succeed(go, undefined)
        yield* settle
        // Each of the two wrote once while its job was its own.
        expect(yield* counters.advance(workspace, "written", 0)).toBe(2)
        expect((yield* jobs(workspace)).map((job) => job.status)).toEqual(["running", "running"])
      })
    )
  )

  it(
    "stops its jobs by itself when no heartbeat gets through",
    proof((workspace) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        const stoppedAt = yield* Deferred.make<number>()
        yield* add(workspace, {})
        const deaf = { ...store, beat: () => Effect.dieMessage("The database does not answer.") }
        yield* Effect.provideService(
          start(() =>
            Effect.onInterrupt(Effect.never, () =>
              Effect.flatMap(seconds, (at) => Deferred.succeed(stoppedAt, at))
            )
          ),
          JobStore,
          deaf
        )
        yield* TestClock.adjust("29 seconds")
        expect(yield* Deferred.await(stoppedAt)).toBe(20)
        expect(yield* jobs(workspace)).toMatchObject([{ status: "running", attempt: 1 }])
      })
    )
  )

  it(
    "keeps a job that ends its units of work while no heartbeat gets through",
    proof((workspace) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        yield* add(workspace, {})
        const deaf = { ...store, beat: () => Effect.dieMessage("The database does not answer.") }
        // The last unit is longer than a lease, and as long again until the job is over.
        const run: Handler["run"] = (_job, { fenced }) =>
          Effect.gen(function* () {
            for (let unit = 0; unit < 8; unit += 1)
              yield* Effect.zipRight(Effect.sleep("9 seconds"), fenced(Effect.sleep("1 second")))
            yield* fenced(Effect.sleep("45 seconds"))
            yield* Effect.sleep("15 seconds")
          })
        yield* Effect.provideService(start(run), JobStore, deaf)
        yield* start(run, {}, { owner: "there" })
        yield* TestClock.adjust("141 seconds")
        expect(yield* jobs(workspace)).toMatchObject([{ status: "succeeded", attempt: 1 }])
      })
    )
  )

  it(
    "counts a heartbeat that gets through late",
    proof((workspace) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        yield* add(workspace, {})
        const slow: typeof store = {
          ...store,
          beat: (...given) => Effect.delay(store.beat(...given), "9 seconds")
        }
        yield* Effect.provideService(
          start(() => Effect.sleep("100 seconds")),
          JobStore,
          slow
        )
        yield* TestClock.adjust("101 seconds")
        expect(yield* jobs(workspace)).toMatchObject([{ status: "succeeded", attempt: 1 }])
      })
    )
  )

  it(
    "keeps its job when the process stood still for longer than the lease",
    proof((workspace) =>
      Effect.gen(function* () {
        let starts = 0
        yield* add(workspace, {})
        const run = Effect.gen(function* () {
          starts += 1
          // Begins with the sweep, before the next heartbeat.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
          yield* Effect.sleep("1500 millis")
        })
        const times = { leaseMs: 400, beatMs: 100, giveUpMs: 200, sweepMs: 50 }
        yield* Effect.withClock(
          Effect.zipRight(
            start(() => run, {}, times),
            Effect.sleep("2500 millis")
          ),
          Clock.make()
        )
        expect(starts).toBe(1)
        expect(yield* jobs(workspace)).toMatchObject([{ status: "succeeded", attempt: 1 }])
      })
    )
  )

  it(
    "hands its jobs back on shutdown without counting, and another worker does them",
    proof((workspace) =>
      Effect.gen(function* () {
        let stubborn = 0
        yield* add(workspace, {}, {})
        const scope = yield* Scope.make()
        const first = start((_job) =>
          stubborn++ === 0 ? Effect.uninterruptible(Effect.never) : Effect.never
        )
        yield* Scope.extend(first, scope)
        yield* settle
        expect((yield* jobs(workspace)).map((job) => job.status)).toEqual(["running", "running"])
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        // One handler does not stop: after the time of grace its job is handed back all the same.
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(closing)
        expect(yield* jobs(workspace)).toMatchObject([
          { status: "queued", attempt: 0 },
          { status: "queued", attempt: 0 }
        ])
        yield* start(() => Effect.void, {}, { owner: "there" })
        yield* settle
        expect((yield* jobs(workspace)).map((job) => job.status)).toEqual(["succeeded", "succeeded"])
      })
    )
  )

  it(
    "runs no more of a kind at once than it has slots, and keeps the slots of kinds apart",
    proof((workspace) =>
      Effect.gen(function* () {
        let [now, most, others] = [0, 0, 0]
        yield* add(workspace, ...Array.from({ length: 9 }, () => ({})))
        const busy = Effect.acquireUseRelease(
          Effect.sync(() => {
            now += 1
            most = Math.max(most, now)
          }),
          () => Effect.sleep("1 second"),
          () =>
            Effect.sync(() => {
              now -= 1
            })
        )
        yield* startWorker(
          [
            { kind: "work", slots: 3, run: () => busy },
            {
              kind: "quick",
              slots: 1,
              run: () =>
                Effect.sync(() => {
                  others += 1
                })
            }
          ],
          { owner: "here" }
        )
        yield* settle
        yield* add(workspace, { kind: "quick" })
        yield* settle
        expect([most, others]).toEqual([3, 1])
        yield* TestClock.adjust("3 seconds")
        expect((yield* jobs(workspace)).filter((job) => job.status === "succeeded")).toHaveLength(10)
        expect(most).toBe(3)
      })
    )
  )

  it(
    "lets a workspace with few jobs pass one with many",
    proof((workspace) =>
      Effect.gen(function* () {
        const other = yield* makeWorkspace("other")
        const order: Array<string> = []
        yield* add(workspace, ...Array.from({ length: 60 }, () => ({})))
        yield* add(other, {}, {}, {})
        yield* start((job) =>
          Effect.zipRight(
            Effect.sleep("1 second"),
            Effect.sync(() => void order.push(job.workspaceId))
          )
        )
        yield* TestClock.adjust("32 seconds")
        expect(order).toHaveLength(63)
        expect(order.lastIndexOf(other)).toBeLessThan(8)
      })
    )
  )

  it(
    "takes over what a worker held that never came back",
    proof((workspace) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        let attempt = 0
        yield* add(workspace, {})
        yield* store.claim({ ...request, owner: "gone" })
        yield* start((job) =>
          Effect.sync(() => {
            attempt = job.attempt
          })
        )
        yield* TestClock.adjust("29 seconds")
        expect(attempt).toBe(0)
        yield* TestClock.adjust("6 seconds")
        expect(attempt).toBe(2)
      })
    )
  )

  it(
    "goes on when the queue fails for a while, reconciles each minute and prunes what is old",
    proof((workspace) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        let [broken, rounds] = [true, 0]
        const flaky = <A>(effect: Effect.Effect<A>) =>
          Effect.suspend(() => (broken ? Effect.dieMessage("no database") : effect))
        const shaky = {
          ...store,
          promote: flaky(store.promote),
          sweep: flaky(store.sweep),
          claim: (request: Parameters<typeof store.claim>[0]) => flaky(store.claim(request))
        }
        const reconcile = Effect.sync(() => {
          rounds += 1
        })
        yield* add(workspace, {})
        yield* Effect.provideService(
          start(() => Effect.void, {}, { reconcile, keepSucceededMs: 120_000 }),
          JobStore,
          shaky
        )
        yield* TestClock.adjust("5 seconds")
        broken = false
        yield* TestClock.adjust("2 seconds")
        expect(yield* jobs(workspace)).toMatchObject([{ status: "succeeded" }])
        yield* TestClock.adjust("3 minutes")
        expect(rounds).toBe(4)
        expect(yield* jobs(workspace)).toEqual([])
      })
    )
  )
})

const request = { kind: "work", limit: 10, workspaceMax: 10, maxAttempts: 5, owner: "", leaseMs: 30_000 }

/** Hands the running jobs back behind their holder's back, as a sweep does when the holder is too late. */
const takeAway = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    for (const job of yield* jobs(workspace)) yield* store.release({ job, owner: "here", token: 1 })
  })
