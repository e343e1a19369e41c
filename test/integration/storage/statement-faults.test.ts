import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { faultyPostgres } from "../../support/faulty-postgres.js"
import { faultySqlite } from "../../support/faulty-sqlite.js"
import { isLong, sampled, testDatabase } from "../../support/runs.js"
import { openTries, scenarios } from "../../support/statement-tries.js"

let tries: Awaited<ReturnType<typeof openTries>>
beforeAll(async () => {
  tries = await openTries(testDatabase === "sqlite" ? faultySqlite() : faultyPostgres())
})
afterAll(() => tries.close())

/** Returns the differences between two counts. */
const between = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) =>
  Object.fromEntries(
    [...after].flatMap(([what, count]) => {
      const more = count - (before.get(what) ?? 0)
      return more === 0 ? [] : [[what, more] as const]
    })
  )

describe("a statement that fails", () => {
  it.each(sampled(Object.entries(scenarios), testDatabase === "postgres" ? 4 : 1))(
    "leaves the whole of it or nothing: %s",
    async (_, scenario) => {
      const { attempt, counted, engine } = tries
      // The first of its kind begins counters.
      await attempt(scenario, null)
      const clean = await attempt(scenario, null)
      expect(clean.outcome).toBe("done")
      const whole = between(clean.before, await counted())
      expect(whole).not.toEqual({})
      const all = [...clean.texts.keys()]
      // The short form tries one of them, each time another one.
      const places = isLong ? all : [Math.floor(Math.random() * all.length)]
      for (const at of places) {
        const { before, failed, outcome, texts, work } = await attempt(scenario, at)
        const place = `${at} (${outcome}): ${texts[at]}`
        expect([place, failed || texts.length <= at]).toEqual([place, true])
        const repaired = await engine.ingest({ wait: false })
        expect([place, repaired.errors]).toEqual([place, []])
        let came = between(before, await counted())
        if (Object.keys(came).length === 0) {
          expect([place, outcome === "done"]).toEqual([place, false])
          await work()
          came = between(before, await counted())
        }
        expect([place, came]).toEqual([place, whole])
        expect([place, failed ? await engine.doctor() : { differences: 0 }]).toMatchObject([
          place,
          { differences: 0 }
        ])
      }
    }
  )
})
