import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DocumentId, EntityId, Inspector, WorkspaceScope } from "../../platform/kernel/index.js"

/** Evidence of a relation in a document, with the ends of the relation. */
export interface CarriedEvidence {
  readonly srcId: EntityId
  readonly type: string
  readonly dstId: EntityId
  readonly label: number | null
  readonly quote: string
}

/** Queries of the graph that only inspection and rebuild need. */
export class GraphInspection extends Context.Tag("kanon/GraphInspection")<
  GraphInspection,
  {
    /** Hashes of the words of documents: all, and those in lower case; unknown ids are left out. */
    readonly words: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyMap<DocumentId, { readonly words: Uint32Array; readonly small: Uint32Array }>>
    /** The evidence in a document, in order. */
    readonly evidence: (
      workspace: WorkspaceScope,
      id: DocumentId
    ) => Effect.Effect<ReadonlyArray<CarriedEvidence>>
    /** Keys of the names that documents claim or that entities were found by, ascending after `after`. */
    readonly keysAfter: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Number of rows that belong to no live document, extraction record, relation or entity. */
    readonly orphanCount: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Removes them in the caller's transaction and returns the keys of the removed claims. */
    readonly removeOrphans: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<string>>
    /** Relations whose evidence count is wrong, or that were extracted and have no evidence. */
    readonly miscounted: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Counts relations whose heads differ from those of their entities. */
    readonly misheaded: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Counts edges that differ from the relations: missing, surplus, or of another weight. */
    readonly misdrawnEdges: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Derives evidence counts, heads and edges again, and drops extracted relations without evidence, in a transaction. */
    readonly rebuildRelations: (workspace: WorkspaceScope) => Effect.Effect<void>
  }
>() {}

/** Kinds of findings about the graph. */
export const graphFindings = {
  edges_differ: "difference",
  graph_behind: "remark",
  graph_cursor_ahead: "difference",
  graph_rows_stray: "difference",
  graph_unattended: "difference",
  mentions_differ: "difference",
  names_differ: "difference",
  ranks_behind: "remark",
  ranks_differ: "difference",
  readings_differ: "difference",
  relations_differ: "difference",
  surfaces_differ: "difference"
} as const

export type GraphInspector = Inspector<keyof typeof graphFindings>
