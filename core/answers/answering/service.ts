import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore, wasOtherThen, withIndexing } from "../../files/documents/index.js"
import { type Question, readQuestion } from "../../language/questions/index.js"
import { analyse } from "../../language/tokenization/index.js"
import {
  Caller,
  type DocumentId,
  millisOf,
  now,
  timestampOf,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { countUses } from "../../platform/workspace/index.js"
import type { Evidence } from "../evidence/index.js"
import { extractAnswer } from "../extractive/index.js"
import { workspaceAsOf } from "../gathering/index.js"
import { checkedBefore, groundClaims } from "../grounding/index.js"
import {
  asksFormer,
  changesAsked,
  isSaidOfThen,
  lastDayAsked,
  nameAskedBefore,
  scoredAnswer,
  versionAsked,
  withoutRelativeTime,
  withoutTime
} from "../selection/index.js"
import { changesAnswer } from "./changes.js"
import { standaloneQuestion } from "./follow-up.js"
import { isRefused } from "./gate.js"
import type { Query, StructuredAnswer } from "./model.js"
import { persistAnswer, recordUsage } from "./persist-answer.js"
import { draftAnswer, evidenceFor, judgeDraft, prepareQuestionRun, type QuestionRun } from "./pipeline.js"
import { timeStage } from "./stages.js"
import { checkWhenWritten, sendClaims } from "./streamed-claims.js"
import {
  type AnsweredQuestion,
  answerOf,
  decidedQuestionOf,
  explanationOf,
  type TracedAnswer,
  traceOf,
  usedFor
} from "./trace.js"
import { checkedOutcome, withoutRefused } from "./withhold.js"

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
export const askTraced = traced("answering.ask")(function* (query: Query, { kept = true }: AskSettings = {}) {
  const { workspace } = yield* Caller
  const then = query.asOf ?? (yield* timeNamed(workspace, query))
  if (then === null) return yield* answerCounted(workspace, query, kept, null)
  const { services, ...past } = yield* workspaceAsOf(workspace, then)
  return yield* Effect.provide(answerCounted(workspace, query, kept, past), services)
})

/**
 * Returns the past day that a question names when the documents of that day have to be read for it: they said something
 * else then, and what is there today says nothing of that time.
 */
const timeNamed = Effect.fnUntraced(function* (workspace: WorkspaceScope, query: Query) {
  const question = readQuestion(query.question, analyse)
  const version = versionAsked(query.question)
  if (version !== null && !query.includeData) return yield* timeOfVersion(workspace, query, version)
  const today = (yield* now).slice(0, 10)
  if (changesAsked(query.question, today) !== null) return null
  const day = lastDayAsked(question, today)
  if (day === null && !query.includeData) return yield* timeOfFormer(workspace, query)
  if (day === null || query.includeData || day >= today) return null
  if (!(yield* wasOtherThen(workspace, `${day}T23:59:59.999Z`))) return null
  const questionRun = yield* prepareQuestionRun(query, false)
  const { evidence } = yield* evidenceFor({ ...questionRun, stages: [] }, question)
  yield* countUses(workspace, questionRun.uses)
  return answersOfThen(evidence) ? null : day
})

/**
 * Returns the last moment of the version that a question names, of the document that answers it best today; null when there
 * is no such former version.
 */
const timeOfVersion = Effect.fnUntraced(function* (workspace: WorkspaceScope, query: Query, version: number) {
  const questionRun = yield* prepareQuestionRun(query, false)
  const asked = readQuestion(withoutRelativeTime(query.question), analyse)
  const { evidence } = yield* evidenceFor({ ...questionRun, stages: [] }, asked)
  yield* countUses(workspace, questionRun.uses)
  const best = scoredAnswer(evidence).statements[0]?.source ?? evidence.sources[0]
  if (best === undefined) return null
  return yield* lastMomentOf(workspace, best.passage.documentId, version)
})

/**
 * Returns the moment to read the documents of for "What did it cost before?" or "Who led it before Tore Lind?": the end
 * of the newest former version, of the document that answers today, that lacks the answer of today or that name. Null
 * for other questions, when a document of today says what held before, and when no such version is kept.
 */
const timeOfFormer = Effect.fnUntraced(function* (workspace: WorkspaceScope, query: Query) {
  const name = nameAskedBefore(query.question)
  if (name === null && !asksFormer(query.question)) return null
  const questionRun = yield* prepareQuestionRun(query, false)
  const evidenceOf = (text: string) =>
    Effect.map(
      evidenceFor({ ...questionRun, stages: [] }, readQuestion(text, analyse)),
      ({ evidence }) => evidence
    )
  const [best] = scoredAnswer(yield* evidenceOf(withoutRelativeTime(query.question))).statements
  const isKnown = best !== undefined && !asksFormer(best.unit.text)
  const moment = isKnown
    ? yield* endOfVersionWithout(workspace, best.source.passage.documentId, name ?? best.unit.text)
    : null
  const today = moment === null ? null : yield* evidenceOf(query.question)
  yield* countUses(workspace, questionRun.uses)
  return today !== null && answersOfThen(today) ? null : moment
})

/** Whether a statement of today answers a question and says that it held at the time of the question. */
const answersOfThen = (evidence: Evidence): boolean =>
  extractAnswer(evidence).answerable && isSaidOfThen(evidence, scoredAnswer(evidence).statements[0])

/** Returns the last moment of the newest former version of a document that lacks some words; null for none. */
const endOfVersionWithout = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  id: DocumentId,
  words: string
) {
  const documents = yield* DocumentStore
  const sought = wordsOf(words)
  const { items } = yield* documents.versions(workspace, id, { limit: formerVersionsMax, offset: 0 })
  for (const { version } of items.slice(1)) {
    const former = Option.getOrNull(yield* documents.version(workspace, id, version))
    if (former === null || former.bytes === null) return null
    if (!wordsOf(new TextDecoder().decode(former.bytes)).includes(sought))
      return yield* lastMomentOf(workspace, id, version)
  }
  return null
})

