import { Caller, Ids, invalid, type RunId, traced } from "../../platform/kernel/index.js"
import {
  advance,
  effectsOf,
  initialState,
  promptText,
  type RunEffect,
  type RunState,
  RunStore,
  type StoredRun,
  type StoredStep
} from "../agent-runs/index.js"
import { findRun } from "./runs.js"
import { startRun } from "./start.js"

/** One step of a journal beside what today's code would have done there. */
export interface ReplayedStep {
  readonly idx: number
  readonly kind: StoredStep["kind"]
  readonly name: string | null
  readonly status: StoredStep["status"]
  /** The stage of the run before the step. */
  readonly stage: RunState["stage"]
  /** Effects that today's code would carry out at this step. */
  readonly expected: ReadonlyArray<RunEffect["type"]>
  /** Messages that the model read, for a model call. */
  readonly prompt: RunState["transcript"] | null
  /** Reason why today's code would act otherwise; null when it would not. */
  readonly divergence: string | null
}

/** The result of a replay: each step of a run's journal compared with what today's code would do. */
export interface Replay {
  readonly runId: RunId
  readonly status: StoredRun["status"]
  readonly steps: ReadonlyArray<ReplayedStep>
  /** The first step at which stored journal and today's code part; null where they agree. */
  readonly divergedAt: number | null
}

/** Kinds of step that each effect may record. */
const stepsOfEffect: Readonly<Record<RunEffect["type"], ReadonlyArray<StoredStep["kind"]>>> = {
  check_input: ["guardrail"],
  call_model: ["model_call", "retry"],
  dispatch: ["tool_call", "mcp_call", "approval", "guardrail"],
  call_tool: ["tool_call", "mcp_call"],
  deny: ["tool_call", "mcp_call"],
  recover: ["retry"],
  check_answer: ["guardrail"],
  suspend: [],
  finish: []
}

/**
 * Folds a stored journal with today's code and says where they part: another kind of step than the fold asks for, or a
 * prompt with another digest. Pure; nothing is executed.
 */
const replayJournal = (
  run: StoredRun,
  steps: ReadonlyArray<StoredStep>,
  sha256: (text: string) => string
): Replay => {
  let state = initialState(run)
  const replayed: Array<ReplayedStep> = []
  for (const step of steps) {
    const effects = effectsOf(state)
    const expected = effects.map(({ type }) => type)
    const isExpected =
      step.kind === "retry" || effects.some(({ type }) => stepsOfEffect[type].includes(step.kind))
    const digest = step.kind === "model_call" ? step.input?.["promptDigest"] : undefined
    const modelCall = effects.find((effect) => effect.type === "call_model")
    const prompt = modelCall?.messages ?? (step.kind === "model_call" ? state.transcript : null)
    const isSamePrompt =
      digest === undefined || prompt === null || sha256(promptText(state, prompt)) === digest
    replayed.push({
      idx: step.idx,
      kind: step.kind,
      name: step.name,
      status: step.status,
      stage: state.stage,
      expected,
      prompt: step.kind === "model_call" ? prompt : null,
      divergence: !isExpected
        ? `The journal has ${step.kind} where today's code would do ${expected.join(", ") || "nothing"}.`
        : !isSamePrompt
          ? "The prompt is another one than the journal's."
          : null
    })
    state = advance(state, { type: "step", step: asClosed(step) }).state
  }
  const diverged = replayed.find(({ divergence }) => divergence !== null)
  return { runId: run.id, status: run.status, steps: replayed, divergedAt: diverged?.idx ?? null }
}

/** A call that waited is folded as the journal has it; what was skipped at the end of the run says nothing. */
const asClosed = (step: StoredStep): StoredStep =>
  step.status === "skipped" ? { ...step, status: "pending" } : step

/** Replays the journal of a run. */
export const replayRun = traced("agents.replay")(function* (id: RunId) {
  const run = yield* findRun(id)
  const { workspace } = yield* Caller
  const steps = yield* (yield* RunStore).steps(workspace, id)
  return replayJournal(run, steps, (yield* Ids).sha256)
})

/**
 * Starts a run from the first steps of another's journal, before the step `at`: what they did is taken as it is and not
 * done again, and costs nothing. Another input or version takes effect from there on.
 */
export const forkRun = traced("agents.fork")(function* (fork: {
  readonly id: RunId
  readonly at: number
  readonly input?: string | undefined
  readonly version?: number | undefined
}) {
  const source = yield* findRun(fork.id)
  const [store, ids, { workspace }] = [yield* RunStore, yield* Ids, yield* Caller]
  const steps = (yield* store.steps(workspace, source.id)).filter(({ idx }) => idx < fork.at)
  const openEnd = steps.find(({ status }) => status === "pending" || status === "skipped")
  if (openEnd !== undefined)
    return yield* invalid(
      ["at"],
      "invalid_value",
      `Step ${openEnd.idx} has no outcome: fork at it or before.`
    )
  const copied = steps.map((step) => ({
    ...step,
    id: ids.make("step"),
    costUsd: "0",
    tokensIn: 0,
    tokensOut: 0,
    reservedUsd: "0"
  }))
  return yield* startRun({
    slug: source.config.agentSlug,
    input: fork.input ?? source.input,
    version: fork.version,
    fork: { from: source.id, steps: copied, history: source.history }
  })
})
