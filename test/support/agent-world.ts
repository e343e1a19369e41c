import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { scriptedAgentModel } from "../../adapters/models/scripted.js"
import { sqlRunStore } from "../../adapters/sql/work/agents/run-store.js"
import { sqliteRunSignals } from "../../adapters/sqlite/run-signals.js"
import { policyOff } from "../../core/answers/policy/index.js"
import { AuditLog, record } from "../../core/platform/audit/index.js"
import { JobStore } from "../../core/platform/jobs/index.js"
import { Atomic, atomically, Caller, type RunId, scopeOf } from "../../core/platform/kernel/index.js"
import { Models, parseUsd, type TurnRequest } from "../../core/platform/models/index.js"
import { Settings } from "../../core/platform/workspace/index.js"
import {
  driveRun,
  isTerminal,
  type RunEvent,
  RunGuard,
  type RunStatus,
  RunStore,
  runTable,
  Toolbox,
  type ToolOutcome
} from "../../core/work/agent-runs/index.js"
import { agentOperations, RunFeed, runFeed, startRun } from "../../core/work/agents/index.js"
import { calm, type Hazards, makeProcess, makeVirtualClock, randomOf } from "../simulation/index.js"
import { conversationOf, toolSpecs } from "./agent-script.js"
import { baseLayer, makeWorkspace } from "./run.js"

/** Problem of a schedule. */
export type Complaint = string

/** The database that all schedules share, each in a workspace of its own. */
export const openAgentWorld = () =>
  ManagedRuntime.make(
    Layer.mergeAll(
      sqlRunStore({ owner: "simulated", isOwnerGone: () => false, signals: sqliteRunSignals }),
      // A queue that is not there: runs are handed to workers by the schedule.
      Layer.succeed(JobStore, { enqueue: () => Effect.succeed([]) } as unknown as JobStore["Type"])
    ).pipe(Layer.provideMerge(baseLayer()))
  )
export type AgentWorld = ReturnType<typeof openAgentWorld>

/** Workers that have a run at once: the one that holds it, and those to whom it was delivered again. */
const workersMax = 3
const capUsd = "0.01"
const settings = Settings.parse({ caps: { agentSpendUsd: capUsd, activeRuns: 4 } })
const tokenUsd = "0.00001"

/**
 * One schedule: a run, workers that crash and stall, duplicated deliveries, people who decide, cancel and watch, clocks
 * that jump. Gives what did not hold; the same seed gives the same schedule.
 */
