import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import { enqueue, jobKinds } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  type CallerShape,
  Conflict,
  type ConversationId,
  canonicalJson,
  crashPoint,
  Ids,
  NoModelConfigured,
  NotFound,
  now,
  prefixes,
  RunCapacityFull,
  type RunId,
  SpendCapExceeded,
  traced
} from "../../platform/kernel/index.js"
import { estimateTokens, monthOf, parseUsd, type TurnMessage } from "../../platform/models/index.js"
import {
  agentsModel,
  type BoundTool,
  foldJournal,
  planModelId,
  planTool,
  type RunConfig,
  RunStore,
  type RunTrigger,
  type StoredRun,
  type StoredStep,
  Toolbox
} from "../agent-runs/index.js"
import { findAgent, storeDefault } from "./agents.js"

/** A run takes so many attempts of workers that die before its job is given up; the reconciliation goes on after. */
const jobAttempts = 20
/** When a worker takes up an inline run whose process is gone. */
const inlineDelayMs = 30_000
/** Time in seconds after which a caller that found all places taken should retry. */
const retryAfterSeconds = 5

export interface NewRun {
  /** Slug or id. */
  readonly slug: string
  readonly input: string
  readonly conversationId?: ConversationId | undefined
  /** Trigger of the run; by default that of the caller's interface. */
  readonly trigger?: RunTrigger | undefined
  /** Whether the caller's own process works on it: a worker comes later, in case that is gone. */
  readonly inline?: boolean
  /** The journal that the run begins with, and where it is from. */
  readonly fork?: {
    readonly from: RunId
    readonly steps: ReadonlyArray<StoredStep>
    readonly history: ReadonlyArray<TurnMessage>
  }
  /** A version other than the latest, by number. */
  readonly version?: number | undefined
}

/** The job of a run, for the queue; equal ones that wait are one. */
export const runJob = (id: RunId, delayMs = 0) => ({
  kind: jobKinds.agentRun,
  subjectId: id,
  dedupeKey: id,
  maxAttempts: jobAttempts,
  delayMs
})

/** The built-in plan asks like `POST /query`, where the agent may search; whoever approves searches approves that. */
const withPlanTool = (tools: ReadonlyArray<BoundTool>): ReadonlyArray<BoundTool> => {
  const search = tools.find(({ name }) => name === "svc_search")
  return search === undefined || tools.some(({ name }) => name === planTool)
    ? tools
    : [...tools, { name: planTool, kind: "operation", effect: "read_only", approval: search.approval }]
}

/**
 * Queues a run of an agent's latest version: the row, its job and its audit event are one unit of work, in which the
 * month's spend and the active runs are looked at, so that no two starts take one place.
 */
