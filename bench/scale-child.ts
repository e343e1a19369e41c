import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { z } from "zod"
import type { Engine, EngineOptions } from "../adapters/sqlite/index.js"
import { clusterCpuMs } from "./cluster-cpu.js"
import { costOf } from "./measure.js"
import { median } from "./statistics.js"

/** One process of the bench `scale`; it prints what its work took, as JSON on standard output. */
const Plan = z.object({
  work: z.enum(["ingest", "use"]),
  vault: z.string(),
  data: z.string(),
  /** The built entry point for the database. */
  engine: z.string(),
  database: z.string().optional(),
  /** A standby that serves reads. */
  replica: z.string().optional(),
  /** All servers of a distributed database. */
  nodes: z.array(z.string()).optional(),
  queries: z.array(z.string()),
  /** How many searches and cards are measured, and a quarter as many of the others. */
  rounds: z.number()
})

const plan = Plan.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")))

interface EngineModule {
  readonly createEngine: (
    options: EngineOptions & { readonly database?: string; readonly replicas?: ReadonlyArray<string> }
  ) => Promise<Engine>
}

const openEngine = async (): Promise<Engine> => {
  const { createEngine }: EngineModule = await import(plan.engine)
  const { data, database, replica, vault } = plan
  return createEngine({
    vault,
    data,
    worker: plan.work === "ingest",
    ...(database === undefined ? {} : { database }),
    ...(replica === undefined ? {} : { replicas: [replica] })
  })
}

/** CPU time of this process, of the database and of its replica, and time on the clock; ms. */
const taken = async (work: () => Promise<unknown>) => {
  const servers = [plan.replica, ...(plan.nodes ?? [plan.database])]
  const before = await Promise.all(servers.map(clusterCpuMs))
  const { cpuMs, wallMs } = await costOf(work)
  const [replicaMs = 0, ...nodes] = await Promise.all(
    servers.map(async (url, place) => (await clusterCpuMs(url)) - (before[place] ?? 0))
  )
  return { programMs: cpuMs, databaseMs: nodes.reduce((all, ms) => all + ms, 0), replicaMs, wallMs }
}
type Taken = Awaited<ReturnType<typeof taken>>

/** The mean of each of many, except of the time on the clock, which is the median. */
const each = async (count: number, work: (round: number) => Promise<unknown>): Promise<Taken> => {
  const walls: Array<number> = []
  const whole = await taken(async () => {
    for (let round = 0; round < count; round++) {
      const startedAt = performance.now()
      await work(round)
      walls.push(performance.now() - startedAt)
    }
  })
  return {
    programMs: whole.programMs / count,
    databaseMs: whole.databaseMs / count,
    replicaMs: whole.replicaMs / count,
    wallMs: median(walls)
  }
}

const heldMegabytes = async (): Promise<number> => {
  globalThis.gc?.()
  await setTimeout(1000)
  globalThis.gc?.()
  return process.memoryUsage().rss / 1e6
}

const ingest = async () => {
  const engine = await openEngine()
  const whole = await taken(() => engine.ingest({ wait: true }))
  const { counts, textIndex } = await engine.status()
  await engine.close()
  return { ingest: whole, passages: counts.chunks, entities: counts.entities, segments: textIndex.segments }
}

const use = async () => {
  const { queries, rounds } = plan
  const query = (round: number) => queries[round % queries.length] ?? ""
  let engine = await openEngine()
  const first = await taken(() => engine.search(query(0)))
  // The warm-up compiles code and fills caches, so that a running program is measured.
  for (let round = 0; round < rounds; round++) await engine.search(query(round))
  const search = await each(rounds, (round) => engine.search(query(round)))
  const question = await each(Math.ceil(rounds / 4), (round) => engine.ask(query(round)))
  const { entities } = await engine.entities.list({ limit: 100 })
  const entity = (round: number) => entities[round % entities.length]?.id ?? ""
  const card = await each(rounds, (round) => engine.entities.get(entity(round)))
  const certify = await each(Math.ceil(rounds / 4), (round) =>
    engine.entities.certify(entity(round), "Seen.")
  )
  const write = await each(Math.ceil(rounds / 4), (round) =>
    engine.documents.create({
      path: `scale/${process.pid}-${round}.md`,
      content: `# Note ${round}\n\n${query(round)}\n`
    })
  )
  const megabytes = await heldMegabytes()
  await engine.close()
  engine = await openEngine()
  const again = await taken(() => engine.search(query(1)))
  await engine.close()
  return { first, again, search, question, card, certify, write, megabytes }
}

console.log(JSON.stringify(plan.work === "ingest" ? await ingest() : await use()))
