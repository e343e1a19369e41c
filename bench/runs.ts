import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { processOwner } from "../adapters/host/process-owner.js"
import { scriptedAgentModel } from "../adapters/models/scripted.js"
import { sqlRunStore } from "../adapters/sql/work/agents/run-store.js"
import { sqliteClient } from "../adapters/sqlite/client.js"
import type { Engine } from "../adapters/sqlite/index.js"
import { sqliteRunSignals } from "../adapters/sqlite/run-signals.js"
import { atomically, type RunId, runOperation, scopeOf, WorkspaceId } from "../core/platform/kernel/index.js"
import { Models } from "../core/platform/models/index.js"
import { WorkspaceStore } from "../core/platform/workspace/index.js"
import type { Ports } from "../core/ports.js"
import { driveRun, RegisteredTools, RunStore, type StoredStep } from "../core/work/agent-runs/index.js"
import { agentOperations, startRun } from "../core/work/agents/index.js"
import { chosen, engineAt } from "./database.js"
import { type Cost, compare, costOf, heldBytes, interleaved } from "./measure.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { median } from "./statistics.js"
import { type BenchWorkspace, openWorkspace, withFolder } from "./workspace.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 1, default: 12, full: 30 }
/** Rounds of a run whose journal is measured: each is a call of the model and one of a tool. */
const roundsOf: Readonly<Record<Size, number>> = { small: 5, default: 40, full: 40 }
const runsAtOnce: Readonly<Record<Size, number>> = { small: 4, default: 200, full: 500 }
const resumes: Readonly<Record<Size, number>> = { small: 1, default: 5, full: 9 }
const watchersOf: Readonly<Record<Size, number>> = { small: 50, default: 2_000, full: 10_000 }
const watchedRuns = 50

const noop = {
  name: "noop",
  description: "Does nothing.",
  effect: "read_only" as const,
  run: () => ({ done: true })
}

/** Measures agent runs: their journal, start and end, resumption, and watchers. */
export const runs: RunBench = async (context) => {
  await withFolder(async (folder) => {
    await journalCost(context, join(folder, "journal"))
    await throughput(context, join(folder, "throughput"))
    if (chosen() === "sqlite") await resumption(context, folder)
    await watchers(context, join(folder, "watchers"))
  })
}

const journalCost = async ({ report, size }: BenchContext, data: string) => {
  const rounds = roundsOf[size]
  const model = scriptedAgentModel((turn) =>
    turn < rounds ? { calls: [{ name: "noop", arguments: { turn } }] } : "Done."
  )
  const { z } = await import("zod")
  const tools = [{ ...noop, input: z.object({ turn: z.number() }) }]
  const around = (ports: Layer.Layer<Ports>) =>
    Layer.mergeAll(
      ports,
      Layer.succeed(Models, {
        chat: Option.some(model),
        embedder: Option.none(),
        reranker: Option.none()
      }),
      Layer.succeed(RegisteredTools, tools)
    )
  const workspace = await openWorkspace({ data, around })
  await workspace.run(
    runOperation(agentOperations.putAgent, {
      slug: "bench",
      name: "Bench",
      instructions: "Go.",
      tools: [{ name: "noop" }],
      budgets: { steps: 10_000, tokens: 1_000_000_000 }
    })
  )
  const begun = () => workspace.run(startRun({ slug: "bench", input: "Go." }))
  const ours = async () => {
    const { id } = await begun()
    const cost = await costOf(() => workspace.run(driveRun(id)))
    const steps = await workspace.run(Effect.flatMap(RunStore, (store) => store.steps(workspace.scope, id)))
    return { steps, ...perStep(cost, steps) }
  }
  const { steps } = await ours()
  const floor = async () => {
    const { id } = await begun()
    const cost = await costOf(() => workspace.run(bareCommits(workspace, id, steps)))
    return { steps, ...perStep(cost, steps) }
  }
  const pairs = await interleaved(pairsWanted[size], ours, floor)
  for (const cost of ["wall", "cpu"] as const)
    report({
      metric: `a step of a run, ${cost === "cpu" ? "CPU" : "wall"}`,
      ...compare(pairs, (measured) => measured[cost]),
      unit: "ms",
      peer: "the bare commits of the same rows",
      target: "<= 1.3"
    })
  await workspace.close()
}

const perStep = ({ cpuMs, wallMs }: Cost, steps: ReadonlyArray<StoredStep>) => ({
  wall: wallMs / steps.length,
  cpu: cpuMs / steps.length
})

/** The rows of a journal as a run writes them, in as many units of work, and nothing else. */
const bareCommits = ({ scope }: BenchWorkspace, id: RunId, steps: ReadonlyArray<StoredStep>) =>
  Effect.gen(function* () {
    const [store, usage] = [yield* RunStore, (yield* WorkspaceStore).usage]
    const until = "2100-01-01T00:00:00.000Z"
    const none = { spentUsd: "0", reservedUsd: "0" }
    yield* atomically(store.claim(scope, id, "2000-01-01T00:00:00.000Z", until))
    for (const step of steps) {
      const isModel = step.kind === "model_call"
      const pending: StoredStep = {
        ...step,
        status: "pending",
        output: null,
        finishedAt: null,
        latencyMs: null
      }
      yield* atomically(
        Effect.gen(function* () {
          yield* store.hold(scope, id, 1, until)
          yield* store.putSteps(scope, id, [pending])
          if (isModel) yield* store.addSpend(scope, "2000-01", none)
        })
      )
      yield* atomically(
        Effect.gen(function* () {
          yield* store.hold(scope, id, 1, until)
          yield* store.putSteps(scope, id, [step])
          const { costUsd, tokensIn, tokensOut } = step
          yield* store.addTotals(scope, id, { costUsd, tokensIn, tokensOut })
          if (!isModel) return
          yield* store.addSpend(scope, "2000-01", none)
          yield* usage.add(scope, "2000-01", { inputTokens: tokensIn, outputTokens: tokensOut, costUsd })
        })
      )
    }
    yield* atomically(store.update(scope, id, { status: "succeeded", finishedAt: until }))
  })

