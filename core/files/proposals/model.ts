import { type ProposalId, Text } from "../../platform/kernel/index.js"
import type { ProposedDocument } from "../documents/index.js"

/** Longest note with a decision. */
export const ProposalNote = Text.max(4000)

/** What a proposal is made of. */
export type NewProposal = Pick<
  ProposedDocument,
  "change" | "topic" | "path" | "title" | "content" | "baseVersion" | "docId" | "sources" | "dropped" | "note"
>

/** Returns the proposal as it begins. */
export const newProposal = (
  given: NewProposal,
  { at, by, id }: { readonly id: ProposalId; readonly by: string; readonly at: string }
): ProposedDocument => ({
  ...given,
  id,
  status: "open",
  proposedBy: by,
  createdAt: at,
  reviewedBy: null,
  reviewNote: null,
  reviewedAt: null
})
