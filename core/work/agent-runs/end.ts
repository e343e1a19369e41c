import * as Effect from "effect/Effect"
import { PolicyBlock } from "../../answers/policy/index.js"
import { record } from "../../platform/audit/index.js"
import { Caller, countEvent, crashPoint, now } from "../../platform/kernel/index.js"
import { citeText } from "./citations.js"
import { endStep, type HeldRun, storeSteps } from "./journal.js"
import { Groundedness, type RunOutput, type StoredStep } from "./model.js"
import type { Ending, RunState } from "./state.js"
import { RunStore } from "./store.js"

/** Ends a run: output, open steps, open approvals and what was reserved, in one unit of work. */
export const finishRun = (held: HeldRun, state: RunState, ending: Ending) =>
  Effect.as(held.fenced(storeEnd(held, state, ending)), { type: "stop" } as const)

/** The same within a unit of work that has the run. */
export const storeEnd = (
  held: Pick<HeldRun, "workspace" | "run" | "caller">,
  state: Pick<RunState, "sources">,
  ending: Ending
) =>
  Effect.gen(function* () {
    const [store, signals, at] = [yield* RunStore, (yield* RunStore).signals, yield* now]
    const { id } = held.run
    const open = (yield* store.steps(held.workspace, id)).filter(({ status }) => status === "pending")
    const skippedSteps = yield* Effect.forEach(open, (before) =>
      Effect.map(endStep(before, { status: "skipped", costUsd: before.reservedUsd }), (step) => ({
        before,
        step
      }))
    )
    yield* storeSteps(held, skippedSteps)
    for (const approval of yield* store.approvals(held.workspace, id))
      if (approval.status === "open")
        yield* store.decide(held.workspace, approval.id, {
          status: "skipped",
          decidedBy: null,
          decidedAt: at,
          note: null
        })
    const output = outputOf(state, ending)
    yield* store.update(held.workspace, id, {
      status: ending.status,
      output,
      error: ending.error,
      finishedAt: at
    })
    if (output !== null && output.citations.length > 0)
      yield* store.addCitations(held.workspace, id, output.citations)
    yield* Effect.provideService(
      record([
        {
          action: "run.finish",
          subjectId: id,
          details: { status: ending.status, ...(ending.error === null ? {} : { error: ending.error.code }) }
        }
      ]),
      Caller,
      held.caller
    )
    yield* crashPoint("run.end.insideTransaction")
    yield* signals.changed(held.workspace, id)
    yield* countEvent("kanon_runs_total", { status: ending.status })
  })

const outputOf = ({ sources }: Pick<RunState, "sources">, { checked, text }: Ending): RunOutput | null => {
  if (text === null) return null
  if (checked === undefined) {
    const citedText = citeText(text, sources)
    return { text: citedText.text, citations: [...citedText.citations] }
  }
  const citations = checked.output?.["citations"]
  const [groundedness, policy] = [
    Groundedness.safeParse(checked.output?.["groundedness"]),
    PolicyBlock.safeParse(checked.output?.["policy"])
  ]
  return {
    text,
    // The journal holds what this code wrote.
    citations: Array.isArray(citations) ? citations : [],
    ...(checked.output?.["truncated"] === true ? { truncated: true } : {}),
    ...(groundedness.success ? { groundedness: groundedness.data } : {}),
    ...(policy.success ? { policy: policy.data } : {})
  }
}

/** Lets go of a run that waits for a person; reads its journal anew where somebody has decided meanwhile. */
export const suspendRun = (held: HeldRun, state: RunState) =>
  held.fenced(
    Effect.gen(function* () {
      const [store, signals] = [yield* RunStore, (yield* RunStore).signals]
      const known = new Map(
        state.calls.flatMap(({ approval }) => (approval === null ? [] : [[approval.id, approval.status]]))
      )
      const steps = yield* store.steps(held.workspace, held.run.id)
      const isStale = steps.some(
        (step: StoredStep) => known.has(step.id) && known.get(step.id) !== step.status
      )
      if (isStale) return { type: "reload" } as const
      yield* store.update(held.workspace, held.run.id, { status: "suspended" })
      yield* signals.changed(held.workspace, held.run.id)
      return { type: "stop" } as const
    })
  )
