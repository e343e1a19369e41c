import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Authority, Lifecycle } from "../../knowledge/entities/index.js"
import type {
  ChunkId,
  DocumentId,
  EntityId,
  PageRequest,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { EntityNames } from "./duplicate-score.js"
import type {
  DocumentLineage,
  StewardshipCounts,
  StewardshipView,
  TendedDocument,
  TendedEntity
} from "./governance-model.js"
import type { InboxStore } from "./inbox-store.js"
import type { ChunkView, HubConcept } from "./model.js"
import type { ReportStore } from "./report-store.js"
import type { TrashStore } from "./trash-store.js"

/** Counts of a workspace; values with a count of 0 are left out. */
export interface OverviewCounts {
  readonly documentsByVerification: Readonly<Record<string, number>>
  readonly chunks: number
  readonly entitiesByType: Readonly<Record<string, number>>
  readonly byAuthority: Readonly<Record<string, number>>
  readonly byLifecycle: Readonly<Record<string, number>>
  readonly relationsByType: Readonly<Record<string, number>>
  /** Live canonical entities whose next review is before the given moment. */
  readonly overdueReviews: number
  readonly neverReviewed: number
}

/** Number of items that one person looks after. */
export interface Stewardship {
  readonly person: string
  readonly owned: number
  readonly stewarded: number
  readonly overdue: number
}

/** An entity that a document mentions. */
export type TracedConcept = DocumentLineage["derived"]["concepts"][number]

/** Items that depend on one document. */
export interface DocumentDependents {
  readonly origin: "upload" | "vault" | "connector"
  readonly chunkCount: number
  /** Most mentioned first. */
  readonly concepts: ReadonlyArray<TracedConcept>
  readonly relationCount: number
  readonly groundedEntityCount: number
}

/** The owner to filter by, and the present moment. */
export interface StewardshipScope {
  readonly at: string
  readonly ownerId: string | undefined
}

/** An item that is due for review. */
export interface Overdue {
  readonly subjectId: DocumentId | EntityId
  readonly kind: "document" | "entity"
  readonly dueAt: string
}

/** The audit actions that record it. */
export const overdueActions = { document: "document.overdue", entity: "entity.overdue" } as const

/** A stewardship view of entities. */
export type EntityView = Exclude<StewardshipView, "documents_due">

/** The names of an entity, with the fields that decide which of two is kept. */
export interface NamedEntity extends EntityNames {
  readonly authority: Authority
  readonly lifecycleStatus: Lifecycle
  readonly pagerank: number | null
}

/** The vector of a passage under the search model. */
export interface PassageVector {
  readonly label: number
  readonly vector: Float32Array
}

/** An adapter of a database implements it with queries across the tables of all stores. */
export class OverviewStore extends Context.Tag("kanon/OverviewStore")<
  OverviewStore,
  {
    /** Counts live documents, their chunks, live canonical entities and canonical relations. */
    readonly counts: (workspace: WorkspaceScope, at: string) => Effect.Effect<OverviewCounts>
    /** Returns a live passage with up to `context` passages on each side. */
    readonly chunk: (
      workspace: WorkspaceScope,
      id: ChunkId,
      context: number
    ) => Effect.Effect<Option<ChunkView>>
    /** Counts the live canonical entities of these people, and those overdue for review. */
    readonly stewardship: (
      workspace: WorkspaceScope,
      people: ReadonlyArray<string>,
      at: string
    ) => Effect.Effect<ReadonlyArray<Stewardship>>
    /**
     * Counts what depends on an entity: its live relations, and stored answers that cite a passage that mentions it.
     */
    readonly impact: (
      workspace: WorkspaceScope,
      entity: EntityId
    ) => Effect.Effect<{ readonly relations: number; readonly answers: number }>
    /** Returns the published entities with most incoming canonical relations, ties by mentions, then by id. */
    readonly hubs: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<HubConcept>>
    /** Returns what was derived from a document and what depends on it. */
    readonly lineage: (workspace: WorkspaceScope, document: DocumentId) => Effect.Effect<DocumentDependents>
    /** Counts the items of each stewardship view; with an owner, nothing counts as ownerless. */
    readonly tendCounts: (
      workspace: WorkspaceScope,
      tended: StewardshipScope
    ) => Effect.Effect<StewardshipCounts>
    /** Lists live canonical entities of a view: overdue and contested longest first, others by PageRank. */
    readonly entitiesToTend: (
      workspace: WorkspaceScope,
      view: EntityView,
      tended: StewardshipScope,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<TendedEntity>>
    /** Lists live documents whose verification is due, longest first; with an owner, those the owner verified. */
    readonly documentsDue: (
      workspace: WorkspaceScope,
      tended: StewardshipScope,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<TendedDocument>>
    /**
     * Returns live documents and live canonical entities due for review before `at` without a later event of these
     * actions. At most `limit`.
     */
    readonly untoldOverdue: (
      workspace: WorkspaceScope,
      at: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Overdue>>
    /** Returns live canonical entities that are neither deprecated nor superseded, by id. */
    readonly namedEntities: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<NamedEntity>>
    /** Returns canonical edges with an end at one of these; an edge between two of them may appear twice. */
    readonly edgesOf: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<{ readonly src: EntityId; readonly dst: EntityId }>>
    /**
     * Returns vectors of passages that mention each of these heads, up to `limitEach` by number. Heads without such
     * passages are left out.
     */
    readonly passagesAbout: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyMap<EntityId, ReadonlyArray<PassageVector>>>
    /** Returns a deterministic sample of passage vectors. */
    readonly somePassages: (
      workspace: WorkspaceScope,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Float32Array>>
    /** Generated reports, and what they are computed from. */
    readonly reports: ReportStore
    /** Marks of inbox items (done, rejected, assigned), and the changes by others that owners are shown. */
    readonly inbox: InboxStore
    /** Deleted and merged items. */
    readonly trash: TrashStore
  }
>() {}
