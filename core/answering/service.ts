import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type AnswerId,
  Caller,
  type DecisionId,
  Ids,
  NoModelConfigured,
  now,
  withSpan
} from "../kernel/index.js"
import {
  addUsd,
  countUses,
  type ModelUse,
  metered,
  sumOfUses,
  type WorkspaceModels
} from "../models/index.js"
import {
  type Calibration,
  type GateDecision,
  type GateFeatures,
  type PolicyMode,
  policyOff,
  type RunningPipeline,
  readRules
} from "../policy/index.js"
import { AnswerTexts, type Question, readQuestion, type TextMemory } from "../reading/index.js"
import { analyse } from "../retrieval/index.js"
import { type Settings, WorkspaceStore } from "../workspace/index.js"
import { AnswerCache, type CacheOutcome, type CacheTurn, noCacheTurn } from "./answer-cache.js"
import { saidInstead } from "./clarify.js"
import { findConflicts } from "./conflicts.js"
import { type Evidence, idfOf, makeEvidence } from "./evidence.js"
import { EvidenceSource, type Gathered } from "./evidence-source.js"
import { type Explanation, explain } from "./explain.js"
import { type Judgment, judgeAnswer, judgeEvidence, policyBlock } from "./gate.js"
import { sumUsage } from "./generate.js"
import { type Governance, GovernanceSource, retiredOf } from "./governance.js"
import type { ClaimCheck } from "./grounding.js"
import { checkedBefore, groundClaims } from "./judging.js"
import { keepAnswer, keepUsage } from "./keep.js"
import type { Query, StructuredAnswer } from "./model.js"
import { modelCosts } from "./model-costs.js"
import { givenAgain, type Outcome, outcomeFrom, saidByRule } from "./outcome.js"
import { selectPassages } from "./select.js"
import { sourcesOf } from "./source.js"
import { StageListener, type StageTrace } from "./stages.js"
import { answering, versionsOf } from "./versions.js"

/** What the gate saw and made of it. */
export interface GateTrace {
  readonly mode: Exclude<PolicyMode, "off">
  readonly decision: GateDecision
  readonly features: GateFeatures
  /** The gate changed what the caller got. */
  readonly applied: boolean
  readonly cache: CacheTurn["status"]
}

/** How an answer came about; for embedding callers and logs. */
export interface AnswerTrace {
  /** Names the answer as it is kept; null where the workspace keeps none, or it could not be kept. */
  readonly answerId: AnswerId | null
  /** Names the decision of the gate in the log; null where there is none. */
  readonly decisionId: DecisionId | null
  readonly stages: ReadonlyArray<StageTrace>
  readonly answerable: boolean
  /** Citations of the model that named no source. */
  readonly droppedCitations: number
  /** What degraded: `chat_model_unavailable`, `citation_mismatch`, `reply_repaired`, `reply_incomplete`, `reply_other_language`, `usage_estimated`, `no_evidence`, `judge_unavailable`, `answer_not_kept`. */
  readonly reasons: ReadonlyArray<string>
  /** One verdict per claim, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
  /** Null where the gate is off. */
  readonly gate: GateTrace | null
  /** The path of the question, as it is kept with the decision. */
  readonly explanation: Explanation
  /** Exact decimal US dollars. */
  readonly costUsd: string
}

export interface TracedAnswer {
  readonly answer: StructuredAnswer
  readonly trace: AnswerTrace
}

/** What a trace says of an answer that was given and could not be kept. */
export const answerNotKept = "answer_not_kept"

/** Answers a question from the caller's workspace; see `askTraced`. */
export const ask = (query: Query) => Effect.map(askTraced(query), ({ answer }) => answer)

export interface AskSettings {
  /**
   * False for a trial: nothing is kept of it (no answer, no decision, nothing in the cache, which is not asked
   * either), only what models used is counted. True by default.
   */
  readonly kept?: boolean
}

/**
 * The pipeline: read the question, gather and select evidence, let the gate look, one generation, check citations,
 * check each claim against what it cites, compare the sources, judge, keep. Nothing is invented: what the evidence
 * does not carry is said to be missing. Off, the gate does nothing at all; in shadow it judges and changes nothing;
 * enforcing, it may answer in the place of a model before one is called.
 */
export const askTraced = Effect.fn("answering.ask")(function* (
  query: Query,
  { kept = true }: AskSettings = {}
) {
  const { workspace } = yield* Caller
  const asking = yield* prepare(query, kept)
  // What was used for a question that ends without an answer is paid for all the same.
  return yield* Effect.onError(answered(asking), () => countUses(workspace, asking.uses))
})

