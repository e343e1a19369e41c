import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"

/** A chunk with its score in one channel; the scale is the channel's own. */
export interface ScoredLabel {
  readonly label: number
  readonly score: number
}

/** What a channel of vectors looks for: the text, for an embedder; terms and first hits, for the built-in vectors. */
export interface VectorQuery {
  readonly text: string
  /** Analysed terms with how often the query says each. */
  readonly terms: ReadonlyArray<{ readonly term: string; readonly count: number }>
  /** The lexical hits, best first, with the scores that ordered them: the seeds of the built-in channel. */
  readonly lexicalHits: ReadonlyArray<ScoredLabel>
  readonly limit: number
  /** When given, only these chunks are looked for. */
  readonly allow?: ReadonlySet<number>
  /** Stamp of the database: with the same one as before nothing that the stores hold has changed. */
  readonly stamp?: string | null
}

/** What a channel of vectors found, and how much it may weigh beside the words. */
export interface VectorHits {
  /** Best first, equal scores by label; empty when the workspace has no vectors (yet). */
  readonly hits: ReadonlyArray<ScoredLabel>
  /** True for vectors learned from the workspace itself: the words of the query then decide how much they weigh. */
  readonly builtIn: boolean
  /** The most that the list may weigh in the fusion, where the vectors no longer fit the corpus well. */
  readonly weightMax?: number
}

/** Finds chunks by the likeness of vectors. Never fails: a model that is down gives no hits. */
export class VectorChannel extends Context.Tag("kanon/VectorChannel")<
  VectorChannel,
  { readonly search: (workspace: WorkspaceScope, query: VectorQuery) => Effect.Effect<VectorHits> }
>() {}