/** An engine whose model searches once and then answers, at once. */
const opened = async (data: string, model = scriptedAgentModel(searchOnce)): Promise<Engine> => {
  const vault = join(data, "vault")
  mkdirSync(vault, { recursive: true })
  const engine = await engineAt({ vault, data: join(data, "data"), models: { chat: model }, thread: false })
  await engine.updateWorkspace({ caps: { activeRuns: 10_000 } })
  await engine.agents.put("bench", { name: "Bench", instructions: "Go.", tools: [{ name: "svc_search" }] })
  return engine
}

const searchOnce = (turn: number) =>
  turn === 0 ? { calls: [{ name: "svc_search", arguments: { q: "lantern" } }] } : "Done."

const ended = async (engine: Engine, id: string): Promise<void> => {
  for await (const event of engine.runs.events(id)) if (event.type === "final") return
}

const throughput = async ({ report, size }: BenchContext, data: string) => {
  const engine = await opened(data)
  const count = runsAtOnce[size]
  const startedAt = performance.now()
  const ids = await Promise.all(
    Array.from({ length: count }, (_, run) => engine.runs.start("bench", `Go ${run}.`))
  )
  await Promise.all(ids.map(({ runId }) => ended(engine, runId)))
  const seconds = (performance.now() - startedAt) / 1_000
  await engine.close()
  alone(
    report,
    "runs of two model calls and a search, with an instant model",
    count / seconds,
    "runs/s",
    count
  )
}

const alone = (report: BenchContext["report"], metric: string, ours: number, unit: string, n: number): void =>
  report({ metric, ours, n, unit })

/** From opening the data of a process that was killed in the middle of a run to the end of that run. */
const resumption = async ({ report, size }: BenchContext, folder: string) => {
  const times: Array<number> = []
  for (let count = 0; count < resumes[size]; count++) {
    const data = join(folder, `resume-${count}`)
    const first = await opened(data)
    const workspace = WorkspaceId.parse(first.workspace.id)
    const { runId } = await first.runs.start("bench", "Go.")
    await ended(first, runId)
    await first.close()
    await leaveByDeadProcess(join(data, "data", "kanon.sqlite"), workspace, runId as RunId)
    const startedAt = performance.now()
    const second = await engineAt({
      vault: join(data, "vault"),
      data: join(data, "data"),
      models: { chat: scriptedAgentModel(searchOnce) },
      thread: false
    })
    await ended(second, runId)
    times.push(performance.now() - startedAt)
    await second.close()
  }
  alone(
    report,
    "from opening the data of a killed process to the end of its run",
    median(times),
    "ms",
    times.length
  )
}

/** Sets a run back to what a process leaves that was killed after the first model call. */
const leaveByDeadProcess = (filename: string, workspace: WorkspaceId, id: RunId) => {
  const { pid } = spawnSync(process.execPath, ["--version"])
  const owner = processOwner("agents").replace(`/${process.pid}/`, `/${pid}/`)
  const store = sqlRunStore({ owner, isOwnerGone: () => false, signals: sqliteRunSignals })
  return Effect.runPromise(
    Effect.gen(function* () {
      const { SqlClient } = yield* Effect.promise(() => import("@effect/sql/SqlClient"))
      const sql = yield* SqlClient
      yield* sql`delete from agent_step where workspace_id = ${workspace} and run_id = ${id} and idx > 1`
      yield* sql`update agent_run set status = 'queued', output = null, finished_at = null
        where workspace_id = ${workspace} and id = ${id}`
      const until = "2100-01-01T00:00:00.000Z"
      yield* (yield* RunStore).claim(scopeOf(workspace), id, "2000-01-01T00:00:00.000Z", until)
    }).pipe(Effect.provide(Layer.provideMerge(store, sqliteClient({ filename }))))
  )
}

const watchers = async ({ report, size }: BenchContext, data: string) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const engine = await opened(
    data,
    scriptedAgentModel(async (turn) => {
      if (turn > 0) await released
      return searchOnce(turn)
    })
  )
  const count = watchersOf[size]
  const ids = await Promise.all(
    Array.from({ length: Math.min(8, watchedRuns) }, (_, run) => engine.runs.start("bench", `Go ${run}.`))
  )
  await setTimeout(2_000)
  const held = heldBytes()
  const before = held()
  const seen = Array.from({ length: count }, (_, watcher) =>
    ended(engine, ids[watcher % ids.length]?.runId ?? "")
  )
  await setTimeout(3_000)
  const bytes = (held() - before) / count
  const startedAt = performance.now()
  release()
  await Promise.all(seen)
  const ms = performance.now() - startedAt
  await engine.close()
  alone(report, "memory of a watcher", bytes / 1024, "KiB", count)
  alone(report, `from the last reply to the end of all ${count} streams`, ms, "ms", count)
}
