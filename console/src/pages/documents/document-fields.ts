import type { DocumentSummary, Verification } from "../../../../server/client/index.js"

/** A document of a list with its standing, which servers of an earlier version leave out. */
export type ListedDocument = DocumentSummary & {
  readonly verification?: Verification
  readonly nextVerifyAt?: string | null
}

export const standings = ["unverified", "verified", "certified", "deprecated"] as const

/** Whether a review is due. */
export const isOverdue = (nextVerifyAt: string | null | undefined): boolean =>
  nextVerifyAt !== null && nextVerifyAt !== undefined && Date.parse(nextVerifyAt) < Date.now()
