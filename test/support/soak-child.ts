import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { createEngine, Engine } from "../../adapters/sqlite/index.js"
import { clearHeap, grownSince, type Held, heapBytes, listenersAndFiles, watchResources } from "./held.js"
import { SoakLoad } from "./soak-load.js"

/** Instructions for a child process. */
export interface SoakPlan {
  /** The URL of the built library. */
  readonly library: string
  readonly vault: string
  readonly seed: number
  /** How often a workspace is opened, loaded and closed. */
  readonly rounds: number
  /** How many of these begin with work for a thread, which takes the most time. */
  readonly batches: number
  /** Steps of each lane in a round. */
  readonly steps: number
  /** Maximum size of caches in bytes: small enough to be full before anything is measured. */
  readonly cacheBytes: number
  /** After the rounds, how long one engine is under load; none with 0. */
  readonly minutes: number
}

const plan: SoakPlan = JSON.parse(process.argv[2] ?? "")
const library: { readonly createEngine: typeof createEngine } = await import(plan.library)
const lanes = 2
/** Number of steps after which a load of several minutes empties the workspace. */
const stepsPerRound = 500
const odd: Array<string> = []
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
process.on("warning", (warning) => odd.push(String(warning)))

const open = () =>
  library.createEngine({ vault: plan.vault, data: join(plan.vault, ".kanon"), cacheBytes: plan.cacheBytes })

/** Loads an engine, and empties it again; nothing is owed afterwards. */
const loaded = async (
  engine: Engine,
  seed: number,
  takesBatch: boolean,
  goesOn: (step: number) => boolean
): Promise<number> => {
  const load = new SoakLoad({ engine, vault: plan.vault, seed })
  const forget = [engine.on("search", () => undefined), engine.on("ask", () => undefined)]
  if (takesBatch) await load.takeInBatch()
  await load.run(lanes, goesOn)
  await load.clear()
  for (const end of forget) end()
  odd.push(...load.odd)
  return load.calls
}

/** Returns the held resources once they stay the same for some looks, so that those that end by themselves are gone. */
const settled = async (look: () => Held): Promise<Held> => {
  let [held, same] = [look(), 0]
  for (let tries = 0; same < 3 && tries < 30; tries += 1) {
    await clearHeap(1)
    await sleep(50)
    const now = look()
    same = Object.keys({ ...grownSince(held, now), ...grownSince(now, held) }).length === 0 ? same + 1 : 0
    held = now
  }
  return held
}

/**
 * Returns the resources that grew, once those that end by themselves are gone: an idle thread ends after ten seconds.
 */
const more = async (look: () => Held, before: Held): Promise<Held> => {
  for (let tries = 0; ; tries += 1) {
    await clearHeap(1)
    const grown = grownSince(before, look())
    if (Object.keys(grown).length === 0 || tries === 150) return grown
    await sleep(100)
  }
}

/** Opens, loads and closes again and again: each round has to leave what the first one left. */
const inRounds = async (): Promise<void> => {
  const resources = watchResources()
  const look = () => ({ ...resources(), ...listenersAndFiles() })
  const first: { opened?: Held; closed?: Held } = {}
  for (let round = 0; round < plan.rounds; round += 1) {
    const engine = await open()
    const calls = await loaded(engine, plan.seed + round, round < plan.batches, (step) => step < plan.steps)
    const watched = await engine.watch()
    await watched.close()
    first.opened ??= await settled(look)
    const whileOpen = await more(look, first.opened)
    await engine.close()
    first.closed ??= await settled(look)
    say({ tag: "round", calls, whileOpen, afterClose: await more(look, first.closed) })
  }
}

/** The least that the process weighed in each minute, and what its heap held at the end of it. */
const byMinutes = async (): Promise<void> => {
  const engine = await open()
  const until = Date.now() + plan.minutes * 60_000
  let [leastBytes, isOver] = [Number.POSITIVE_INFINITY, false]
  const look = setInterval(() => {
    leastBytes = Math.min(leastBytes, process.memoryUsage.rss())
  }, 500)
  const telling = (async () => {
    for (let minute = 1; minute <= plan.minutes; minute += 1) {
      await sleep(until - (plan.minutes - minute) * 60_000 - Date.now())
      say({ tag: "minute", minute, leastBytes, heapBytes: await heapBytes() })
      leastBytes = Number.POSITIVE_INFINITY
    }
    isOver = true
  })()
  let calls = 0
  for (let round = 0; !isOver; round += 1)
    calls += await loaded(engine, plan.seed + round, true, (step) => step < stepsPerRound && !isOver)
  await telling
  clearInterval(look)
  await engine.close()
  say({ tag: "calls", calls })
}

await (plan.minutes > 0 ? byMinutes() : inRounds())
say({ tag: "end", odd })
