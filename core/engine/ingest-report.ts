import type { Remark } from "../vault-sync/index.js"

/** What an ingest did; the counts of chunks, entities and relations are those of the workspace afterwards. */
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
  /** Files that were indexed with a remark. */
  readonly warnings: ReadonlyArray<Remark>
  /** Files that were not indexed, and background work that failed for good. */
  readonly errors: ReadonlyArray<Remark>
  readonly durationMs: number
}

/** How far an ingest is; `total` is 0 where it is not known yet, and may grow while background work finds more to do. */
export interface IngestProgress {
  readonly phase: "files" | "graph" | "vectors" | "ranks" | "index"
  readonly done: number
  readonly total: number
}

/** Which files an ingest reads, and whether it waits for graph and vectors. */
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
