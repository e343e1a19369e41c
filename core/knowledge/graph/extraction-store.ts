import type * as Effect from "effect/Effect"
import type { DocumentId, EntityId, RelationId, WorkspaceScope } from "../../platform/kernel/index.js"
import type { Facts, Reference } from "../document-facts/index.js"
import type { StatedRelation } from "../prose/index.js"
import type { Mention, RelationEvidence } from "./model.js"

/** A named thing and the quote of the document that contains its name. */
export interface NamedThing {
  readonly name: string
  readonly type: string
  readonly quote: string
}

/** A relation between two named things and the quote of the document that states it. */
export interface RelatedThings {
  readonly from: string
  readonly type: string
  readonly to: string
  readonly quote: string
}

/** The names and relations in a model's reply that the text confirms. */
export interface ReadByModel {
  readonly names: ReadonlyArray<NamedThing>
  readonly relations: ReadonlyArray<RelatedThings>
  /** Number of proposals that the text does not confirm. */
  readonly dropped: number
}

/** Names and relations found by a model in a document, valid for this text. */
export interface KeptNames extends ReadByModel {
  readonly contentHash: string
  /** Identity of model and prompt; another one is asked again. */
  readonly modelId: string
}

/**
 * A claim of one document about one name. `self`: the document is about it (`subject` is what tells it from others of
 * that name); `alias`: another name of its subject (`subject` is the subject's key); `tag`: a tag; `link`: a link to a
 * name that no document has; `term`: a name candidate in prose; `named`: a named thing of a type, from front matter, a
 * list, a relation or a model.
 */
export interface NameClaim {
  readonly documentId: DocumentId
  readonly key: string
  readonly role: "self" | "alias" | "tag" | "link" | "term" | "named"
  readonly type: string
  readonly name: string
  readonly subject: string
  readonly prose: number
  readonly headings: number
}

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
export interface ExtractionRecordStore {
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
  readonly removeReadings: (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) => Effect.Effect<void>
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

/** Stores the name claims of documents. */
export interface ClaimStore {
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

/** Stores the progress of extraction, the detection surfaces of entities, and the resulting mentions and relations. */
export interface ExtractionStore {
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

/** Evidence of a relation in a document, with the ends of the relation. */
export interface CarriedEvidence {
  readonly srcId: EntityId
  readonly type: string
  readonly dstId: EntityId
  readonly label: number | null
  readonly quote: string
}

/** Queries of the graph that only inspection and rebuild need. */
export interface GraphInspection {
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

/** Stores name keys that extraction has to resolve again. Adding a key twice has no further effect. */
export interface UnresolvedNames {
  readonly add: (workspace: WorkspaceScope, keys: ReadonlyArray<string>) => Effect.Effect<void>
  /** Returns the first keys in key order. */
  readonly list: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<string>>
  readonly remove: (workspace: WorkspaceScope, keys: ReadonlyArray<string>) => Effect.Effect<void>
}
