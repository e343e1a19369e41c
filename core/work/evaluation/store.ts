import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DocumentId, EvalId, Page, PageRequest, WorkspaceScope } from "../../platform/kernel/index.js"
import type { EvalResult, EvalStatus, EvalView, Judgment, Suite, Topic } from "./model.js"

/** A judgment as it is stored: the passage is the one it was made on. */
export interface StoredJudgment extends Judgment {
  readonly createdAt: string
}

/** The last grade that one judge gave one document of a topic. */
export interface JudgeLabel {
  readonly set: string
  readonly queryId: string
  readonly docId: DocumentId
  readonly judge: string
  readonly grade: number
  readonly updatedAt: string
}

/** Filter for a list of judgments; a field that is left out does not restrict. */
export interface JudgmentFilter {
  readonly set?: string
  /** A query id, or text that the question contains in any case. */
  readonly query?: string
  readonly docId?: DocumentId
}

/** Judgments, and the label that each judge gave last. */
export interface JudgmentStore {
  /** The judgments of these topics of a set, in no promised order. */
  readonly ofTopics: (
    workspace: WorkspaceScope,
    set: string,
    queryIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<StoredJudgment>>
  /** Every judgment of a set, by query id and document id. */
  readonly ofSet: (workspace: WorkspaceScope, set: string) => Effect.Effect<ReadonlyArray<StoredJudgment>>
  /** Returns judgments in the order of set, query id and document id. */
  readonly list: (
    workspace: WorkspaceScope,
    filter: JudgmentFilter,
    page: PageRequest
  ) => Effect.Effect<Page<StoredJudgment>>
  /** Inserts judgments or replaces those of the same place, in the caller's unit of work. */
  readonly put: (workspace: WorkspaceScope, judgments: ReadonlyArray<StoredJudgment>) => Effect.Effect<void>
  /** Removes judgments and the labels of their places, in the caller's unit of work. */
  readonly remove: (
    workspace: WorkspaceScope,
    judgments: ReadonlyArray<StoredJudgment>
  ) => Effect.Effect<void>
  /** Keeps the last label of each judge, in the caller's unit of work. */
  readonly label: (workspace: WorkspaceScope, labels: ReadonlyArray<JudgeLabel>) => Effect.Effect<void>
  /** The labels of a set, by query id, document id and judge. */
  readonly labels: (workspace: WorkspaceScope, set: string) => Effect.Effect<ReadonlyArray<JudgeLabel>>
}

/** A run as it is stored; `done` is counted. */
export type StoredEval = Omit<EvalView, "done">

/** Filter for a list of evaluation runs; a field that is left out does not restrict. */
export interface EvalFilter {
  readonly suite?: Suite
  readonly status?: EvalStatus
}

/** A topic of a run, and what came of it; `detail` is what a calibration learns from. */
export interface RunTopic {
  readonly place: number
  readonly topic: Topic
  readonly result: EvalResult | null
  readonly detail: Readonly<Record<string, unknown>> | null
}

/** An adapter of a database implements it to keep evaluation runs and the judgments that they are measured against. */
export class EvalStore extends Context.Tag("kanon/EvalStore")<
  EvalStore,
  {
    /** Inserts runs with their topics, and results where they have some, in the caller's unit of work. */
    readonly add: (
      workspace: WorkspaceScope,
      run: StoredEval,
      topics: ReadonlyArray<RunTopic>
    ) => Effect.Effect<void>
    /** Inserts topics of a run, in the caller's unit of work. */
    readonly addTopics: (
      workspace: WorkspaceScope,
      id: EvalId,
      topics: ReadonlyArray<RunTopic>
    ) => Effect.Effect<void>
    readonly find: (workspace: WorkspaceScope, id: EvalId) => Effect.Effect<Option<EvalView>>
    /** Newest first. */
    readonly list: (
      workspace: WorkspaceScope,
      filter: EvalFilter,
      page: PageRequest
    ) => Effect.Effect<Page<EvalView>>
    /** Replaces the row of a run while it has this status; false when it has another by now. */
    readonly update: (workspace: WorkspaceScope, run: StoredEval, from: EvalStatus) => Effect.Effect<boolean>
    /** Topics in their order, from a place on. */
    readonly topics: (
      workspace: WorkspaceScope,
      id: EvalId,
      from: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RunTopic>>
    /** Stores what came of topics. */
    readonly putResults: (
      workspace: WorkspaceScope,
      id: EvalId,
      results: ReadonlyArray<RunTopic>
    ) => Effect.Effect<void>
    /** Judgments of passages, and labels of judges. */
    readonly judgments: JudgmentStore
  }
>() {}
