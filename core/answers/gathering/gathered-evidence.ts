import { z } from "zod"
import type { EntityDetector } from "../../knowledge/entities/index.js"
import type { Question } from "../../language/questions/index.js"
import { ChunkId, DocumentId } from "../../platform/kernel/index.js"
import type { DetectedEntity, EvidenceData, KnownAnswers, ScoredPassage } from "../evidence/index.js"
import type { Ambiguity } from "../policy/index.js"
import type { AnsweringRelation } from "./relations-asked.js"

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

/** The state of a workspace in which evidence was found. What is read later for the same question uses it again. */
export interface ReadState {
  /** Stamp of the content; see `PostingStore`. Null where it is not known. */
  readonly stamp: string | null
  /** Detector of the entities. */
  readonly detector: EntityDetector
}

/** Evidence gathered for a question. */
export interface GatheredEvidence {
  /** The question in the words of what was found; see `corrected`. */
  readonly question: Question
  /**
   * A pool, best first and wider than an answer needs: the passages that answer best are picked from it. It holds the
   * first chunks of the documents that the question names (by title, alias, path or a detected entity) and of the best
   * few, where definitions and summaries stand.
   */
  readonly sources: ReadonlyArray<ScoredPassage>
  /** The relations of the graph that answer. */
  readonly relations: ReadonlyArray<AnsweringRelation>
  /** Sentences that state them, and such as state others. */
  readonly stated: KnownAnswers
  /** The definition of the concept that the question asks about, as its vocabulary or a person gives it. */
  readonly definition: Omit<EvidenceData, "id"> | null
  /** Known entities in the question, in its order. */
  readonly entities: ReadonlyArray<DetectedEntity>
  /** Inverse document frequency of each term of the question, also of those that no chunk holds. */
  readonly termWeights: ReadonlyMap<string, number>
  /** Scores of the first passages, for people and for the gate. */
  readonly candidates: ReadonlyArray<Candidate>
  /** The vector scores are those of an embedding model, not of the vectors learned from the workspace. */
  readonly embedded: boolean
  /** Names of the question that several entities bear, and that nothing else in it tells apart. */
  readonly ambiguous: ReadonlyArray<Ambiguity>
  /** Names, codes and quoted phrases of the question that stand nowhere in the workspace; looked for only for the gate. */
  readonly unknownTerms: ReadonlyArray<string>
  readonly seen: ReadState
}

/** Facts that the gate checks beside the evidence; left out when no search was made. */
export type GateEvidence = Partial<
  Pick<GatheredEvidence, "candidates" | "embedded" | "ambiguous" | "unknownTerms">
>
