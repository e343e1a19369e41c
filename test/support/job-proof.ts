import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import {
  enqueue,
  type Handler,
  JobStore,
  type NewJob,
  startWorker,
  type WorkerOptions
} from "../../core/platform/jobs/index.js"
import type { WorkspaceScope } from "../../core/platform/kernel/index.js"
import type { Steps } from "../contract/contract-tests.js"
import { jobsLayer } from "./jobs.js"
import { asCaller, baseLayer, makeWorkspace, runEffect } from "./run.js"

const base = Layer.mergeAll(Layer.provideMerge(jobsLayer, baseLayer()), Logger.remove(Logger.defaultLogger))
type Services = Layer.Layer.Success<typeof base> | Scope.Scope

/** Runs a proof over an empty queue under the test clock; chance always gives its middle. */
export const proof = (work: (workspace: WorkspaceScope) => Steps<void, Services>) => () =>
  runEffect(
    Effect.flatMap(makeWorkspace(), (workspace) => Effect.gen(() => work(workspace))).pipe(
      Effect.scoped,
      Effect.withRandom(Random.fixed([0.5])),
      Effect.provide(base),
      Effect.provide(TestContext.TestContext)
    )
  )

/** Every job of the workspace, newest first. */
export const jobsOf = (workspace: WorkspaceScope) =>
  Effect.flatMap(JobStore, (store) =>
    Effect.map(store.list(workspace, { limit: 200, offset: 0 }, {}), ({ items }) => items)
  )

/** Enqueues jobs of the kind `work`, or another. */
export const addJobs = (workspace: WorkspaceScope, ...all: ReadonlyArray<Partial<NewJob>>) =>
  asCaller(workspace)(enqueue(all.map((job) => ({ kind: "work", ...job }))))

/** A worker for the kind `work`. */
export const startFor = <R>(
  run: Handler<R>["run"],
  more: Partial<Handler> = {},
  options: Partial<WorkerOptions> = {}
) => startWorker([{ kind: "work", ...more, run }], { owner: "here", ...options })

/** Lets everything happen that needs no time. */
export const settle = TestClock.adjust(0)

/** Time of the clock in seconds. */
export const seconds = Effect.map(
  Effect.clockWith((clock) => clock.currentTimeMillis),
  (millis) => millis / 1000
)
