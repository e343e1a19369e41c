import { afterAll, expect, it } from "vitest"
import { openAgentWorld, simulate } from "../../../support/agent-world.js"
import { isLong } from "../../../support/runs.js"

/**
 * Number of schedules. Every run tries the same ones first. A schedule takes 41 ms of CPU time: about 330 statements in
 * 40 transactions, whose cost is spread over the fibers of Effect (40 %), garbage collection (16 %) and SQLite (15 %).
 */
const schedules = isLong ? 100_000 : 300
/** One schedule alone, by the number that a failure prints. */
const only = process.env["KANON_TEST_SEED"]

const world = openAgentWorld()
afterAll(() => world.dispose())

it("no schedule of crashes, stalls, decisions and cancellations breaks the rules of a run", async () => {
  const seeds = only === undefined ? Array.from({ length: schedules }, (_, seed) => seed) : [Number(only)]
  const complaints: Array<string> = []
  for (const seed of seeds) {
    complaints.push(...(await simulate(world, seed)))
    if (complaints.length > 10) break
  }
  expect(complaints).toEqual([])
})