/** The most versions of one document that one question reads. */
const formerVersionsMax = 50

/** The words of a text in their order, without its marks and line breaks. */
const wordsOf = (text: string): string => ` ${(text.match(/[\p{L}\p{N}]+/gu) ?? []).join(" ")} `

/** Returns the last moment at which a version of a document was the current one; null when it still is, or is not kept. */
const lastMomentOf = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  id: DocumentId,
  version: number
) {
  const documents = yield* DocumentStore
  const next = Option.getOrNull(yield* documents.version(workspace, id, version + 1))
  const former = Option.getOrNull(yield* documents.version(workspace, id, version))
  if (former === null || next === null) return null
  // Audit events of a version are a little younger than it.
  const last = timestampOf(millisOf(next.version.createdAt) - 1)
  return last > former.version.createdAt ? last : former.version.createdAt
})

const answerCounted = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  query: Query,
  kept: boolean,
  past: QuestionRun["past"]
) {
  const questionRun = yield* prepareQuestionRun(query, kept, past)
  // Model usage counts towards the budget even when the question fails.
  return yield* Effect.onError(answerQuestion(questionRun), () => countUses(workspace, questionRun.uses))
})

const answerQuestion = Effect.fnUntraced(function* (questionRun: QuestionRun) {
  const { query, settings, stages } = questionRun
  const question = yield* standaloneQuestion(questionRun)
  const asked = readQuestion(question, analyse)
  const { draft, found } =
    (yield* changesAnswer(questionRun, asked)) ?? (yield* answerOfStatements(questionRun, asked))
  const grounding = yield* timeStage(
    stages,
    "ground",
    draft.checks === null
      ? groundClaims(
          draft.outcome.claims,
          found.evidence,
          questionRun.judge,
          checkWhenWritten(questionRun.streamed)
        )
      : Effect.succeed(checkedBefore(draft.checks)),
    ({ verified }) => verified,
    ({ usage }) => usage.costUsd
  )
  const checked = checkedOutcome(
    found.evidence,
    draft.outcome,
    grounding,
    settings.policy,
    found.unavailableData
  )
  // An enforcing gate may refuse all of them yet.
  const streamed =
    questionRun.mode === "enforce" ? null : yield* sendClaims(questionRun, checked, found.evidence)
  const judgment = yield* judgeDraft(
    questionRun,
    found.evidence,
    { ...draft, outcome: checked.outcome },
    checked,
    found
  )
  const shown = isRefused(questionRun.mode, judgment)
    ? withoutRefused(found.evidence, checked, judgment?.decision.reasons ?? [])
    : checked
  const claims = streamed ?? (yield* sendClaims(questionRun, shown, found.evidence))
  const answered = { asking: questionRun, found, draft, grounding, checked: shown, claims, judgment }
  const answer: StructuredAnswer = {
    ...answerOf(answered, yield* now),
    ...(question === query.question ? {} : { standaloneQuestion: question }),
    ...(query.conversationId === undefined ? {} : { conversationId: query.conversationId }),
    ...(query.asOf === undefined ? {} : { asOf: query.asOf })
  }
  const explanation = explanationOf(answered)
  const decision = decidedQuestionOf(answered, explanation)
  const used = usedFor(answered)
  const { costUsd, inputTokens, outputTokens } = used
  const kept = questionRun.kept
    ? yield* persistAnswer({
        question: query.question,
        answer,
        usage: { costUsd, inputTokens, outputTokens },
        settings,
        judged: decision,
        settle: cacheUpdate(answered, answer.policy)
      })
    : yield* recordUsage(used)
  return {
    answer: yield* withIndexing(answer, questionRun.stamp),
    trace: traceOf(answered, explanation, decision, kept)
  } satisfies TracedAnswer
})

const answerOfStatements = Effect.fnUntraced(function* (questionRun: QuestionRun, asked: Question) {
  const { past } = questionRun
  const found = yield* evidenceFor(
    questionRun,
    past === null ? asked : readQuestion(withoutTime(asked, past.at.slice(0, 10)), analyse)
  )
  return { found, draft: yield* draftAnswer(questionRun, found) }
})

/** Returns the effect that updates the cache with the given answer; null when the cache was not asked. */
const cacheUpdate = (
  { checked: { checks, outcome }, draft: { stopped, cacheLookup } }: AnsweredQuestion,
  policy: StructuredAnswer["policy"]
): Effect.Effect<void> | null => {
  if (stopped || cacheLookup.status === "off") return null
  const { answer, answerable, claims, reasons } = outcome
  const degraded = reasons.some((reason) => degradations.has(reason))
  return cacheLookup.settle({ answer, claims, checks, answerable, policy, degraded })
}

/** Reasons after which the same question may be answered better next time. */
const degradations = new Set([
  "chat_model_unavailable",
  "reply_repaired",
  "reply_incomplete",
  "reply_truncated",
  "reply_other_language",
  "judge_unavailable"
])
