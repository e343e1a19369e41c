import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { birthOf, isOwnerGone, ownerState, processOwner } from "../../adapters/host/process-owner.js"
import { postgresClient } from "../../adapters/postgres/client.js"
import { postgresJobStore } from "../../adapters/postgres/job-store.js"
import { onReservedConnection } from "../../adapters/sql/reserved-connection.js"
import { JobStore } from "../../core/platform/jobs/index.js"
import { scopeOf, WorkspaceId } from "../../core/platform/kernel/index.js"
import { bundled } from "../support/bundled.js"
import { databaseFile, queueIn } from "../support/jobs.js"
import { migratedDatabase } from "../support/postgres.js"
import { runEffect, storesOn } from "../support/run.js"
import { jobStoreContract } from "./job-store.js"

jobStoreContract(
  "SQLite",
  Effect.map(databaseFile, (file) => queueIn(file))
)

jobStoreContract(
  "Postgres",
  Effect.map(migratedDatabase, (url) =>
    Layer.orDie(Layer.provideMerge(postgresJobStore(url), storesOn(postgresClient({ url }))))
  )
)

describe("the queue in Postgres", () => {
  it("tells who watches but hears nothing of a job that came and went between two looks", () =>
    runEffect(
      Effect.gen(function* () {
        const url = yield* migratedDatabase
        const deaf = postgresJobStore("postgres://nobody@127.0.0.1:1/nowhere")
        yield* Effect.gen(function* () {
          const store = yield* JobStore
          const changed = yield* store.watch
          yield* store.enqueue(scope, [{ kind: "work" }])
          for (const lease of yield* claim(store)) expect(yield* store.succeed(lease)).toBe(true)
          const waiting = yield* Effect.fork(changed)
          yield* TestClock.adjust(1_000)
          yield* Fiber.join(waiting)
        }).pipe(Effect.provide(Layer.provideMerge(deaf, storesOn(postgresClient({ url })))))
      }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext))
    ))

  it("is told of heartbeats, and whether it answers, while requests hold every other connection", () =>
    runEffect(
      Effect.gen(function* () {
        const url = yield* migratedDatabase
        const layer = Layer.provideMerge(
          postgresJobStore(url),
          storesOn(postgresClient({ url, connectionsMax: 3 }))
        )
        yield* Effect.gen(function* () {
          const [sql, store] = [yield* SqlClient.SqlClient, yield* JobStore]
          yield* store.enqueue(scope, [{ kind: "work" }])
          const [lease] = yield* claim(store)
          if (lease === undefined) throw new Error("Nothing was claimed.")
          const outside = yield* Effect.acquireRelease(
            Effect.promise(async () => {
              const client = new pg.Client(url)
              await client.connect()
              await client.query("select pg_advisory_lock(7)")
              return client
            }),
            (client) => Effect.promise(() => client.end())
          )
          const requests = yield* Effect.forEach([1, 2, 3], () =>
            Effect.fork(sql`select pg_advisory_xact_lock(7)`)
          )
          const ended = () => requests.filter((fiber) => fiber.unsafePoll() !== null).length
          expect(yield* store.beat([{ lease, progress: null }], 30_000)).toEqual([lease.job.id])
          expect(yield* onReservedConnection(sql`select 1 as found`)).toEqual([{ found: 1 }])
          expect(ended()).toBe(0)
          const connections = () =>
            outside.query(
              "select 1 from pg_stat_activity where application_name = 'kanon' and datname = current_database()"
            )
          // The requests open their connections meanwhile.
          yield* Effect.promise(() => expect.poll(async () => (await connections()).rows).toHaveLength(3))
          yield* Effect.promise(() => outside.query("select pg_advisory_unlock(7)"))
          yield* Effect.forEach(requests, Fiber.join)
        }).pipe(Effect.scoped, Effect.provide(layer))
      }).pipe(Effect.scoped)
    ))

  it("reads as few rows for a claim and a look from a long queue as from a short one", () =>
    runEffect(
      Effect.gen(function* () {
        const url = yield* migratedDatabase
        const layer = Layer.provideMerge(postgresJobStore(url), storesOn(postgresClient({ url })))
        yield* Effect.gen(function* () {
          const [sql, store] = [yield* SqlClient.SqlClient, yield* JobStore]
          const sent: Array<readonly [text: string, values: ReadonlyArray<unknown>]> = []
          const record: Statement.Statement.Transformer = (statement) =>
            Effect.sync(() => {
              sent.push(statement.compile())
              return statement
            })
          const look = Effect.zipRight(claim(store), store.due)
          const readRows = Effect.gen(function* () {
            sent.length = 0
            yield* Statement.withTransformer(look, record)
            const plans = yield* Effect.forEach([...sent], ([text, values]) =>
              sql.unsafe<{ "QUERY PLAN": string }>(`explain (analyze) ${text}`, values)
            )
            return readIn(
              plans
                .flat()
                .map((row) => row["QUERY PLAN"])
                .join("\n")
            )
          })
          yield* store.enqueue(
            scope,
            Array.from({ length: 200 }, () => ({ kind: "work" }))
          )
          const few = yield* readRows
          yield* store.enqueue(
            scope,
            Array.from({ length: 2_000 }, () => ({ kind: "work" }))
          )
          const many = yield* readRows
          expect(few).toBeGreaterThan(0)
          // Versions of Postgres plan it in ways that differ by some dozens of rows; who walks the queue reads them all.
          expect(many).toBeLessThanOrEqual(few + 50)
        }).pipe(Effect.provide(layer))
      }).pipe(Effect.scoped)
    ))
})

