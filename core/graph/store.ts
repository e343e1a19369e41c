import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DocumentId, EntityId, Page, PageRequest, RelationId, WorkspaceScope } from "../kernel/index.js"
import type { Edge, Mention, Relation, RelationEvidence, RelationOrigin } from "./model.js"

/** Told where an edge leads, once for each of its types. */
export type EdgeVisitor = (dst: EntityId, mentionCount: number) => void

/** The other ends of edges, an end for each edge. */
export type EdgeEnds = ReadonlyArray<{ readonly id: EntityId; readonly mentionCount: number }>

/** The other ends of the strongest edges at one head. */
export interface StrongestEnds {
  readonly head: EntityId
  readonly ends: EdgeEnds
}

/** The same by direction: of edges that lead away from the head, and of those that lead to it. */
export interface StrongestEdges {
  readonly head: EntityId
  readonly outgoing: EdgeEnds
  readonly incoming: EdgeEnds
}

/** Mentions, relations and canonical edges, as readers see them. */
export class GraphStore extends Context.Tag("kanon/GraphStore")<
  GraphStore,
  {
    /**
     * Mentions of these entities or of a document, by passage, place and entity id, the same in every copy of the
     * workspace; of these entities one place counts once, under the first of its ids.
     */
    readonly mentions: (
      workspace: WorkspaceScope,
      filter: { readonly entityIds?: ReadonlyArray<EntityId>; readonly documentId?: DocumentId },
      page: PageRequest
    ) => Effect.Effect<Page<Mention>>
    /** Mentions and mentioning documents of entities; those never mentioned are left out. */
    readonly mentionCounts: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<
      ReadonlyArray<{ readonly entityId: EntityId; readonly documentId: DocumentId; readonly count: number }>
    >
    /** How often the document of one entity mentions another one: what ranks flow along beside edges. */
    readonly mentionEdges: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<Omit<Edge, "type">>>
    readonly findRelation: (workspace: WorkspaceScope, id: RelationId) => Effect.Effect<Option<Relation>>
    /** The relation between exactly these, in any state. */
    readonly relationBetween: (
      workspace: WorkspaceScope,
      srcId: EntityId,
      type: string,
      dstId: EntityId
    ) => Effect.Effect<Option<Relation>>
    readonly saveRelation: (workspace: WorkspaceScope, relation: Relation) => Effect.Effect<void>
    /** Live relations between live entities, in id order. */
    readonly relations: (
      workspace: WorkspaceScope,
      filter: { readonly entityId?: EntityId; readonly type?: string; readonly origin?: RelationOrigin },
      page: PageRequest
    ) => Effect.Effect<Page<Relation>>
    readonly evidence: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<RelationId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyArray<RelationEvidence>>
    /** Entities at an end of a live relation that a person stated. */
    readonly statedAbout: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<EntityId>>
    /** The first by id of the live relations that make the edge of this type from one head to another. */
    readonly relationAlong: (
      workspace: WorkspaceScope,
      src: EntityId,
      type: string,
      dst: EntityId
    ) => Effect.Effect<Option<Relation>>
    /**
     * Where the strongest edges at each of these heads lead, so many in each direction: by mention count, then by the
     * other end. A head without edges may be left out.
     */
    readonly strongestEdges: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyArray<StrongestEdges>>
    /**
     * The same in either direction, so many in all.
     */
    readonly strongestEnds: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyArray<StrongestEnds>>
    /** Edges both of whose ends are among these heads, in (src, type, dst) order. */
    readonly edgesAmong: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<Edge>>
    readonly allEdges: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<Edge>>
    /**
     * Tells of all edges without their types, source by source in the order of the sources' ids: for who needs them
     * all and keeps none.
     */
    readonly edgesBySource: (
      workspace: WorkspaceScope,
      ofSource: (src: EntityId) => EdgeVisitor
    ) => Effect.Effect<void>
    /** How many edges have one of these heads at an end. */
    readonly edgeCount: (workspace: WorkspaceScope, heads: ReadonlyArray<EntityId>) => Effect.Effect<number>
    /**
     * Types of the edges at each head, in either direction, those with most mentions first; heads without edges are
     * left out.
     */
    readonly edgeTypes: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyArray<{ readonly entityId: EntityId; readonly types: ReadonlyArray<string> }>>
    /** How many live relations touch the heads. */
    readonly relationCount: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>
    ) => Effect.Effect<number>
    /** Says which head stands for an entity (null: none, it is deleted) and rebuilds the edges that this moves. */
    readonly rehead: (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<{ readonly id: EntityId; readonly head: EntityId | null }>
    ) => Effect.Effect<void>
    readonly counts: (workspace: WorkspaceScope) => Effect.Effect<{
      readonly relations: number
      readonly mentions: number
      readonly byType: Readonly<Record<string, number>>
    }>
  }
>() {}

/** Name keys whose entity extraction has to resolve again. Adding a key twice keeps it once. */
export class UnresolvedNames extends Context.Tag("kanon/UnresolvedNames")<
  UnresolvedNames,
  {
    readonly add: (workspace: WorkspaceScope, keys: ReadonlyArray<string>) => Effect.Effect<void>
    /** The first keys in key order. */
    readonly list: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<string>>
    readonly remove: (workspace: WorkspaceScope, keys: ReadonlyArray<string>) => Effect.Effect<void>
  }
>() {}
