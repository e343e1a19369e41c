import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { describe, expect, it } from "vitest"
import { JobFailed, JobStore, retryJobs, startWorker } from "../../../../core/platform/jobs/index.js"
import { Caller } from "../../../../core/platform/kernel/index.js"
import {
  addJobs as add,
  jobsOf as jobs,
  proof,
  seconds,
  settle,
  startFor as start
} from "../../../support/job-proof.js"
import { asCaller, makeWorkspace } from "../../../support/run.js"

describe("the worker", () => {
  it(
    "does a job that is there, and one that comes later, as the system in its workspace",
    proof(function* (workspace) {
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

  it(
    "tries again with growing waits, then lets the job die, and does it when it is put back",
    proof(function* (workspace) {
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

  it(
    "lets a job die at once when another try would be in vain",
    proof(function* (workspace) {
      yield* add(workspace, {})
      yield* start(() => new JobFailed({ message: `bad ${"x".repeat(9000)}`, retryable: false }))
      yield* settle
      const [job] = yield* jobs(workspace)
      expect([job?.status, job?.attempt, job?.error?.length]).toEqual(["dead", 1, 500])
    })
  )

  it(
    "takes a defect for a failure, whose text is in the log and not in the job",
    proof(function* (workspace) {
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

  it(
    "counts a handler that interrupts itself as failed",
    proof(function* (workspace) {
      yield* add(workspace, { maxAttempts: 2 })
      yield* start(() => Effect.interrupt)
      yield* TestClock.adjust("5 seconds")
      expect(yield* jobs(workspace)).toMatchObject([{ status: "dead", attempt: 2 }])
    })
  )

  it(
    "hands its jobs back on shutdown without counting, and another worker does them",
    proof(function* (workspace) {
      let stubborn = 0
      yield* add(workspace, {}, {})
      const scope = yield* Scope.make()
      const first = start((_job) => (stubborn++ === 0 ? Effect.uninterruptible(Effect.never) : Effect.never))
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

  it(
    "runs no more of a kind at once than it has slots, and keeps the slots of kinds apart",
    proof(function* (workspace) {
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

  it(
    "lets a workspace with few jobs pass one with many",
    proof(function* (workspace) {
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

  it(
    "takes over what a worker held that never came back",
    proof(function* (workspace) {
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

  it(
    "goes on when the queue fails for a while, reconciles each minute and prunes what is old",
    proof(function* (workspace) {
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
})

const request = { kind: "work", limit: 10, workspaceMax: 10, maxAttempts: 5, owner: "", leaseMs: 30_000 }
