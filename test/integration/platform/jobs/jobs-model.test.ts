import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { JobStore, type NewJob } from "../../../../core/platform/jobs/index.js"
import { scopeOf, WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { type Hold, Reference } from "../../../property/platform/jobs/jobs-reference.js"
import { queueIn } from "../../../support/jobs.js"
import { runs } from "../../../support/runs.js"

type Store = JobStore["Type"]
interface Real {
  readonly call: <A>(use: (store: Store) => Effect.Effect<A>) => Promise<A>
}

const workspaces = ["a", "b", "c"].map((letter) => scopeOf(WorkspaceId.parse(`ws_01${letter.repeat(24)}`)))
const leaseMs = 30_000

/** A step: does the same to both and compares what they give; then every job must be alike. */
const step = (
  name: string,
  run: (reference: Reference, real: Real) => Promise<void>
): fc.AsyncCommand<Reference, Real> => ({
  check: () => true,
  run: async (reference, real) => {
    await run(reference, real)
    await compare(reference, real)
  },
  toString: () => name
})

const compare = async (reference: Reference, { call }: Real) => {
  const pages = await Promise.all(
    workspaces.map((workspace) => call((store) => store.list(workspace, { limit: 1000, offset: 0 }, {})))
  )
  const seen = pages.flatMap(({ items }) =>
    items.map(({ attempt, id, priority, runAt, status }) => ({
      id,
      status,
      attempt,
      priority,
      runAt: Date.parse(runAt)
    }))
  )
  const expected = reference.jobs.map(({ attempt, id, priority, runAt, status }) => ({
    id,
    status,
    attempt,
    priority,
    runAt
  }))
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  expect(seen.sort(byId)).toEqual(expected.sort(byId))
}

const enqueue = (place: number, jobs: ReadonlyArray<NewJob>) =>
  step(`enqueue ${place} ${JSON.stringify(jobs)}`, async (reference, { call }) => {
    const workspace = workspaces[place] ?? workspaces[0]
    if (workspace === undefined) return
    const made = await call((store) => store.enqueue(workspace, jobs))
    expect(made).toHaveLength(jobs.length)
    // Only the first of equal jobs enqueued together is created.
    const isFirst = (job: NewJob, index: number) =>
      job.dedupeKey === undefined ||
      jobs.findIndex((other) => other.kind === job.kind && other.dedupeKey === job.dedupeKey) === index
    for (const [index, job] of jobs.entries()) {
      const id = made[index]?.id
      if (id === undefined) continue
      if (!isFirst(job, index)) {
        expect(reference.equalWaiting(workspace, job.kind, job.dedupeKey ?? null)?.id).toBe(id)
        continue
      }
      const equal = reference.merge(workspace, job)
      if (equal === null) reference.add(id, workspace, job)
      else expect(id).toBe(equal.id)
    }
  })

const claim = (request: {
  kind: string
  limit: number
  workspaceMax: number
  owner: string
  maxAttempts: number
}) =>
  step(`claim ${JSON.stringify(request)}`, async (reference, { call }) => {
    const { kind, limit, owner, workspaceMax } = request
    const claimable = reference.claimable(kind)
    const mayHave = new Map(
      workspaces.map((workspace) => {
        const waiting = claimable.filter((job) => job.workspace === workspace).length
        return [workspace, { waiting, held: reference.running(kind, workspace, owner), taken: 0 }]
      })
    )
    const shares = [...mayHave.values()].filter((share) => share.waiting > 0)
    const leases = await call((store) => store.claim({ ...request, leaseMs }))
    for (const lease of leases) {
      const share = mayHave.get(scopeOf(lease.job.workspaceId))
      const order = claimable.filter((job) => job.workspace === lease.job.workspaceId)
      const known = order[share?.taken ?? 0]
      // The next one of its workspace, and no other.
      expect(known?.id).toBe(lease.job.id)
      if (known === undefined || share === undefined) continue
      share.taken += 1
      known.status = "running"
      known.attempt += 1
      known.token += 1
      known.maxAttempts ??= request.maxAttempts
      known.leaseUntil = reference.now + leaseMs
      known.owner = owner
      expect(lease).toMatchObject({
        token: known.token,
        owner,
        job: { attempt: known.attempt, maxAttempts: known.maxAttempts }
      })
      reference.holds.push({ known, token: known.token, lease })
    }
    const allowed = shares.map(({ held, waiting }) =>
      shares.length === 1 ? waiting : Math.max(0, Math.min(waiting, workspaceMax - held))
    )
    const total = Math.min(
      limit,
      allowed.reduce((sum, count) => sum + count, 0)
    )
    expect(leases.length).toBeLessThanOrEqual(limit)
    // With fewer slots than workspaces a round may end early, but never with nothing.
    if (limit >= workspaces.length) expect(leases).toHaveLength(total)
    else if (total > 0) expect(leases.length).toBeGreaterThan(0)
    for (const [index, share] of shares.entries()) {
      expect(share.taken).toBeLessThanOrEqual(allowed[index] ?? 0)
      const leftBehind = limit >= workspaces.length && share.taken < (allowed[index] ?? 0)
      // A workspace gets no further slot while one with fewer could have had it.
      if (leftBehind) {
        for (const other of shares) {
          if (other.taken > 0)
            expect(other.held + other.taken).toBeLessThanOrEqual(share.held + share.taken + 1)
        }
      }
    }
  })

/** A step on a lease that was given out once, held or lost. */
const withLease = (
  name: string,
  pick: number,
  run: (reference: Reference, real: Real, hold: Hold, isHeld: boolean) => Promise<void>
) =>
  step(`${name} ${pick}`, async (reference, real) => {
    const hold = reference.holds[reference.holds.length - 1 - (pick % Math.max(1, reference.holds.length))]
    if (hold !== undefined) await run(reference, real, hold, reference.isHeld(hold))
  })

const beat = (pick: number) =>
  withLease("beat", pick, async (reference, { call }, hold, isHeld) => {
    const kept = await call((store) => store.beat([{ lease: hold.lease, progress: null }], leaseMs))
    expect(kept).toEqual(isHeld ? [hold.known.id] : [])
    if (isHeld) hold.known.leaseUntil = reference.now + leaseMs
  })
const fence = (pick: number) =>
  withLease("fence", pick, async (reference, { call }, hold, isHeld) => {
    expect(await call((store) => store.fence(hold.lease, leaseMs))).toBe(isHeld)
    if (isHeld) hold.known.leaseUntil = reference.now + leaseMs
  })
const succeed = (pick: number) =>
  withLease("succeed", pick, async (_reference, { call }, hold, isHeld) => {
    expect(await call((store) => store.succeed(hold.lease))).toBe(isHeld)
    if (isHeld) hold.known.status = "succeeded"
  })
const release = (pick: number) =>
  withLease("release", pick, async (reference, { call }, hold, isHeld) => {
    expect(await call((store) => store.release(hold.lease))).toBe(isHeld)
    if (!isHeld) return
    hold.known.attempt -= 1
    reference.putBack(hold.known, 0)
  })
const fail = (pick: number, retryInMs: number | null) =>
  withLease(`fail for ${retryInMs}`, pick, async (reference, { call }, hold, isHeld) => {
    expect(await call((store) => store.fail(hold.lease, "broken", retryInMs))).toBe(isHeld)
    if (!isHeld) return
    if (retryInMs === null) {
      hold.known.status = "dead"
      return
    }
    hold.known.runAt = reference.now + retryInMs
    reference.putBack(hold.known, retryInMs)
  })

const advance = (byMs: number) =>
  step(`advance ${byMs}`, async (reference, { call }) => {
    await call(() => TestClock.adjust(byMs))
    reference.now += byMs
  })
const sweep = step("sweep", async (reference, { call }) => {
  const expected = reference.sweep()
  expect(await call((store) => store.sweep)).toBe(expected)
})
const promote = step("promote", async (reference, { call }) => {
  const expected = reference.promote()
  expect(Option.getOrNull(await call((store) => store.promote))).toBe(expected)
})
const retry = (place: number) =>
  step(`retry ${place}`, async (reference, { call }) => {
    const workspace = workspaces[place]
    if (workspace === undefined) return
    await call((store) => store.retry(workspace, "all"))
    reference.retry(workspace)
  })

const place = fc.nat({ max: workspaces.length - 1 })
const kind = fc.constantFrom("index", "index", "index", "rank")
const pick = fc.nat({ max: 9 })
const delayMs = fc.constantFrom(0, 0, 1, 5_000, 40_000)
const newJob = fc.record(
  {
    kind,
    dedupeKey: fc.constantFrom("k", "k", "l"),
    delayMs,
    priority: fc.integer({ min: -1, max: 1 }),
    maxAttempts: fc.integer({ min: 1, max: 3 })
  },
  { requiredKeys: ["kind"] }
)
const newJobs = fc.array(newJob, { minLength: 1, maxLength: 6 })
const request = fc.record({
  kind,
  limit: fc.integer({ min: 1, max: 5 }),
  workspaceMax: fc.integer({ min: 1, max: 4 }),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  owner: fc.constantFrom("one", "two")
})
const arbitraries = [
  fc.tuple(place, newJobs).map(([at, jobs]) => enqueue(at, jobs)),
  fc.tuple(place, newJobs).map(([at, jobs]) => enqueue(at, jobs)),
  request.map(claim),
  request.map(claim),
  pick.map(beat),
  pick.map(fence),
  pick.map(succeed),
  pick.map(release),
  fc.tuple(pick, fc.option(delayMs)).map(([at, again]) => fail(at, again)),
  fc.constantFrom(1, 10_000, leaseMs).map(advance),
  fc.constant(sweep),
  fc.constant(promote),
  place.map(retry)
]

const count = runs(100)

describe("the queue", () => {
  it(
    "does whatever is asked of it as a plain list in memory would",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(arbitraries, { maxCommands: 60, size: "max" }), async (commands) => {
          const runtime = ManagedRuntime.make(Layer.provideMerge(queueIn(), TestContext.TestContext))
          try {
            const call: Real["call"] = (use) => runtime.runPromise(Effect.flatMap(JobStore, use))
            await fc.asyncModelRun(() => ({ model: new Reference(), real: { call } }), commands)
          } finally {
            await runtime.dispose()
          }
        }),
        { numRuns: count }
      )
    },
    count * 1_200
  )
})
