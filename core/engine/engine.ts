import type { StructuredAnswer, TracedAnswer } from "../answering/index.js"
import type { DocumentFilter, Repair } from "../documents/index.js"
import type { DoctorOptions, DoctorReport } from "../integrity/index.js"
import type { WorkspaceView } from "../overview/index.js"
import type { PolicyMode } from "../policy/index.js"
import type { SearchResponse } from "../retrieval/index.js"
import type { WorkspaceChangeInput } from "../workspace/index.js"
import type { AgentCalls } from "./agent-calls.js"
import type { EngineCalls, HostCalls, VocabularyCalls } from "./calls.js"
import type { EngineEventName, EngineListener } from "./events.js"
import type { IngestOptions, IngestReport } from "./ingest-report.js"
import type { EngineStatus } from "./status.js"

/** Which documents a search looks through, how many passages it gives, and whether a reranker judges them. */
export interface SearchOptions extends DocumentFilter {
  /** 1 to 50, 10 by default. */
  readonly limit?: number
  readonly rerank?: boolean
}

/** What a question may set for itself alone; the rest is the workspace's settings. */
export interface AskOptions {
  /** 1 to 20, 8 by default: how many passages are retrieved. */
  readonly maxSources?: number
  /** In the place of the workspace's own. */
  readonly policyMode?: PolicyMode
  /** Runs the data queries bound to what the question names, at most three; false by default. */
  readonly includeData?: boolean
}

/**
 * One workspace, in this process. Every method is a promise; what fails for a reason that the caller can act on
 * is rejected with a KanonError, whose `code` tells which.
 */
export interface Engine extends AgentCalls, EngineCalls, HostCalls, VocabularyCalls {
  readonly workspace: { readonly id: string; readonly name: string }
  /** What the start-up mended after a crash; empty after a clean stop. */
  readonly repairs: ReadonlyArray<Repair>
  readonly search: (query: string, options?: SearchOptions) => Promise<SearchResponse>
  readonly ask: (question: string, options?: AskOptions) => Promise<StructuredAnswer>
  /** As `ask`, with how the answer came about and the id under which it is kept (`trace.answerId`). */
  readonly askTraced: (question: string, options?: AskOptions) => Promise<TracedAnswer>
  /**
   * The same calls, done by a member: history and audit name them, and what is in their care is theirs to decide. The
   * host vouches that it is them. Throws a KanonError (`invalid_body`) for an empty id.
   */
  readonly as: (member: string) => EngineCalls
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
  /** The settings of the workspace, what models do in it, and what was used this month. */
  readonly getWorkspace: () => Promise<WorkspaceView>
  /**
   * Changes name and settings; what is left out stays. Rejected with a KanonError `invalid_body` for what is out of its
   * bounds, `conflict` where `expectRevision` is not the one that stands, `secrets_unavailable` where a credential
   * cannot be sealed.
   */
  readonly updateWorkspace: (change: WorkspaceChangeInput) => Promise<WorkspaceView>
  /** Counts, the queue, the indexes; reads a few rows. */
  readonly status: () => Promise<EngineStatus>
  /**
   * Inspects files, rows and derived data and reports every difference. With `repair`, reconciles files with rows and
   * rebuilds derived data; damaged primary rows are only reported. May run beside ordinary work; reads all data.
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
