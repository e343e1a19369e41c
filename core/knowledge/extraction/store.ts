import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DocumentId, EntityId, RelationId, WorkspaceScope } from "../../platform/kernel/index.js"
import type { Facts, Reference } from "../document-facts/index.js"
import type { Mention, RelationEvidence } from "../graph/index.js"
import type { StatedRelation } from "../prose/index.js"
import type { KeptNames } from "./model-names.js"
import type { NameClaim } from "./name-claims.js"

/** Progress of extraction. */
export interface GraphState {
  /** Position in the feed of document changes. */
  readonly documentCursor: number
  /** Position in the feed of entity changes. */
  readonly entityCursor: number
  /** Whether documents were added, removed or renamed since links were last resolved. */
  readonly relink: boolean
}

/** Extracted data of one document, and the targets of its references. */
export interface ExtractionRecord {
  readonly documentId: DocumentId
  readonly path: string
  readonly title: string
  readonly aliases: ReadonlyArray<string>
  /** Key and type of the entity that the document is about. */
  readonly nameKey: string
  readonly nameType: string
  /** That entity, once relations have been linked. */
  readonly entityId: EntityId | null
  readonly references: ReadonlyArray<Reference>
  readonly tags: ReadonlyArray<string>
  readonly hidden: Facts["hidden"]
  /** Relations that its sentences state. */
  readonly stated: ReadonlyArray<StatedRelation>
  /** The target document of each reference; null before links were resolved. */
  readonly targets: ReadonlyArray<DocumentId | null> | null
  /** Names found by a model; absent without an extraction model or if it was unavailable. */
  readonly named?: KeptNames | undefined
}

/** A name by which an entity was last detected. */
export interface KnownSurface {
  readonly entityId: EntityId
  readonly key: string
  readonly headId: EntityId
}

/** A relation that a document states. */
export interface LinkedRelation {
  readonly srcId: EntityId
  readonly type: string
  readonly dstId: EntityId
  readonly srcHead: EntityId
  readonly dstHead: EntityId
  readonly evidence: ReadonlyArray<Pick<RelationEvidence, "label" | "quote">>
}

/** Stores extracted data of documents, the targets of their references, and which are stale. */
export class ExtractionRecordStore extends Context.Tag("kanon/ExtractionRecordStore")<
  ExtractionRecordStore,
  {
    readonly readings: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<ExtractionRecord>>
    /** Lists extraction records in id order, after `after`. */
    readonly readingsAfter: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ExtractionRecord>>
    /** Returns extraction records with unresolved references. */
    readonly unfollowed: (
      workspace: WorkspaceScope,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ExtractionRecord>>
    /** Returns path, title and aliases of all extraction records. */
    readonly addresses: (
      workspace: WorkspaceScope
    ) => Effect.Effect<
      ReadonlyArray<Pick<ExtractionRecord, "path" | "title" | "aliases"> & { readonly id: DocumentId }>
    >
    /** Writes extraction records, each marked stale. */
    readonly putReadings: (
      workspace: WorkspaceScope,
      readings: ReadonlyArray<ExtractionRecord & { readonly words: Uint32Array; readonly small: Uint32Array }>
    ) => Effect.Effect<void>
    /** Removes extraction records with their claims and targets. */
    readonly removeReadings: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<void>
    /** Stores the targets of references. */
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
    /** Returns documents with a reference to one of these. */
    readonly linkers: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /**
     * Returns documents that may contain one of these surfaces: all that do, and possibly others. Stale documents are
     * left out.
     */
    readonly holders: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** Returns the hashes of lower-case words, by document. */
    readonly smallWords: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyMap<DocumentId, Uint32Array>>
    /** Counts the documents that contain each of these words in lower case. */
    readonly smallCounts: (
      workspace: WorkspaceScope,
      hashes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, number>>
    readonly markStale: (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) => Effect.Effect<void>
    readonly clearStale: (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) => Effect.Effect<void>
    readonly stale: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<DocumentId>>
    readonly staleCount: (workspace: WorkspaceScope) => Effect.Effect<number>
  }
>() {}

/** Stores the name claims of documents. */
export class ClaimStore extends Context.Tag("kanon/ClaimStore")<
  ClaimStore,
  {
    readonly claimsOfDocuments: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<NameClaim>>
    /** Returns the link claims of these documents. */
    readonly linkClaims: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<NameClaim>>
    /** Removes and adds claims. */
    readonly changeClaims: (
      workspace: WorkspaceScope,
      change: { readonly removed: ReadonlyArray<NameClaim>; readonly added: ReadonlyArray<NameClaim> }
    ) => Effect.Effect<void>
    readonly claims: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<NameClaim>>
    /** Returns alias claims whose subject is one of these keys. */
    readonly aliasClaims: (
      workspace: WorkspaceScope,
      subjects: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<NameClaim>>
    /** Returns documents with a self, tag, link or named claim on one of these keys. */
    readonly claimants: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<{ readonly documentId: DocumentId; readonly role: NameClaim["role"] }>>
    /** Returns single-word term claims with one of these hashes. */
    readonly termsOfWords: (
      workspace: WorkspaceScope,
      hashes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/** Stores the progress of extraction, the detection surfaces of entities, and the resulting mentions and relations. */
export class ExtractionStore extends Context.Tag("kanon/ExtractionStore")<
  ExtractionStore,
  {
    readonly state: (workspace: WorkspaceScope) => Effect.Effect<GraphState>
    readonly setState: (workspace: WorkspaceScope, state: GraphState) => Effect.Effect<void>
    /** Deletes extraction records, claims, surfaces, mentions and everything extracted; keeps what people stated. */
    readonly clear: (workspace: WorkspaceScope) => Effect.Effect<void>
    readonly surfaces: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<KnownSurface>>
    readonly changeSurfaces: (
      workspace: WorkspaceScope,
      change: { readonly removed: ReadonlyArray<KnownSurface>; readonly added: ReadonlyArray<KnownSurface> }
    ) => Effect.Effect<void>
    /** Returns documents with a mention of the entity under that surface. */
    readonly mentioning: (
      workspace: WorkspaceScope,
      surfaces: ReadonlyArray<Pick<KnownSurface, "entityId" | "key">>
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** Replaces the mentions of a document; unchanged ones keep their run. Returns whether anything changed. */
    readonly setMentions: (
      workspace: WorkspaceScope,
      id: DocumentId,
      mentions: ReadonlyArray<Mention>
    ) => Effect.Effect<boolean>
    /** Replaces the relations of a document; those without any evidence are removed. */
    readonly setRelations: (
      workspace: WorkspaceScope,
      id: DocumentId,
      drawn: ReadonlyArray<LinkedRelation>,
      fresh: { readonly id: () => RelationId; readonly at: string }
    ) => Effect.Effect<boolean>
  }
>() {}