const answered = Effect.fnUntraced(function* (asking: Asking) {
  const { query, settings, stages } = asking
  const question = readQuestion(query.question, analyse)
  const { evidence, gathered, governance } = yield* found(asking, question)
  const draft = yield* written(asking, evidence, gathered)
  const grounding = yield* timed(
    stages,
    "ground",
    draft.turn.written === null
      ? groundClaims(draft.outcome.claims, evidence, asking.judge)
      : Effect.succeed(checkedBefore(draft.turn.written.checks)),
    ({ verified }) => verified,
    ({ usage }) => usage.costUsd
  )
  const outcome: Outcome = {
    ...draft.outcome,
    usage: sumUsage(draft.outcome.usage, grounding.usage),
    reasons: [...draft.outcome.reasons, ...grounding.reasons]
  }
  const used = sumUsage(outcome.usage, sumOfUses(asking.uses))
  const judgment = yield* judged(asking, evidence, { ...draft, outcome }, grounding.checks, governance)
  const answer: StructuredAnswer = {
    answer: outcome.answer,
    claims: outcome.claims.map(({ citations, text }) => ({ text, citations: [...citations] })),
    sources: sourcesOf(evidence.sources, gathered.termWeights),
    dataCalls: [],
    entities: [...evidence.entities],
    groundedness: { verified: grounding.verified, total: grounding.total },
    policy: judgment === null || asking.mode === "off" ? policyOff : policyBlock(asking.mode, judgment),
    model: { chat: outcome.modelId, judge: asking.running.judge },
    usage: {
      inputTokens: used.inputTokens,
      outputTokens: used.outputTokens,
      costUsd: Number(used.costUsd)
    },
    generatedAt: yield* now
  }
  const { answerable, claims, droppedCitations } = outcome
  const { costUsd, inputTokens, outputTokens } = used
  const gate =
    judgment === null || asking.mode === "off"
      ? null
      : { mode: asking.mode, ...judgment, applied: draft.stopped, cache: draft.turn.status }
  const rules = judgment === null ? [] : readRules(judgment.features)
  const explanation = explain(
    evidence,
    gathered,
    rules,
    stages,
    modelCosts(
      asking.uses,
      { model: asking.chat, ...draft.outcome },
      { model: asking.judge, usage: grounding.usage, calls: 0 }
    )
  )
  const settle = settled(draft, {
    answer: outcome.answer,
    claims,
    checks: grounding.checks,
    answerable,
    policy: answer.policy,
    degraded: outcome.reasons.some((reason) => degradations.has(reason))
  })
  const given = {
    question: query.question,
    answer,
    usage: { costUsd, inputTokens, outputTokens },
    settings,
    judged: gate === null || judgment === null ? null : { ...gate, judgment, explanation },
    settle
  }
  const { answerId, decisionId } = asking.kept ? yield* keepAnswer(given) : yield* keepUsage(used)
  const isLost = asking.kept && answerId === null && settings.retention.answerDays > 0
  const trace: AnswerTrace = {
    answerId,
    decisionId,
    stages,
    answerable,
    droppedCitations,
    reasons: [
      ...outcome.reasons,
      ...(used.estimated && !outcome.reasons.includes("usage_estimated") ? ["usage_estimated"] : []),
      ...(isLost ? [answerNotKept] : [])
    ],
    checks: grounding.checks,
    gate,
    explanation,
    costUsd
  }
  return { answer, trace } satisfies TracedAnswer
})

/** What the cache does with what was given; nothing where it was not asked. */
const settled = ({ stopped, turn }: Draft, outcome: CacheOutcome): Effect.Effect<void> | null =>
  stopped || turn.status === "off" ? null : turn.settle(outcome)

/** Reasons after which the same question may be answered better next time. */
const degradations = new Set([
  "chat_model_unavailable",
  "reply_repaired",
  "reply_incomplete",
  "reply_other_language",
  "judge_unavailable"
])

/** What holds for the whole of one question. */
interface Asking {
  readonly query: Query
  readonly kept: boolean
  readonly mode: PolicyMode
  readonly settings: Settings
  readonly chat: WorkspaceModels["chat"]
  readonly judge: WorkspaceModels["judge"]
  /** The built-in model may answer in the place of the configured one. */
  readonly fallback: boolean
  readonly running: RunningPipeline
  readonly calibration: Calibration
  readonly stages: Array<StageTrace>
  /** What embedding models and rerankers used so far. */
  readonly uses: Array<ModelUse>
}

const prepare = (query: Query, kept: boolean) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const { calibration, models, running } = yield* answering(workspace, settings)
    const { builtIn, chat, judge } = models
    const fallback = builtIn && settings.models.fallbackToExtractive
    if (Option.isNone(chat) && !fallback)
      return yield* new NoModelConfigured({
        message: "No chat model is configured, and the built-in one is switched off."
      })
    const mode = query.policyMode ?? settings.policy.mode
    const active = { chat, judge, fallback, running, calibration }
    return { query, kept, mode, settings, ...active, stages: [], uses: [] } satisfies Asking
  })

