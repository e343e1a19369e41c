import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, expect, it } from "vitest"
import { fairScheduler } from "../../../adapters/host/fair-scheduler.js"
import { sqliteClient } from "../../../adapters/sqlite/client.js"
import { createEngine } from "../../../adapters/sqlite/index.js"
import { writerQueueBeside } from "../../../adapters/sqlite/writer-queue.js"
import { atomically } from "../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../core/platform/workspace/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { baseLayer, makeWorkspace, runEffect } from "../../support/run.js"

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
        expect(existsSync(":memory:-line")).toBe(false)
      }).pipe(Effect.provide(Layer.merge(baseLayer(), fairScheduler)))
    ))
})

describe("units of work that come one after the other without a gap", () => {
  const unitMs = 50
  /** Step by step, so that who looks does so as often as it would. */
  const pass = (millis: number) => Effect.repeatN(TestClock.adjust(2), millis / 2 - 1)
  /** Runs such units, each of which takes so long by the clock, and tells when each began. */
  const writing = (filename: string, work: (begun: ReadonlyArray<number>) => Effect.Effect<void>) =>
    runEffect(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const begun: Array<number> = []
        const unit = sql.withTransaction(
          Effect.flatMap(Clock.currentTimeMillis, (at) => {
            begun.push(at)
            return Effect.sleep(unitMs)
          })
        )
        const fiber = yield* Effect.fork(Effect.forever(unit))
        yield* pass(unitMs)
        yield* work(begun)
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(sqliteClient({ filename })), Effect.provide(TestContext.TestContext))
    )
  const withFolder = async (use: (filename: string) => Promise<void>) => {
    const folder = temporaryFolder("line")
    await use(join(folder, "kanon.sqlite"))
  }

  it("let the one go first that is first in the line, however seldom it looks", () =>
    withFolder((filename) =>
      writing(filename, (begun) =>
        Effect.gen(function* () {
          const other = new Sqlite(filename, { timeout: 0 })
          const line = writerQueueBeside(filename)
          expect(line.tryFirst()).toBe(true)
          // The second unit ends, with which it has been held for long; then the place stays free.
          yield* pass(unitMs + 20)
          expect(begun).toEqual([0, unitMs])
          other.exec("begin immediate")
          line.leave()
          yield* pass(4 * unitMs)
          other.exec("commit")
          yield* pass(4 * unitMs)
          expect(begun.length).toBeGreaterThan(4)
          line.close()
          other.close()
        })
      )
    ))

  it("go on where the one that is first has fallen asleep, or the line cannot be made", () =>
    withFolder(async (filename) => {
      await writing(filename, (begun) =>
        Effect.gen(function* () {
          const line = writerQueueBeside(filename)
          expect(line.tryFirst()).toBe(true)
          yield* pass(8 * unitMs)
          expect(begun.length).toBeGreaterThan(3)
          line.close()
        })
      )
      rmSync(`${filename}-line`)
      mkdirSync(`${filename}-line`)
      await writing(filename, (begun) =>
        Effect.gen(function* () {
          yield* pass(8 * unitMs)
          expect(begun.length).toBeGreaterThan(7)
        })
      )
    }))
})

describe("a program that makes one short call after the other", () => {
  it("lets timers have their turns in between", async () => {
    const vault = temporaryFolder("fair")
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
    expect(ticks).toBeGreaterThan(10)
  })
})
