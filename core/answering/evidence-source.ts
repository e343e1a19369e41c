import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DocumentFilter } from "../documents/index.js"
import type { EntityDetector } from "../entities/index.js"
import type { DetectedEntity, ScoredPassage } from "../evidence/index.js"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Ambiguity } from "../policy/index.js"
import type { Question } from "../text-analysis/index.js"
import type { Settings } from "../workspace/index.js"
import type { Candidate } from "./candidate.js"

/** The state of a workspace in which something was found: who reads more of it need not ask what it is. */
export interface ReadState {
  /** Of its content; see `PostingStore`. */
  readonly stamp: string | null
  /** Of its entities. */
  readonly detector: EntityDetector
}

/** What was found for a question. */
export interface GatheredEvidence {
  /** The question in the words of what was found (see `rephrased`); absent where nobody looked. */
  readonly question?: Question
  /**
   * A pool, best first and wider than the answer needs (50 is a good number): the passages that answer best are
   * picked from it. It should hold the first chunks of the documents that the question names (by title, alias,
   * path or a detected entity) and of the best few, where definitions and summaries stand.
   */
  readonly sources: ReadonlyArray<ScoredPassage>
  /** Known entities in the question, in its order. */
  readonly entities: ReadonlyArray<DetectedEntity>
  /** Inverse document frequency of each term of the question, also of those that no chunk holds. */
  readonly termWeights: ReadonlyMap<string, number>
  /** How each of the first passages came up, for people and for the gate; absent where nobody asked. */
  readonly candidates?: ReadonlyArray<Candidate>
  /** The vector scores are those of an embedding model, not of the vectors learned from the workspace. */
  readonly embedded?: boolean
  /** Names of the question that several entities bear, and that nothing else in it tells apart. */
  readonly ambiguous?: ReadonlyArray<Ambiguity>
  /** Names, codes and quoted phrases of the question that stand nowhere in the workspace. */
  readonly unknownTerms?: ReadonlyArray<string>
  /** Absent where nobody looked. */
  readonly seen?: ReadState
}

/** Brings the evidence for a question from retrieval and entities; wired where the engine is put together. */
export class EvidenceSource extends Context.Tag("kanon/EvidenceSource")<
  EvidenceSource,
  {
    /** Never fails for want of a channel: what is down is done without. */
    readonly gather: (
      workspace: WorkspaceScope,
      question: Question,
      request: {
        readonly maxSources: number
        /** The gate wants to know more than an answer needs; see `ambiguous` and `unknownTerms`. */
        readonly gated: boolean
        readonly settings: Settings
        /** Of the content of the workspace when the question was taken in; null where it is to be asked. */
        readonly stamp: string | null
        /** Only passages of these documents; all when left out. */
        readonly filter?: DocumentFilter
      }
    ) => Effect.Effect<GatheredEvidence>
  }
>() {}
