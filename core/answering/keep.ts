import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  atomically,
  Caller,
  crashPoint,
  Ids,
  isFault,
  timestampOf,
  type WorkspaceScope
} from "../kernel/index.js"
import { type MonthlyUsage, monthOf, UsageStore } from "../models/index.js"
import { type Settings, WorkspaceStore } from "../workspace/index.js"
import type { StructuredAnswer } from "./model.js"
import { markersIn } from "./reply.js"
import { AnswerStore, type CitedPassage } from "./store.js"

const dayMs = 86_400_000
/** An answer does not wait longer for its own record: somebody else may hold the database. */
const patienceMs = 2_000

/** The passages that an answer cites, in its claims or its prose; each once. */
export const citedPassages = ({ answer, claims, sources }: StructuredAnswer): ReadonlyArray<CitedPassage> => {
  const named = new Set([...claims.flatMap(({ citations }) => citations), ...markersIn(answer)])
  const cited = sources.filter(({ id }) => named.has(id))
  return [...new Map(cited.map(({ chunkId, docId }) => [chunkId, { documentId: docId, chunkId }])).values()]
}

/**
 * Keeps an answer with its question, where the workspace keeps them, and counts what models used for it, in one
 * small unit of work. Gives its id, or none where it is not kept. Never fails: an answer that cannot be kept is
 * given all the same, and the log says so.
 */
export const keepAnswer = Effect.fn("answering.keep")(function* (
  question: string,
  answer: StructuredAnswer,
  usage: MonthlyUsage,
  { retention }: Settings,
  /** Done in the same unit of work. */
  settle: Effect.Effect<void> = Effect.void
) {
  const [answers, { activity, actor, workspace }, ids] = [yield* AnswerStore, yield* Caller, yield* Ids]
  const createdAt = answer.generatedAt
  const id = ids.make("answer")
  const keeps = retention.answerDays > 0
  const record = { id, question, answer, askedBy: actor, activity, createdAt, cited: citedPassages(answer) }
  const work = atomically(
    Effect.gen(function* () {
      yield* addUsage(workspace, createdAt, usage)
      yield* settle
      if (!keeps) return
      yield* answers.add(workspace, [record])
      yield* crashPoint("answer.keep.insideTransaction")
    }),
    { unsynced: true }
  )
  return yield* work.pipe(
    Effect.timeoutFail({ duration: patienceMs, onTimeout: () => "the database is held by somebody else" }),
    Effect.as(keeps ? Option.some(id) : Option.none()),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : Effect.as(notKept(cause), Option.none())
    ),
    Effect.catchAll(() => Effect.succeedNone)
  )
})

/** Adds to what the models of the workspace used this month, in the running unit of work. */
export const addUsage = (workspace: WorkspaceScope, at: string, usage: MonthlyUsage) =>
  isNothing(usage)
    ? Effect.void
    : Effect.flatMap(UsageStore, (store) => store.add(workspace, monthOf(at), usage))

const isNothing = ({ costUsd, inputTokens, outputTokens }: MonthlyUsage): boolean =>
  inputTokens === 0 && outputTokens === 0 && costUsd === "0"

/** Data that may not be written keep nothing: no news. */
const notKept = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return isFault(error) && error._tag === "DataReadOnly"
    ? Effect.void
    : Effect.logWarning("An answer was given, but could not be kept.", cause)
}

const oldest = ({ answerDays }: Settings["retention"]) =>
  Effect.map(Clock.currentTimeMillis, (time) => timestampOf(time - answerDays * dayMs))

/** Answers that one unit of work forgets. */
const prunedPerUnit = 500

/** Forgets the answers that are older than the workspace keeps them; all of them where it keeps none. */
export const pruneAnswers = Effect.fn("answering.prune")(function* () {
  const [answers, { workspace }] = [yield* AnswerStore, yield* Caller]
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const before = yield* oldest(settings.retention)
  let count = 0
  for (let gone = prunedPerUnit; gone === prunedPerUnit; count += gone)
    gone = yield* atomically(answers.prune(workspace, before, prunedPerUnit))
  return count
})