/** Rows that the steps of a plan gave, all told, and those that they read in vain. */
const readIn = (plan: string): number =>
  [...plan.matchAll(/ rows=(\d+) loops=(\d+)\)|Rows Removed by \w+(?: \w+)*: (\d+)/g)].reduce(
    (sum, [, rows = "0", loops = "0", vain = "0"]) => sum + Number(rows) * Number(loops) + Number(vain),
    0
  )

const workspace = `ws_01${"a".repeat(24)}`
const scope = scopeOf(WorkspaceId.parse(workspace))
let child: Awaited<ReturnType<typeof bundled>>

const start = (file: string, act: string) => spawn(process.execPath, [child.file, file, workspace, act])

/** The next line that the child says. */
const heard = (from: ChildProcessWithoutNullStreams) =>
  Effect.promise(async () => String((await once(from.stdout, "data"))[0]).trim())

const ended = (of: ChildProcessWithoutNullStreams) =>
  Effect.promise(async () => {
    if (of.exitCode === null && of.signalCode === null) await once(of, "exit")
  })

const inFile = (
  proof: (file: string) => Effect.Effect<void, unknown, JobStore | SqlClient.SqlClient | Scope>
) =>
  runEffect(Effect.scoped(Effect.flatMap(databaseFile, (file) => Effect.provide(proof(file), queueIn(file)))))

const claim = (store: JobStore["Type"]) =>
  store.claim({
    kind: "work",
    limit: 1,
    workspaceMax: 1,
    maxAttempts: 5,
    owner: processOwner(),
    leaseMs: 60_000
  })

