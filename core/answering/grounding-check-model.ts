import { z } from "zod"
import { ClaimStatus, Source } from "../evidence/index.js"
import { DocumentId, EntityId } from "../kernel/index.js"
import { EvidenceConflict, PolicyBlock, PolicyMode } from "../policy/index.js"

/** A text to check; the bounds are the contract's. */
export const GroundingCheck = z.object({
  text: z.string().min(1).max(20_000),
  docIds: z
    .array(DocumentId)
    .max(50)
    .optional()
    .describe("Check against these documents alone; 404 where one is not there."),
  entityIds: z
    .array(EntityId)
    .max(50)
    .optional()
    .describe(
      "Check against the passages that mention these entities, beside the documents of docIds; 404 where one is not there."
    ),
  policyMode: PolicyMode.optional(),
  judge: z.boolean().optional().describe("Ask the judge model, too. Default: where one is enabled.")
})
export type GroundingCheck = z.infer<typeof GroundingCheck>

/** What the workspace carries of a text, claim by claim. */
export const GroundingReport = z.object({
  claims: z.array(
    z.object({
      text: z.string(),
      status: ClaimStatus,
      citations: z.array(z.string()).describe("Sources that carry the claim, or speak against it.")
    })
  ),
  sources: z.array(Source).describe("What the claims were compared with, cited or not."),
  conflicts: z.array(EvidenceConflict),
  groundedness: z.object({ verified: z.int(), total: z.int() }),
  policy: PolicyBlock,
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), costUsd: z.number() })
})
export type GroundingReport = z.infer<typeof GroundingReport>
