import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, expect, it } from "vitest"
import { fairScheduler } from "../../adapters/host/fair-scheduler.js"
import { createEngine } from "../../adapters/sqlite/index.js"
import { atomically } from "../../core/kernel/index.js"
import { WorkspaceStore } from "../../core/workspace/index.js"
import { baseLayer, makeWorkspace, runEffect } from "../support/run.js"

const units = 2000

describe("a fiber that runs one unit of work after the other", () => {
  it("lets the units of others, and the rest of the process, have their turns", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const { advance } = yield* WorkspaceStore
        const unit = (counter: string) => atomically(advance(workspace, counter, 1))
        let done = 0
        let ticks = 0
        const timer = setInterval(() => {
          ticks += 1
        }, 0)
        const busy = yield* Effect.fork(
          Effect.forEach(
            Array.from({ length: units }),
            () =>
              Effect.tap(unit("busy"), () =>
                Effect.sync(() => {
                  done += 1
                })
              ),
            { discard: true }
          )
        )
        yield* Effect.yieldNow()
        const others: Array<number> = []
        for (let count = 0; count < 20; count++) {
          yield* unit("other")
          others.push(done)
        }
        yield* Fiber.join(busy)
        clearInterval(timer)
        expect(others.at(-1)).toBeLessThan(units)
        expect(ticks).toBeGreaterThan(10)
      }).pipe(Effect.provide(Layer.merge(baseLayer(), fairScheduler)))
    ))
})

describe("units of work that come one after the other", () => {
  it("leave the place free between them for a twentieth of the time that they held it", () =>
    runEffect(
      Effect.gen(function* () {
        const begun: Array<number> = []
        const unit = (millis: number) =>
          atomically(
            Effect.flatMap(Clock.currentTimeMillis, (at) => {
              begun.push(at)
              return Effect.sleep(millis)
            })
          )
        yield* Effect.fork(Effect.forEach([2000, 2000, 50, 30, 10, 10], unit, { discard: true }))
        yield* TestClock.adjust("10 seconds")
        expect(begun).toEqual([0, 2100, 4200, 4250, 4284, 4294])
      }).pipe(Effect.provide(baseLayer()), Effect.provide(TestContext.TestContext))
    ))
})

describe("a program that makes one short call after the other", () => {
  it("lets timers have their turns in between", async () => {
    const vault = mkdtempSync(join(tmpdir(), "kanon-fair-"))
    writeFileSync(join(vault, "pottery.md"), "# On pottery\n\nMuch can be said about pottery.\n")
    const engine = await createEngine({ vault, data: ":memory:" })
    await engine.ingest()
    let ticks = 0
    const timer = setInterval(() => {
      ticks += 1
    }, 0)
    for (let count = 0; count < units; count++) await engine.search("pottery")
    clearInterval(timer)
    await engine.close()
    rmSync(vault, { recursive: true, force: true })
    expect(ticks).toBeGreaterThan(10)
  })
})
