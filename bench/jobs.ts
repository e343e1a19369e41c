import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import PgBoss from "pg-boss"
import { enqueue, type Handler, JobStore, startWorker } from "../core/platform/jobs/index.js"
import type { Caller, WorkspaceScope } from "../core/platform/kernel/index.js"
import { databaseAt, type Kind, openServer } from "./database.js"
import { compare, interleaved } from "./measure.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { quantile } from "./statistics.js"
import { type BenchWorkspace, openWorkspace, withFolder } from "./workspace.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 1, default: 3, full: 12 }
const startsPerWindow: Readonly<Record<Size, number>> = { small: 3, default: 20, full: 20 }
const jobsPerWindow: Readonly<Record<Size, number>> = { small: 20, default: 2_000, full: 2_000 }
const floodOf: Readonly<Record<Size, number>> = { small: 100, default: 2_000, full: 10_000 }
/** Pairs of windows with two tenants, and what the second asks for in each, so that the flood outlasts them. */
const tenantPairs: Readonly<Record<Size, number>> = { small: 1, default: 8, full: 12 }
const asksPerWindow: Readonly<Record<Size, number>> = { small: 5, default: 60, full: 100 }
const slots = 8
const kind = "bench"
/** Duration of a job of the tenants' bench, and interval between requests of the second tenant, in ms. */
const [lastsMs, everyMs] = [20, 40]

/** A queue as both sides of a comparison show it. */
interface Queue {
  /** Asks for one job; gives the milliseconds until it began. */
  readonly start: () => Promise<number>
  /** Asks for so many jobs at once; gives the seconds until all were done. */
  readonly all: (count: number) => Promise<number>
  readonly close: () => Promise<void>
}

/** Our queue and a kept library on the same server; our queue on SQLite beside it; two tenants beside each other. */
export const jobs: RunBench = async (context) => {
  const close = await openServer()
  try {
    await withFolder(async (folder) => {
      const ours = await ownQueue("postgres", join(folder, "postgres"))
      const [boss, sqlite] = [await bossQueue(), await ownQueue("sqlite", join(folder, "sqlite"))]
      await against(context, ours, boss, "pg-boss 10 on the same server, looking each 0.5 s", "")
      await against(context, sqlite, ours, "our own queue on Postgres", "on SQLite, ")
      for (const queue of [ours, boss, sqlite]) await queue.close()
      for (const database of ["postgres", "sqlite"] as const)
        await tenants(context, database, join(folder, `tenants-${database}`))
    })
  } finally {
    await close()
  }
}

const against = async (
  { report, size }: BenchContext,
  ours: Queue,
  other: Queue,
  peer: string,
  on: string
) => {
  const starts = (queue: Queue) => async () => {
    const times: Array<number> = []
    for (let count = 0; count < startsPerWindow[size]; count += 1) times.push(await queue.start())
    return times
  }
  const pairs = await interleaved(pairsWanted[size], starts(ours), starts(other))
  for (const share of [0.5, 0.95])
    report({
      metric: `${on}from asked to begun p${share * 100}`,
      ...compare(pairs, (times) => quantile(times, share)),
      unit: "ms",
      peer
    })
  const through = (queue: Queue) => () => queue.all(jobsPerWindow[size])
  const runs = await interleaved(pairsWanted[size], through(ours), through(other))
  report({
    metric: `${on}empty jobs done`,
    ...compare(runs, (seconds) => jobsPerWindow[size] / seconds),
    unit: "jobs/s",
    peer
  })
}

type Begun = (id: string) => void

/** A worker over a workspace of its own, as a process has it. */
const ownQueue = async (database: Kind, data: string): Promise<Queue> => {
  const workspace = await openWorkspace({ database, data })
  let [begun, done]: [Begun, () => void] = [() => {}, () => {}]
  const stop = await working(workspace, slots, (job) =>
    Effect.sync(() => {
      begun(job.id)
      done()
    })
  )
  const ask = (count: number) => workspace.run(enqueue(Array.from({ length: count }, () => ({ kind }))))
  return {
    start: () =>
      timed(async (isBegun) => {
        begun = isBegun
        await ask(1)
      }),
    all: (count) =>
      counted(count, async (one) => {
        done = one
        await ask(count)
      }),
    close: async () => {
      await stop()
      await workspace.close()
    }
  }
}

/** Works on the jobs of a process until what it gives is called. */
const working = async (workspace: BenchWorkspace, count: number, run: Handler<Caller>["run"]) => {
  const stopped = Deferred.unsafeMake<void>(Effect.runSync(Effect.fiberId))
  const worker = startWorker([{ kind, slots: count, run }], { owner: "bench" })
  const ended = workspace.run(Effect.scoped(Effect.zipRight(worker, Deferred.await(stopped))))
  return async () => {
    await Effect.runPromise(Deferred.succeed(stopped, undefined))
    await ended
  }
}

