import { z } from "zod"
import { ChunkId, DocumentId, EntityId, Timestamp } from "../kernel/index.js"
import { PolicyBlock } from "../policy/index.js"

/** One atomic statement and the sources that carry it. */
export const Claim = z.object({ text: z.string(), citations: z.array(z.string()) })
export type Claim = z.infer<typeof Claim>

/** An entry of the [Sn] registry. */
export const Source = z.object({
  id: z.string().regex(/^S[1-9]\d*$/),
  docId: DocumentId,
  docTitle: z.string(),
  docPath: z.string(),
  chunkId: ChunkId,
  snippet: z.string()
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

export const DetectedEntity = z.object({
  id: EntityId,
  name: z.string(),
  type: z.string(),
  pagerank: z.number()
})
export type DetectedEntity = z.infer<typeof DetectedEntity>

/** The answer to one question: the contract's StructuredAnswer. */
export const StructuredAnswer = z.object({
  answer: z.string().describe("Prose with [Sn] and [Dn] markers."),
  claims: z.array(Claim),
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
