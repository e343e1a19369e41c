import { z } from "zod"
import { CheckedClaim, DataCall, DetectedEntity, Source } from "../evidence/index.js"
import { Timestamp } from "../kernel/index.js"
import { PolicyBlock } from "../policy/index.js"

/** The answer to one question: the contract's StructuredAnswer. */
export const StructuredAnswer = z.object({
  answer: z
    .string()
    .describe("The sentences of `claims` in order, each followed by its [Sn] and [Dn] markers."),
  claims: z.array(CheckedClaim),
  sources: z.array(Source),
  dataCalls: z.array(DataCall),
  entities: z.array(DetectedEntity),
  groundedness: z.object({ verified: z.int(), total: z.int() }),
  policy: PolicyBlock,
  model: z.object({ chat: z.string(), judge: z.string() }),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), costUsd: z.number() }),
  generatedAt: Timestamp
})
export type StructuredAnswer = z.infer<typeof StructuredAnswer>

/** What a question may ask for; the bounds are the contract's. */
export const Query = z.object({
  /** What no database keeps as a text (NUL, half a character) must not keep a question out of the decision log. */
  question: z
    .string()
    .min(1)
    .max(4000)
    .overwrite((text) => text.toWellFormed().replaceAll("\0", " ")),
  includeData: z.boolean().default(false),
  maxSources: z.int().min(1).max(20).default(8),
  policyMode: z.enum(["off", "shadow", "enforce"]).optional()
})
export type Query = z.infer<typeof Query>
