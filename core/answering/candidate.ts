import { z } from "zod"
import { ChunkId, DocumentId } from "../kernel/index.js"

const Place = z.int().min(1).nullable()

/** A passage that came up for a question, and how. */
export const Candidate = z.object({
  chunkId: ChunkId,
  docId: DocumentId,
  docPath: z.string(),
  headingPath: z.string(),
  /** Its places, from 1; null in a list that does not hold it. */
  ranks: z.object({
    fts: Place,
    vector: Place,
    named: Place.describe("Of documents that the question names."),
    graph: Place.describe("Near the entities of the question."),
    lead: Place.describe("First passages of the best documents.")
  }),
  lexicalScore: z.number().nullable().describe("BM25 with the bonus for nearness."),
  vectorScore: z.number().nullable().describe("Cosine."),
  rerankScore: z.number().nullable(),
  fusedScore: z.number().nullable().describe("Of words and vectors, before governance."),
  governance: z.number().nullable().describe("By what the standing of its document multiplied that."),
  score: z.number().describe("Of all lists together.")
})
export type Candidate = z.infer<typeof Candidate>
