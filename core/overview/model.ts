import { z } from "zod"
import { Verification } from "../documents/index.js"
import { Authority, Lifecycle } from "../entities/index.js"
import { memberRoles } from "../identity/index.js"
import { ChunkId, DocumentId, EntityId, Timestamp, UserId, WorkspaceId } from "../kernel/index.js"

const Count = z.int().min(0)
/** How many by a free text, such as a type. */
const CountsByText = z.record(z.string(), Count)
/** How many by each value of an enumeration; every value is there. */
export const countsOver = <Values extends z.ZodEnum>(values: Values) => z.record(values, Count)

export const HubConcept = z.object({
  id: EntityId,
  name: z.string(),
  type: z.string(),
  summary: z.string().describe("Its description; empty when it has none."),
  authority: Authority,
  lifecycleStatus: Lifecycle,
  version: z.int(),
  inDegree: Count,
  outDegree: Count,
  mentionCount: Count,
  lastReviewedAt: Timestamp.nullable(),
  ownerId: z.string().nullable()
})
export type HubConcept = z.infer<typeof HubConcept>

/** What a workspace holds, at one glance. */
export const Manifest = z.object({
  generatedAt: Timestamp,
  workspace: z.object({ id: WorkspaceId, name: z.string() }),
  counts: z.object({
    documents: Count,
    chunks: Count,
    entities: Count,
    relations: Count,
    entitiesByType: CountsByText,
    relationsByType: CountsByText,
    byAuthority: countsOver(Authority),
    byLifecycle: countsOver(Lifecycle),
    documentsByVerification: countsOver(Verification)
  }),
  hubConcepts: z
    .array(HubConcept)
    .describe("Published concepts that most relations point to, ties by mentions; at most 25."),
  staleness: z.object({ overdueReviews: Count, neverReviewed: Count })
})
export type Manifest = z.infer<typeof Manifest>

/** A passage with what stands around it. */
export const ChunkView = z.object({
  id: ChunkId,
  docId: DocumentId,
  docTitle: z.string(),
  docPath: z.string(),
  headingPath: z.string(),
  ordinal: z.int(),
  text: z.string(),
  start: z.int().describe("Offset in the document, in UTF-16 units."),
  end: z.int(),
  docVersion: z.int(),
  verification: Verification,
  before: z.array(z.object({ id: ChunkId, text: z.string() })).describe("The passages before it, in order."),
  after: z.array(z.object({ id: ChunkId, text: z.string() })),
  entities: z.array(z.object({ id: EntityId, name: z.string(), type: z.string() }))
})
export type ChunkView = z.infer<typeof ChunkView>

export const MemberPage = z.object({
  items: z.array(
    z.object({
      id: UserId,
      displayName: z.string(),
      role: z.enum(memberRoles),
      ownedConcepts: Count,
      stewardedConcepts: Count,
      overdueReviews: Count.describe("Of the concepts that the member owns.")
    })
  ),
  total: Count
})
export type MemberPage = z.infer<typeof MemberPage>

/** How many hub concepts the manifest shows. */
export const hubConceptsMax = 25
