import { z } from "zod"
import { Verification } from "../../files/documents/index.js"
import { Authority, Lifecycle } from "../../knowledge/entities/index.js"
import { AuditId, DocumentId, EntityId, Timestamp } from "../../platform/kernel/index.js"

const Count = z.int().min(0)

/** Origin, verification, history and dependents of a document. */
export const DocumentLineage = z.object({
  origin: z.object({
    kind: z
      .enum(["vault", "upload", "connector"])
      .describe(
        "How the document came in: found in the vault, given by a caller, or brought by a connector."
      ),
    connectorId: z.string().nullable(),
    source: z
      .string()
      .nullable()
      .describe("Where the original can be opened; null where there is no such address."),
    externalId: z.string().nullable().describe("What the source calls it."),
    sourceVersion: z.string().nullable(),
    lastSyncAt: Timestamp.nullable(),
    failure: z
      .string()
      .nullable()
      .describe("Why the source's newest version could not be brought over; null when it was."),
    warnings: z.array(z.string()).describe("What of the original is missing from the document."),
    recentSyncRuns: z.array(
      z.object({
        id: z.string(),
        status: z.string(),
        mode: z.string(),
        startedAt: Timestamp,
        finishedAt: Timestamp.nullable()
      })
    )
  }),
  governance: z.object({
    verification: Verification,
    verifiedBy: z.string().nullable(),
    verifiedAt: Timestamp.nullable(),
    nextVerifyAt: Timestamp.nullable(),
    reviewDue: z.boolean().describe("Whether nextVerifyAt has passed.")
  }),
  audit: z
    .array(
      z.object({
        id: AuditId,
        action: z.string(),
        actor: z.string(),
        at: Timestamp,
        details: z.record(z.string(), z.unknown())
      })
    )
    .describe("What was done to the document, newest first; at most 50."),
  derived: z.object({
    chunkCount: Count,
    concepts: z
      .array(
        z.object({
          id: EntityId,
          name: z.string(),
          type: z.string(),
          authority: Authority,
          lifecycleStatus: Lifecycle,
          mentionCount: Count.describe("Of this document.")
        })
      )
      .describe("Live canonical entities that it mentions, the most mentioned first."),
    relationCount: Count.describe("Live relations that a passage of it carries.")
  }),
  downstream: z.object({
    answerCount: Count.describe("Kept answers, and answers of agent runs, that cite it."),
    cacheEntryCount: Count,
    groundedEntityCount: Count.describe(
      "Live canonical entities that it mentions, is about, or relates to another by a passage of it."
    )
  })
})
export type DocumentLineage = z.infer<typeof DocumentLineage>

/**
 * Why something needs a steward: a review is overdue or never happened, there is no owner, a change request is open,
 * or a document's verification is due.
 */
export const StewardshipView = z.enum([
  "overdue",
  "never_reviewed",
  "ownerless",
  "contested",
  "documents_due"
])
export type StewardshipView = z.infer<typeof StewardshipView>

/** An entity that needs a steward. */
export const TendedEntity = z.object({
  kind: z.literal("entity"),
  id: EntityId,
  name: z.string(),
  type: z.string(),
  authority: Authority,
  lifecycleStatus: Lifecycle,
  ownerId: z.string().nullable(),
  stewardIds: z.array(z.string()),
  lastReviewedAt: Timestamp.nullable(),
  nextReviewAt: Timestamp.nullable(),
  openRequests: Count.describe("Open change requests about it.")
})
export type TendedEntity = z.infer<typeof TendedEntity>

/** A document whose verification is due. */
export const TendedDocument = z.object({
  kind: z.literal("document"),
  id: DocumentId,
  path: z.string(),
  title: z.string(),
  verification: Verification,
  verifiedBy: z.string().nullable(),
  verifiedAt: Timestamp.nullable(),
  nextVerifyAt: Timestamp.nullable()
})
export type TendedDocument = z.infer<typeof TendedDocument>

export const StewardshipCounts = z.object({
  overdue: Count,
  neverReviewed: Count,
  ownerless: Count,
  contested: Count,
  documentsDue: Count
})
export type StewardshipCounts = z.infer<typeof StewardshipCounts>

/** A page of items that need a steward. */
export const StewardshipPage = z.object({
  view: StewardshipView,
  counts: StewardshipCounts.describe("Of every view, under the same owner."),
  items: z.array(z.discriminatedUnion("kind", [TendedEntity, TendedDocument])),
  total: Count,
  limit: z.int(),
  offset: z.int()
})
export type StewardshipPage = z.infer<typeof StewardshipPage>

/** A reason why two entities may be the same. */
export const DuplicateReason = z.object({
  code: z.enum([
    "same_name",
    "same_letters",
    "alias",
    "shared_alias",
    "spelling",
    "words",
    "neighbours",
    "meaning"
  ]),
  strength: z.number().min(0).max(1).describe("What the reason alone would score."),
  detail: z.string()
})
export type DuplicateReason = z.infer<typeof DuplicateReason>

const DuplicateCard = z.object({
  id: EntityId,
  name: z.string(),
  type: z.string(),
  authority: Authority,
  lifecycleStatus: Lifecycle
})

/** A pair of entities that may be the same. */
export const Duplicate = z.object({
  head: DuplicateCard.describe("The one that would stay: more authority, then more central, then older."),
  duplicate: DuplicateCard,
  score: z.number().min(0).max(1),
  reasons: z.array(DuplicateReason).describe("The strongest first.")
})
export type Duplicate = z.infer<typeof Duplicate>

/** A page of pairs that may be the same; `total` counts all with at least the minimum score. */
export const DuplicatePage = z.object({
  items: z.array(Duplicate).describe("The likeliest first."),
  total: Count,
  limit: z.int(),
  offset: z.int()
})
export type DuplicatePage = z.infer<typeof DuplicatePage>
