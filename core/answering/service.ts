import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { plainText } from "../documents/index.js"
import {
  type AnswerId,
  type Atomic,
  atomically,
  Caller,
  Ids,
  ModelUnavailable,
  NoModelConfigured,
  now
} from "../kernel/index.js"
import { type ChatModel, type ModelFailed, modelsFor, type Usage, type UsageStore } from "../models/index.js"
import { policyOff } from "../policy/index.js"
import { analyse, snippetOf } from "../retrieval/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { abstention } from "./abstain.js"
import { type Evidence, makeEvidence, marker } from "./evidence.js"
import { EvidenceSource, type Gathered } from "./evidence-source.js"
import { extract, extractiveModelId } from "./extractive.js"
import { generate } from "./generate.js"
import { type ClaimCheck, checkGrounding, verifierId } from "./grounding.js"
import { addUsage, keepAnswer } from "./keep.js"
import type { Claim, Query, Source, StructuredAnswer } from "./model.js"
import { type Question, readQuestion } from "./question.js"
import { checkCitations, claimsOfProse, markersIn, safeProse } from "./reply.js"
import { selectPassages } from "./select.js"
import { StageListener, type StageName } from "./stages.js"

/** What one stage did. */
export interface StageTrace {
  readonly name: StageName
  /** Passages found, passages kept, model calls, claims verified. */
  readonly count: number
  readonly durationMs: number
}

/** How an answer came about; for embedding callers and logs, not on the wire. */
export interface AnswerTrace {
  /** Names the answer as it is kept; null where the workspace keeps none, or it could not be kept. */
  readonly answerId: AnswerId | null
  readonly stages: ReadonlyArray<StageTrace>
  readonly answerable: boolean
  /** Citations of the model that named no source. */
  readonly droppedCitations: number
  /** What degraded: `chat_model_unavailable`, `citation_mismatch`, `reply_repaired`, `usage_estimated`, `no_evidence`, `answer_not_kept`. */
  readonly reasons: ReadonlyArray<string>
  /** One verdict per claim, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
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

/**
 * The pipeline: read the question, gather and select evidence, one generation, check citations, check each claim
 * against what it cites. Without a chat model, or when it is down, the built-in extractive model answers if the
 * workspace allows it. Nothing is invented: what the evidence does not carry is said to be missing.
 */
export const askTraced = Effect.fn("answering.ask")(function* (query: Query) {
  const { workspace } = yield* Caller
  const ids = yield* Ids
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const { builtIn, chat } = yield* modelsFor(workspace, settings.models)
  const fallback = builtIn && settings.models.fallbackToExtractive
  if (Option.isNone(chat) && !fallback)
    return yield* new NoModelConfigured({
      message: "No chat model is configured, and the built-in one is switched off."
    })
  const stages: Array<StageTrace> = []
  const question = readQuestion(query.question, analyse)
  const source = yield* EvidenceSource
  const gathered = yield* timed(
    stages,
    "gather",
    source.gather(workspace, question, { maxSources: query.maxSources }),
    ({ sources }) => sources.length
  )
  const evidence = yield* timed(
    stages,
    "select",
    Effect.sync(() => evidenceOf(question, gathered, query.maxSources)),
    ({ sources }) => sources.length
  )
  const outcome = yield* timed(
    stages,
    "generate",
    answerFrom(evidence, chat, fallback, ids.sha256(ids.make("answer")).slice(0, 24)),
    ({ calls }) => calls
  )
  const grounding = yield* timed(
    stages,
    "ground",
    Effect.sync(() => checkGrounding(outcome.claims, evidence)),
    ({ verified }) => verified
  )
  const answer: StructuredAnswer = {
    answer: outcome.answer,
    claims: outcome.claims.map(({ citations, text }) => ({ text, citations: [...citations] })),
    sources: evidence.sources.map((one) => sourceOf(one, gathered.termWeights)),
    dataCalls: [],
    entities: [...evidence.entities],
    groundedness: { verified: grounding.verified, total: grounding.total },
    policy: policyOff,
    model: { chat: outcome.modelId, judge: verifierId },
    usage: {
      inputTokens: outcome.usage.inputTokens,
      outputTokens: outcome.usage.outputTokens,
      costUsd: Number(outcome.usage.costUsd)
    },
    generatedAt: yield* now
  }
  const { answerable, droppedCitations, usage } = outcome
  const { costUsd, inputTokens, outputTokens } = usage
  const kept = yield* keepAnswer(query.question, answer, { costUsd, inputTokens, outputTokens }, settings)
  const isLost = Option.isNone(kept) && settings.retention.answerDays > 0
  const reasons = isLost ? [...outcome.reasons, answerNotKept] : outcome.reasons
  const trace = {
    answerId: Option.getOrNull(kept),
    stages,
    answerable,
    droppedCitations,
    reasons,
    checks: grounding.checks,
    costUsd: usage.costUsd
  }
  return { answer, trace } satisfies TracedAnswer
})

const evidenceOf = (question: Question, gathered: Gathered, maxSources: number): Evidence => {
  const base = { question, entities: gathered.entities, idf: idfOf(gathered.termWeights), analyse }
  const pool = makeEvidence({ ...base, passages: gathered.sources.map(({ passage }) => passage) })
  return makeEvidence({ ...base, passages: selectPassages(pool, maxSources) })
}

/** Words that the question does not hold weigh like its mean one. */
const idfOf = (weights: ReadonlyMap<string, number>) => {
  const values = [...weights.values()]
  const mean = values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length
  return (term: string): number => weights.get(term) ?? mean
}

interface Outcome {
  readonly answerable: boolean
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
  readonly modelId: string
  readonly usage: Usage
  readonly calls: number
  readonly droppedCitations: number
  readonly reasons: ReadonlyArray<string>
}

const answerFrom = (
  evidence: Evidence,
  chat: Option.Option<Context.Tag.Service<ChatModel>>,
  fallback: boolean,
  boundary: string
): Effect.Effect<Outcome, ModelUnavailable, Atomic | Caller | UsageStore> => {
  if (Option.isNone(chat)) return Effect.sync(() => builtInAnswer(evidence, []))
  const { modelId } = chat.value
  // Nothing to answer from: asking a model would only invite it to invent.
  if (evidence.sources.length === 0 && evidence.data.length === 0)
    return Effect.sync(() => ({ ...builtInAnswer(evidence, ["no_evidence"]), modelId }))
  return chatAnswer(evidence, chat.value, boundary).pipe(
    Effect.catchAll((failure) =>
      fallback
        ? Effect.sync(() => afterFailure(evidence, failure)).pipe(
            Effect.tap(() =>
              Effect.logWarning(`The chat model ${modelId} is unavailable: ${failure.message}`)
            )
          )
        : Effect.zipRight(
            usageOfFailure(failure),
            new ModelUnavailable({
              message: failure.message,
              retryAfterSeconds: failure.retryAfterSeconds ?? retryAfterSeconds
            })
          )
    )
  )
}

/** What was used for nothing is paid for all the same. */
const usageOfFailure = ({ usage = free }: ModelFailed) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const { costUsd, inputTokens, outputTokens } = usage
    yield* atomically(addUsage(workspace, yield* now, { costUsd, inputTokens, outputTokens }))
  })

