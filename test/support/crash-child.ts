import { join } from "node:path"
import { performance } from "node:perf_hooks"
import * as Layer from "effect/Layer"
import { processOwner } from "../../adapters/host/process-owner.js"
import { scriptedEmbedder } from "../../adapters/models/scripted.js"
import { postgresPorts } from "../../adapters/postgres/index.js"
import { sqlitePorts } from "../../adapters/sqlite/index.js"
import { hnswVectorIndex } from "../../adapters/vectors/vector-index.js"
import { coreWaitedMs, countsCoreWaits } from "../../bench/core-waits.js"
import type { Engine } from "../../core/engine/engine/index.js"
import { openEngine } from "../../core/engine/engine/index.js"
import { type LoadPlan, runLoad } from "./crash-load.js"

/** Instructions for a child process. */
export interface ChildPlan extends LoadPlan {
  readonly data: string
  /** The URL of a database on Postgres; null for SQLite in the data folder. */
  readonly database: string | null
  /** Names of the embedding model: while things are looked at, and under load. */
  readonly calmModel: string
  readonly loadModel: string
  /** The crash point to arm for the load. */
  readonly crashAt: string | null
  /** Whether the engine's own doctor is asked, too: it takes its time. */
  readonly asksDoctor: boolean
  /** Words to search for before the load. */
  readonly marks: ReadonlyArray<string>
}

/** Times until an engine was ready, in milliseconds. */
export interface StartTimes {
  readonly processorMs: number
  readonly wallMs: number
  /** By the clock, without the waits of the main thread for a core; null where the platform does not tell those. */
  readonly ownMs: number | null
}

export type Said =
  | {
      readonly tag: "ready"
      readonly start: StartTimes
      readonly repairs: ReadonlyArray<{ readonly code: string; readonly message: string }>
    }
  | {
      readonly tag: "settled"
      readonly failed: ReadonlyArray<string>
      readonly found: ReadonlyArray<
        readonly [string, ReadonlyArray<readonly [path: string, snippet: string]>]
      >
      readonly differences: ReadonlyArray<string>
    }
  | { readonly tag: "ack"; readonly count: number }
  | { readonly tag: "done" }

/** To begin the load with these subjects, or to end. */
export type Told = { readonly states: LoadPlan["states"] } | "stop"

const say = (said: Said) => process.send?.(said)

/** An engine as users have it, but for a graph from the first vector on and an embedder without a network. */
const open = (plan: ChildPlan, modelId: string): Promise<Engine> => {
  const { data, database, vault } = plan
  const options = { vault, data, models: { embedder: scriptedEmbedder(32, modelId) } }
  const ports = database === null ? sqlitePorts(options) : postgresPorts({ ...options, database })
  const index = hnswVectorIndex({ folder: join(data, "vectors") })
  return openEngine(Layer.merge(ports, index), { name: "proof", worker: true, owner: processOwner("worker") })
}

/** Tells how long it takes to be ready, brings everything up to date and looks for what should be there. */
const look = async (plan: ChildPlan): Promise<Engine> => {
  const [began, beganMs, waitedBeforeMs] = [process.cpuUsage(), performance.now(), coreWaitedMs()]
  const engine = await open(plan, plan.calmModel)
  const wallMs = performance.now() - beganMs
  const { system, user } = process.cpuUsage(began)
  const ownMs = countsCoreWaits ? wallMs - (coreWaitedMs() - waitedBeforeMs) : null
  const start = { processorMs: (system + user) / 1000, wallMs, ownMs }
  say({ tag: "ready", start, repairs: engine.repairs })
  const { errors } = await engine.ingest()
  const found = []
  for (const mark of plan.marks) {
    const { results } = await engine.search(mark, { limit: 5 })
    found.push([mark, results.map(({ docPath, snippet }) => [docPath, snippet] as const)] as const)
  }
  // A search that meets damaged vector files asks for them anew: that work is waited for, too.
  await engine.ingest()
  say({
    tag: "settled",
    failed: errors.map(({ code, message, path }) => `${path} ${code}: ${message}`),
    found,
    differences: plan.asksDoctor ? await differencesIn(engine) : []
  })
  return engine
}

/** Returns the doctor's findings of severity "difference". */
const differencesIn = async (engine: Engine): Promise<ReadonlyArray<string>> => {
  const { findings } = await engine.doctor()
  return findings.flatMap(({ code, message, severity }) =>
    severity === "difference" ? [`doctor: ${code} ${message}`] : []
  )
}

const load = async (plan: ChildPlan): Promise<void> => {
  if (plan.crashAt !== null) process.env["KANON_CRASH_AT"] = plan.crashAt
  const engine = await open(plan, plan.loadModel)
  await runLoad(engine, plan, (count) => say({ tag: "ack", count }))
  await engine.close()
}

const told = () => new Promise<Told>((resolve) => process.once("message", resolve))

process.once("message", (plan: ChildPlan) => {
  void (async () => {
    const engine = await look(plan)
    const next = await told()
    await engine.close()
    if (next !== "stop") await load({ ...plan, states: next.states })
    say({ tag: "done" })
    process.disconnect()
  })()
})
