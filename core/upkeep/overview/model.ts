import { z } from "zod"
import { Verification } from "../../files/documents/index.js"
import { RequestReview } from "../../knowledge/curation/index.js"
import { Authority, Lifecycle } from "../../knowledge/entities/index.js"
import { KeyScope, keyKinds, memberRoles } from "../../platform/identity/index.js"
import {
  ChunkId,
  DocumentId,
  EntityId,
  KeyId,
  Timestamp,
  UserId,
  WorkspaceId
} from "../../platform/kernel/index.js"
import { ModelPrices, ReadableChoices } from "../../platform/models/index.js"
import { ReadableMcpServers, Settings } from "../../platform/workspace/index.js"

const Count = z.int().min(0)
/** Counts by a free text, such as a type. */
const CountsByText = z.record(z.string(), Count)
/** Counts for every value of an enumeration. */
export const countsOver = <Values extends z.ZodEnum>(values: Values) => z.record(values, Count)

/** A central entity: degrees count its edges, `mentionCount` the places that name it. */
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

/** Summary of a workspace's content. */
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

const Money = z
  .string()
  .regex(/^\d+(\.\d{1,10})?$/)
  .describe("US dollars as a decimal number, exact.")

/** The settings as they are shown: of a credential only whether there is one. */
const ReadableSettings = Settings.extend({
  models: ReadableChoices.extend({
    fallbackToExtractive: z.boolean(),
    chatEnabled: z.boolean().describe("False: no model answers, the built-in one included."),
    prices: ModelPrices
  }),
  mcpServers: ReadableMcpServers
})

/** The workspace from its caller's view. */
export const WorkspaceView = z.object({
  id: WorkspaceId,
  name: z.string(),
  key: z
    .object({
      id: KeyId,
      name: z.string(),
      kind: z.enum(keyKinds),
      scopes: z.array(KeyScope).describe("What the key may do in this workspace now."),
      expiresAt: Timestamp.nullable()
    })
    .nullable()
    .describe("The caller's key; null in-process."),
  capabilities: z
    .object({
      chat: z.boolean().describe("Questions are answered."),
      judge: z.boolean().describe("A model judges what answers claim, beside the comparison of words."),
      embedding: z.boolean().describe("Passages have vectors, of a model or learned from the workspace."),
      reranker: z.boolean().describe("A model reorders results."),
      extraction: z.boolean().describe("Documents can be read for the graph again.")
    })
    .describe("What models do here."),
  settings: ReadableSettings,
  usage: z.object({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe("The present month, in UTC."),
    agentSpendUsd: Money.describe("What agents spent this month."),
    capUsd: Money.describe("What agents and evaluation runs may spend in a month."),
    activeRuns: Count,
    activeRunCap: z.int().min(1),
    tokens: Count.describe("Tokens that chat models read and wrote for this workspace this month."),
    inputTokens: Count,
    outputTokens: Count,
    costUsd: Money.describe("What they cost, where prices are known.")
  }),
  revision: z.int().min(1).describe("Rises with each change of name or settings.")
})
export type WorkspaceView = z.infer<typeof WorkspaceView>

/** A passage with its context. */
export const ChunkView = z.object({
  id: ChunkId,
  docId: DocumentId,
  docTitle: z.string(),
  docPath: z.string(),
  headingPath: z.string(),
  page: z
    .int()
    .optional()
    .describe("The page of the original on which it begins; only where that has pages."),
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

/** A change request with all that a reviewer wants to know. */
export const RequestOverview = RequestReview.extend({
  impact: z
    .object({
      relations: Count,
      answers: Count.describe("Kept answers that cite a passage that mentions the entity."),
      cacheEntries: Count.describe("Cached answers that its next change takes away.")
    })
    .describe("What depends on the entity.")
})
export type RequestOverview = z.infer<typeof RequestOverview>

/** A page of members with the number of concepts that each owns or stewards. */
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

/** Number of hub concepts in the manifest. */
export const hubConceptsMax = 25