const bossQueue = async (): Promise<Queue> => {
  const boss = new PgBoss({
    connectionString: await databaseAt(undefined),
    supervise: false,
    schedule: false
  })
  await boss.start()
  await boss.createQueue(kind)
  let [begun, done]: [Begun, () => void] = [() => {}, () => {}]
  const work = (all: ReadonlyArray<{ readonly id: string }>) => {
    for (const { id } of all) {
      begun(id)
      done()
    }
    return Promise.resolve()
  }
  // The least that it allows, and batches that do not hold it up.
  await boss.work(kind, { pollingIntervalSeconds: 0.5, batchSize: 500 }, work)
  return {
    start: () =>
      timed(async (isBegun) => {
        begun = isBegun
        await boss.send(kind, {})
      }),
    all: (count) =>
      counted(count, async (one) => {
        done = one
        await boss.insert(Array.from({ length: count }, () => ({ name: kind })))
      }),
    close: () => boss.stop({ graceful: false })
  }
}

/** Milliseconds from the moment of asking until a job begins. */
const timed = async (ask: (isBegun: () => void) => Promise<void>): Promise<number> => {
  const startedAt = performance.now()
  let endedAt = 0
  const begun = new Promise<void>((resolve) => {
    void ask(() => {
      endedAt = performance.now()
      resolve()
    })
  })
  await begun
  return endedAt - startedAt
}

/** Seconds until so many jobs are done. */
const counted = async (count: number, ask: (one: () => void) => Promise<void>): Promise<number> => {
  const startedAt = performance.now()
  let left = count
  await new Promise<void>((resolve) => {
    void ask(() => {
      left -= 1
      if (left === 0) resolve()
    })
  })
  return (performance.now() - startedAt) / 1000
}

/** How long one tenant's jobs take from asked to done while another one fills the queue, beside without it. */
const tenants = async ({ report, size }: BenchContext, database: Kind, data: string) => {
  const workspace = await openWorkspace({ database, data })
  const other = await openWorkspace({ database, data })
  const asked = new Map<string, () => void>()
  const stop = await working(workspace, 4, (job) =>
    Effect.zipRight(
      Effect.sleep(lastsMs),
      Effect.sync(() => asked.get(String(job.payload["ask"]))?.())
    )
  )
  /** Milliseconds from asked to done. It asks by the clock, however long the jobs before take: the load is the same. */
  const latency = async (ask: string) => {
    const startedAt = performance.now()
    const done = new Promise<void>((resolve) => asked.set(ask, resolve))
    await other.run(enqueue([{ kind, payload: { ask } }]))
    await done
    return performance.now() - startedAt
  }
  let asks = 0
  const latencies = async () => {
    const times: Array<Promise<number>> = []
    for (let count = 0; count < asksPerWindow[size]; count += 1) {
      asks += 1
      times.push(latency(String(asks)))
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
    return Promise.all(times)
  }
  const flooded = async () => {
    await workspace.run(enqueue(Array.from({ length: floodOf[size] }, () => ({ kind }))))
    const times = await latencies()
    await clear(workspace, workspace.scope)
    return times
  }
  const pairs = await interleaved(tenantPairs[size], flooded, latencies)
  const p95 = (times: ReadonlyArray<number>) => quantile(times, 0.95)
  const all = { ours: pairs.flatMap(({ ours }) => ours), floor: pairs.flatMap(({ floor }) => floor) }
  report({
    metric: `one tenant's jobs beside one that floods the queue on ${database === "sqlite" ? "SQLite" : "Postgres"}, p95`,
    // The percentile is over all readings of a side, since a window has too few for a twentieth of them; the spread is
    // over the windows.
    ...compare([all], p95),
    iqr: compare(pairs, p95).iqr,
    n: all.ours.length,
    unit: "ms",
    peer: "the same without the other",
    target: "<= 1.2"
  })
  await stop()
  await other.close()
  await workspace.close()
}

/** Takes what waits out of the queue. */
const clear = (workspace: BenchWorkspace, scope: WorkspaceScope) =>
  workspace.run(
    Effect.gen(function* () {
      const store = yield* JobStore
      const ask = { kind, limit: 500, workspaceMax: 500, maxAttempts: 1, owner: "sweeper", leaseMs: 60_000 }
      for (;;) {
        const leases = yield* store.claim(ask)
        yield* Effect.forEach(leases, (lease) => store.succeed(lease), { concurrency: 8, discard: true })
        const { running, waiting } = yield* store.depth(scope, [kind])
        if (leases.length === 0 && running + waiting === 0) return
        if (leases.length === 0) yield* Effect.sleep(lastsMs)
      }
    })
  )
