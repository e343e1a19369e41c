import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type {
  DocumentId,
  EntityId,
  Page,
  PageRequest,
  RelationId,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type {
  ClaimStore,
  ExtractionRecordStore,
  ExtractionStore,
  GraphInspection,
  UnresolvedNames
} from "./extraction-store.js"
import type { Edge, Mention, Relation, RelationEvidence, RelationOrigin } from "./model.js"

/** Called with the target of an edge, once for each type of edge. */
export type EdgeVisitor = (dst: EntityId, mentionCount: number) => void

/** The other ends of edges, one entry per edge. */
export type EdgeEnds = ReadonlyArray<{ readonly id: EntityId; readonly mentionCount: number }>

/** The other ends of the strongest edges of one head. */
export interface StrongestEnds {
  readonly head: EntityId
  readonly ends: EdgeEnds
}

/** The strongest edges of one head by direction: outgoing and incoming. */
export interface StrongestEdges {
  readonly head: EntityId
  readonly outgoing: EdgeEnds
  readonly incoming: EdgeEnds
}

/** Filter of relations; all given conditions must hold. */
export interface RelationFilter {
  /** An entity at either end. */
  readonly entityId?: EntityId | undefined
  readonly type?: string | undefined
  readonly origin?: RelationOrigin | undefined
}

/** An adapter of a database implements it to keep mentions and relations, and what extraction read in each document. */
export class GraphStore extends Context.Tag("kanon/GraphStore")<
  GraphStore,
  {
    /**
     * Returns mentions of these entities or of a document by passage, position and entity id. The order is the same
     * in every copy of the workspace. With several entities, one position counts once, under the first of the ids.
     */
    readonly mentions: (
      workspace: WorkspaceScope,
      filter: {
        readonly entityIds?: ReadonlyArray<EntityId> | undefined
        readonly documentId?: DocumentId | undefined
      },
      page: PageRequest
    ) => Effect.Effect<Page<Mention>>
    /** Returns where these entities are mentioned: the first mentions by passage and position. */
    readonly mentionLabels: (
      workspace: WorkspaceScope,
      entityIds: ReadonlyArray<EntityId>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly entityId: EntityId; readonly label: number }>>
    /** Returns the number of mentions and of mentioning documents; entities without mentions are left out. */
    readonly mentionCounts: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<
      ReadonlyArray<{ readonly entityId: EntityId; readonly documentId: DocumentId; readonly count: number }>
    >
    /** Returns how often the subject document of one entity mentions another one; ranks also follow these edges. */
    readonly mentionEdges: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<Omit<Edge, "type">>>
    readonly findRelation: (workspace: WorkspaceScope, id: RelationId) => Effect.Effect<Option<Relation>>
    /** Returns the relation with exactly these ends and type, in any state. */
    readonly relationBetween: (
      workspace: WorkspaceScope,
      srcId: EntityId,
      type: string,
      dstId: EntityId
    ) => Effect.Effect<Option<Relation>>
    readonly saveRelation: (workspace: WorkspaceScope, relation: Relation) => Effect.Effect<void>
    /** Lists live relations between live entities, in id order. */
    readonly relations: (
      workspace: WorkspaceScope,
      filter: RelationFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Relation>>
    readonly evidence: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<RelationId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyArray<RelationEvidence>>
    /** Returns entities at an end of a live relation that a person stated. */
    readonly statedAbout: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<EntityId>>
    /** Returns the first live relation, by id, that makes the edge of this type from one head to another. */
    readonly relationAlong: (
      workspace: WorkspaceScope,
      src: EntityId,
      type: string,
      dst: EntityId
    ) => Effect.Effect<Option<Relation>>
    /**
     * Returns the strongest edges at each of these heads, up to a limit per direction, by mention count, then by the
     * other end. A head without edges may be left out.
     */
    readonly strongestEdges: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyArray<StrongestEdges>>
    /** Returns the strongest edges in both directions together, up to a limit in total. */
    readonly strongestEnds: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyArray<StrongestEnds>>
    /** Returns edges with both ends among these heads, in (src, type, dst) order. */
    readonly edgesAmong: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<Edge>>
    readonly allEdges: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<Edge>>
    /** Visits all edges without their types, grouped by source in id order, without materializing them. */
    readonly edgesBySource: (
      workspace: WorkspaceScope,
      ofSource: (src: EntityId) => EdgeVisitor
    ) => Effect.Effect<void>
    /** Returns the number of edges with one of these heads at an end. */
    readonly edgeCount: (workspace: WorkspaceScope, heads: ReadonlyArray<EntityId>) => Effect.Effect<number>
    /**
     * Returns the types of the edges at each head in both directions, by mention count descending; heads without
     * edges are left out.
     */
    readonly edgeTypes: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyArray<{ readonly entityId: EntityId; readonly types: ReadonlyArray<string> }>>
    /** Returns the number of live relations that touch the heads. */
    readonly relationCount: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>
    ) => Effect.Effect<number>
    /** Sets the head of an entity (null if it is deleted) and rebuilds the affected edges. */
    readonly rehead: (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<{ readonly id: EntityId; readonly head: EntityId | null }>
    ) => Effect.Effect<void>
    readonly counts: (workspace: WorkspaceScope) => Effect.Effect<{
      readonly relations: number
      readonly mentions: number
      readonly byType: Readonly<Record<string, number>>
    }>
    /** Name keys that extraction has to resolve again. */
    readonly unresolved: UnresolvedNames
    /** What was extracted from each document, and which documents are stale. */
    readonly records: ExtractionRecordStore
    /** What documents claim about names. */
    readonly claims: ClaimStore
    /** The progress of extraction, and its results. */
    readonly extraction: ExtractionStore
    /** Queries for inspection and rebuild. */
    readonly inspection: GraphInspection
  }
>() {}
