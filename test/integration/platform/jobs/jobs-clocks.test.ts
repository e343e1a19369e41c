import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import { describe, expect, it } from "vitest"
import { sqlJobStore } from "../../../../adapters/sql/platform/jobs/job-store.js"
import { makeQueueClock } from "../../../../adapters/sql/platform/jobs/queue-clock.js"
import { JobStore } from "../../../../core/platform/jobs/index.js"
import { scopeOf } from "../../../../core/platform/kernel/index.js"
import { movable } from "../../../support/clocked-server.js"
import { quietSignals } from "../../../support/graph-vault.js"
import { postgresBase } from "../../../support/postgres.js"
import { baseLayer, makeWorkspace, runEffect } from "../../../support/run.js"

const hourMs = 3_600_000
/** The queue as a process on a machine has it whose clock is so far ahead. */
const processAhead = (aheadMs: number) =>
  Effect.gen(function* () {
    const { clock, move } = movable()
    move(aheadMs)
    let setMs = 0
    const clocks = { wallMs: () => Date.now() + aheadMs + setMs, steadyMs: () => performance.now() }
    const layer = sqlJobStore({ isOwnerGone: () => false, clocks, signals: quietSignals })
    const store = Context.get(yield* Layer.build(layer), JobStore)
    const setClock = (byMs: number) => {
      setMs += byMs
      move(byMs)
    }
    return { store, setClock, by: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.withClock(work, clock) }
  })

type Process = Effect.Effect.Success<ReturnType<typeof processAhead>>

const claim = ({ by, store }: Process, owner: string, leaseMs = 30_000) =>
  by(store.claim({ kind: "work", limit: 1, workspaceMax: 9, maxAttempts: 9, owner, leaseMs }))

describe.each([
  ["SQLite", () => baseLayer()],
  ["Postgres", () => postgresBase()]
] as const)("processes on one queue whose clocks differ: %s", (_name, base) => {
  const run = <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof base>> | Scope>) =>
    runEffect(Effect.scoped(Effect.provide(work, base())))

  it.each([hourMs, -hourMs])(
    "take no lease of each other for over, and none for later: by %d ms",
    (aheadMs) =>
      run(
        Effect.gen(function* () {
          const workspace = scopeOf(yield* makeWorkspace())
          const [one, other] = [yield* processAhead(0), yield* processAhead(aheadMs)]
          yield* one.by(one.store.enqueue(workspace, [{ kind: "work" }, { kind: "work" }]))
          for (const { by, store } of [one, other]) yield* by(store.due)
          const leases = [...(yield* claim(one, "one")), ...(yield* claim(other, "other"))]
          expect(leases).toHaveLength(2)
          for (const { by, store } of [one, other, one]) {
            expect(yield* by(store.sweep)).toBe(0)
            expect(yield* by(store.beat([], 1))).toEqual([])
          }
          for (const [place, { by, store }] of [one, other].entries()) {
            const beats = leases.slice(place, place + 1).map((lease) => ({ lease, progress: null }))
            expect(yield* by(store.beat(beats, 500))).toHaveLength(1)
          }
          for (const { by, store } of [one, other]) expect(yield* by(store.sweep)).toBe(0)
          // Both are dead now, and neither lease lasts for an hour.
          yield* Effect.sleep(600)
          expect(yield* other.by(other.store.sweep)).toBe(2)
          expect(yield* one.by(one.store.sweep)).toBe(0)
        })
      )
  )

  it.each([hourMs, -hourMs])("put work off by as long as was said: by %d ms", (aheadMs) =>
    run(
      Effect.gen(function* () {
        const workspace = scopeOf(yield* makeWorkspace())
        const [one, other] = [yield* processAhead(0), yield* processAhead(aheadMs)]
        yield* other.by(other.store.enqueue(workspace, [{ kind: "work", delayMs: 60_000 }]))
        const next = Option.getOrThrow((yield* one.by(one.store.due)).nextMs)
        expect(Math.abs(next - 60_000)).toBeLessThan(5_000)
      })
    )
  )

  it("do what comes by itself once an interval", () =>
    run(
      Effect.gen(function* () {
        yield* makeWorkspace()
        const [one, other] = [yield* processAhead(0), yield* processAhead(hourMs)]
        const recurring = [{ kind: "tick", everyMs: 600_000 }]
        let asked = 0
        for (let look = 0; look < 4; look++)
          for (const { by, store } of [one, other]) asked += yield* by(store.recur(recurring))
        expect(asked).toBe(0)
      })
    ))

  it("go on with their own leases when their clock is set", () =>
    run(
      Effect.gen(function* () {
        const workspace = scopeOf(yield* makeWorkspace())
        const one = yield* processAhead(0)
        yield* one.by(one.store.enqueue(workspace, [{ kind: "work" }]))
        const [lease] = yield* claim(one, "one")
        if (lease === undefined) return yield* Effect.die("A job was to be taken.")
        for (const byMs of [hourMs, -2 * hourMs, hourMs]) {
          one.setClock(byMs)
          expect(yield* one.by(one.store.sweep)).toBe(0)
          expect(yield* one.by(one.store.beat([{ lease, progress: null }], 30_000))).toHaveLength(1)
          expect(yield* one.by(one.store.sweep)).toBe(0)
        }
      })
    ))

  it("leave leases alone for a while when the clock of the database was set, or everything had stood still", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let [wallMs, steadyMs] = [5_000_000, 7_000]
        const clock = makeQueueClock(sql, { wallMs: () => wallMs, steadyMs: () => steadyMs })
        const reads = (databaseMs: number) => clock.noting(Effect.succeed([{ clock_ms: databaseMs }]))
        const nowAt = clock.nowMs.pipe(Effect.withClock(fixedAt(wallMs)))
        yield* reads(wallMs + 500)
        expect([clock.isSettled(), yield* nowAt]).toEqual([true, wallMs])
        steadyMs += 10_000
        wallMs += 10_000
        yield* reads(wallMs + 1_500)
        expect(clock.isSettled()).toBe(true)
        yield* reads(wallMs + hourMs)
        expect([clock.isSettled(), yield* nowAt]).toEqual([false, 5_000_000 + hourMs])
        for (const [passedMs, isSettled] of [
          [29_000, false],
          [2_000, true]
        ] as const) {
          steadyMs += passedMs
          wallMs += passedMs
          yield* reads(wallMs + hourMs)
          expect(clock.isSettled()).toBe(isSettled)
        }
      })
    ))
})

const fixedAt = (millis: number): Clock.Clock => ({
  ...Clock.make(),
  currentTimeMillis: Effect.succeed(millis),
  unsafeCurrentTimeMillis: () => millis
})