const found = ({ mode, query, stages, uses }: Asking, question: Question) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const [source, texts] = [yield* EvidenceSource, yield* AnswerTexts]
    const gathered = yield* timed(
      stages,
      "gather",
      metered(
        source.gather(workspace, question, { maxSources: query.maxSources, gated: mode !== "off" }),
        uses
      ),
      ({ sources }) => sources.length,
      () => sumOfUses(uses).costUsd
    )
    const evidence = yield* timed(
      stages,
      "select",
      Effect.sync(() => evidenceOf(question, gathered, query.maxSources, texts)),
      ({ sources }) => sources.length
    )
    const passages = evidence.sources.map(({ passage }) => passage)
    const governance = yield* (yield* GovernanceSource).of(workspace, {
      documents: [...new Set(passages.map(({ documentId }) => documentId))],
      titles: [...new Set(passages.map(({ docTitle }) => docTitle))],
      entities: evidence.entities.map(({ id }) => id)
    })
    return { gathered, governance, evidence: { ...evidence, retired: retiredOf(governance) } }
  })

interface Draft {
  /** What the gate made of the evidence alone; null where it is off. */
  readonly sooner: Judgment | null
  /** The gate answered in the place of a model. */
  readonly stopped: boolean
  readonly turn: CacheTurn
  readonly outcome: Outcome
  /** Of an answer that is given again: it was checked when it was written, on the same evidence. */
  readonly fromCache: boolean
}

/** The gate's first look, and then what is written: by rule, given again, or by a model. */
const written = (asking: Asking, evidence: Evidence, gathered: Gathered) =>
  Effect.gen(function* () {
    const { calibration, chat, fallback, mode, query, running, settings, stages } = asking
    const sooner =
      mode === "off"
        ? null
        : yield* timed(
            stages,
            "gate",
            Effect.sync(() => judgeEvidence(evidence, gathered, calibration, settings.policy)),
            ({ decision }) => (decision.gate === "pre" ? 1 : 0)
          )
    if (mode === "enforce" && sooner?.decision.gate === "pre") {
      const said = saidInstead(evidence, sooner.features.evidence, sooner.decision)
      const outcome = saidByRule(said, running.chat)
      return { sooner, stopped: true, turn: noCacheTurn, outcome, fromCache: false } satisfies Draft
    }
    const { workspace } = yield* Caller
    const ids = yield* Ids
    const earlier = asking.uses.length
    const cache = yield* AnswerCache
    const opened = cache.open(workspace, {
      evidence,
      policyMode: mode,
      maxSources: query.maxSources,
      includeData: query.includeData,
      versions: versionsOf(running, calibration)
    })
    const turn = asking.kept ? yield* metered(opened, asking.uses) : noCacheTurn
    const outcome = yield* timed(
      stages,
      "generate",
      turn.written === null
        ? outcomeFrom(evidence, chat, fallback, ids.sha256(ids.make("answer")).slice(0, 24))
        : Effect.succeed(givenAgain(turn.written, running.chat)),
      ({ calls }) => calls,
      ({ usage }) => addUsd(usage.costUsd, sumOfUses(asking.uses.slice(earlier)).costUsd)
    )
    return { sooner, stopped: false, turn, outcome, fromCache: turn.written !== null } satisfies Draft
  })

/** The gate's second look: how what is cited stands, where the sources disagree, and what follows. */
const judged = (
  { calibration, stages }: Asking,
  evidence: Evidence,
  { fromCache, outcome, sooner, stopped }: Draft,
  checks: ReadonlyArray<ClaimCheck>,
  governance: Governance
) =>
  Effect.gen(function* () {
    if (sooner === null || stopped) return sooner
    const conflicts = yield* timed(
      stages,
      "compare",
      Effect.sync(() => findConflicts(evidence, outcome.claims, governance)),
      ({ length }) => length
    )
    return yield* timed(
      stages,
      "judge",
      Effect.sync(() =>
        judgeAnswer(evidence, sooner, calibration, { outcome, checks, conflicts, governance, fromCache })
      ),
      ({ decision }) => decision.caveats.length
    )
  })

const evidenceOf = (
  question: Question,
  gathered: Gathered,
  maxSources: number,
  texts: TextMemory
): Evidence => {
  const base = {
    question: gathered.question ?? question,
    entities: gathered.entities,
    idf: idfOf(gathered.termWeights),
    analyse,
    texts
  }
  const pool = makeEvidence({ ...base, passages: gathered.sources.map(({ passage }) => passage) })
  return makeEvidence({ ...base, passages: selectPassages(pool, maxSources) })
}

/** Runs a stage in a span of its own and notes how long it took and how much it gave. */
const timed = <A, E, R>(
  stages: Array<StageTrace>,
  name: StageTrace["name"],
  effect: Effect.Effect<A, E, R>,
  count: (value: A) => number,
  cost: (value: A) => string = () => "0"
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    yield* (yield* StageListener)(name)
    const startedAt = yield* Clock.currentTimeNanos
    const value = yield* withSpan(`answering.${name}`)(effect)
    stages.push({
      name,
      count: count(value),
      // Microseconds: what is finer is noise.
      durationMs: Number(((yield* Clock.currentTimeNanos) - startedAt) / 1000n) / 1000,
      costUsd: cost(value)
    })
    return value
  })