export const simulate = async (world: AgentWorld, seed: number): Promise<ReadonlyArray<Complaint>> => {
  const random = randomOf(seed)
  const time = makeVirtualClock(Date.UTC(2026, 0, 10))
  const complaints: Array<Complaint> = []
  const rough: Hazards = {
    crash: random.next() * 0.06,
    pause: random.next() * 0.05,
    pauseMs: 5_000 + random.below(60_000)
  }
  let hazards = rough
  const conversation = conversationOf(random)
  const mails = new Map<number, number>()
  let providerSpent = 0n
  let largestCall = 0n

  const model = scriptedAgentModel((turn) => conversation[turn] ?? "The end.", {
    costOf: ({ input, output }) => (Number(tokenUsd) * (input + output)).toFixed(10)
  })
  const { converse } = model
  if (converse === undefined) throw new RangeError("The scripted model converses.")

  const toolbox: Context.Tag.Service<Toolbox> = {
    list: () => Effect.succeed(toolSpecs),
    check: () => Effect.succeed([]),
    preview: () => Effect.succeed({ targets: {}, diff: null }),
    call: (_workspace, name, given) =>
      Effect.gen(function* () {
        const { serial } = given as { readonly serial: number }
        if (name === "mail") mails.set(serial, (mails.get(serial) ?? 0) + 1)
        if (name === "note" || name === "guarded")
          yield* atomically(
            record([{ action: "test.note", subjectId: `n${serial}`, details: { serial } }])
          ) as Effect.Effect<void, never, Atomic | Caller>
        return { ok: true, output: { serial } } satisfies ToolOutcome
      })
  }
  const guard: Context.Tag.Service<RunGuard> = {
    safeText: (text) => Effect.succeed(text),
    checkAnswer: () =>
      Effect.succeed({
        claims: [],
        groundedness: { verified: 0, total: 0 },
        policy: policyOff,
        usage: { inputTokens: 0, outputTokens: 0, costUsd: "0" }
      }),
    reading: (_run, caller) => Effect.succeed(caller),
    rights: (_workspace, { scopes }) => Effect.succeed(Option.some(scopes))
  }

  const services = await world.runtime()
  const context = services.context
  const [atomic, store] = [Context.get(context, Atomic), Context.get(context, RunStore)]
  const inWorld = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E> =>
    Effect.withClock(Effect.provide(effect as Effect.Effect<A, E, never>, context), time.clock)

  const scope = await Effect.runPromise(inWorld(makeWorkspace("test", settings)))
  const caller = { workspace: scopeOf(scope), actor: "local", activity: "ui" }

  // Every change of a status is compared with the row that it changes, in the same transaction. Only what is compared
  // is read: a whole run and its journal take most of the time of a schedule.
  const sql = Context.get(context, SqlClient.SqlClient)
  const statusOf = (id: RunId) =>
    Effect.map(
      Effect.orDie(
        sql<{ status: RunStatus }>`select status from agent_run where workspace_id = ${scope} and id = ${id}`
      ),
      ([row]) => row?.status
    )
  /** Raised with each call that may change the status. */
  let writes = 0
  const check = (from: RunStatus | undefined, to: RunStatus) =>
    Effect.sync(() => {
      if (
        from !== undefined &&
        from !== to &&
        !runTable.steps.some((step) => step.from === from && step.to === to)
      )
        complaints.push(`a run went from ${from} to ${to}`)
    })
  const watchedStore: Context.Tag.Service<RunStore> = {
    ...store,
    claim: (workspace, id, at, until) =>
      Effect.gen(function* () {
        writes += 1
        const before = yield* statusOf(id)
        const claim = yield* store.claim(workspace, id, at, until)
        if (claim.state === "claimed") yield* check(before, "running")
        return claim
      }),
    update: (workspace, id, change) =>
      Effect.gen(function* () {
        writes += 1
        if (change.status !== undefined) yield* check(yield* statusOf(id), change.status)
        return yield* store.update(workspace, id, change)
      }),
    putSteps: (workspace, run, steps) =>
      Effect.gen(function* () {
        const finished = yield* Effect.orDie(sql<{
          idx: number
          kind: string
        }>`select idx, kind from agent_step
          where workspace_id = ${workspace} and run_id = ${run} and status <> 'pending'`)
        for (const { idx, kind } of finished)
          if (steps.some((step) => step.idx === idx))
            complaints.push(`step ${idx} (${kind}) was finished and written again`)
        yield* store.putSteps(workspace, run, steps)
      })
  }

  let startedId: RunId | undefined
  const id = () => startedId ?? ("" as RunId)
  const as = (process: ReturnType<typeof makeProcess> | null) => {
    const gated = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      process === null ? work : Effect.zipLeft(Effect.zipRight(process.gate, work), process.gate)
    return Context.empty().pipe(
      Context.add(Caller, caller),
      Context.add(Atomic, {
        run: (work, options) =>
          process === null
            ? atomic.run(work, options)
            : process.within(work, (whole) => atomic.run(whole, options))
      } as Context.Tag.Service<Atomic>),
      Context.add(RunStore, watchedStore),
      Context.add(RunGuard, guard),
      Context.add(Toolbox, {
        ...toolbox,
        call: (workspace, name, given) => gated(toolbox.call(workspace, name, given))
      }),
      Context.add(Models, {
        chat: Option.some({
          ...model,
          converse: (request: TurnRequest) =>
            gated(
              Effect.gen(function* () {
                if (random.chance(0.1)) yield* Effect.sleep(random.below(120_000))
                const reply = yield* converse(request)
                const cost = parseUsd(reply.usage.costUsd)
                providerSpent += cost
                if (cost > largestCall) largestCall = cost
                return reply
              })
            )
        }),
        embedder: Option.none(),
        reranker: Option.none()
      })
    )
  }
  const outside = as(null)
  const run = <A, E, R>(effect: Effect.Effect<A, E, R>, own: Context.Context<never> = outside) =>
    inWorld(Effect.provide(effect as Effect.Effect<A, E, never>, own))
  const settle = async () => {
    for (let i = 0; i < 3; i++) await new Promise(setImmediate)
  }

  const agent = {
    slug: "simulated",
    name: "Simulated",
    instructions: "Go.",
    tools: toolSpecs.map(({ name }) => ({ name }))
  }
  await Effect.runPromise(run(agentOperations.putAgent.run(agentOperations.putAgent.input.parse(agent))))
  const started = await Effect.runPromise(run(startRun({ slug: "simulated", input: "Go." })))

  startedId = started.id

  // People, watchers and workers.
  const fibers: Array<Fiber.RuntimeFiber<unknown, unknown>> = []
  const fork = (effect: Effect.Effect<unknown, unknown>) => {
    const fiber = Effect.runFork(effect)
    fibers.push(fiber)
    return fiber
  }
  const watchers: Array<{ readonly events: Array<RunEvent>; isOver: boolean }> = []
  const watch = async () => {
    const watcher = { events: [] as RunEvent[], isOver: false }
    watchers.push(watcher)
    fork(
      run(
        Effect.scoped(
          Effect.gen(function* () {
            yield* Stream.runForEach(feed.watch(scope, id()), (event) =>
              Effect.sync(() => watcher.events.push(event))
            )
            watcher.isOver = true
          })
        )
      )
    )
  }
  // All watchers are in one process, whose feed reads the journal once for all of them.
  const feedLayer = Layer.provide(
    runFeed,
    Layer.succeedContext(context as Context.Context<never>)
  ) as Layer.Layer<RunFeed>
  const feed = await Effect.runPromise(Effect.provide(RunFeed, feedLayer))
  /** Workers that neither crashed nor are done. More than these would only wait for their turn, which costs most. */
  const workers = new Set<ReturnType<typeof makeProcess>>()
  const work = () => {
    for (const one of workers) if (!one.isAlive()) workers.delete(one)
    if (workers.size >= workersMax) return
    const worker = makeProcess(random, () => hazards)
    workers.add(worker)
    fork(
      Effect.ensuring(
        run(driveRun(id()), as(worker)),
        Effect.sync(() => workers.delete(worker))
      )
    )
  }
  const decide = () =>
    fork(
      run(
        Effect.gen(function* () {
          const open = (yield* store.approvals(scope, id())).find(({ status }) => status === "open")
          if (open === undefined) return
          const decision = random.chance(0.7) ? "allow" : "deny"
          yield* Effect.ignore(
            agentOperations.approveRunStep.run({ id: id(), approvalId: open.id, decision } as never)
          )
        })
      )
    )
  const cancel = () => fork(run(Effect.ignore(agentOperations.cancelRun.run({ id: id() } as never))))
  let known: { readonly writes: number; readonly status: RunStatus | undefined } | undefined
  const status = async () => {
    // A read waits for the transaction that writes, so it sees what came of every write counted so far.
    if (known?.writes !== writes) known = { writes, status: await Effect.runPromise(inWorld(statusOf(id()))) }
    if (known.status === undefined) throw new RangeError("The run is gone.")
    return known.status
  }
  const hasEnded = async () => isTerminal(await status())

  if (random.chance(0.5)) await watch()
  const cancels = random.chance(0.15)
  for (let step = 0; step < 60 && !(await hasEnded()); step++) {
    const draw = random.next()
    if (draw < 0.25) work()
    else if (draw < 0.45) {
      decide()
      if (random.chance(0.5)) decide()
    } else if (draw < 0.47 && cancels) cancel()
    else if (draw < 0.5) time.jump(random.below(120_000) - 60_000)
    else if (draw < 0.53) await watch()
    await settle()
    if (random.chance(0.2)) time.advance(random.below(40_000))
    else if (random.chance(0.5)) time.wakeNext()
  }
  // From now on nothing more breaks: whatever is left comes to its end.
  hazards = calm
  for (let step = 0; step < 400 && !(await hasEnded()); step++) {
    if ((await status()) === "suspended") decide()
    else if (step % 20 === 0) work()
    await settle()
    time.advance(5_000)
    await settle()
  }
  if (!(await hasEnded())) complaints.push(`the run is ${await status()} and does not end`)
  await watch()
  for (let step = 0; step < 6 && watchers.at(-1)?.isOver !== true; step++) {
    await settle()
    time.advance(2_000)
  }
  await settle()

  const steps = await Effect.runPromise(inWorld(store.steps(scope, id())))
  const found = Option.getOrThrow(await Effect.runPromise(inWorld(store.find(scope, id()))))
  for (const [place, { events, isOver }] of watchers.entries()) {
    const ends = events.filter(({ type }) => type === "final" || type === "error" || type === "suspended")
    if (isOver ? ends.length !== 1 || events.at(-1) !== ends[0] : ends.length > 0)
      complaints.push(`watcher ${place} saw ${ends.length} terminal events`)
  }
  if (watchers.at(-1)?.isOver !== true) complaints.push("whoever watched at last saw no end")
  // By the clock of the host: the log gives way to others while it reads.
  const noted = await Effect.runPromise(
    Context.get(context, AuditLog).list(scope, { action: "test.note", order: "oldest_first", limit: 1000 })
  )
  const notes = new Map<string, number>()
  for (const { subjectId } of noted) notes.set(subjectId, (notes.get(subjectId) ?? 0) + 1)
  for (const [serial, count] of notes)
    if (count > 1) complaints.push(`note ${serial} was written ${count} times`)
  for (const [serial, count] of mails)
    if (count > 1) complaints.push(`mail ${serial} was sent ${count} times`)
  if (steps.some(({ status: one }) => one === "pending"))
    complaints.push("a step is open though the run has ended")
  const total = steps.reduce((sum, { costUsd }) => sum + parseUsd(costUsd), 0n)
  if (parseUsd(found.costUsd) !== total) complaints.push("the cost of the run is not that of its steps")
  const spend = await Effect.runPromise(inWorld(store.spend(scope, "2026-01")))
  if (spend.reservedUsd !== "0") complaints.push(`${spend.reservedUsd} USD are still reserved`)
  if (parseUsd(spend.spentUsd) < providerSpent) complaints.push("the provider was paid more than was counted")
  if (providerSpent > parseUsd(capUsd) + largestCall)
    complaints.push("more than the cap and one call was spent")
  await Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.interruptFork(fiber))))
  return complaints.map((complaint) => `seed ${seed}: ${complaint}`)
}
