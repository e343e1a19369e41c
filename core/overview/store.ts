import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Authority, Lifecycle } from "../entities/index.js"
import type { ChunkId, DocumentId, EntityId, PageRequest, WorkspaceScope } from "../kernel/index.js"
import type { Called } from "./duplicate-score.js"
import type {
  DocumentLineage,
  StewardshipCounts,
  StewardshipView,
  TendedDocument,
  TendedEntity
} from "./governance-model.js"
import type { ChunkView, HubConcept } from "./model.js"

/** What can be counted of a workspace; values that nothing has are left out. */
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

/** What one person looks after. */
export interface Stewardship {
  readonly person: string
  readonly owned: number
  readonly stewarded: number
  readonly overdue: number
}

/** An entity that a document mentions. */
export type TracedConcept = DocumentLineage["derived"]["concepts"][number]

/** What hangs on one document. */
export interface Traced {
  readonly origin: "upload" | "vault"
  readonly chunkCount: number
  /** The most mentioned first. */
  readonly concepts: ReadonlyArray<TracedConcept>
  readonly relationCount: number
  readonly groundedEntityCount: number
}

/** Whose work is meant, and at which moment. */
export interface Tended {
  readonly at: string
  readonly ownerId: string | undefined
}

/** Something that is due for review. */
export interface Overdue {
  readonly subjectId: DocumentId | EntityId
  readonly kind: "document" | "entity"
  readonly dueAt: string
}

/** The events that tell of it. */
export const overdueActions = { document: "document.overdue", entity: "entity.overdue" } as const

/** A view of entities. */
export type EntityView = Exclude<StewardshipView, "documents_due">

/** An entity as it is called, with what tells which of two would stay. */
export interface NamedEntity extends Called {
  readonly authority: Authority
  readonly lifecycleStatus: Lifecycle
  readonly pagerank: number | null
}

/** A passage by its number, as the model that searches use sees it. */
export interface PassageVector {
  readonly label: number
  readonly vector: Float32Array
}

/** Reads across the tables of all rooms; writes nothing. */
export class OverviewStore extends Context.Tag("kanon/OverviewStore")<
  OverviewStore,
  {
    /** Live documents, their chunks, live canonical entities and canonical relations. */
    readonly counts: (workspace: WorkspaceScope, at: string) => Effect.Effect<OverviewCounts>
    /** A live passage with up to `context` passages on each side of it. */
    readonly chunk: (
      workspace: WorkspaceScope,
      id: ChunkId,
      context: number
    ) => Effect.Effect<Option<ChunkView>>
    /** What these people look after: live canonical entities, and those overdue for review at the moment. */
    readonly stewardship: (
      workspace: WorkspaceScope,
      people: ReadonlyArray<string>,
      at: string
    ) => Effect.Effect<ReadonlyArray<Stewardship>>
    /** What hangs on an entity: live relations of it, and kept answers that cite a passage that mentions it. */
    readonly impact: (
      workspace: WorkspaceScope,
      entity: EntityId
    ) => Effect.Effect<{ readonly relations: number; readonly answers: number }>
    /** The published entities to which most canonical relations point, ties by mentions, then by id. */
    readonly hubs: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<HubConcept>>
    /** What was made of a document, and what rests on it. */
    readonly lineage: (workspace: WorkspaceScope, document: DocumentId) => Effect.Effect<Traced>
    /** How much each view of stewardship holds; of an owner nothing is ownerless. */
    readonly tendCounts: (workspace: WorkspaceScope, tended: Tended) => Effect.Effect<StewardshipCounts>
    /** Live canonical entities of a view: overdue and contested the longest first, others by PageRank. */
    readonly entitiesToTend: (
      workspace: WorkspaceScope,
      view: EntityView,
      tended: Tended,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<TendedEntity>>
    /** Live documents whose verification is due, the longest first; an owner's are those they verified. */
    readonly documentsDue: (
      workspace: WorkspaceScope,
      tended: Tended,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<TendedDocument>>
    /**
     * What became due for review before `at` and of which no event of these actions tells since: live documents and
     * live canonical entities. At most `limit`.
     */
    readonly untoldOverdue: (
      workspace: WorkspaceScope,
      at: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Overdue>>
    /** Live canonical entities that are neither deprecated nor superseded, by id. */
    readonly namedEntities: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<NamedEntity>>
    /** Canonical edges that begin or end at one of these; one of which both ends are meant comes once or twice. */
    readonly edgesOf: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<{ readonly src: EntityId; readonly dst: EntityId }>>
    /**
     * Vectors of passages that mention each of these heads, the first `limitEach` by their numbers. Who is mentioned in
     * none that has a vector is left out, and everybody where there are no vectors.
     */
    readonly passagesAbout: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>,
      limitEach: number
    ) => Effect.Effect<ReadonlyMap<EntityId, ReadonlyArray<PassageVector>>>
    /** Vectors of so many passages, the same each time. */
    readonly somePassages: (
      workspace: WorkspaceScope,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Float32Array>>
  }
>() {}