export const startRun = traced("agents.start")(function* (start: NewRun) {
  const caller = yield* Caller
  const { workspace } = caller
  const [store, toolbox, ids] = [yield* RunStore, yield* Toolbox, yield* Ids]
  const found = yield* findAgent(start.slug)
  const { agent } = found
  if (agent.archived) return yield* new Conflict({ message: `The agent ${agent.slug} is archived.` })
  const { model, settings } = yield* agentsModel(workspace)
  const refusal = Option.isNone(model)
    ? new NoModelConfigured({ message: "No chat model is enabled." })
    : null
  if (refusal !== null && start.inline !== true) return yield* refusal
  if (refusal === null && !agent.enabled)
    return yield* new Conflict({ message: `The agent ${agent.slug} is disabled.` })
  const version =
    start.version === undefined ? found.latest : found.versions.find(({ number }) => number === start.version)
  if (version === undefined) return yield* new NotFound({ what: "agent version" })
  const tools = Option.exists(model, ({ modelId }) => modelId === planModelId)
    ? withPlanTool(version.tools)
    : version.tools
  const named = tools.map(({ name }) => name)
  const specs = new Map((yield* toolbox.list(workspace, named)).map((spec) => [spec.name, spec]))
  const config: RunConfig = {
    agentId: agent.id,
    agentSlug: agent.slug,
    agentVersionId: version.id,
    instructions: version.instructions,
    modelId: Option.match(model, { onNone: () => "none", onSome: ({ modelId }) => modelId }),
    tools: tools.flatMap((tool) => {
      const spec = specs.get(tool.name)
      return spec === undefined
        ? []
        : [{ ...tool, scopes: spec.scopes, description: spec.description, inputSchema: spec.inputSchema }]
    }),
    budgets: {
      steps: version.budgets.steps ?? settings.budgets.steps,
      tokens: version.budgets.tokens ?? settings.budgets.tokens,
      costUsd: version.budgets.costUsd ?? settings.budgets.costUsd,
      minutes: version.budgets.minutes ?? settings.budgets.minutes,
      callsPerTurn: version.budgets.callsPerTurn ?? settings.budgets.callsPerTurn
    }
  }
  const { conversationId } = start
  if (conversationId !== undefined && !(yield* store.hasConversation(workspace, conversationId)))
    return yield* new NotFound({ what: "conversation" })
  const history =
    start.fork?.history ??
    (conversationId === undefined ? [] : yield* historyOf(conversationId, config.budgets.tokens))
  const id = ids.make("run")
  const queued = atomically(
    Effect.gen(function* () {
      const at = yield* now
      if (refusal === null) {
        const capUsd = settings.caps.agentSpendUsd
        const spend = yield* store.spend(workspace, monthOf(at))
        if (parseUsd(spend.spentUsd) + parseUsd(spend.reservedUsd) >= parseUsd(capUsd))
          return yield* new SpendCapExceeded({ capUsd })
        const active = yield* store.countActive(workspace)
        if (active >= settings.caps.activeRuns)
          return yield* new RunCapacityFull({ active, retryAfterSeconds })
      }
      yield* storeDefault(found)
      const run: StoredRun = {
        id,
        agentId: agent.id,
        agentVersionId: version.id,
        conversationId: conversationId ?? ids.make("conversation"),
        status: refusal === null ? "queued" : "failed",
        trigger: start.trigger ?? triggerOf(caller),
        input: start.input,
        output: null,
        error: refusal === null ? null : { code: "no-model-configured", message: refusal.message },
        tokensIn: 0,
        tokensOut: 0,
        costUsd: "0",
        apiKeyId: caller.keyId ?? (caller.actor.startsWith(`${prefixes.key}_`) ? caller.actor : null),
        configSnapshotId: ids.derive("runConfig", `${workspace} ${canonicalJson(config)}`),
        createdAt: at,
        startedAt: null,
        finishedAt: refusal === null ? null : at,
        forkedFrom: start.fork?.from ?? null,
        actor: caller.actor,
        activity: caller.activity,
        scopes: caller.scopes ?? null,
        principals: caller.principals ?? null,
        config,
        history,
        cancelRequested: false,
        fence: 0,
        leaseUntil: null
      }
      yield* store.insert(workspace, run)
      if (start.fork !== undefined) yield* store.putSteps(workspace, id, start.fork.steps)
      if (refusal === null) yield* enqueue([runJob(id, start.inline === true ? inlineDelayMs : 0)])
      yield* record([
        { action: "run.start", subjectId: id, details: { agent: agent.slug, version: version.number } }
      ])
      yield* crashPoint("run.start.insideTransaction")
      return run
    })
  )
  return yield* queued.pipe(
    Effect.tapError((fault) =>
      fault._tag === "SpendCapExceeded" || fault._tag === "RunCapacityFull"
        ? atomically(record([{ action: "run.refuse", subjectId: agent.id, details: { reason: fault._tag } }]))
        : Effect.void
    )
  )
})

const triggerOf = ({ activity }: Pick<CallerShape, "activity">): RunTrigger =>
  activity === "api" ? "api" : activity === "mcp" ? "mcp" : "embedded"

/** Earlier turns that are looked at. */
const turnsMax = 20
/** Share of a run's tokens that earlier turns may fill. */
const historyShare = 0.25

/**
 * Earlier turns of a conversation within a share of the run's tokens: the newest whole, with what their tools returned,
 * while they fit in half of it; older ones as question and answer.
 */
const historyOf = (conversation: ConversationId, budgetTokens: number) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* RunStore, yield* Caller]
    const limit = Math.floor(budgetTokens * historyShare)
    const turns: Array<ReadonlyArray<TurnMessage>> = []
    let used = 0
    let isWhole = true
    for (const run of yield* store.conversation(workspace, conversation, turnsMax)) {
      const brief: ReadonlyArray<TurnMessage> = [
        { role: "user", content: run.input },
        { role: "assistant", content: run.output?.text ?? "", toolCalls: [] }
      ]
      const whole: ReadonlyArray<TurnMessage> = isWhole ? yield* wholeTurn(run, brief) : brief
      isWhole = isWhole && used + tokensOf(whole) <= limit / 2
      const chosen = isWhole ? whole : brief
      if (used + tokensOf(chosen) > limit) break
      used += tokensOf(chosen)
      turns.unshift(chosen)
    }
    return turns.flat()
  })

const wholeTurn = (run: StoredRun, [question, answer]: ReadonlyArray<TurnMessage>) =>
  Effect.gen(function* () {
    const steps = yield* (yield* RunStore).steps((yield* Caller).workspace, run.id)
    const { transcript } = foldJournal(run, steps).state
    const own = transcript.slice(1 + run.history.length + 1)
    return [...(question === undefined ? [] : [question]), ...own, ...(answer === undefined ? [] : [answer])]
  })

const tokensOf = (messages: ReadonlyArray<TurnMessage>): number => estimateTokens(JSON.stringify(messages))

/** Starts a run that the caller's own process works on. */
export const startInline = ({ conversationId, input, slug }: NewRun) =>
  startRun({ slug, input, conversationId, inline: true })

/** Asks again for runs that should be worked on and may be by nobody. */
export const handOffRuns = Effect.gen(function* () {
  const [store, { workspace }] = [yield* RunStore, yield* Caller]
  const unattendedRuns = yield* store.owed(workspace, yield* now)
  if (unattendedRuns.length > 0) yield* enqueue(unattendedRuns.map((id) => runJob(id)))
})
