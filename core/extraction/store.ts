import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Mention, RelationEvidence } from "../graph/index.js"
import type { DocumentId, EntityId, RelationId, WorkspaceScope } from "../kernel/index.js"
import type { Facts, Reference } from "./document-facts.js"
import type { KeptNames } from "./model-names.js"
import type { NameClaim } from "./name-claims.js"

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
export interface ExtractionRecord {
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
export interface LinkedRelation {
  readonly srcId: EntityId
  readonly type: string
  readonly dstId: EntityId
  readonly srcHead: EntityId
  readonly dstHead: EntityId
  readonly evidence: ReadonlyArray<Pick<RelationEvidence, "label" | "quote">>
}

/** What was read of each document, where its references lead, and which are to be drawn anew. */
export class ExtractionRecordStore extends Context.Tag("kanon/ReadingStore")<
  ExtractionRecordStore,
  {
    readonly readings: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<ExtractionRecord>>
    /** Readings in id order, after `after`. */
    readonly readingsAfter: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ExtractionRecord>>
    /** Readings whose references nobody has followed yet. */
    readonly unfollowed: (
      workspace: WorkspaceScope,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ExtractionRecord>>
    /** Path, title and aliases of all readings. */
    readonly addresses: (
      workspace: WorkspaceScope
    ) => Effect.Effect<
      ReadonlyArray<Pick<ExtractionRecord, "path" | "title" | "aliases"> & { readonly id: DocumentId }>
    >
    /** Puts readings, each marked stale. */
    readonly putReadings: (
      workspace: WorkspaceScope,
      readings: ReadonlyArray<ExtractionRecord & { readonly words: Uint32Array; readonly small: Uint32Array }>
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
    readonly markStale: (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) => Effect.Effect<void>
    readonly clearStale: (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) => Effect.Effect<void>
    readonly stale: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<DocumentId>>
    readonly staleCount: (workspace: WorkspaceScope) => Effect.Effect<number>
  }
>() {}

/** The names that documents claim. */
export class ClaimStore extends Context.Tag("kanon/ClaimStore")<
  ClaimStore,
  {
    readonly claimsOfDocuments: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<NameClaim>>
    /** As `claimsOfDocuments`, those about links that lead nowhere alone. */
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
    /** Alias claims whose subject is one of these keys. */
    readonly aliasClaims: (
      workspace: WorkspaceScope,
      subjects: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<NameClaim>>
    /** Documents with a self, tag or link claim on one of these keys. */
    readonly claimants: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<{ readonly documentId: DocumentId; readonly role: NameClaim["role"] }>>
    /** Single words claimed as terms that have one of these hashes. */
    readonly termsOfWords: (
      workspace: WorkspaceScope,
      hashes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/** How far extraction has come, by which names entities were last detected, and what it drew. */
export class ExtractionStore extends Context.Tag("kanon/ExtractionStore")<
  ExtractionStore,
  {
    readonly state: (workspace: WorkspaceScope) => Effect.Effect<GraphState>
    readonly setState: (workspace: WorkspaceScope, state: GraphState) => Effect.Effect<void>
    /** Forgets readings, claims, surfaces, mentions and everything found; keeps what people stated. */
    readonly clear: (workspace: WorkspaceScope) => Effect.Effect<void>
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
      drawn: ReadonlyArray<LinkedRelation>,
      fresh: { readonly id: () => RelationId; readonly at: string }
    ) => Effect.Effect<boolean>
  }
>() {}
