import * as SqlClient from "@effect/sql/SqlClient"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { atomically, type WorkspaceScope } from "../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../core/platform/workspace/index.js"
import { databaseFile } from "../../support/jobs.js"
import { baseLayer, makeWorkspace, runEffect } from "../../support/run.js"
import { runs } from "../../support/runs.js"

/** Returns the counter's value for a reader in this context. */
const read = (workspace: WorkspaceScope) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ value: number }>`select value from counter where workspace_id = ${workspace} and name = 'n'`,
      ([row]) => row?.value ?? 0
    )
  )

const add = (workspace: WorkspaceScope) =>
  Effect.flatMap(WorkspaceStore, (store) => store.advance(workspace, "n", 1))

/** One unit of work: so many writes, with a turn for others after each, and its end. */
const unit = fc.record({ writes: fc.integer({ min: 1, max: 4 }), fails: fc.boolean() })

const inFiles = <A>(
  proof: (workspace: WorkspaceScope) => Effect.Effect<A, unknown, SqlClient.SqlClient | Services>
) =>
  runEffect(
    Effect.scoped(
      Effect.flatMap(databaseFile, (file) =>
        Effect.flatMap(makeWorkspace(), proof).pipe(Effect.provide(baseLayer(file)))
      )
    )
  )
type Services =
  | Effect.Effect.Context<ReturnType<typeof makeWorkspace>>
  | Effect.Effect.Context<typeof anyUnit>
const anyUnit = atomically(Effect.void)

describe("statements and units of work on one file", () => {
  it("a unit reads what it wrote; others read what is committed, at once and nothing else", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.array(unit, { maxLength: 4 }), { minLength: 1, maxLength: 4 }), (fibers) =>
        inFiles((workspace) =>
          Effect.gen(function* () {
            let committed = 0
            let isDone = false
            /** Sums that were ever committed: a reader may see no other. */
            const sums = new Set([0])
            const writer = (units: ReadonlyArray<{ readonly writes: number; readonly fails: boolean }>) =>
              Effect.forEach(units, ({ fails, writes }) =>
                Effect.gen(function* () {
                  const work = Effect.gen(function* () {
                    const before = yield* read(workspace)
                    for (let write = 1; write <= writes; write++) {
                      yield* add(workspace)
                      expect(yield* read(workspace)).toBe(before + write)
                      yield* Effect.yieldNow()
                    }
                    if (fails) return yield* Effect.fail("no" as const)
                    committed = before + writes
                    sums.add(committed)
                    return committed
                  })
                  const exit = yield* Effect.exit(atomically(work))
                  expect(Exit.isFailure(exit)).toBe(fails)
                  if (Exit.isSuccess(exit)) expect(yield* read(workspace)).toBeGreaterThanOrEqual(exit.value)
                })
              )
            const reader = Effect.gen(function* () {
              for (let last = 0; !isDone; ) {
                const seen = yield* read(workspace)
                expect(sums.has(seen)).toBe(true)
                expect(seen).toBeGreaterThanOrEqual(last)
                last = seen
                yield* Effect.yieldNow()
              }
            })
            const writers = Effect.all(fibers.map(writer), { concurrency: "unbounded" }).pipe(
              Effect.ensuring(
                Effect.sync(() => {
                  isDone = true
                })
              )
            )
            yield* Effect.all([writers, reader], { concurrency: "unbounded" })
            const wanted = fibers.flat().reduce((sum, { fails, writes }) => sum + (fails ? 0 : writes), 0)
            expect([committed, yield* read(workspace)]).toEqual([wanted, wanted])
          })
        )
      ),
      { numRuns: runs(12) }
    ))

  it("a write that waits for another connection leaves the event loop free, and comes through", () =>
    runEffect(
      Effect.scoped(
        Effect.flatMap(databaseFile, (file) =>
          Effect.gen(function* () {
            const workspace = yield* makeWorkspace()
            const other = new Database(file)
            other.exec("begin immediate")
            const waiting = yield* Effect.fork(add(workspace))
            let turns = 0
            for (let turn = 0; turn < 20; turn++) {
              yield* Effect.sleep(1)
              turns += 1
            }
            expect([turns, waiting.unsafePoll()]).toEqual([20, null])
            expect(yield* read(workspace)).toBe(0)
            other.exec("commit")
            expect(yield* waiting).toBe(1)
            other.close()
          }).pipe(Effect.provide(baseLayer(file)))
        )
      )
    ))
})
