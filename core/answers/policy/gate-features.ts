import { z } from "zod"
import { FeatureValues, featuresIds } from "./features.js"
import { EvidenceConflict } from "./model.js"

const Share = z.number().min(0).max(1)
const Count = z.int().min(0)

/** Entities that a name in a question may refer to. */
export const Ambiguity = z.object({
  surface: z.string(),
  candidates: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() }))
})
export type Ambiguity = z.infer<typeof Ambiguity>

/** Facts about a question and its evidence before generation. */
export const EvidenceFacts = z.object({
  sources: Count.describe("Passages chosen."),
  dataRows: Count,
  hasSubject: z.boolean().describe("The question holds more than question words and pronouns."),
  ambiguous: z.array(Ambiguity),
  unknownTerms: z
    .array(z.string())
    .describe("Names, codes and quoted phrases of the question that no document of the workspace has."),
  coverage: Share.describe("Share of the question's terms, by rarity, that the chosen passages hold."),
  bestCosine: z.number().nullable().describe("Of a real embedding model; null without one."),
  /** Data calls that gave no rows; absent for none, and from older decisions. */
  unavailableData: Count.optional(),
  past: z
    .object({ isIncomplete: z.boolean().describe("Retention has removed a text that was current then.") })
    .optional()
    .describe("Only of a question about an earlier moment.")
})
export type EvidenceFacts = z.infer<typeof EvidenceFacts>

/** Governance state of a cited document or a used entity. */
const CitedSource = z.object({
  id: z.string(),
  verification: z.enum(["unverified", "verified", "certified", "deprecated"]),
  reviewDue: z.boolean(),
  isUncertain: z
    .literal(true)
    .optional()
    .describe("The text may say something else than the original; absent where nothing is known of it.")
})
const UsedEntity = z.object({
  id: z.string(),
  name: z.string(),
  authority: z.string(),
  lifecycle: z.string(),
  sourceIds: z.array(z.string()).describe("Cited sources that name it.")
})

/** Facts about an answer after grounding. */
export const AnswerFacts = z.object({
  answerable: z.boolean().describe("False: the model itself says that the evidence carries no answer."),
  claims: Count,
  verified: Count,
  isUngrounded: z
    .boolean()
    .optional()
    .describe(
      "No claim is supported or partly supported; absent where one is, and from older decisions, which were not refused for it."
    ),
  unmatchedWords: z
    .string()
    .optional()
    .describe("The first words of a claim that no source carries; absent where the check knows none."),
  unverifiedSourceIds: z.array(z.string()).describe("What the claims cite that were not verified."),
  unverifiedClaims: z
    .array(Count)
    .optional()
    .describe("Places of the claims that were not verified, from 0; absent from older decisions."),
  withheldClaims: Count.optional().describe("Unsupported sentences that were left out; absent for none."),
  cited: z.array(CitedSource),
  /** Whether some documents of the workspace are verified; otherwise unverified sources are not significant. */
  workspaceVerifies: z.boolean(),
  entities: z.array(UsedEntity),
  /** Whether some entities of the workspace are curated. */
  workspaceCurates: z.boolean(),
  conflicts: z.array(EvidenceConflict),
  truncatedDataIds: z.array(z.string()),
  /** Data calls that gave no rows. */
  unavailableData: Count.optional(),
  fromCache: z.boolean(),
  /** Degradations, such as `chat_model_unavailable`. */
  notes: z.array(z.string())
})
export type AnswerFacts = z.infer<typeof AnswerFacts>

/** Limits from calibration and settings. */
export const GateLimits = z.object({
  calibrationVersion: z.string(),
  certified: z.boolean(),
  reasons: z.array(z.string()).describe("Why the calibration guarantees nothing; empty where it does."),
  /** Minimum confidence of an answer without the caveat `low_confidence`. */
  confidence: Share,
  /** Confidence below which nothing is answered; absent from older decisions. */
  floor: Share.optional(),
  /** Minimum coverage of the question's terms. */
  coverage: Share,
  /** Minimum cosine of the best passage; null if the workspace sets none. */
  cosine: z.number().nullable(),
  /** Minimum prior; null without a prior model. */
  prior: Share.nullable()
})
export type GateLimits = z.infer<typeof GateLimits>

/** All inputs of a decision; equal features always give an equal decision. */
export const GateFeatures = z.object({
  format: z.enum(featuresIds),
  values: FeatureValues.describe("Every feature of the calibration; null or absent where it is missing."),
  evidence: EvidenceFacts,
  answer: AnswerFacts.nullable().describe("Null where nothing was generated."),
  /** Estimated probability, before generation, that an answer will be right; null without a prior model. */
  prior: Share.nullable(),
  /** Estimated probability that the given answer is right; null if nothing was generated. */
  confidence: Share.nullable(),
  limits: GateLimits
})
export type GateFeatures = z.infer<typeof GateFeatures>
