import type { StructuredAnswer } from "./answering/index.js"
import type { DoctorOptions, DoctorReport } from "./doctor.js"
import type {
  DocumentFilter,
  DocumentPage,
  DocumentSaveResult,
  DocumentWithContent,
  Repair
} from "./documents/index.js"
import type { CurationMeta, Entity, EntityPage, Resolution } from "./entities/index.js"
import type { EngineEventName, EngineListener } from "./events.js"
import type {
  MentionPage,
  MergeResult,
  Neighborhood,
  RelationPage,
  RelationSaveResult
} from "./graph/index.js"
import type { IngestProgress, IngestReport } from "./ingest-report.js"
import type { JobPage, JobStatus, StartedJobs } from "./jobs/index.js"
import type { DeleteAck } from "./kernel/index.js"
import type { SearchResponse } from "./retrieval/index.js"
import type { EngineStatus } from "./status.js"

export type { IngestProgress, IngestReport } from "./ingest-report.js"

export interface IngestOptions {
  /** Only the files at or under this vault path. */
  readonly path?: string
  /**
   * False returns as soon as the files are searchable, leaving graph and vectors to the background; the default of
   * an engine without a worker, which would otherwise wait for somebody else's.
   */
  readonly wait?: boolean
  readonly onProgress?: (progress: IngestProgress) => void
}

export interface SearchOptions extends DocumentFilter {
  /** 1 to 50, 10 by default. */
  readonly limit?: number
  readonly rerank?: boolean
}

export interface AskOptions {
  /** 1 to 20, 8 by default: how many passages are retrieved. */
  readonly maxSources?: number
}

interface Paging {
  readonly limit?: number
  readonly offset?: number
}

/**
 * One workspace, in this process. Every method is a promise; what fails for a reason that the caller can act on
 * is rejected with a KanonError, whose `code` tells which.
 */
export interface Engine {
  readonly workspace: { readonly id: string; readonly name: string }
  /** What the start-up mended after a crash; empty after a clean stop. */
  readonly repairs: ReadonlyArray<Repair>
  readonly documents: {
    readonly list: (options?: Paging & DocumentFilter) => Promise<DocumentPage>
    readonly get: (id: string) => Promise<DocumentWithContent>
    /** The live document at a vault path, without regard to case. */
    readonly getByPath: (path: string) => Promise<DocumentWithContent>
    readonly create: (input: {
      readonly path?: string
      readonly content?: string
      readonly title?: string
    }) => Promise<DocumentSaveResult>
    readonly replace: (id: string, content: string) => Promise<DocumentSaveResult>
    readonly move: (id: string, path: string) => Promise<DocumentSaveResult>
    readonly remove: (id: string) => Promise<DeleteAck>
    readonly restore: (id: string, path?: string) => Promise<DocumentSaveResult>
  }
  readonly search: (query: string, options?: SearchOptions) => Promise<SearchResponse>
  readonly ask: (question: string, options?: AskOptions) => Promise<StructuredAnswer>
  readonly entities: {
    readonly list: (options?: Paging & { readonly type?: string }) => Promise<EntityPage>
    readonly get: (id: string) => Promise<Entity & { readonly curation: CurationMeta }>
    readonly create: (input: {
      readonly name: string
      readonly type: string
      readonly aliases?: ReadonlyArray<string>
      readonly description?: string
    }) => Promise<Entity>
    readonly update: (
      id: string,
      change: {
        readonly name?: string
        readonly type?: string
        readonly aliases?: ReadonlyArray<string>
        readonly description?: string
      }
    ) => Promise<Entity>
    readonly remove: (id: string) => Promise<DeleteAck>
    /** Which entities a name may mean, best first. */
    readonly resolve: (
      name: string,
      options?: { readonly type?: string; readonly limit?: number }
    ) => Promise<Resolution>
    readonly neighborhood: (
      id: string,
      options?: { readonly depth?: number; readonly perHopCap?: number; readonly totalCap?: number }
    ) => Promise<Neighborhood>
    readonly mentions: (id: string, options?: Paging) => Promise<MentionPage>
    readonly merge: (id: string, intoId: string, note?: string) => Promise<MergeResult>
  }
  readonly relations: {
    readonly list: (
      options?: Paging & { readonly entityId?: string; readonly type?: string }
    ) => Promise<RelationPage>
    readonly create: (input: {
      readonly srcEntityId: string
      readonly dstEntityId: string
      readonly type: string
      readonly evidence?: string
    }) => Promise<RelationSaveResult>
    readonly remove: (id: string) => Promise<DeleteAck>
  }
  readonly jobs: {
    readonly list: (
      options?: Paging & { readonly status?: JobStatus; readonly kind?: string }
    ) => Promise<JobPage>
    /** Puts dead jobs back into the queue: these, or all. */
    readonly retry: (ids?: ReadonlyArray<string>) => Promise<StartedJobs>
  }
  /** Brings the index in line with the files of the vault. */
  readonly ingest: (options?: IngestOptions) => Promise<IngestReport>
  /**
   * Ingests once, then whenever a file of the vault changes, until it or the engine is closed. An ingest that fails
   * is told in the log, and the next change starts another.
   */
  readonly watch: (
    onIngest?: (report: IngestReport) => void
  ) => Promise<{ readonly close: () => Promise<void> }>
  /**
   * The whole workspace as the lines of an export (docs/export-format.md), each piece one line, the last line last:
   * one moment's picture, for which nobody waits. A workspace whose kept text is damaged ends it with a KanonError
   * `invalid_export`.
   */
  readonly export: () => AsyncIterable<Uint8Array>
  /** Counts, the queue, the indexes; reads a few rows. */
  readonly status: () => Promise<EngineStatus>
  /**
   * Compares files, rows, passages and indexes with each other and tells every difference; with `repair` it mends
   * them. May run beside ordinary work, and reads everything that there is.
   */
  readonly doctor: (options?: DoctorOptions) => Promise<DoctorReport>
  /**
   * Listens to what the engine does: searches and answers with their times, the progress of an ingest, the queue.
   * Gives a function that ends it. Where nobody listens nothing is measured. A listener is called at once and in
   * turn, so it should be quick; one that throws is told in the log and stops nothing.
   */
  readonly on: <Name extends EngineEventName>(name: Name, listener: EngineListener<Name>) => () => void
  /**
   * Ends watching, hands jobs back and closes the data. Safe to call twice; whatever is called afterwards is
   * rejected.
   */
  readonly close: () => Promise<void>
}
