import type { Passage } from "../documents/index.js"
import type { Channel } from "./model.js"

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