describe("the queue in a SQLite file", () => {
  beforeAll(async () => {
    child = await bundled("job-child")
  })
  afterAll(() => child.drop())

  it("loses no committed job and keeps no other when a process is killed", () =>
    inFile((file) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        yield* ended(start(file, "die before the commit"))
        expect((yield* store.depth(scope)).waiting).toBe(0)
        yield* ended(start(file, "die after the commit"))
        expect((yield* store.depth(scope)).waiting).toBe(1)
      })
    ))

  it("takes the jobs of a killed process back at once", () =>
    inFile((file) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        yield* store.enqueue(scope, [{ kind: "work" }])
        const holder = start(file, "hold")
        expect(yield* heard(holder)).toBe("held")
        holder.kill("SIGKILL")
        yield* ended(holder)
        expect(yield* store.sweep).toBe(1)
        expect(yield* claim(store)).toMatchObject([{ token: 2, job: { attempt: 2 } }])
      })
    ))

  it("refuses what a process stores that was frozen past its lease", () =>
    inFile((file) =>
      Effect.gen(function* () {
        const store = yield* JobStore
        yield* store.enqueue(scope, [{ kind: "work" }])
        const holder = start(file, "hold")
        expect(yield* heard(holder)).toBe("held")
        holder.kill("SIGSTOP")
        yield* Effect.repeat(Effect.delay(store.sweep, 50), { until: (count) => count === 1 })
        expect(yield* claim(store)).toMatchObject([{ token: 2 }])
        holder.kill("SIGCONT")
        holder.stdin.write("go\n")
        expect(yield* heard(holder)).toBe("refused")
        yield* ended(holder)
      })
    ))

  it("reads no table from end to end for its standing work", () =>
    inFile(() =>
      Effect.gen(function* () {
        const store = yield* JobStore
        const sql = yield* SqlClient.SqlClient
        yield* store.enqueue(scope, [{ kind: "work" }, { kind: "work", delayMs: 1 }, { kind: "work" }])
        const seen = new Map<string, ReadonlyArray<unknown>>()
        const record: Statement.Statement.Transformer = (statement) =>
          Effect.sync(() => {
            const [text, values] = statement.compile()
            seen.set(text, values)
            return statement
          })
        const work = Effect.gen(function* () {
          const [lease] = yield* claim(store)
          yield* store.due
          yield* store.promote
          yield* store.sweep
          yield* store.depth(scope)
          yield* store.list(scope, { limit: 5, offset: 0 }, { status: "dead" })
          yield* store.prune({ succeeded: "1", dead: "1" }, 10)
          if (lease !== undefined) {
            yield* store.fence(lease, 0)
            yield* store.beat([{ lease, progress: null }], 0)
            yield* Effect.delay(store.sweep, 5)
          }
          yield* store.retry(scope, "all")
        })
        yield* Statement.withTransformer(work, record)
        expect(seen.size).toBeGreaterThan(12)
        for (const [text, values] of seen) {
          const plan = yield* sql.unsafe<{ detail: string }>(`explain query plan ${text}`, values)
          // Running jobs are as few as there are slots: their own index may be read whole.
          const whole = plan.filter(
            ({ detail }) =>
              /^SCAN (job|next|first|equal|newer)\b(?! USING (COVERING )?INDEX job_(equal_running|leased))/.test(
                detail
              ) || /PRIMARY KEY \(workspace_id=\?\)/.test(detail)
          )
          expect([text, whole]).toEqual([text, []])
        }
      })
    ))
})

describe("owners of leases", () => {
  it("are gone only when their process of this host is", () => {
    const [host = "", , birth = ""] = processOwner().split("/")
    expect(isOwnerGone(processOwner())).toBe(false)
    expect(isOwnerGone(processOwner("worker"))).toBe(false)
    const parent = [host, process.ppid, birthOf(process.ppid) ?? "x"].join("/")
    expect([isOwnerGone(parent), ownerState(parent)]).toEqual([false, "beside"])
    // On systems that report the start of a process, a reused process number is recognised.
    const reused = [host, process.ppid, "x"].join("/")
    expect(isOwnerGone(reused)).toBe(birthOf(process.ppid) !== null)
    expect(isOwnerGone([host, process.pid, `${birth}0`].join("/"))).toBe(true)
    expect(isOwnerGone([host, 2 ** 30, "x"].join("/"))).toBe(true)
    expect(isOwnerGone(["elsewhere", 2 ** 30, "x"].join("/"))).toBe(false)
    const other = ["elsewhere", 2 ** 30, "x"].join("/")
    expect([processOwner(), [host, 2 ** 30, "x"].join("/"), other].map(ownerState)).toEqual([
      "unknown",
      "gone",
      "unknown"
    ])
    for (const odd of ["", "one", `${host}/`, `${host}/-1/x`, `${host}/0/x`, `${host}/1e99/x`]) {
      expect(isOwnerGone(odd)).toBe(false)
    }
  })
})
