import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { expect, it } from "vitest"
import { handlers, type Wired, wiring } from "../../../../core/engine/engine/index.js"
import { importSkos, SkosImportSettings } from "../../../../core/knowledge/vocabulary/index.js"
import { operations } from "../../../../core/operations.js"
import {
  JobStore,
  jobKinds,
  leadsTo,
  type NewJob,
  recurringPayload,
  startWorker
} from "../../../../core/platform/jobs/index.js"
import { Caller, type Fault, now, runOperation, scopeOf } from "../../../../core/platform/kernel/index.js"
import { changeSettings, WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import type { Ports } from "../../../../core/ports.js"
import { RunStore } from "../../../../core/work/agent-runs/index.js"
import { atMoment } from "../../../support/clock-at.js"
import { portsOf } from "../../../support/database.js"
import { withFolder } from "../../../support/documents.js"
import { makeWorkspace } from "../../../support/run.js"

type Services = Ports | Wired | Caller
type Work = Effect.Effect<unknown, Fault, Services>

const dayMs = 86_400_000
const nobody = "nobody"
/** The kind of job on whose behalf work is done. */
const running = FiberRef.unsafeMake(nobody)

/** All services, where whoever asks for a job is written down: `by leads to kind`. */
const noting = (vault: string, pairs: Set<string>) =>
  Layer.map(portsOf({ vault, data: ":memory:", logger: Logger.none }), (ports) => {
    const store = Context.get(ports, JobStore)
    return Context.add(ports, JobStore, {
      ...store,
      enqueue: (workspace, jobs) =>
        Effect.tap(FiberRef.get(running), (by) =>
          Effect.sync(() => {
            for (const { kind } of jobs) if (by !== nobody) pairs.add(`${by} leads to ${kind}`)
          })
        ).pipe(Effect.zipRight(store.enqueue(workspace, jobs)))
    })
  })

const noted = handlers.map((handler) => ({
  ...handler,
  run: (...given: Parameters<typeof handler.run>) =>
    Effect.locally(handler.run(...given), running, handler.kind)
}))

/** Does what waits, and what that leads to, until nothing does. */
const workOff = Effect.gen(function* () {
  const [store, { workspace }] = [yield* JobStore, yield* Caller]
  const changed = yield* store.watch
  yield* startWorker(noted, { owner: "test" })
  for (;;) {
    const { dead, running: runs, waiting } = yield* store.depth(workspace)
    expect(dead).toBe(0)
    if (runs + waiting === 0) return
    yield* changed
  }
}).pipe(Effect.scoped)

const ask = (...jobs: ReadonlyArray<NewJob>) =>
  Effect.gen(function* () {
    yield* (yield* JobStore).enqueue((yield* Caller).workspace, jobs)
    yield* workOff
  })

const smallPassages = Effect.gen(function* () {
  const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
  const { settings, ...known } = yield* store.get(workspace)
  const changed = { ...known, settings: { ...settings, chunking: { maxChars: 200, overlapChars: 0 } } }
  yield* store.update(changed, yield* now)
})

const vocabulary = (name: string): string =>
  `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  <http://e.x/${name}> a skos:Concept; skos:prefLabel "${name}"@en; skos:related <http://e.x/${name}2> .
  <http://e.x/${name}2> a skos:Concept; skos:prefLabel "${name} Two"@en .`

const taken = (name: string, mode: "apply" | "propose") =>
  importSkos({ format: "turtle", text: vocabulary(name) }, SkosImportSettings.parse({ mode }))

/** Each kind of work, with something to do of all that it does. */
const life = (vault: string): ReadonlyArray<Work> => {
  const write = (path: string, more = "") =>
    Effect.sync(() =>
      writeFileSync(
        join(vault, path),
        `# ${path}\n\n${"About Project Heron and [[two]]. ".repeat(9)}${more}\n`
      )
    )
  const whole = { dedupeKey: "all" }
  return [
    Effect.all([write("one.md"), write("two.md"), ask({ kind: jobKinds.ingest })]),
    Effect.all([
      write("one.md", "Changed."),
      write("three.md"),
      ask({ kind: jobKinds.reconcile, payload: recurringPayload })
    ]),
    ask({ kind: jobKinds.reconcile }),
    // Whose passages are other ones by then.
    Effect.zipRight(smallPassages, ask({ kind: jobKinds.reindex, ...whole })),
    ask({ kind: jobKinds.reembed, ...whole }),
    ask({ kind: jobKinds.reextract, ...whole }),
    ask({ kind: jobKinds.analytics }, { kind: jobKinds.merging }, { kind: jobKinds.staleness }),
    Effect.zipRight(taken("Apply", "apply"), workOff),
    Effect.zipRight(taken("Propose", "propose"), workOff),
    Effect.gen(function* () {
      const { requests } = yield* runOperation(operations.listChangeRequests, { status: "open" })
      for (const { id } of requests) yield* runOperation(operations.approveChangeRequest, { id })
      yield* workOff
    }),
    // A page about a topic, whose source then changes.
    Effect.gen(function* () {
      const { id } = yield* runOperation(operations.compileTopic, { topic: "Project Heron" })
      yield* runOperation(operations.approveProposal, { id })
      yield* workOff
      yield* write("one.md", "Project Heron has 9 members. Changed once more.")
      yield* write("two.md", "Project Heron has 9 members. Changed once more.")
      yield* ask({ kind: jobKinds.ingest })
    }),
    // A run, and one that nobody has a job for.
    Effect.gen(function* () {
      const { runId } = yield* runOperation(operations.startRun, {
        slug: "researcher",
        input: "Who is Heron?"
      })
      yield* workOff
      const runs = yield* RunStore
      yield* runs.update((yield* Caller).workspace, runId, { status: "queued" })
      yield* ask({ kind: jobKinds.agentRuns })
    }),
    // Something of all that is forgotten: versions, answers, and what lies in the trash.
    Effect.gen(function* () {
      yield* changeSettings({ retention: { trashDays: 1, versionsPerDocument: 1, answerDays: 1 } })
      yield* runOperation(operations.query, { question: "What is Project Heron about?" })
      rmSync(join(vault, "three.md"))
      yield* ask({ kind: jobKinds.ingest })
      yield* atMoment(Date.now() + 3 * dayMs)(ask({ kind: jobKinds.retention }))
    })
  ]
}

it("says of each kind of job what it leads to, no more and no less", () =>
  withFolder(async (folder) => {
    const vault = join(folder, "vault")
    mkdirSync(vault)
    const pairs = new Set<string>()
    const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, noting(vault, pairs)))
    try {
      const workspace = scopeOf(await runtime.runPromise(makeWorkspace()))
      const caller = { workspace, actor: "local", activity: "ui" }
      for (const work of life(vault)) await runtime.runPromise(Effect.provideService(work, Caller, caller))
    } finally {
      await runtime.dispose()
    }
    // Syncs need a source: test/integration/connected/sources runs them, and what they lead to.
    const ofSources: ReadonlyArray<string> = [jobKinds.sync, jobKinds.syncSchedule]
    const told = Object.entries(leadsTo)
      .filter(([kind]) => !ofSources.includes(kind))
      .flatMap(([kind, kinds]) => kinds.map((to) => `${kind} leads to ${to}`))
    expect([...pairs].sort()).toEqual(told.sort())
  }))
