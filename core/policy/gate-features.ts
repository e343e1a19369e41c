import { z } from "zod"
import { FeatureValues, featuresIds } from "./features.js"
import { EvidenceConflict } from "./model.js"

const Share = z.number().min(0).max(1)
const Count = z.int().min(0)

/** Entities that one name of a question may mean. */
export const Ambiguity = z.object({
  surface: z.string(),
  candidates: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() }))
})
export type Ambiguity = z.infer<typeof Ambiguity>

/** What is known of a question and its evidence before anything is generated. */
export const EvidenceFacts = z.object({
  sources: Count.describe("Passages chosen."),
  dataRows: Count,
  hasSubject: z.boolean().describe("The question holds more than question words and pronouns."),
  ambiguous: z.array(Ambiguity),
  unknownTerms: z
    .array(z.string())
    .describe("Names, codes and quoted phrases of the question that stand nowhere in the workspace."),
  coverage: Share.describe("Share of the question's terms, by rarity, that the chosen passages hold."),
  bestCosine: z.number().nullable().describe("Of a real embedding model; null without one.")
})
export type EvidenceFacts = z.infer<typeof EvidenceFacts>

/** A cited document or a used entity, as governance sees it. */
const CitedSource = z.object({
  id: z.string(),
  verification: z.enum(["unverified", "verified", "certified", "deprecated"]),
  reviewDue: z.boolean()
})
const UsedEntity = z.object({
  id: z.string(),
  name: z.string(),
  authority: z.string(),
  lifecycle: z.string(),
  sourceIds: z.array(z.string()).describe("Cited sources that name it.")
})

/** What is known of an answer once it is written and checked. */
export const AnswerFacts = z.object({
  answerable: z.boolean().describe("False: the model itself says that the evidence carries no answer."),
  claims: Count,
  verified: Count,
  unverifiedSourceIds: z.array(z.string()).describe("What the claims cite that were not verified."),
  cited: z.array(CitedSource),
  /** Some documents of the workspace are verified, so that it says something when none of the cited is. */
  workspaceVerifies: z.boolean(),
  entities: z.array(UsedEntity),
  /** Some entities of the workspace are more than extracted. */
  workspaceCurates: z.boolean(),
  conflicts: z.array(EvidenceConflict),
  truncatedDataIds: z.array(z.string()),
  /** Data calls that gave no rows. */
  unavailableData: Count.optional(),
  fromCache: z.boolean(),
  /** What degraded on the way, such as `chat_model_unavailable`. */
  notes: z.array(z.string())
})
export type AnswerFacts = z.infer<typeof AnswerFacts>

/** What of the calibration and the settings took part in a decision. */
export const GateLimits = z.object({
  calibrationVersion: z.string(),
  certified: z.boolean(),
  reasons: z.array(z.string()).describe("Why the calibration guarantees nothing; empty where it does."),
  /** Least confidence of an answer without the caveat `low_confidence`. */
  confidence: Share,
  /** Least coverage of the question's terms. */
  coverage: Share,
  /** Least cosine of the best passage; null where the workspace has set none. */
  cosine: z.number().nullable(),
  /** Least prior; null without a model for it. */
  prior: Share.nullable()
})
export type GateLimits = z.infer<typeof GateLimits>

/** Everything that a decision is made of: the same features always give the same decision. */
export const GateFeatures = z.object({
  format: z.enum(featuresIds),
  values: FeatureValues.describe("Every feature of the calibration; null or absent where it is missing."),
  evidence: EvidenceFacts,
  answer: AnswerFacts.nullable().describe("Null where nothing was generated."),
  /** Estimated probability that an answer will be right, before it is written; null without a model for it. */
  prior: Share.nullable(),
  /** Estimated probability that the given answer is right; null where nothing was generated. */
  confidence: Share.nullable(),
  limits: GateLimits
})
export type GateFeatures = z.infer<typeof GateFeatures>
