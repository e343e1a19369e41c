import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type {
  AnswerId,
  ChunkId,
  DecisionId,
  DocumentId,
  FeedbackId,
  Page,
  PageRequest,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { AnswerCacheStore } from "./cache-store.js"
import type { StructuredAnswer } from "./model.js"

/** An answer as it was given. */
export interface StoredAnswer {
  readonly id: AnswerId
  readonly question: string
  readonly answer: StructuredAnswer
  /** A key's id, a member's id, `local` in-process and on the command line. */
  readonly askedBy: string
  /** The door: `ui`, `api` or `mcp`. */
  readonly activity: string
  readonly createdAt: string
}

/** A kept answer in a list, with the decision behind it. */
export interface ListedAnswer extends StoredAnswer {
  /** Null with the policy off. */
  readonly decisionId: DecisionId | null
}

/** Filter of kept answers; absent fields do not filter. */
export interface AnswerFilter {
  readonly askedBy?: string | undefined
  /** A part of the question, without regard to case. */
  readonly q?: string | undefined
  readonly conversationId?: string | undefined
  readonly feedback?: "positive" | "negative" | "any" | undefined
}

/** One piece of feedback on an answer; values are those of feedback on runs. */
export interface AnswerFeedback {
  readonly id: FeedbackId
  readonly kind: string
  readonly value: Readonly<Record<string, unknown>>
  readonly sentiment: "positive" | "negative" | null
  readonly note: string | null
  readonly createdBy: string
  readonly createdAt: string
}

/** Questions of one person that complete each other. */
export interface Conversation {
  readonly id: string
  /** As the person named it; null where they did not. */
  readonly title: string | null
  /** The first question that is kept; empty where the workspace keeps no questions. */
  readonly firstQuestion: string
  readonly questions: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** The title that a person gave a conversation. */
export interface ConversationTitle {
  readonly conversationId: string
  readonly askedBy: string
  readonly title: string
  readonly updatedAt: string
}

/** A conversation of a person. */
export type ConversationOf = Pick<ConversationTitle, "conversationId" | "askedBy">

/** A passage that an answer cites. */
export interface CitedPassage {
  readonly documentId: DocumentId
  readonly chunkId: ChunkId
}

/**
 * An adapter of a database implements it to keep answers, conversations and feedback, and answers that may be given
 * again. The answers that were given. Questions are personal data: they are kept as long as the workspace says, not
 * longer.
 */
export class AnswerStore extends Context.Tag("kanon/AnswerStore")<
  AnswerStore,
  {
    /** Keeps answers in the caller's unit of work, each findable by the documents that it cites. */
    readonly add: (
      workspace: WorkspaceScope,
      answers: ReadonlyArray<StoredAnswer & { readonly cited: ReadonlyArray<CitedPassage> }>
    ) => Effect.Effect<void>
    /** Returns the latest questions of somebody in a conversation with their answers, oldest first. */
    readonly turns: (
      workspace: WorkspaceScope,
      of: { readonly conversationId: string; readonly askedBy: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<{ readonly question: string; readonly answer: string }>>
    /** Lists the conversations of a person, the last continued first. */
    readonly conversations: (
      workspace: WorkspaceScope,
      askedBy: string,
      page: PageRequest
    ) => Effect.Effect<Page<Conversation>>
    readonly conversation: (
      workspace: WorkspaceScope,
      of: ConversationOf
    ) => Effect.Effect<Option<Conversation>>
    /** Gives a conversation another title, in the caller's unit of work. */
    readonly setTitle: (workspace: WorkspaceScope, title: ConversationTitle) => Effect.Effect<void>
    /** Forgets a conversation with its answers and their feedback, in the caller's unit of work; gives how many. */
    readonly forget: (workspace: WorkspaceScope, of: ConversationOf) => Effect.Effect<number>
    readonly find: (workspace: WorkspaceScope, id: AnswerId) => Effect.Effect<Option<StoredAnswer>>
    /** Lists kept answers, newest first. */
    readonly list: (
      workspace: WorkspaceScope,
      filter: AnswerFilter,
      page: PageRequest
    ) => Effect.Effect<Page<ListedAnswer>>
    /** Returns the decision about an answer; null where there is none. */
    readonly decisionOf: (workspace: WorkspaceScope, answer: AnswerId) => Effect.Effect<DecisionId | null>
    /** Adds feedback on an answer, in the caller's unit of work; it is pruned with the answer. */
    readonly addFeedback: (
      workspace: WorkspaceScope,
      answer: AnswerId,
      feedback: AnswerFeedback
    ) => Effect.Effect<void>
    /** Returns the feedback on answers, oldest first. */
    readonly feedback: (
      workspace: WorkspaceScope,
      answers: ReadonlyArray<AnswerId>
    ) => Effect.Effect<ReadonlyMap<AnswerId, ReadonlyArray<AnswerFeedback>>>
    /** Returns the number of answers that cite the document. */
    readonly countCiting: (workspace: WorkspaceScope, document: DocumentId) => Effect.Effect<number>
    /** Forgets the oldest answers that were given before a moment, at most `limit`; gives how many. */
    readonly prune: (workspace: WorkspaceScope, before: string, limit: number) => Effect.Effect<number>
    /** Answers that may be given again. */
    readonly cache: AnswerCacheStore
  }
>() {}