/** The built-in model's answer, with what the chat model used before it failed. */
const afterFailure = (evidence: Evidence, { usage = free }: ModelFailed): Outcome => ({
  ...builtInAnswer(evidence, ["chat_model_unavailable", ...(usage.estimated ? ["usage_estimated"] : [])]),
  usage
})

/** When a provider does not say when to come back. */
const retryAfterSeconds = 30

const free: Usage = { inputTokens: 0, outputTokens: 0, costUsd: "0", estimated: false }

const builtInAnswer = (evidence: Evidence, reasons: ReadonlyArray<string>): Outcome => {
  const { answer, answerable, claims } = extract(evidence)
  return {
    answerable,
    answer: answerable ? answer : abstention(evidence),
    claims,
    modelId: extractiveModelId,
    usage: free,
    calls: 0,
    droppedCitations: 0,
    reasons
  }
}

const chatAnswer = (evidence: Evidence, model: Context.Tag.Service<ChatModel>, boundary: string) =>
  Effect.map(generate(model, evidence, boundary), ({ calls, reply, usage, violations }): Outcome => {
    const texts = evidence.sources.map(({ text }) => text)
    const common = { modelId: model.modelId, usage, calls }
    const noted = [
      ...(calls > 1 ? ["reply_repaired"] : []),
      ...(violations.length > 0 ? ["reply_incomplete"] : []),
      ...(usage.estimated ? ["usage_estimated"] : [])
    ]
    if (!reply.answerable) {
      const said = safeProse(reply.answer, texts)
      return {
        ...common,
        answerable: false,
        answer: said === "" ? abstention(evidence) : said,
        claims: [],
        droppedCitations: 0,
        reasons: noted
      }
    }
    const registry = new Set([...evidence.sources, ...evidence.data].map(({ id }) => id))
    const stated = reply.claims.length > 0 ? reply : { ...reply, claims: claimsOfProse(reply.answer) }
    const { claims, dropped, reasons } = checkCitations(stated, registry)
    return {
      ...common,
      answerable: true,
      answer: withMarkers(safeProse(reply.answer, texts), claims),
      claims,
      droppedCitations: dropped,
      reasons: [...noted, ...reasons]
    }
  })

/** Prose that a model left without any marker gets those of its claims at its end. */
const withMarkers = (prose: string, claims: ReadonlyArray<Claim>): string => {
  const cited = [...new Set(claims.flatMap(({ citations }) => citations))]
  return markersIn(prose).length > 0 || cited.length === 0
    ? prose
    : `${prose} ${cited.map(marker).join("")}`.trim()
}

const sourceOf = (
  { id, passage, text }: Evidence["sources"][number],
  weights: ReadonlyMap<string, number>
): Source => ({
  id,
  docId: passage.documentId,
  docTitle: passage.docTitle,
  docPath: passage.docPath,
  chunkId: passage.id,
  snippet: snippetOf(plainText(text), weights)
})

/** Runs a stage in a span of its own and notes how long it took and how much it gave. */
const timed = <A, E, R>(
  stages: Array<StageTrace>,
  name: StageTrace["name"],
  effect: Effect.Effect<A, E, R>,
  count: (value: A) => number
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    yield* (yield* StageListener)(name)
    const startedAt = yield* Clock.currentTimeMillis
    const value = yield* Effect.withSpan(effect, `answering.${name}`)
    stages.push({ name, count: count(value), durationMs: (yield* Clock.currentTimeMillis) - startedAt })
    return value
  })
