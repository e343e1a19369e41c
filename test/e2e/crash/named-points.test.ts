import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CrashPointName } from "../../../core/platform/kernel/index.js"
import { bundled } from "../../support/bundled.js"
import { Chain, type End, loadPoints, SlowestStart, say } from "../../support/crash-chain.js"
import { isOnCitus } from "../../support/postgres.js"
import { isLong } from "../../support/runs.js"

/** Requirements of a crash point beside the usual load. */
interface Needs extends Omit<Extract<End, { at: unknown }>, "at"> {
  /** Only a database without tables visits it. */
  readonly emptyDatabase?: boolean
  /** Crash point of the round before, so that the next start has this to repair. */
  readonly first?: CrashPointName
  readonly lostTextIndex?: boolean
}

const needs: Partial<Record<CrashPointName, Needs>> = {
  "open.migration.insideTransaction": { fromStart: true, emptyDatabase: true },
  "open.afterMigrations": { fromStart: true, emptyDatabase: true },
  "open.afterWorkspace": { fromStart: true },
  "reconcile.intent.afterFile": { fromStart: true, first: "document.write.afterTransaction" },
  "reconcile.intent.afterDone": { fromStart: true, first: "document.move.afterTransaction" },
  "reconcile.stray.afterRemoval": { fromStart: true, first: "document.write.afterStage" },
  "segment.rebuild.insideTransaction": { fromStart: true, lostTextIndex: true },
  "job.sweep.afterTransaction": { fromStart: true, first: "job.claim.afterTransaction" },
  "vector.fill.afterBatch": { newModel: true, visit: 2 },
  "vector.model.afterBegin": { newModel: true },
  "vector.model.beforeActivate": { newModel: true },
  "vector.model.afterActivate": { newModel: true },
  "vector.sweep.afterBatch": { newModel: true },
  "hnsw.file.afterRename": { visit: 2 }
}

/** Points that the first change already reaches: only a later visit finds something to lose. */
const early = /^(job\.(enqueue|claim|work|end)|extraction|segment\.(add|remove)|vector\.(rows|cursor))\./
const laterVisit = 4

const seed = Number(process.env["KANON_CRASH_SEED"] ?? 1)
/** One name, or the beginning of several. */
const only = process.env["KANON_CRASH_POINT"]
/** The short form visits a few points, beginning with another one each time. */
const parts = isLong || only !== undefined ? 1 : 20
const part = Math.floor(Math.random() * parts)
const names = loadPoints
  .filter((name) => needs[name]?.emptyDatabase !== true || !isOnCitus())
  .filter((name, place) => (only === undefined ? place % parts === part : name.startsWith(only)))

/** Points that share one workspace: crashes follow upon crashes, and yet it stays small. */
const pointsPerChain = 11
/** Content of a workspace before something can be lost: several batches of vectors, and every kind of change. */
const worked: End = { afterAcks: 100, delayMs: 0 }
/** For three rounds on a machine that has much else to do. */
const timeoutMs = 300_000
const groups = Array.from({ length: Math.ceil(names.length / pointsPerChain) }, (_, group) =>
  names.slice(group * pointsPerChain, (group + 1) * pointsPerChain)
)

let child: Awaited<ReturnType<typeof bundled>>
beforeAll(async () => {
  child = await bundled("crash-child")
  say(`crash points: KANON_CRASH_SEED=${seed} replays these, KANON_CRASH_POINT=<name> one of them`)
})
afterAll(() => child.drop())

describe.each(groups.map((group) => ({ group, first: group[0] ?? "", last: group.at(-1) ?? "" })))(
  "a process that is killed at a crash point, from $first to $last",
  ({ group }) => {
    let chain: Chain
    const slowest = new SlowestStart()

    beforeAll(async () => {
      chain = await Chain.begin(child.file, seed)
    })
    afterAll(() => chain.drop())

    /** Runs a round, which looks first at what the round before left. */
    const runRound = async (end: End | null) => {
      const round = await chain.run(end)
      slowest.take(round)
      for (const { code, message } of round.repairs) say(`repaired: ${message} (${code})`)
      expect(round.wrong, round.stderr).toEqual([])
      return round
    }

    /** Sees to it that there is something to lose, whichever point a group begins with. */
    const runWork = async () => {
      if (chain.expected.acknowledged === 0) expect(await runRound(worked)).toMatchObject({ killed: true })
    }

    it.each(group)(
      "%s: it dies there, and nothing before it was lost",
      async (at) => {
        const { first, lostTextIndex, emptyDatabase, ...how } =
          needs[at] ?? (early.test(at) ? { visit: laterVisit } : {})
        if (emptyDatabase !== true) await runWork()
        if (first !== undefined) expect(await runRound({ at: first })).toMatchObject({ killed: true })
        if (lostTextIndex === true) {
          await runRound(null)
          await chain.loseTextIndex()
        }
        const { killed, stderr } = await runRound({ at, ...how })
        expect({ at, killed }, stderr).toEqual({ at, killed: true })
      },
      timeoutMs
    )

    it(
      "is ready again within five seconds, with everything that it had acknowledged",
      async () => {
        await runWork()
        await runRound(null)
        // A clean stop leaves nothing to mend; to see it once is enough.
        if (group === groups.at(-1)) expect((await runRound(null)).repairs).toEqual([])
        say(`${chain.expected.acknowledged} operations acknowledged; ${slowest}`)
        expect(slowest.tooLong()).toEqual([])
        expect(chain.expected.acknowledged).toBeGreaterThan(0)
      },
      timeoutMs
    )
  }
)
