import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { randomFrom } from "../../../bench/random.js"
import { bundled } from "../../support/bundled.js"
import { Chain, SlowestStart, say } from "../../support/crash-chain.js"

/** Kills of a workspace, so that crashes follow upon crashes, and kills in all. */
const [killsPerChain, kills] = [10, 200]

const given = process.env["KANON_CRASH_SEED"]
const firstSeed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
const chains = given === undefined ? kills / killsPerChain : 1
const seeds = Array.from({ length: chains }, (_, number) => firstSeed + number * 1_000)

describe("a process that is killed at a moment of chance", () => {
  let child: Awaited<ReturnType<typeof bundled>>
  beforeAll(async () => {
    child = await bundled("crash-child")
  })
  afterAll(() => child.drop())

  it.each(seeds)("seed %i: everything that was acknowledged is there, whole and once", async (seed) => {
    say(`random kills: KANON_CRASH_SEED=${seed} replays these ${killsPerChain}`)
    const random = randomFrom(seed)
    const chain = await Chain.begin(child.file, seed)
    try {
      const slowest = new SlowestStart()
      for (let kill = 1; kill <= killsPerChain + 1; kill++) {
        const afterAcks = 2 + Math.floor(random() * 60)
        const end = { afterAcks, delayMs: Math.floor(random() * 120), newModel: random() < 0.3 }
        const round = await chain.run(kill > killsPerChain ? null : end)
        for (const { code, message } of round.repairs) say(`repaired: ${message} (${code})`)
        slowest.take(round)
        expect({ seed, kill, wrong: round.wrong }, round.stderr).toEqual({ seed, kill, wrong: [] })
        expect({ seed, kill, killed: round.killed }, round.stderr).toEqual({
          seed,
          kill,
          killed: kill <= killsPerChain
        })
      }
      say(`seed ${seed}: ${chain.expected.acknowledged} operations acknowledged; ${slowest}`)
      expect(slowest.tooLong()).toEqual([])
      expect(chain.expected.acknowledged).toBeGreaterThan(killsPerChain)
    } finally {
      await chain.drop()
    }
  })
})
