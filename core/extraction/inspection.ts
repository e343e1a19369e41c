import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DocumentId, EntityId, WorkspaceScope } from "../kernel/index.js"

/** What a document carries of a relation, with the relation's ends. */
export interface CarriedEvidence {
  readonly srcId: EntityId
  readonly type: string
  readonly dstId: EntityId
  readonly label: number | null
  readonly quote: string
  /** Its place among those of the document for the same relation, from 0. */
  readonly ordinal: number
}

/** What no reader of the graph is shown: for those who look for damage. */
export class GraphInspection extends Context.Tag("kanon/GraphInspection")<
  GraphInspection,
  {
    /** Hashes of the words that were read of documents: all, and those in small letters; unknown ids are left out. */
    readonly words: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyMap<DocumentId, { readonly words: Uint32Array; readonly small: Uint32Array }>>
    /** What documents carry, in the order in which they carry it. */
    readonly evidence: (
      workspace: WorkspaceScope,
      id: DocumentId
    ) => Effect.Effect<ReadonlyArray<CarriedEvidence>>
    /** Keys of names that documents claim or entities were found by, ascending after `after`. */
    readonly keysAfter: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Readings of documents that are not live, and what belongs to no reading, relation or entity: how many rows. */
    readonly strays: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Removes them and gives the keys of the claims among them, in the caller's unit of work. */
    readonly removeStrays: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<string>>
    /** Writes by what documents call an entity, in the caller's unit of work; no version tells of that. */
    readonly setClaim: (
      workspace: WorkspaceScope,
      id: EntityId,
      claim: { readonly type: string; readonly key: string }
    ) => Effect.Effect<void>
    /** Mentions of a run that nobody knows any more. */
    readonly runless: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Has them name none, in the caller's unit of work. */
    readonly forgetRuns: (workspace: WorkspaceScope) => Effect.Effect<void>
    /** Relations that count another number of places than documents carry, or that nothing carries. */
    readonly miscounted: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Relations whose ends do not stand for the heads of their entities. */
    readonly misheaded: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Canonical edges that are not what the relations give: missing, too many, or of another weight. */
    readonly misdrawnEdges: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Counts relations anew, sets their heads, drops those that nothing carries and draws all edges, as one unit. */
    readonly mendRelations: (workspace: WorkspaceScope) => Effect.Effect<void>
  }
>() {}
