import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { describe, expect, it } from "vitest"
import { type Handler, JobStore } from "../../../../core/platform/jobs/index.js"
import { atomically, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import {
  addJobs as add,
  jobsOf as jobs,
  proof,
  seconds,
  settle,
  startFor as start
} from "../../../support/job-proof.js"

describe("the lease of a job", () => {
  it(
    "keeps a handler that is longer than many leases the only one, and stores its progress",
    proof(function* (workspace) {
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

  it(
    "stops a handler whose lease was lost, and stores nothing of it",
    proof(function* (workspace) {
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

  it(
    "rolls back what a handler writes after its lease was lost, in plain units of work too",
    proof(function* (workspace) {
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

  it(
    "stops its jobs by itself when no heartbeat gets through",
    proof(function* (workspace) {
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

  it(
    "keeps a job that ends its units of work while no heartbeat gets through",
    proof(function* (workspace) {
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

  it(
    "counts a heartbeat that gets through late",
    proof(function* (workspace) {
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

  it(
    "keeps its job when the process stood still for longer than the lease",
    proof(function* (workspace) {
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
})

const request = { kind: "work", limit: 10, workspaceMax: 10, maxAttempts: 5, owner: "", leaseMs: 30_000 }

/** Hands the running jobs back behind their holder's back, as a sweep does when the holder is too late. */
const takeAway = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    for (const job of yield* jobs(workspace)) yield* store.release({ job, owner: "here", token: 1 })
  })
