import { z } from "zod"
import { DocumentFilter, Indexing } from "../../files/documents/index.js"
import { AsOf, DocumentId, EntityId, Timestamp } from "../../platform/kernel/index.js"
import { LanguageTag, Wishes } from "../../platform/workspace/index.js"
import {
  answerFormats,
  CheckedClaim,
  ClaimStatus,
  DataCall,
  DetectedEntity,
  Source,
  Unmatched
} from "../evidence/index.js"
import { EvidenceConflict, PolicyBlock, PolicyMode } from "../policy/index.js"

/** The answer to one question: the contract's StructuredAnswer. */
export const StructuredAnswer = z.object({
  answer: z
    .string()
    .describe("Prose with [Sn] and [Dn] markers, as the model wrote it; `claims` are its statements."),
  claims: z.array(CheckedClaim),
  sources: z.array(Source),
  dataCalls: z.array(DataCall),
  entities: z.array(DetectedEntity),
  groundedness: z.object({ verified: z.int(), total: z.int() }),
  policy: PolicyBlock,
  model: z.object({ chat: z.string(), judge: z.string() }),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), costUsd: z.number() }),
  generatedAt: Timestamp,
  standaloneQuestion: z
    .string()
    .optional()
    .describe("The question as it was understood; only where earlier questions completed it."),
  conversationId: z.string().optional().describe("As it was given with the question."),
  asOf: AsOf.optional().describe("As it was given; absent for a question about the present."),
  indexing: Indexing.optional()
})
export type StructuredAnswer = z.infer<typeof StructuredAnswer>

/**
 * Removes NUL and lone surrogates, which no database stores as text, so that the decision log can keep every question.
 */
const QuestionText = z
  .string()
  .min(1)
  .max(4000)
  .overwrite((text) => text.toWellFormed().replaceAll("\0", " "))

/** A question with its options. Bounds are those of the service contract. */
export const Query = DocumentFilter.extend({
  question: QuestionText,
  conversationId: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[\w.:-]+$/, "Letters, digits and _ . : - only.")
    .optional()
    .describe("Any id of the caller's own: questions of one conversation complete each other."),
  turns: z
    .array(z.object({ question: QuestionText, answer: z.string().max(20_000).optional() }))
    .max(20)
    .optional()
    .describe("Earlier questions, oldest first; in the place of those of the conversation."),
  includeData: z.boolean().default(false),
  maxSources: z.int().min(1).max(20).default(8),
  policyMode: z.enum(["off", "shadow", "enforce"]).optional(),
  instructions: Wishes.optional().describe("Wishes for the wording; they lift no check."),
  language: LanguageTag.optional().describe("Of the answer, such as de; by default the question's."),
  answerFormat: z.enum(answerFormats).optional().describe("Default: prose."),
  asOf: AsOf.optional()
}).refine(({ asOf, includeData }) => asOf === undefined || !includeData, {
  path: ["includeData"],
  message: "Live data are those of today: includeData and asOf exclude each other."
})
export type Query = z.infer<typeof Query>
/** The form of the text of an answer. */
export type AnswerFormat = NonNullable<Query["answerFormat"]>

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

/** Support that the workspace gives a text, claim by claim. */
export const GroundingReport = z.object({
  claims: z.array(
    z.object({
      text: z.string(),
      status: ClaimStatus,
      citations: z.array(z.string()).describe("Sources that carry the claim, or speak against it."),
      unmatched: Unmatched
    })
  ),
  sources: z.array(Source).describe("What the claims were compared with, cited or not."),
  conflicts: z.array(EvidenceConflict),
  groundedness: z.object({ verified: z.int(), total: z.int() }),
  policy: PolicyBlock,
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), costUsd: z.number() })
})
export type GroundingReport = z.infer<typeof GroundingReport>
