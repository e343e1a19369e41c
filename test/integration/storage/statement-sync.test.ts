import { afterAll, beforeAll, expect, it } from "vitest"
import { faultySqlite } from "../../support/faulty-sqlite.js"
import { made, openTries, type Scenario } from "../../support/statement-tries.js"

/** SQLite's number for `synchronous = full`. */
const fullySynced = 2

const statements = faultySqlite()
let tries: Awaited<ReturnType<typeof openTries>>
beforeAll(async () => {
  tries = await openTries(statements)
})
afterAll(() => tries.close())

// That the file of a write is in its place is noted by the ingest, without waiting for the disk.
const ingest: Scenario = async (given) => async () => {
  await made(given, `${given.name}.md`)
  await given.engine.ingest({ wait: false })
}

it("commits are synced again before the next one, where the statement that was to see to it has failed", async () => {
  const { attempt, engine } = tries
  const { texts } = await attempt(ingest, null)
  const places = [...texts.keys()].filter((at) => texts[at]?.includes("synchronous = full"))
  expect(places.length).toBeGreaterThan(0)
  for (const at of places) {
    expect((await attempt(ingest, at)).failed, `${at}`).toBe(true)
    await engine.entities.create({ name: `Synced ${at}`, type: "System" })
    expect([at, statements.database().pragma("synchronous", { simple: true })]).toEqual([at, fullySynced])
  }
})
