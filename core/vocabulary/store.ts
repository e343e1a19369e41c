import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Stream } from "effect/Stream"
import type { StoredEntity } from "../entities/index.js"
import type { ChangeRequestId, EntityId, InvalidInput, JobId, WorkspaceScope } from "../kernel/index.js"
import type { BroaderLink } from "./hierarchy.js"
import type {
  Concept,
  Grouping,
  ImportOptions,
  SkosImportReport,
  StoredConcept,
  Vocabulary
} from "./model.js"

/** A concept that waits to be taken in, at its place in an import. */
export interface StagedConcept {
  readonly place: number
  readonly concept: Concept
  /** The change request that proposes it; null before, and for what needs none. */
  readonly requestId: ChangeRequestId | null
  /** Whether this import made its entity. */
  readonly made: boolean
}

/** An import as far as it has come. */
export interface ImportRun {
  readonly id: JobId
  readonly options: ImportOptions
  /** How many concepts it brings. */
  readonly total: number
  /** Who asked for it, and through which door. */
  readonly askedBy: string
  readonly activity: string
  /** The next place, of concepts and then of their links; both are `total` once its own work is done. */
  readonly nextConcept: number
  readonly nextLink: number
  readonly report: SkosImportReport
}

/** IRIs and texts of entities that came from vocabularies, and imports under way. */
export class VocabularyStore extends Context.Tag("kanon/VocabularyStore")<
  VocabularyStore,
  {
    /** The concepts with these IRIs, in no promised order. */
    readonly byIri: (
      workspace: WorkspaceScope,
      iris: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredConcept>>
    readonly byEntity: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<StoredConcept>>
    /** Adds concepts in the caller's unit of work; neither their IRIs nor their entities have any yet. */
    readonly add: (workspace: WorkspaceScope, concepts: ReadonlyArray<StoredConcept>) => Effect.Effect<void>
    /**
     * Notes an import with all that it brings, in the caller's unit of work, and forgets those that are over. What it
     * says of groupings takes the place of what was known of them.
     */
    readonly begin: (
      workspace: WorkspaceScope,
      run: ImportRun,
      brought: Pick<Vocabulary, "concepts" | "groupings">
    ) => Effect.Effect<void>
    readonly run: (workspace: WorkspaceScope, id: JobId) => Effect.Effect<ImportRun | null>
    /** Imports whose own work is done and that still have something staged, in the order of their ids. */
    readonly waiting: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<ImportRun>>
    readonly saveRun: (workspace: WorkspaceScope, run: ImportRun) => Effect.Effect<void>
    /** Concepts of an import from a place on, in order. */
    readonly staged: (
      workspace: WorkspaceScope,
      run: JobId,
      from: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StagedConcept>>
    /** Notes what became of staged concepts. */
    readonly note: (
      workspace: WorkspaceScope,
      run: JobId,
      staged: ReadonlyArray<Pick<StagedConcept, "place" | "requestId" | "made">>
    ) => Effect.Effect<void>
    /** Those of these IRIs that some import has proposed and nobody has settled yet. */
    readonly proposed: (
      workspace: WorkspaceScope,
      iris: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Forgets these staged concepts. */
    readonly unstage: (
      workspace: WorkspaceScope,
      run: JobId,
      places: ReadonlyArray<number>
    ) => Effect.Effect<void>
  }
>() {}

/** A head that is exported, with all that its node needs but its links. */
export interface ExportedConcept {
  readonly entity: StoredEntity
  /** Whom it was superseded by, or into what that was merged since; null for what stands. */
  readonly successor: EntityId | null
  readonly members: ReadonlyArray<StoredEntity>
  /** What is kept of the concepts of the entity and of its members. */
  readonly concepts: ReadonlyArray<StoredConcept>
  /** Heads at the other ends of its edges that are no hierarchy, in both directions. */
  readonly related: ReadonlyArray<EntityId>
  /** Who certified it last; null where nobody did. */
  readonly certifiedBy: string | null
  /** What was noted with its changes, the oldest first. */
  readonly notes: ReadonlyArray<string>
}

/** One moment of a workspace, for an export of its concepts. */
export interface VocabularyMoment {
  readonly workspaceName: string
  /** Hierarchical edges between canonical entities. */
  readonly hierarchy: Stream<BroaderLink>
  /** IRIs of entities that have one of their own: of all exported heads among them. */
  readonly iris: Stream<readonly [EntityId, string]>
  /** What is kept of schemes and collections, by IRI. */
  readonly groupings: Stream<Grouping>
  /** Ids of the heads that are exported: live, and neither draft nor pending review. */
  readonly exported: Stream<EntityId>
  /** The same heads by id, in pages. */
  readonly concepts: Stream<ReadonlyArray<ExportedConcept>>
}

/** Reads what an export tells, as it is at one moment, however long the reader takes. */
export class VocabularyReader extends Context.Tag("kanon/VocabularyReader")<
  VocabularyReader,
  { readonly open: (workspace: WorkspaceScope) => Effect.Effect<VocabularyMoment, never, Scope> }
>() {}

/** A document of RDF. */
export type RdfSource =
  | { readonly format: "json-ld"; readonly document: unknown }
  | { readonly format: "turtle" | "n-triples"; readonly text: string }

/** Reads documents of RDF, without ever fetching what they refer to. */
export class RdfReader extends Context.Tag("kanon/RdfReader")<
  RdfReader,
  {
    /** The vocabulary in a document. Fails with what is wrong with it; keeps nobody waiting for long. */
    readonly read: (source: RdfSource) => Effect.Effect<Vocabulary, InvalidInput>
  }
>() {}
