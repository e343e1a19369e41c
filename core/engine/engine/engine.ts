import type {
  AnswerFormat,
  AnswerPart,
  StageName,
  StructuredAnswer,
  TracedAnswer
} from "../../answers/answering/index.js"
import type { OnText } from "../../answers/generation/index.js"
import type { PolicyMode } from "../../answers/policy/index.js"
import type { DocumentFilter, Repair } from "../../files/documents/index.js"
import type { WorkspaceChangeInput } from "../../platform/workspace/index.js"
import type { SearchResponse } from "../../search/retrieval/index.js"
import type { DoctorOptions, DoctorReport } from "../../upkeep/integrity/index.js"
import type { WorkspaceView } from "../../upkeep/overview/index.js"
import type { AgentCalls } from "./agent-calls.js"
import type { EngineCalls, HostCalls, VocabularyCalls } from "./calls.js"
import type { ConnectorCalls } from "./connector-calls.js"
import type { EngineEventName, EngineListener } from "./events.js"
import type { IngestOptions, IngestReport } from "./ingest-report.js"
import type { CallOptions } from "./running-calls.js"
import type { EngineStatus } from "./status.js"

/** Document filter, maximum number of passages, and reranking of a search. */
export interface SearchOptions extends DocumentFilter, CallOptions {
  /** 1 to 50; default 10. */
  readonly limit?: number
  readonly rerank?: boolean
  /** Searches the workspace as it stood then: a day (its end, UTC) or a timestamp. */
  readonly asOf?: string
}

/** Options of one question; default: the workspace's settings. */
export interface AskOptions extends DocumentFilter, CallOptions {
  /** Number of retrieved passages, 1 to 20; default 8. */
  readonly maxSources?: number
  /** Overrides the workspace's policy mode. */
  readonly policyMode?: PolicyMode
  /** Wishes for the wording, at most 2,000 characters; they lift no check and no gate. */
  readonly instructions?: string
  /** The language of the answer as a tag, such as `de`; by default that of the question. */
  readonly language?: string
  /** The form of `answer`: `prose` by default, a list of `bullets`, or numbered `steps`. */
  readonly answerFormat?: AnswerFormat
  /** Runs the data queries bound to what the question names, at most three; false by default. */
  readonly includeData?: boolean
  /** Asks the workspace as it stood then: a day (its end, UTC) or a timestamp. Excludes `includeData`. */
  readonly asOf?: string
  /** An id of the host's own: questions of one conversation, by one caller, complete each other. */
  readonly conversationId?: string
  /**
   * Called with each part of the answer as a model writes it, and with the text so far, where the model streams. The
   * text is not checked yet; the answer that counts is the one that is returned.
   */
  readonly onText?: OnText
  /**
   * Called with what is known of the answer before it is whole: stages as they begin, the sources, and each sentence once
   * it is checked. A later claim of the same index replaces an earlier one.
   */
  readonly onPart?: (part: AskPart) => void
  /** Earlier questions, oldest first, in the place of those of the conversation. */
  readonly turns?: ReadonlyArray<{ readonly question: string; readonly answer?: string }>
}

/** What is known of an answer before it is whole. */
export type AskPart = { readonly type: "stage"; readonly name: StageName } | AnswerPart

/** Whom calls of the host act for. */
export interface ActingAs {
  /** The member that history and audit name; by default the local user. */
  readonly member?: string
  /** Names in lists of readers: `user:usr_…`, `group:NAME`. None of them reads what is open to everybody. */
  readonly principals: ReadonlyArray<string>
}

/** A part of an answer, or at last the answer with the id under which it is stored. */
export type AskEvent =
  | AskPart
  | { readonly type: "answer"; readonly answerId: string | null; readonly answer: StructuredAnswer }

/** A question under way: the answer when awaited, or its parts and last the answer with `for await`. */
export interface Asking extends Promise<StructuredAnswer> {
  /** Leaving the loop stops the question. The loop throws what the promise would be rejected with. */
  readonly [Symbol.asyncIterator]: () => AsyncIterator<AskEvent, undefined>
}

/**
 * One workspace in this process. Every method returns a promise; a failure that the caller can act on is rejected
 * with a KanonError, identified by its `code`.
 */
export interface Engine extends AgentCalls, ConnectorCalls, EngineCalls, HostCalls, VocabularyCalls {
  readonly workspace: { readonly id: string; readonly name: string }
  /** Repairs that the start made after a crash; empty after a clean stop. */
  readonly repairs: ReadonlyArray<Repair>
  readonly search: (query: string, options?: SearchOptions) => Promise<SearchResponse>
  readonly ask: (question: string, options?: AskOptions) => Asking
  /** Like `ask`, with the trace of the answer and the id under which it is stored (`trace.answerId`). */
  readonly askTraced: (question: string, options?: AskOptions) => Promise<TracedAnswer>
  /**
   * Returns the same calls made as a member: history and audit name that member, who may decide about entities in
   * their care. The host is responsible for authentication. Throws a KanonError (`invalid_body`) for an empty id.
   * With `principals` the calls read what lists of readers let these read, looked up with each call; without, all.
   */
  readonly as: (member: string | ActingAs) => EngineCalls
  /** Updates the index from the files of the vault. */
  readonly ingest: (options?: IngestOptions) => Promise<IngestReport>
  /**
   * Ingests now and then whenever a file of the vault changes, until it or the engine is closed. A failed ingest is
   * logged, and the next change starts another.
   */
  readonly watch: (
    onIngest?: (report: IngestReport) => void
  ) => Promise<{ readonly close: () => Promise<void> }>
  /**
   * Exports the whole workspace as lines (docs/export-format.md), one line per element, the trailer last. The export
   * is one snapshot and blocks no writer. A workspace with damaged text ends it with a KanonError `invalid_export`.
   */
  readonly export: () => AsyncIterable<Uint8Array>
  /** Returns the settings of the workspace, the state of its models, and the usage of this month. */
  readonly getWorkspace: () => Promise<WorkspaceView>
  /**
   * Changes name and settings; omitted fields do not change. Rejected with a KanonError: `invalid_body` for a value
   * out of bounds, `conflict` if `expectRevision` is not the present revision, `secrets_unavailable` if a credential
   * cannot be sealed.
   */
  readonly updateWorkspace: (change: WorkspaceChangeInput) => Promise<WorkspaceView>
  /** Returns the number of files that were added, changed, moved or removed since they were last ingested. */
  readonly unsyncedFiles: () => Promise<number>
  /** Returns counts and the state of queue and indexes; reads a few rows. */
  readonly status: () => Promise<EngineStatus>
  /**
   * Inspects files, rows and derived data and reports every difference. With `repair`, reconciles files with rows and
   * rebuilds derived data; damaged primary rows are only reported. May run beside ordinary work; reads all data.
   */
  readonly doctor: (options?: DoctorOptions) => Promise<DoctorReport>
  /**
   * Subscribes to engine events: searches and answers with their times, the progress of an ingest, the queue. Returns
   * a function that unsubscribes. Nothing is measured without listeners. Listeners run synchronously, so they should
   * be fast; one that throws is logged and has no other effect.
   */
  readonly on: <Name extends EngineEventName>(name: Name, listener: EngineListener<Name>) => () => void
  /**
   * Waits for running calls up to `closeTimeoutMs` (5 s by default) and then stops them; stops watching, returns jobs
   * to the queue and closes the data. Idempotent; later calls are rejected.
   */
  readonly close: () => Promise<void>
}
