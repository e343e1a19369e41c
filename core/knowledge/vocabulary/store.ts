import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Stream } from "effect/Stream"
import type {
  ChangeRequestId,
  EntityId,
  InvalidInput,
  JobId,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { StoredEntity } from "../entities/index.js"
import type { BroaderLink } from "./hierarchy.js"
import type {
  Concept,
  Grouping,
  ImportOptions,
  SkosImportReport,
  StoredConcept,
  Vocabulary
} from "./model.js"

/** A concept of an unfinished import, with its position. */
export interface StagedConcept {
  readonly place: number
  readonly concept: Concept
  /** The change request that proposes it; null if there is none. */
  readonly requestId: ChangeRequestId | null
  /** Whether this import created its entity. */
  readonly made: boolean
}

/** Progress of an import. */
export interface ImportRun {
  readonly id: JobId
  readonly options: ImportOptions
  /** Number of concepts. */
  readonly total: number
  /** The caller who requested it, and the interface used. */
  readonly askedBy: string
  readonly activity: string
  /** Next position among concepts and then among their links; both equal `total` when the import's own work is done. */
  readonly nextConcept: number
  readonly nextLink: number
  readonly report: SkosImportReport
}

/** An adapter of a database implements it to keep the IRIs and texts of imported concepts, and imports under way. */
export class VocabularyStore extends Context.Tag("kanon/VocabularyStore")<
  VocabularyStore,
  {
    /** Returns the concepts with these IRIs, in unspecified order. */
    readonly byIri: (
      workspace: WorkspaceScope,
      iris: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredConcept>>
    readonly byEntity: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<StoredConcept>>
    /** Adds concepts in the caller's unit of work; their IRIs and entities must be new. */
    readonly add: (workspace: WorkspaceScope, concepts: ReadonlyArray<StoredConcept>) => Effect.Effect<void>
    /** Replaces the details of a stored concept in the caller's unit of work. */
    readonly replace: (workspace: WorkspaceScope, concept: StoredConcept) => Effect.Effect<void>
    /** Returns the concepts after an IRI, in order of IRI. */
    readonly page: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredConcept>>
    /**
     * Stores a new import with its concepts in the caller's unit of work and deletes finished ones. Its groupings
     * replace stored ones.
     */
    readonly begin: (
      workspace: WorkspaceScope,
      run: ImportRun,
      brought: Pick<Vocabulary, "concepts" | "groupings">
    ) => Effect.Effect<void>
    readonly run: (workspace: WorkspaceScope, id: JobId) => Effect.Effect<ImportRun | null>
    /** Lists imports whose own work is done but which still have staged concepts, by id. */
    readonly waiting: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<ImportRun>>
    readonly saveRun: (workspace: WorkspaceScope, run: ImportRun) => Effect.Effect<void>
    /** Returns the staged concepts of an import from a position on, in order. */
    readonly staged: (
      workspace: WorkspaceScope,
      run: JobId,
      from: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StagedConcept>>
    /** Stores the outcome of staged concepts. */
    readonly note: (
      workspace: WorkspaceScope,
      run: JobId,
      staged: ReadonlyArray<Pick<StagedConcept, "place" | "requestId" | "made">>
    ) => Effect.Effect<void>
    /** Returns those of these IRIs that an import has proposed and that are still undecided, with a request of each. */
    readonly proposed: (
      workspace: WorkspaceScope,
      iris: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<{ readonly iri: string; readonly requestId: ChangeRequestId }>>
    /** Deletes these staged concepts. */
    readonly unstage: (
      workspace: WorkspaceScope,
      run: JobId,
      places: ReadonlyArray<number>
    ) => Effect.Effect<void>
    /** Reads what an export writes. */
    readonly reader: VocabularyReader
  }
>() {}

/** An exported head with the data of its node except its links. */
export interface ExportedConcept {
  readonly entity: StoredEntity
  /** The entity that superseded it, or the head of that one; null for one in use. */
  readonly successor: EntityId | null
  readonly members: ReadonlyArray<StoredEntity>
  /** The stored concepts of the entity and of its members. */
  readonly concepts: ReadonlyArray<StoredConcept>
  /** Heads at the other ends of its non-hierarchical edges, in both directions. */
  readonly related: ReadonlyArray<EntityId>
  /** The last certifier; null if it was never certified. */
  readonly certifiedBy: string | null
  /** Notes of its changes, oldest first. */
  readonly notes: ReadonlyArray<string>
}

/** A consistent snapshot of a workspace for an export of its concepts. */
export interface VocabularyMoment {
  readonly workspaceName: string
  /** Hierarchical edges between canonical entities. */
  readonly hierarchy: Stream<BroaderLink>
  /** IRIs of entities with an IRI of their own, including all exported heads. */
  readonly iris: Stream<readonly [EntityId, string]>
  /** Stored schemes and collections by IRI. */
  readonly groupings: Stream<Grouping>
  /** Ids of the exported heads: live, and neither draft nor pending review. */
  readonly exported: Stream<EntityId>
  /** The same heads by id, in pages. */
  readonly concepts: Stream<ReadonlyArray<ExportedConcept>>
}

/** Reads the data of an export from one snapshot, however long the reader takes. */
export interface VocabularyReader {
  readonly open: (workspace: WorkspaceScope) => Effect.Effect<VocabularyMoment, never, Scope>
}

/** An RDF document. */
export type RdfSource =
  | { readonly format: "json-ld"; readonly document: unknown }
  | { readonly format: "turtle" | "n-triples"; readonly text: string }

/**
 * A host with another parser of RDF implements it, for more formats or larger files. Parses RDF documents without
 * fetching anything they refer to.
 */
export class RdfReader extends Context.Tag("kanon/RdfReader")<
  RdfReader,
  {
    /** Returns the vocabulary of a document, or fails with its syntax error. Yields to other fibers regularly. */
    readonly read: (source: RdfSource) => Effect.Effect<Vocabulary, InvalidInput>
  }
>() {}
