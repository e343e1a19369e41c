import { z } from "zod"
import { Indexing, type Passage, Verification } from "../../files/documents/index.js"
import { AsOf, ChunkId, DocumentId } from "../../platform/kernel/index.js"

/** The channel that found a passage: lexical (`fts`) or vector. */
export const Channel = z.enum(["fts", "vector"])
export type Channel = z.infer<typeof Channel>

/**
 * A passage that was found. `snippet` is plain text of about 240 UTF-16 units; `rerankScore` is present only when a
 * reranker scored it, on its own scale.
 */
export const SearchResult = z.object({
  chunkId: ChunkId,
  docId: DocumentId,
  docTitle: z.string(),
  docPath: z.string(),
  headingPath: z
    .string()
    .describe('Headings above the passage, outermost first, joined by " > "; empty at the top.'),
  page: z
    .int()
    .optional()
    .describe("The page of the original on which the passage begins; only where it has pages."),
  sourceUrl: z
    .string()
    .optional()
    .describe("Where the original can be opened; only where there is such an address."),
  snippet: z.string(),
  score: z.number().describe("Fused score; no unit, comparable within one response only."),
  channels: z.array(Channel),
  rerankScore: z.number().optional(),
  verification: Verification
})
export type SearchResult = z.infer<typeof SearchResult>

/** Search results, best first; `results` holds at most `limit`. */
export const SearchResponse = z.object({
  query: z.string(),
  results: z.array(SearchResult),
  total: z.int().describe("All chunks of the fused list, before limit."),
  asOf: AsOf.optional().describe("As it was given; absent for a search of the present."),
  historyIncomplete: z
    .boolean()
    .optional()
    .describe("True when retention has removed a text that was current then; else absent."),
  indexing: Indexing.optional()
})
export type SearchResponse = z.infer<typeof SearchResponse>

/** A retrieved passage with its ranks and scores. */
export interface RetrievedPassage {
  readonly passage: Passage
  /** Fused score after governance; no unit, comparable within one retrieval. */
  readonly score: number
  /** Reciprocal rank fusion alone. */
  readonly fusedScore: number
  /** Rank in each channel that found it, from 1. */
  readonly ranks: Readonly<Partial<Record<Channel, number>>>
  readonly channels: ReadonlyArray<Channel>
  /** BM25 with the proximity bonus. */
  readonly lexicalScore: number | null
  /** Cosine. */
  readonly vectorScore: number | null
  /** Present only when a reranker scored it. */
  readonly rerankScore: number | null
}
