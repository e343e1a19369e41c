import { afterAll, expect, it } from "vitest"
import { openAgentWorld, simulate } from "../../support/agent-world.js"
import { isLong } from "../../support/runs.js"

/**
 * How many schedules are tried. Each run of the tests tries the same; a long one tries them all. A schedule takes 40 to
 * 75 ms of CPU time: 2,000 of them would take a fifth of all that the tests may take.
 */
const schedules = isLong ? 100_000 : 400
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
