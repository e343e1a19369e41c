import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../../platform/kernel/index.js"

/** A chunk with its score in one channel; the scale is the channel's own. */
export interface ScoredLabel {
  readonly label: number
  readonly score: number
}

/** Query of the vector channel: the text for an embedder; terms and first hits for the built-in vectors. */
export interface VectorQuery {
  readonly text: string
  /** Analysed terms with their counts in the query. */
  readonly terms: ReadonlyArray<{ readonly term: string; readonly count: number }>
  /** Lexical hits, best first, with the scores that ordered them: seeds of the built-in channel. */
  readonly lexicalHits: ReadonlyArray<ScoredLabel>
  readonly limit: number
  /** Restricts the search to these chunks. */
  readonly allow?: ReadonlySet<number>
  /** Database stamp; unchanged as long as the stored data is. */
  readonly stamp?: string | null
}

/** Result of the vector channel. */
export interface VectorHits {
  /** Best first, equal scores by label; empty when the workspace has no vectors (yet). */
  readonly hits: ReadonlyArray<ScoredLabel>
  /** True for vectors learned from the workspace itself: their weight then depends on the words of the query. */
  readonly builtIn: boolean
  /** Those of the first lexical hits that have no vector (yet), in their order: the words alone rank them. */
  readonly pending?: ReadonlyArray<number>
  /** Share of its weight that an embedder has earned, from 0 to 1; absent before it was measured. */
  readonly trust?: number
  /** Hits of the built-in vectors beside those of an embedder; absent without an embedder. */
  readonly beside?: ReadonlyArray<ScoredLabel>
}

/** Finds chunks by vector similarity. Never fails: when a model is unavailable it returns no hits. */
export class VectorChannel extends Context.Tag("kanon/VectorChannel")<
  VectorChannel,
  { readonly search: (workspace: WorkspaceScope, query: VectorQuery) => Effect.Effect<VectorHits> }
>() {}
