import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DocumentId, EntityId, Page, PageRequest, RelationId, WorkspaceScope } from "../kernel/index.js"
import type { Claim } from "./claims.js"
import type { Facts, Reference } from "./facts.js"
import type { Edge, Mention, Relation, RelationEvidence, RelationOrigin } from "./model.js"
import type { KeptNames } from "./named.js"

/** How far extraction has come. */
export interface GraphState {
  /** Position in the feed of document changes. */
  readonly documentCursor: number
  /** Position in the feed of entity changes. */
  readonly entityCursor: number
  /** Documents came, went or changed their names since links were last followed. */
  readonly relink: boolean
}

/** What was read of one document, and where its references lead. */
export interface Reading {
  readonly documentId: DocumentId
  readonly path: string
  readonly title: string
  readonly aliases: ReadonlyArray<string>
  /** Key and type of the entity that the document is about. */
  readonly nameKey: string
  readonly nameType: string
  /** That entity, once relations have been drawn. */
  readonly entityId: EntityId | null
  readonly references: ReadonlyArray<Reference>
  readonly tags: ReadonlyArray<string>
  readonly hidden: Facts["hidden"]
  /** For each reference the document that it leads to; null before anybody has followed them. */
  readonly targets: ReadonlyArray<DocumentId | null> | null
  /** What a model found named in it; absent where none was asked, or it could not be had. */
  readonly named?: KeptNames | undefined
}

/** A name by which an entity was last detected. */
export interface KnownSurface {
  readonly entityId: EntityId
  readonly key: string
  readonly headId: EntityId
}

/** Where a relation of a document shall stand. */
export interface DrawnRelation {
  readonly srcId: EntityId
  readonly type: string
  readonly dstId: EntityId
  readonly srcHead: EntityId
  readonly dstHead: EntityId
  readonly evidence: ReadonlyArray<Pick<RelationEvidence, "label" | "quote">>
}

/** What extraction has read and has still to do; nobody else uses it. */
export class ExtractionStore extends Context.Tag("kanon/ExtractionStore")<
  ExtractionStore,
  {
    readonly state: (workspace: WorkspaceScope) => Effect.Effect<GraphState>
    readonly setState: (workspace: WorkspaceScope, state: GraphState) => Effect.Effect<void>
    /** Forgets readings, claims, surfaces, mentions and everything found; keeps what people stated. */
    readonly clear: (workspace: WorkspaceScope) => Effect.Effect<void>
    readonly readings: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Reading>>
    /** Readings in id order, after `after`. */
    readonly readingsAfter: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Reading>>
    /** Readings whose references nobody has followed yet. */
    readonly unfollowed: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<Reading>>
    /** Path, title and aliases of all readings. */
    readonly addresses: (
      workspace: WorkspaceScope
    ) => Effect.Effect<
      ReadonlyArray<Pick<Reading, "path" | "title" | "aliases"> & { readonly id: DocumentId }>
    >
    /** Puts readings, each marked stale. */
    readonly putReadings: (
      workspace: WorkspaceScope,
      readings: ReadonlyArray<Reading & { readonly words: Uint32Array; readonly small: Uint32Array }>
    ) => Effect.Effect<void>
    /** Removes readings with their claims and targets. */
    readonly removeReadings: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<void>
    /** Notes where the references of documents lead. */
    readonly setTargets: (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<{
        readonly documentId: DocumentId
        readonly targets: ReadonlyArray<DocumentId | null>
      }>
    ) => Effect.Effect<void>
    readonly setEntities: (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<{ readonly documentId: DocumentId; readonly entityId: EntityId | null }>
    ) => Effect.Effect<void>
    readonly claimsOfDocuments: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Claim>>
    /** As `claimsOfDocuments`, those about links that lead nowhere alone. */
    readonly linkClaims: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Claim>>
    /** Removes and adds claims. */
    readonly changeClaims: (
      workspace: WorkspaceScope,
      change: { readonly removed: ReadonlyArray<Claim>; readonly added: ReadonlyArray<Claim> }
    ) => Effect.Effect<void>
    readonly claims: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Claim>>
    /** Alias claims whose subject is one of these keys. */
    readonly aliasClaims: (
      workspace: WorkspaceScope,
      subjects: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Claim>>
    /** Documents with a self, tag or link claim on one of these keys. */
    readonly claimants: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<{ readonly documentId: DocumentId; readonly role: Claim["role"] }>>
    /** Documents with a reference to one of these. */
    readonly linkers: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** Documents that may hold one of these surfaces: all that do, and perhaps some that do not. Stale ones are left out. */
    readonly holders: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** The hashes of words in small letters, by document. */
    readonly smallWords: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyMap<DocumentId, Uint32Array>>
    /** How many documents have each of these words in small letters. */
    readonly smallCounts: (
      workspace: WorkspaceScope,
      hashes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, number>>
    /** Single words claimed as terms that have one of these hashes. */
    readonly termsOfWords: (
      workspace: WorkspaceScope,
      hashes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<string>>
    readonly markStale: (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) => Effect.Effect<void>
    readonly clearStale: (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) => Effect.Effect<void>
    readonly stale: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<DocumentId>>
    readonly staleCount: (workspace: WorkspaceScope) => Effect.Effect<number>
    readonly addUndecided: (workspace: WorkspaceScope, keys: ReadonlyArray<string>) => Effect.Effect<void>
    readonly undecided: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<string>>
    readonly removeUndecided: (workspace: WorkspaceScope, keys: ReadonlyArray<string>) => Effect.Effect<void>
    readonly surfaces: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<KnownSurface>>
    readonly changeSurfaces: (
      workspace: WorkspaceScope,
      change: { readonly removed: ReadonlyArray<KnownSurface>; readonly added: ReadonlyArray<KnownSurface> }
    ) => Effect.Effect<void>
    /** Documents with a mention of the entity under that surface. */
    readonly mentioning: (
      workspace: WorkspaceScope,
      surfaces: ReadonlyArray<Pick<KnownSurface, "entityId" | "key">>
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** Makes these the mentions of the document, whatever run found them: those that stay keep theirs. Gives whether anything changed. */
    readonly setMentions: (
      workspace: WorkspaceScope,
      id: DocumentId,
      mentions: ReadonlyArray<Mention>
    ) => Effect.Effect<boolean>
    /** Makes these the relations that the document carries; those nobody carries any more go. */
    readonly setRelations: (
      workspace: WorkspaceScope,
      id: DocumentId,
      drawn: ReadonlyArray<DrawnRelation>,
      fresh: { readonly id: () => RelationId; readonly at: string }
    ) => Effect.Effect<boolean>
  }
>() {}

/** Where edges lead from one head, in columns; a destination comes once for each type. */
export interface EdgesOfSource {
  readonly src: EntityId
  readonly dsts: ReadonlyArray<EntityId>
  readonly mentionCounts: ReadonlyArray<number>
}

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
    /** Mentions of these entities or of a document, in document and text order; one place counts once. */
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
    /** The same by source, in the order of the sources' ids: for who needs them all and no types. */
    readonly edgesBySource: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<EdgesOfSource>>
    /** How many edges have one of these heads at an end. */
    readonly edgeCount: (workspace: WorkspaceScope, heads: ReadonlyArray<EntityId>) => Effect.Effect<number>
    /**
     * Types of the strongest edges at each head, at least a hundred each way where there are as many, those with most
     * mentions first; heads without edges are left out.
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
