import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type AnswerFeedback,
  AnswerStore,
  type ListedAnswer,
  questionPrivacy
} from "../../answers/answering/index.js"
import { record } from "../../platform/audit/index.js"
import {
  type AnswerId,
  asInvalid,
  atomically,
  Caller,
  Ids,
  InsufficientScope,
  InvalidInput,
  NotFound,
  now,
  type PageRequest,
  traced
} from "../../platform/kernel/index.js"
import { Feedback, type FeedbackKind, feedbackValues, sentimentOf } from "../../work/agent-runs/index.js"

/** Filter of a list of kept answers. */
export interface AnswerQuery {
  /** Only the caller's own. */
  readonly mine: boolean
  readonly q?: string | undefined
  readonly conversationId?: string | undefined
  readonly feedback?: "positive" | "negative" | "any" | undefined
}

/**
 * Lists kept answers, newest first, those with policy `off` included. Questions of others are for callers to whom the
 * workspace shows them. Feedback shares an answer: readers of the decision log see it whoever asked.
 */
export const listAnswers = traced("overview.answers")(function* (
  { mine, ...filter }: AnswerQuery,
  page: PageRequest
) {
  const [store, caller] = [yield* AnswerStore, yield* Caller]
  if (!mine && !readsShared(caller)) return yield* new InsufficientScope({ wanted: ["kb:read", "runs:read"] })
  const isOwn = mine || (filter.feedback === undefined && !(yield* questionPrivacy).readsAll)
  const { items, total } = yield* store.list(
    caller.workspace,
    { ...filter, askedBy: isOwn ? caller.actor : undefined },
    page
  )
  const feedback = yield* store.feedback(
    caller.workspace,
    items.map(({ id }) => id)
  )
  return { items: items.map((one) => itemOf(one, feedback.get(one.id) ?? [])), total, ...page }
})

/** Returns the caller's latest answers of a conversation as they were given, newest first. */
export const answersOfConversation = Effect.fnUntraced(function* (conversationId: string, limit: number) {
  const [store, { actor, workspace }] = [yield* AnswerStore, yield* Caller]
  const { items } = yield* store.list(workspace, { conversationId, askedBy: actor }, { limit, offset: 0 })
  const feedback = yield* store.feedback(
    workspace,
    items.map(({ id }) => id)
  )
  return items.map((one) => ({ ...itemOf(one, feedback.get(one.id) ?? []), answer: one.answer }))
})

/** Returns one kept answer. */
export const getAnswer = traced("overview.answer")(function* (id: AnswerId) {
  const { answer, item } = yield* answerOf(id)
  return { ...item, answer }
})

/** Adds feedback on an answer; InvalidInput where the value is not of its kind. */
export const addAnswerFeedback = traced("overview.answerFeedback")(function* (given: {
  readonly id: AnswerId
  readonly kind: FeedbackKind
  readonly value: unknown
  readonly note?: string | undefined
}) {
  const [store, ids, { actor, workspace }] = [yield* AnswerStore, yield* Ids, yield* Caller]
  yield* answerOf(given.id)
  const value = feedbackValues[given.kind].safeParse(given.value)
  if (!value.success)
    return yield* new InvalidInput({
      issues: asInvalid(value.error).issues.map((issue) => ({ ...issue, path: ["value", ...issue.path] }))
    })
  const id = ids.make("feedback")
  const { kind, note = null } = given
  yield* atomically(
    Effect.gen(function* () {
      yield* store.addFeedback(workspace, given.id, {
        id,
        kind,
        value: value.data,
        sentiment: sentimentOf({ kind, value: value.data }),
        note,
        createdBy: actor,
        createdAt: yield* now
      })
      yield* record([{ action: "answer.feedback", subjectId: given.id, details: { feedbackId: id, kind } }])
    })
  )
  return { id }
})

const answerOf = Effect.fnUntraced(function* (id: AnswerId) {
  const [store, caller] = [yield* AnswerStore, yield* Caller]
  const found = yield* store.find(caller.workspace, id)
  if (Option.isNone(found)) return yield* new NotFound({ what: "answer" })
  const feedback = yield* store.feedback(caller.workspace, [id])
  const mayRead =
    found.value.askedBy === caller.actor ||
    (yield* questionPrivacy).readsAll ||
    (feedback.has(id) && readsShared(caller))
  if (!mayRead) return yield* new NotFound({ what: "answer" })
  const decisionId = yield* store.decisionOf(caller.workspace, id)
  return {
    answer: found.value.answer,
    item: itemOf({ ...found.value, decisionId }, feedback.get(id) ?? [])
  }
})

/** Whether the caller reads the decision log, and with it what people shared by their feedback. */
const readsShared = ({ scopes }: Pick<Caller["Type"], "scopes">): boolean =>
  scopes === undefined || scopes.includes("kb:read") || scopes.includes("runs:read")

const itemOf = (
  { activity, answer, askedBy, createdAt, decisionId, id, question }: ListedAnswer,
  feedback: ReadonlyArray<AnswerFeedback>
) => ({
  id,
  question,
  mode: answer.policy.mode,
  verdict: answer.policy.verdict,
  confidence: answer.policy.confidence,
  askedBy,
  activity,
  conversationId: answer.conversationId ?? null,
  decisionId,
  feedback: feedback.flatMap(({ sentiment: _, ...one }) => Feedback.safeParse(one).data ?? []),
  createdAt
})
