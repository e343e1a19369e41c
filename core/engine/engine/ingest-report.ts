import type { Remark } from "../../files/vault-sync/index.js"
import type { CallOptions } from "./running-calls.js"

/** Result of an ingest; the counts of chunks, entities and relations are those of the workspace afterwards. */
export interface IngestReport {
  readonly documents: {
    readonly created: number
    readonly updated: number
    readonly moved: number
    readonly deleted: number
    readonly unchanged: number
    readonly failed: number
  }
  readonly chunks: number
  readonly entities: number
  readonly relations: number
  /** Files that were indexed with a warning. */
  readonly warnings: ReadonlyArray<Remark>
  /** Files that were not indexed, and background jobs that are dead. */
  readonly errors: ReadonlyArray<Remark>
  readonly durationMs: number
}

/** Progress of an ingest; `total` is 0 while unknown, and may grow as background work is found. */
export interface IngestProgress {
  readonly phase: "files" | "graph" | "vectors" | "ranks" | "index"
  readonly done: number
  readonly total: number
}

/** Options that select the files of an ingest, and whether it waits for graph and vectors. */
export interface IngestOptions extends CallOptions {
  /** Only the files at or under this vault path. */
  readonly path?: string
  /**
   * False returns as soon as the files are searchable, leaving graph and vectors to the background. Default for an
   * engine without a worker, which would otherwise wait for another process.
   */
  readonly wait?: boolean
  readonly onProgress?: (progress: IngestProgress) => void
}
