import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AnswerStore, type Conversation } from "../../answers/answering/index.js"
import { record } from "../../platform/audit/index.js"
import { atomically, Caller, NotFound, now, type PageRequest, traced } from "../../platform/kernel/index.js"
import { answersOfConversation } from "./answers.js"

// Conversations of the caller: questions that complete each other. Nobody reaches those of others.

/** Most turns of a conversation that are read at once, the latest. */
const turnsMax = 100

/** Lists the caller's conversations, the last continued first. */
export const listConversations = traced("overview.conversations")(function* (page: PageRequest) {
  const [store, { actor, workspace }] = [yield* AnswerStore, yield* Caller]
  const { items, total } = yield* store.conversations(workspace, actor, page)
  return { items: items.map(itemOf), total, ...page }
})

/** Returns a conversation of the caller with its latest questions and answers, oldest first. */
export const getConversation = traced("overview.conversation")(function* (id: string) {
  const found = yield* conversationOf(id)
  const turns = yield* answersOfConversation(id, turnsMax)
  return { ...itemOf(found), turns: turns.toReversed() }
})

/** Gives a conversation of the caller another title. */
export const renameConversation = traced("overview.renameConversation")(function* (
  id: string,
  title: string
) {
  const [store, { actor, workspace }] = [yield* AnswerStore, yield* Caller]
  return yield* atomically(
    Effect.gen(function* () {
      const found = yield* conversationOf(id)
      yield* store.setTitle(workspace, { conversationId: id, askedBy: actor, title, updatedAt: yield* now })
      yield* record([{ action: "conversation.rename", subjectId: id }])
      return { ...itemOf(found), title }
    })
  )
})

/** Deletes a conversation of the caller with its answers and their feedback; the decision log keeps its entries. */
export const deleteConversation = traced("overview.deleteConversation")(function* (id: string) {
  const [store, { actor, workspace }] = [yield* AnswerStore, yield* Caller]
  return yield* atomically(
    Effect.gen(function* () {
      yield* conversationOf(id)
      const answers = yield* store.forget(workspace, { conversationId: id, askedBy: actor })
      yield* record([{ action: "conversation.delete", subjectId: id, details: { answers } }])
      return { deleted: true as const, id }
    })
  )
})

const conversationOf = Effect.fnUntraced(function* (conversationId: string) {
  const [store, { actor, workspace }] = [yield* AnswerStore, yield* Caller]
  const found = yield* store.conversation(workspace, { conversationId, askedBy: actor })
  return Option.isSome(found) ? found.value : yield* new NotFound({ what: "conversation" })
})

const itemOf = ({ createdAt, firstQuestion, id, questions, title, updatedAt }: Conversation) => ({
  id,
  title: title ?? firstQuestion,
  questions,
  createdAt,
  updatedAt
})
