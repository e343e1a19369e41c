import type { ChangeRequest, RequestKind, RequestStatus } from "../curation/index.js"
import type {
  DocumentFilter,
  DocumentMoveResult,
  DocumentPage,
  DocumentSaveResult,
  DocumentVerification,
  DocumentVersionPage,
  DocumentWithContent,
  Verification
} from "../documents/index.js"
import type { Authority, CurationMeta, Entity, EntityPage, Resolution, Revision } from "../entities/index.js"
import type {
  MentionPage,
  MergeResult,
  Neighborhood,
  RelationPage,
  RelationSaveResult
} from "../graph/index.js"
import type { JobPage, JobStatus, StartedJobs } from "../jobs/index.js"
import type { DeleteAck } from "../kernel/index.js"
import type {
  DocumentLineage,
  DuplicatePage,
  RequestOverview,
  StewardshipPage,
  StewardshipView
} from "../overview/index.js"
import type { RestoreAck, TrashKind, TrashPage } from "../trash/index.js"

interface Paging {
  readonly limit?: number
  readonly offset?: number
}

/** What can be done with a workspace by somebody: every call is an operation. */
export interface EngineCalls {
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
    /** Links that would break are rewritten, here and in other documents, unless `rewriteLinks` is false. */
    readonly move: (
      id: string,
      path: string,
      options?: { readonly rewriteLinks?: boolean }
    ) => Promise<DocumentMoveResult>
    /** Newest first; with `version` that one alone, with its text. */
    readonly versions: (
      id: string,
      options?: Paging & { readonly version?: number }
    ) => Promise<DocumentVersionPage>
    /** Says what it is worth; `verified` and `certified` hold until the workspace's review interval is over. */
    readonly verify: (id: string, verification: Verification) => Promise<DocumentVerification>
    /** Where it comes from, who vouches for it, what was done to it, and what rests on it. */
    readonly lineage: (id: string) => Promise<DocumentLineage>
    readonly remove: (id: string) => Promise<DeleteAck>
    readonly restore: (id: string, path?: string) => Promise<DocumentSaveResult>
  }
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
    /** With `dryRun` it only says what the merge would bring. */
    readonly merge: (
      id: string,
      intoId: string,
      note?: string,
      options?: { readonly dryRun?: boolean }
    ) => Promise<MergeResult>
    /** Vouches for it as it stands; its next review is due when the workspace's interval is over. */
    readonly certify: (id: string, note?: string) => Promise<CurationMeta>
    /** Says that somebody looked at it; what was only extracted becomes curated. */
    readonly review: (id: string) => Promise<CurationMeta>
    readonly setAuthority: (id: string, authority: Authority) => Promise<CurationMeta>
    /** Puts it into somebody's care, or with null into nobody's; stewards that are left out stay. */
    readonly setOwner: (
      id: string,
      ownerId: string | null,
      stewardIds?: ReadonlyArray<string>
    ) => Promise<CurationMeta>
    readonly setLifecycle: (
      id: string,
      lifecycleStatus: "draft" | "pending_review" | "published",
      note?: string
    ) => Promise<CurationMeta>
    /** Retires it, in favour of a published successor if one is named. */
    readonly deprecate: (
      id: string,
      options?: { readonly supersededBy?: string; readonly note?: string }
    ) => Promise<CurationMeta>
    /** Its versions, the newest first: 1 to 200, 50 by default. */
    readonly revisions: (
      id: string,
      limit?: number
    ) => Promise<{ readonly entityId: string; readonly revisions: ReadonlyArray<Revision> }>
    /** Gives it the name, type, aliases, description and note of an earlier version, as a new one. */
    readonly restoreRevision: (id: string, version: number) => Promise<Entity>
    /** Pairs that may be the same, each with a score (0.5 and more by default) and its reasons; merges nothing. */
    readonly duplicates: (
      options?: Paging & { readonly id?: string; readonly minScore?: number }
    ) => Promise<DuplicatePage>
  }
  /** What needs a steward: by default what is overdue for review; with `ownerId` only what is in their care. */
  readonly stewardship: (
    options?: Paging & { readonly view?: StewardshipView; readonly ownerId?: string }
  ) => Promise<StewardshipPage>
  readonly changeRequests: {
    /** The newest first. */
    readonly list: (options?: { readonly status?: RequestStatus }) => Promise<ReadonlyArray<ChangeRequest>>
    /** With its difference to the present state, what happened since, and what hangs on its entity. */
    readonly get: (id: string) => Promise<RequestOverview>
    readonly propose: (input: {
      readonly kind: RequestKind
      readonly entityId?: string
      readonly payload?: Readonly<Record<string, unknown>>
      readonly note?: string
    }) => Promise<ChangeRequest>
    readonly approve: (
      id: string,
      note?: string
    ) => Promise<{ readonly request: ChangeRequest; readonly appliedEntityId: string | null }>
    readonly reject: (id: string, note?: string) => Promise<ChangeRequest>
    readonly withdraw: (id: string) => Promise<ChangeRequest>
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
  readonly trash: {
    /** What was deleted or merged away, the newest first, with what is in the way of bringing it back. */
    readonly list: (options?: Paging & { readonly kind?: TrashKind }) => Promise<TrashPage>
    /** Brings it back under its old id; a document may be put at another path, a merged entity is split out again. */
    readonly restore: (id: string, path?: string) => Promise<RestoreAck>
  }
  readonly jobs: {
    readonly list: (
      options?: Paging & { readonly status?: JobStatus; readonly kind?: string }
    ) => Promise<JobPage>
    /**
     * Starts background work over documents, or over the whole workspace when no documents are named. An equal job
     * that waits is given instead of a second one. `reindex`, `reembed` and `reextract` make passages with their text
     * index, vectors and the graph anew; searches miss nothing meanwhile.
     */
    readonly start: (
      kind: "ingest" | "reindex" | "reembed" | "reextract" | "graph_analytics" | "reconcile",
      documentIds?: ReadonlyArray<string>
    ) => Promise<StartedJobs>
    /** Puts dead jobs back into the queue: these, or all. */
    readonly retry: (ids?: ReadonlyArray<string>) => Promise<StartedJobs>
  }
}
