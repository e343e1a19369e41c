import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import { z } from "zod"
import {
  DocumentId,
  type Page,
  type PageRequest,
  ProposalId,
  Timestamp,
  type WorkspaceScope
} from "../../platform/kernel/index.js"

/**
 * `open` until it is decided; `stale` when one of its sources changed, whether the page was still proposed or had been
 * approved.
 */
export const ProposalStatus = z.enum(["open", "approved", "rejected", "withdrawn", "stale"])
export type ProposalStatus = z.infer<typeof ProposalStatus>

/** A document and the version of it that a page was written from. */
export const ProposalSource = z.object({ docId: DocumentId, version: z.int() })
export type ProposalSource = z.infer<typeof ProposalSource>

/** What approving does: writes the text, moves the page to the path, or moves it to the trash. */
export const ProposedChange = z.enum(["write", "move", "delete"])
export type ProposedChange = z.infer<typeof ProposedChange>

/** A page that waits for a person, or did. */
export const ProposedDocument = z.object({
  id: ProposalId,
  change: ProposedChange,
  topic: z.string().describe("What the page is about."),
  path: z.string().describe("Where the page is to stand."),
  title: z.string(),
  content: z.string().describe("The whole text, with front matter."),
  baseVersion: z
    .int()
    .nullable()
    .describe("The version of the page at the path that it replaces; null for a new page."),
  docId: DocumentId.nullable().describe("The page at the path; null until a new page is approved."),
  sources: z.array(ProposalSource),
  dropped: z
    .int()
    .describe("Sentences of the chat model that were left out because no source supports them."),
  status: ProposalStatus,
  proposedBy: z.string(),
  note: z.string().nullable().describe("Why it was proposed."),
  createdAt: Timestamp,
  reviewedBy: z.string().nullable(),
  reviewNote: z.string().nullable(),
  reviewedAt: Timestamp.nullable()
})
export type ProposedDocument = z.infer<typeof ProposedDocument>

/** Filter of proposed documents; absent fields do not filter. */
export interface ProposalFilter {
  readonly statuses?: ReadonlyArray<ProposalStatus>
  readonly docId?: DocumentId
  /** Compared without case. */
  readonly path?: string
}

/** Stores the proposed documents of a workspace. */
export interface ProposalStore {
  readonly find: (workspace: WorkspaceScope, id: ProposalId) => Effect.Effect<Option<ProposedDocument>>
  /** Returns proposed documents, newest first. */
  readonly list: (
    workspace: WorkspaceScope,
    filter: ProposalFilter,
    page: PageRequest
  ) => Effect.Effect<Page<ProposedDocument>>
  /** Adds proposed documents. */
  readonly add: (workspace: WorkspaceScope, proposals: ReadonlyArray<ProposedDocument>) => Effect.Effect<void>
  /**
   * Stores the outcome of a decision, if the stored proposal still has the status of `before`; returns whether it
   * had.
   */
  readonly decide: (
    workspace: WorkspaceScope,
    before: ProposedDocument,
    after: ProposedDocument
  ) => Effect.Effect<boolean>
}
