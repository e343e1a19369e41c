import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  announce,
  backoffMs,
  drain,
  type Job,
  JobFailed,
  Listeners,
  listJobs,
  retryJobs
} from "../../../../core/platform/jobs/index.js"
import { Atomic, JobId, runOperation } from "../../../../core/platform/kernel/index.js"
import {
  addJobs as add,
  jobsOf as jobs,
  proof,
  settle,
  startFor as start
} from "../../../support/job-proof.js"
import { asCaller, makeWorkspace } from "../../../support/run.js"

describe("waiting for the queue", () => {
  it(
    "ends when all is done, tells of each change, and gives what died meanwhile",
    proof(function* (workspace) {
      const other = yield* makeWorkspace("other")
      const left: Array<number> = []
      yield* add(workspace, { subjectId: "good" }, { subjectId: "bad" }, { kind: "ignored" })
      yield* add(other, { delayMs: 600_000 })
      yield* start((job) =>
        Effect.zipRight(
          Effect.sleep("1 second"),
          job.subjectId === "bad" ? new JobFailed({ message: "no", retryable: false }) : Effect.void
        )
      )
      const onChange = ({ running, waiting }: { running: number; waiting: number }) =>
        Effect.sync(() => void left.push(running + waiting))
      const waiting = yield* Effect.fork(drain(workspace, { kinds: ["work"], onChange }))
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(waiting)).toMatchObject([{ subjectId: "bad", status: "dead", error: "no" }])
      expect(left[0]).toBe(2)
      expect(yield* drain(workspace, { kinds: ["none"] })).toEqual([])
    })
  )

  it(
    "ends with what waited and what that led to, beside those who never stop asking for more",
    proof(function* (workspace) {
      const ended: Array<string> = []
      const run = ({ subjectId }: Job) =>
        Effect.gen(function* () {
          yield* Effect.sleep("1 second")
          if (subjectId === "mine") yield* add(workspace, { kind: "next", subjectId: "led to" })
          if (subjectId !== null) ended.push(subjectId)
        })
      yield* start(run)
      yield* start(run, { kind: "next" }, { owner: "there" })
      yield* add(workspace, { subjectId: "mine" })
      const more = add(workspace, {}, { kind: "next" })
      yield* Effect.fork(Effect.forever(Effect.zipRight(more, Effect.sleep("500 millis"))))
      const waiting = yield* Effect.fork(drain(workspace, { leadsTo: { work: ["next"] } }))
      yield* TestClock.adjust("1500 millis")
      expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "Some" })
      expect(ended).toEqual(["mine", "led to"])
    })
  )
})

describe("announcements", () => {
  it(
    "owe each listener one waiting job, in the unit of work that tells",
    proof(function* (workspace) {
      const told = (subjectId: string) =>
        announce("changed", { at: subjectId }, { subjectId: subjectId }).pipe(
          asCaller(workspace),
          Effect.provideService(Listeners, {
            changed: [
              { kind: "follow", dedupe: "workspace" },
              { kind: "each", dedupe: "subject", delayMs: 50, priority: 1 },
              { kind: "all", dedupe: "none" }
            ]
          })
        )
      const atomic = yield* Atomic
      yield* Effect.flip(atomic.run(Effect.zipRight(told("x"), Effect.fail("no"))))
      expect(yield* jobs(workspace)).toEqual([])
      for (const subject of ["x", "y", "x"]) yield* told(subject)
      const count = (kind: string) =>
        Effect.map(jobs(workspace), (all) => all.filter((job) => job.kind === kind))
      expect(
        [yield* count("follow"), yield* count("each"), yield* count("all")].map((all) => all.length)
      ).toEqual([1, 2, 3])
      expect((yield* count("each"))[1]).toMatchObject({ subjectId: "x", payload: { at: "x" }, priority: 1 })
      expect(yield* announce("unheard", {}).pipe(asCaller(workspace))).toEqual([])
    })
  )
})

describe("the operations on jobs", () => {
  it(
    "list with the depth of the queue, clamp the page and put nothing back that is not dead",
    proof(function* (workspace) {
      const here = asCaller(workspace)
      const [first, second] = yield* add(workspace, {}, { delayMs: 1_000, subjectId: "s" })
      const page = yield* here(runOperation(listJobs, { limit: 1000 }))
      expect(listJobs.output.parse(page)).toMatchObject({
        total: 2,
        queueDepth: 2,
        oldestQueuedAt: "1970-01-01T00:00:00.000Z",
        items: [{ id: second?.id, nextAttemptAt: "1970-01-01T00:00:01.000Z" }, { id: first?.id }]
      })
      if (first === undefined) throw new RangeError("No job was made.")
      const again = (ids: ReadonlyArray<JobId> | "all") => here(retryJobs(ids))
      expect(yield* again([first.id, first.id])).toHaveLength(1)
      expect(yield* again("all")).toEqual([])
      const unknown = JobId.parse(`job_01${"a".repeat(24)}`)
      expect(yield* Effect.flip(again([unknown]))).toMatchObject({ _tag: "NotFound" })
      yield* start(() => Effect.void)
      yield* settle
      expect(yield* Effect.flip(again([first.id]))).toMatchObject({
        _tag: "InvalidTransition",
        from: "succeeded"
      })
      const other = yield* makeWorkspace("other")
      expect(yield* Effect.flip(asCaller(other)(retryJobs([first.id])))).toMatchObject({ _tag: "NotFound" })
    })
  )
})

describe("the wait before a retry", () => {
  it("lies between nothing and a ceiling that doubles up to an hour", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, chance) => {
          const ceiling = backoffMs(attempt, 1)
          expect(ceiling).toBe(attempt > 12 ? 3_600_000 : 1000 * 2 ** (attempt - 1))
          expect(backoffMs(attempt, chance)).toBeGreaterThanOrEqual(0)
          expect(backoffMs(attempt, chance)).toBeLessThan(ceiling)
        }
      )
    )
  })
})
