import { z } from "zod"
import { Verification } from "../../files/documents/index.js"
import { ChunkId, DocumentId, EntityId, Timestamp } from "../../platform/kernel/index.js"

/** One atomic statement and its citations. */
export const Claim = z.object({ text: z.string(), citations: z.array(z.string()) })
export type Claim = z.infer<typeof Claim>

/** Degree to which its sources support a claim. */
export const ClaimStatus = z.enum(["supported", "partly", "contradicted", "unsupported"])
export type ClaimStatus = z.infer<typeof ClaimStatus>

/** Words of a source that carry a claim, as UTF-16 offsets in its document. */
export const Quote = z.object({ sourceId: z.string(), start: z.int(), end: z.int() })
export type Quote = z.infer<typeof Quote>

/** A stretch of a text, as UTF-16 offsets. */
export const Span = z.object({ start: z.int(), end: z.int() })
export type Span = z.infer<typeof Span>

/** Words of a claim that no source carries, as additive field of a checked claim. */
export const Unmatched = z
  .array(Span)
  .optional()
  .describe(
    "The words of the claim that no cited source carries, as UTF-16 offsets in its text; absent where there are none."
  )

/** A claim with the result of its check. */
export const CheckedClaim = Claim.extend({
  status: ClaimStatus.optional().describe(
    "Whether what it cites supports it; absent only from answers that were stored without it."
  ),
  unmatched: Unmatched,
  quotes: z
    .array(Quote)
    .optional()
    .describe("The words of the cited documents that carry it; offsets in the version that the source names.")
})
export type CheckedClaim = z.infer<typeof CheckedClaim>

/** An entry of the [Sn] registry. */
export const Source = z.object({
  id: z.string().regex(/^S[1-9]\d*$/),
  docId: DocumentId,
  docTitle: z.string(),
  docPath: z.string(),
  chunkId: ChunkId,
  page: z
    .int()
    .optional()
    .describe("The page of the original on which the passage begins; only where it has pages."),
  sourceUrl: z
    .string()
    .optional()
    .describe("Where the original can be opened; only where there is such an address."),
  snippet: z.string(),
  start: z.int().optional().describe("Where the passage begins in its document, in UTF-16 units."),
  end: z.int().optional(),
  docVersion: z.int().optional().describe("The version of the document that the offsets are of."),
  validAt: Timestamp.optional().describe(
    "When that version became the current one; only in answers about an earlier moment."
  ),
  verification: Verification.optional(),
  reviewDue: z.boolean().optional().describe("Whether the document is due to be verified again.")
})
export type Source = z.infer<typeof Source>

/** An entry of the [Dn] registry. */
export const DataCall = z.object({
  id: z.string().regex(/^D[1-9]\d*$/),
  dataCallId: z.string(),
  connectorName: z.string(),
  queryTitle: z.string(),
  rowCount: z.int(),
  executedAt: Timestamp
})

/** An entity named in a question. `pagerank` has no unit; 0 until graph analytics have run. */
export const DetectedEntity = z.object({
  id: EntityId,
  name: z.string(),
  type: z.string(),
  pagerank: z.number()
})
export type DetectedEntity = z.infer<typeof DetectedEntity>

/** Returns the text of a cell of a data row: what is absent is named, and lists are listed. */
export const cellText = (cell: unknown): string => {
  if (cell === null || cell === undefined) return "not set"
  if (Array.isArray(cell)) return cell.map(cellText).join(", ")
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell)
}
