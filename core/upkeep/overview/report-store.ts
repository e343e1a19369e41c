import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { StructuredAnswer } from "../../answers/answering/index.js"
import type {
  AnswerId,
  DocumentId,
  EntityId,
  Page,
  ReportId,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { Report, ReportItem, ReportKind } from "./report-model.js"

/** How often one document mentions one entity. */
export interface DocumentMentions {
  readonly entityId: EntityId
  readonly entityName: string
  readonly entityType: string
  readonly documentId: DocumentId
  readonly mentions: number
}

/** An answer of which the gate decided nothing. */
export interface UndecidedAnswer {
  readonly id: AnswerId
  readonly question: string
  readonly answer: StructuredAnswer
  readonly createdAt: string
}

/** Reports as they were generated, and what they are computed from beside the other stores. */
export interface ReportStore {
  /** Adds reports, in the caller's unit of work. */
  readonly add: (workspace: WorkspaceScope, reports: ReadonlyArray<Report>) => Effect.Effect<void>
  /** Archives the ready reports of a kind and title, in the caller's unit of work. */
  readonly archive: (workspace: WorkspaceScope, kind: ReportKind, title: string) => Effect.Effect<void>
  readonly find: (workspace: WorkspaceScope, id: ReportId) => Effect.Effect<Option<Report>>
  /** Every report without its body, newest first. */
  readonly list: (workspace: WorkspaceScope) => Effect.Effect<Page<ReportItem>>
  /** Mentions of live canonical entities in live documents, by entity and document. */
  readonly mentions: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<DocumentMentions>>
  /** Kept answers of a time span that no decision is about. */
  readonly undecidedAnswers: (
    workspace: WorkspaceScope,
    from: string,
    to: string
  ) => Effect.Effect<ReadonlyArray<UndecidedAnswer>>
}
