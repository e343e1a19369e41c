import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import {
  Atomic,
  Caller,
  type CallerShape,
  crashPoint,
  Ids,
  millisOf,
  now,
  timestampOf,
  type UnitOptions,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { addUsd, formatUsd, monthOf, parseUsd } from "../../platform/models/index.js"
import { addUsage, type WorkspaceStore } from "../../platform/workspace/index.js"
import type { StepKind, StoredRun, StoredStep } from "./model.js"
import { RunStore } from "./store.js"

/** Duration of a lease in ms, after which a run without a heartbeat loses its worker. */
export const leaseMs = 30_000

/** Another worker holds the run: nothing of the unit of work was stored. */
class RunLeaseLost extends Data.TaggedError("RunLeaseLost")<{ readonly runId: string }> {}

export const isLeaseLost = (cause: Cause.Cause<unknown>): boolean =>
  [...Cause.defects(cause)].some((defect) => defect instanceof RunLeaseLost)

/** A run in the hands of this worker. */
export interface HeldRun {
  readonly workspace: WorkspaceScope
  readonly run: StoredRun
  /** Caller who started the run: its tools act with their rights. */
  readonly caller: CallerShape
  /** Runs work as one unit that stores nothing unless the run is still ours. Dies with `RunLeaseLost` otherwise. */
  readonly fenced: Context.Tag.Service<Atomic>["run"]
}

export const heldRun = (run: StoredRun) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const [atomic, store] = [yield* Atomic, yield* RunStore]
    const renewLease = Effect.gen(function* () {
      const until = timestampOf((yield* Clock.currentTimeMillis) + leaseMs)
      if (!(yield* store.hold(workspace, run.id, run.fence, until)))
        return yield* Effect.die(new RunLeaseLost({ runId: run.id }))
    })
    const claimedRun: HeldRun = {
      workspace,
      run,
      caller: {
        workspace,
        actor: run.actor,
        activity: run.activity,
        ...(run.scopes === null ? {} : { scopes: run.scopes })
      },
      fenced: (work, options) => atomic.run(Effect.zipRight(renewLease, work), options)
    }
    return claimedRun
  })

/** A step that begins now. */
export const beginStep = (
  idx: number,
  kind: StepKind,
  fields: Partial<Pick<StoredStep, "name" | "modelId" | "input" | "reservedUsd">>
): Effect.Effect<StoredStep, never, Ids> =>
  Effect.map(Effect.all([Ids, now]), ([ids, startedAt]) => ({
    id: ids.make("step"),
    idx,
    kind,
    name: null,
    modelId: null,
    input: null,
    reservedUsd: "0",
    tokensIn: 0,
    tokensOut: 0,
    costUsd: "0",
    latencyMs: null,
    status: "pending",
    output: null,
    error: null,
    startedAt,
    finishedAt: null,
    ...fields
  }))

/** The same step with its outcome. */
export const endStep = (
  step: StoredStep,
  fields: Partial<StoredStep> & Pick<StoredStep, "status">
): Effect.Effect<StoredStep> =>
  Effect.map(now, (finishedAt) => ({
    ...step,
    finishedAt,
    latencyMs: Math.max(0, millisOf(finishedAt) - millisOf(step.startedAt)),
    ...fields
  }))

/**
 * Commits the start of a step without waiting for the disk. A power cut may lose it; the step is then repeated, which
 * is safe because it only reads or changes our own database. The next synced commit makes it durable.
 */
export const unsyncedUnit: UnitOptions = { unsynced: true }

/**
 * Journals steps in one unit of work: those that begin, those that end, and with them what they spent and what is
 * reserved for them. Whoever watches the run is told.
 */
export const journalSteps = <E = never, R = never>(
  held: HeldRun,
  steps: ReadonlyArray<{ readonly before: StoredStep | null; readonly step: StoredStep }>,
  alongside: Effect.Effect<void, E, R> = Effect.void,
  options: UnitOptions = {}
): Effect.Effect<void, E, R | RunStore | WorkspaceStore> =>
  Effect.gen(function* () {
    const signals = (yield* RunStore).signals
    yield* held.fenced(
      Effect.gen(function* () {
        yield* alongside
        yield* storeSteps(held, steps)
        yield* crashPoint("run.step.insideTransaction")
        yield* signals.changed(held.workspace, held.run.id)
      }),
      options
    )
    yield* crashPoint("run.step.afterTransaction")
  })

/** The same within a unit of work that holds the run already. */
export const storeSteps = (
  held: Pick<HeldRun, "workspace" | "run">,
  steps: ReadonlyArray<{ readonly before: StoredStep | null; readonly step: StoredStep }>
) =>
  Effect.gen(function* () {
    const store = yield* RunStore
    yield* store.putSteps(
      held.workspace,
      held.run.id,
      steps.map(({ step }) => step)
    )
    for (const { before, step } of steps) {
      const spent = step.status === "pending" ? "0" : step.costUsd
      const reserved = step.status === "pending" ? step.reservedUsd : "0"
      const change = {
        spentUsd: spent,
        reservedUsd: formatUsd(parseUsd(reserved) - parseUsd(before?.reservedUsd ?? "0"))
      }
      // Reserved and spent in the month in which the step began, so that what was reserved is given back there.
      if (change.spentUsd !== "0" || change.reservedUsd !== "0")
        yield* store.addSpend(held.workspace, monthOf(step.startedAt), change)
      if (step.status !== "pending" && step.kind === "model_call")
        yield* addUsage(held.workspace, step.startedAt, {
          inputTokens: step.tokensIn,
          outputTokens: step.tokensOut,
          costUsd: step.costUsd
        })
    }
    const ended = steps.filter(({ step }) => step.status !== "pending").map(({ step }) => step)
    if (ended.length === 0) return
    yield* store.addTotals(held.workspace, held.run.id, {
      tokensIn: ended.reduce((sum, { tokensIn }) => sum + tokensIn, 0),
      tokensOut: ended.reduce((sum, { tokensOut }) => sum + tokensOut, 0),
      costUsd: addUsd("0", ...ended.map(({ costUsd }) => costUsd))
    })
  })

export const asEvents = (...steps: ReadonlyArray<StoredStep>) => ({
  type: "events" as const,
  events: steps.map((step) => ({ type: "step" as const, step }))
})
