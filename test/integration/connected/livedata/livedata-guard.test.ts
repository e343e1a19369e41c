import * as Either from "effect/Either"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { compileStatement } from "../../../../core/connected/livedata/index.js"
import { hostileBases, hostileStatements, legitimateStatements } from "../../../support/guard-statements.js"
import { type LiveWorld, notAborted, runOn, usualLimits, worlds } from "../../../support/live-databases.js"
import { isLong } from "../../../support/runs.js"

/** With the guard off, SQLite itself writes a copy wherever it is told to: its guard alone prevents it. */
const onlyTheGuardStops = /vacuum into/iu

describe.each(worlds)("the guard of %s", (kind, open) => {
  let world: LiveWorld
  let before: unknown
  beforeAll(async () => {
    world = await open()
    before = await world.picture()
  })
  afterAll(() => world.close())

  it("refuses every hostile statement, with the session off and an account that may do anything", async () => {
    const driver = world.driver({ session: false })
    const statements = hostileStatements(kind)
    expect(statements.length).toBeGreaterThanOrEqual(300)
    const passed: Array<string> = []
    for (const sql of statements) {
      const compiled = compileStatement(sql, kind, new Map())
      if (Either.isLeft(compiled)) continue
      const outcome = await driver
        .run(world.owner, compiled.right, { ...usualLimits, timeoutMs: 2_000 }, notAborted())
        .then(
          () => "ran",
          (error: { readonly _tag?: string }) => String(error._tag ?? error)
        )
      // A statement that the database cannot even read was not run.
      if (outcome !== "StatementRefused" && !(kind === "sqlite" && outcome === "StatementFailed"))
        passed.push(`${outcome}: ${sql}`)
    }
    await driver.close(null)
    expect(passed).toEqual([])
    expect(await world.picture()).toEqual(before)
  })

  it("is not what alone keeps the data: with it off, session and account do", async () => {
    const driver = world.driver({ guard: false })
    const all = isLong ? hostileStatements(kind) : hostileBases(kind)
    for (const sql of all.filter((one) => !onlyTheGuardStops.test(one)))
      await driver
        .run(world.reader, { text: sql, values: [] }, { ...usualLimits, timeoutMs: 1_000 }, notAborted())
        .catch(() => {})
    await driver.close(null)
    expect(await world.picture()).toEqual(before)
  })

  it("lets every legitimate statement through, and it runs", async () => {
    const driver = world.driver()
    const statements = legitimateStatements(kind)
    expect(statements.length).toBeGreaterThanOrEqual(200)
    const refused: Array<string> = []
    for (const sql of statements)
      await runOn(driver, world.reader, sql).catch(
        (error: { readonly _tag?: string; readonly detail?: string }) =>
          refused.push(
            `${sql} => ${error._tag ?? ""} ${error instanceof Error ? error.message : ""} ${error.detail ?? ""}`
          )
      )
    await driver.close(null)
    expect(refused).toEqual([])
  })
})
