import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { LiveDataStore } from "../../connected/livedata/index.js"
import {
  type AnswerId,
  atomically,
  Caller,
  countEvent,
  crashPoint,
  DataCallId,
  type DecisionId,
  Ids,
  isCausedByReadOnlyData,
  timestampOf,
  traced
} from "../../platform/kernel/index.js"
import { isNothing, type MonthlyUsage, type Usage } from "../../platform/models/index.js"
import { addUsage, countUses, type Settings, WorkspaceStore } from "../../platform/workspace/index.js"
import { citedIds } from "../generation/index.js"
import { PolicyStore } from "../policy/index.js"
import { type DecidedQuestion, decisionOf, hashedQuestion } from "./decide.js"
import type { StructuredAnswer } from "./model.js"
import { AnswerStore, type CitedPassage } from "./store.js"

const dayMs = 86_400_000
/** An answer does not wait longer for its turn to be recorded: somebody else may hold the database. */
const patienceMs = 2_000
const busy = "the database is held by somebody else"

/** The passages that an answer cites, in its claims or its prose; each once. */
export const citedPassages = (answer: StructuredAnswer): ReadonlyArray<CitedPassage> => {
  const ids = citedIds(answer)
  const cited = answer.sources.filter(({ id }) => ids.has(id))
  return [...new Map(cited.map(({ chunkId, docId }) => [chunkId, { documentId: docId, chunkId }])).values()]
}

/** Everything that is stored about one question. */
export interface CheckedAnswer {
  readonly question: string
  readonly answer: StructuredAnswer
  readonly usage: MonthlyUsage
  readonly settings: Settings
  /** Null where the gate is off. */
  readonly judged: DecidedQuestion | null
  /** Effect to run in the same unit of work; null when there is none. */
  readonly settle: Effect.Effect<void> | null
}

/** Ids under which an answer and its decision are stored; null for what is not stored. */
export interface PersistedAnswer {
  readonly answerId: AnswerId | null
  readonly decisionId: DecisionId | null
}

const nothingKept: PersistedAnswer = { answerId: null, decisionId: null }

/**
 * Keeps an answer with its question, where the workspace keeps them, writes down what the gate decided, and counts
 * what models used for it, in one small unit of work. Never fails: an answer that cannot be kept is given all the
 * same, and the log says so.
 */
export const persistAnswer = traced("answering.keep")(function* (checkedAnswer: CheckedAnswer) {
  const { answer, judged, settings, settle, usage } = checkedAnswer
  const { policy, retention } = settings
  const [answers, caller, ids, log] = [
    yield* AnswerStore,
    yield* Caller,
    yield* Ids,
    (yield* PolicyStore).decisions
  ]
  const { activity, actor, workspace } = caller
  const createdAt = answer.generatedAt
  yield* countEvent("kanon_answers_total", { verdict: answer.policy.verdict })
  const answerId = retention.answerDays > 0 ? ids.make("answer") : null
  const decisionId = judged !== null && retention.decisionDays > 0 ? ids.make("decision") : null
  if (answerId === null && decisionId === null && settle === null && isNothing(usage)) return nothingKept
  let hasBegun = false
  const work = atomically(
    Effect.gen(function* () {
      hasBegun = true
      yield* addUsage(workspace, createdAt, usage)
      if (settle !== null) yield* settle
      if (judged !== null && decisionId !== null) {
        const question = {
          text: checkedAnswer.question,
          hash: ids.sha256(hashedQuestion(checkedAnswer.question))
        }
        const own = { id: decisionId, answerId }
        yield* log.add(workspace, [decisionOf(own, judged, question, answer, usage, caller, settings)])
      }
      if (answerId === null) return
      const { standaloneQuestion: _, ...withoutQuestion } = answer
      const texts = policy.keepQuestions
        ? { question: checkedAnswer.question, answer }
        : { question: "", answer: withoutQuestion }
      const record = { id: answerId, ...texts, askedBy: actor, activity, createdAt }
      yield* answers.add(workspace, [{ ...record, cited: citedPassages(answer) }])
      const calls = answer.dataCalls.flatMap(({ dataCallId }) => DataCallId.safeParse(dataCallId).data ?? [])
      if (calls.length > 0) yield* (yield* LiveDataStore).calls.link(workspace, calls, answerId)
      yield* crashPoint("answer.keep.insideTransaction")
    }),
    { unsynced: true }
  )
  // Once the transaction has begun it is not given up: interrupted in its commit, the answer would be stored and
  // counted but reported as lost.
  const tooLong = Effect.delay(
    Effect.suspend(() => (hasBegun ? Effect.never : Effect.fail(busy))),
    patienceMs
  )
  return yield* Effect.raceFirst(work, tooLong).pipe(
    // Retried once: when other work of this process blocked the event loop, the time ran out before the database was
    // asked.
    Effect.retry({ times: 1, while: (fault) => fault === busy }),
    Effect.as<PersistedAnswer>({ answerId, decisionId }),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : Effect.as(notKept(cause), nothingKept)
    ),
    Effect.catchAll(() => Effect.succeed(nothingKept))
  )
})

/** Records only the model usage of a trial question; the answer is not stored. */
export const recordUsage = (usage: Usage) =>
  Effect.flatMap(Caller, ({ workspace }) => Effect.as(countUses(workspace, [usage]), nothingKept))

/** Data that may not be written keep nothing: no news. */
const notKept = (cause: Cause.Cause<unknown>) =>
  isCausedByReadOnlyData(cause)
    ? Effect.void
    : Effect.logWarning("An answer was given, but could not be kept.", cause)

const daysAgo = (days: number) =>
  Effect.map(Clock.currentTimeMillis, (time) => timestampOf(time - days * dayMs))

/** Answers that one unit of work forgets. */
const prunedPerUnit = 500

/** Forgets the answers that are older than the workspace keeps them; all of them where it keeps none. */
export const pruneAnswers = Effect.fn("answering.prune")(function* () {
  const [answers, { workspace }] = [yield* AnswerStore, yield* Caller]
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const before = yield* daysAgo(settings.retention.answerDays)
  let count = 0
  for (let pruned = prunedPerUnit; pruned === prunedPerUnit; count += pruned)
    pruned = yield* atomically(answers.prune(workspace, before, prunedPerUnit))
  return count
})

/** Forgets the decisions that are older than the workspace keeps them, and of the others what it does not keep. */
export const pruneDecisions = Effect.fn("answering.pruneDecisions")(function* () {
  const [log, { workspace }] = [(yield* PolicyStore).decisions, yield* Caller]
  const { policy, retention } = (yield* (yield* WorkspaceStore).get(workspace)).settings
  const before = yield* daysAgo(retention.decisionDays)
  let count = 0
  for (let pruned = prunedPerUnit; pruned === prunedPerUnit; count += pruned)
    pruned = yield* atomically(log.prune(workspace, before, prunedPerUnit))
  if (!policy.keepQuestions)
    for (let redacted = prunedPerUnit; redacted === prunedPerUnit; )
      redacted = yield* atomically(log.redact(workspace, prunedPerUnit))
  return count
})
