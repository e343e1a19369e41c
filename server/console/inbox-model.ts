/** The wire of the inbox of the console; see `model.ts`. */
import type { FeedbackKind } from "../client/index.js"

/**
 * `GET /console/inbox?mine=&kind=&limit=&offset=`: what waits for a person, "mine" first, then the oldest first. Without
 * `mine=true` everything that the session may see. `limit` 1 to 200, 50 by default.
 */
export interface InboxPage {
  readonly items: ReadonlyArray<InboxItem>
  readonly total: number
  readonly limit: number
  readonly offset: number
  /**
   * Counts of every kind, whatever the filter, each at most 1000; `mine` and `total` are over all kinds. Poll this for
   * the badge.
   */
  readonly counts: Readonly<Record<InboxKind | "mine" | "total", number>>
}

export type InboxKind =
  | "change_request"
  | "change"
  | "review"
  | "verification"
  | "duplicate"
  | "approval"
  | "sync_conflict"
  | "feedback"
  | "judgment"
  | "contradiction"
  | "proposal"

/**
 * `id` is unique within its kind. `POST /console/inbox/marks {kind, id, state?, assignedTo?}` (`kb:write`) says `done`,
 * `rejected` or `open` of an item, or gives it to a member (null: nobody). It holds for everybody, until the item waits
 * for something newer. Requests, approvals and proposals are decided instead: 400.
 */
export type InboxItem = WaitingItem & {
  /** The member whose it is; null while nobody has assigned it. */
  readonly assignedTo: string | null
}

/** An item as the rooms tell it. */
export type WaitingItem = InboxCommon &
  (
    | {
        /** An open change request; approve (a) and reject (r) with the operations. */
        readonly kind: "change_request"
        readonly data: {
          readonly requestId: string
          readonly requestKind: "create" | "update" | "deprecate" | "supersede" | "delete"
          readonly entityId: string | null
          readonly proposedBy: string
          readonly note: string | null
          /** `reviewer_required` when this session may not approve it. */
          readonly blocked: "reviewer_required" | null
        }
      }
    | {
        /** A change that another one made to an entity of this member; `certifyEntity` (a) where it was certified. */
        readonly kind: "change"
        readonly data: {
          readonly entityId: string
          readonly version: number
          readonly changeKind: string
          readonly changedBy: string
          readonly authority: string
        }
      }
    | {
        /** An entity whose review is overdue; `reviewEntity` (a). */
        readonly kind: "review"
        readonly data: {
          readonly entityId: string
          readonly ownerId: string | null
          readonly nextReviewAt: string | null
        }
      }
    | {
        /** A document whose verification is due; `verifyDocument` (a). */
        readonly kind: "verification"
        readonly data: { readonly docId: string; readonly path: string; readonly nextVerifyAt: string | null }
      }
    | {
        /** Two entities that may be the same; `mergeEntity` (a). */
        readonly kind: "duplicate"
        readonly data: {
          readonly headId: string
          readonly headName: string
          readonly duplicateId: string
          readonly duplicateName: string
          readonly score: number
        }
      }
    | {
        /** A run that waits for a decision on a tool call; `approveRunStep` with allow (a) or deny (r). */
        readonly kind: "approval"
        readonly data: {
          readonly runId: string
          readonly approvalId: string
          readonly toolName: string
          readonly arguments: unknown
          readonly expiresAt: string | null
        }
      }
    | {
        /** A document that was edited here and at its source; `syncContentConnector` with `onConflict`. */
        readonly kind: "sync_conflict"
        readonly data: {
          readonly connectorId: string
          readonly connectorName: string
          readonly externalId: string | null
          readonly reason: string
        }
      }
    | {
        /** Negative feedback on an answer or a run. */
        readonly kind: "feedback"
        readonly data: {
          readonly feedbackId: string
          readonly answerId: string | null
          readonly runId: string | null
          readonly feedbackKind: FeedbackKind
          readonly value: unknown
          readonly saidBy: string
          /** What the feedback suggests; each is `data` of an item of the kind `judgment`. */
          readonly judgments: ReadonlyArray<JudgmentData>
        }
      }
    | {
        /** Judgments that feedback suggests for a question; operation `acceptQrels` (a) takes set and feedbackIds. */
        readonly kind: "judgment"
        readonly data: JudgmentData
      }
    | {
        /** Two statements that contradict each other; operation `settleContradiction` with `both_true` (a). */
        readonly kind: "contradiction"
        readonly data: {
          readonly contradictionId: string
          readonly sides: ReadonlyArray<{
            /** Null for a row of live data. */
            readonly docId: string | null
            /** The path of the document, or the query of a row and what it was executed for. */
            readonly place: string
            readonly value: string
            readonly quote: string
            readonly standing: string
          }>
        }
      }
    | {
        /** A proposed document; operations `approveProposal` (a) and `rejectProposal` (r). */
        readonly kind: "proposal"
        readonly data: {
          readonly proposalId: string
          readonly change: "write" | "move" | "delete"
          /** Whether a model compiled it from other documents. */
          readonly isCompiled: boolean
          /** Where it is to stand; `from` is where the document stands now. */
          readonly path: string
          readonly from: string | null
          /** The page that it replaces; null for a new one. */
          readonly docId: string | null
          readonly dropped: number
          readonly note: string | null
          readonly proposedBy: string
          /** The code of the error that an approval by this session would meet. */
          readonly blocked: string | null
        }
      }
  )

export interface JudgmentData {
  readonly set: string
  readonly feedbackIds: ReadonlyArray<string>
  readonly query: string
  readonly docId: string | null
  readonly path: string | null
  readonly grade: number | null
  readonly answers: ReadonlyArray<string>
  readonly why: string
}

export interface InboxCommon {
  readonly id: string
  /** One line: a name, a path or a question. Content of the workspace: show it as text with `dir="auto"`. */
  readonly title: string
  /** Whether it waits for this member: the one it is assigned to, else owner, steward, verifier or starter. */
  readonly mine: boolean
  /** Since when it waits. */
  readonly at: string
}
