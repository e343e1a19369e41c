import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Claim as AnswerClaim } from "../evidence/index.js"
import type { ClaimCheck } from "../grounding/index.js"
import type { ChunkId, DocumentId, EntityId, WorkspaceScope } from "../kernel/index.js"
import type { Verdict } from "../policy/index.js"

/** What a model wrote, with the passages that it had before it. */
export interface KeptAnswer {
  /** Prose with markers that name `sources`. */
  readonly answer: string
  readonly claims: ReadonlyArray<AnswerClaim>
  /** One for each claim, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
  readonly sources: ReadonlyArray<{ readonly id: string; readonly chunkId: ChunkId }>
  /** The known entities of the question, ascending. */
  readonly entityIds: ReadonlyArray<EntityId>
  /** What the gate said of it; null where no gate stood. */
  readonly verdict: Verdict | null
  /** The id of its entry, so that an answer in the place of another is noticed; earlier versions noted none. */
  readonly of?: string
}

/** An answer that may be given again. */
export interface CacheEntry {
  /** SHA-256 over scope, evidence and question, hexadecimal: the same three replace each other. */
  readonly id: string
  /** SHA-256 over everything that an answer depends on beside question and evidence. */
  readonly scope: string
  /** SHA-256 over the passages that were chosen, in any order. */
  readonly evidence: string
  /** SHA-256 over the part of the scope that is the workspace's own: models, prompt, pipeline, calibration. */
  readonly versions: string
  /** As it was asked; empty where the workspace keeps no questions. */
  readonly question: string
  readonly kept: KeptAnswer
  readonly createdAt: string
  readonly expiresAt: string
}

/** What an entry rests on. */
export interface CacheDependencies {
  readonly documents: ReadonlyArray<DocumentId>
  readonly entities: ReadonlyArray<EntityId>
}

/** How much a workspace may keep. */
export interface CacheBounds {
  readonly entries: number
  /** Of the answers with their questions. */
  readonly bytes: number
}

/** What is counted of a workspace's cache, by name; what was never counted is left out. */
export type CacheCounts = Readonly<Record<string, number>>

/** Names under which the store itself counts the entries that changes took away. */
export const invalidationCounts = {
  byDocument: "invalidated_document",
  byEntity: "invalidated_entity",
  byPolicy: "invalidated_policy"
} as const

/**
 * Answers that may be given again. An entry is gone with the first change of a document or entity that it rests on, and
 * of the settings that answers follow (policy, models, retrieval, chunking, retention), in the unit of work of that change and
 * whoever makes it; the store counts them by the kind of the change.
 */
export class AnswerCacheStore extends Context.Tag("kanon/AnswerCacheStore")<
  AnswerCacheStore,
  {
    /** Entries of this scope and evidence that have not expired at a moment, last used first, at most `limit`. */
    readonly like: (
      workspace: WorkspaceScope,
      wanted: { readonly scope: string; readonly evidence: string; readonly at: string },
      limit: number
    ) => Effect.Effect<ReadonlyArray<CacheEntry>>
    /**
     * Keeps an entry in the caller's unit of work, in the place of the one with its id. Those that expired go, and
     * then those that were not used for longest, until what stays is within the bounds. Nothing is kept, and false
     * given, where something that it rests on is not there.
     */
    readonly put: (
      workspace: WorkspaceScope,
      entry: CacheEntry,
      dependencies: CacheDependencies,
      bounds: CacheBounds
    ) => Effect.Effect<boolean>
    /** Notes that an entry was of use. */
    readonly use: (workspace: WorkspaceScope, id: string, at: string) => Effect.Effect<void>
    /** Adds to counts. */
    readonly add: (workspace: WorkspaceScope, counts: CacheCounts) => Effect.Effect<void>
    readonly counts: (workspace: WorkspaceScope) => Effect.Effect<CacheCounts>
    /** The entries; stale are those that expired, or are of other versions than these. */
    readonly summary: (
      workspace: WorkspaceScope,
      present: { readonly versions: string; readonly at: string }
    ) => Effect.Effect<{
      readonly entries: number
      readonly stale: number
      readonly bytes: number
      readonly oldestAt: string | null
      readonly newestAt: string | null
    }>
    /** How many entries rest on a document, resp. an entity. */
    readonly countOf: (workspace: WorkspaceScope, what: DocumentId | EntityId) => Effect.Effect<number>
    /** Forgets every entry; gives how many there were. The counts stay. */
    readonly clear: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Forgets the entries that have expired at a moment; gives how many. */
    readonly expire: (workspace: WorkspaceScope, at: string) => Effect.Effect<number>
    /** Entries that rest on nothing, or on what is not there or has changed since: damage; at most `limit`. */
    readonly astray: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<string>>
    /** The next entries by id that can be read, for who looks through all; at most `limit`. */
    readonly after: (
      workspace: WorkspaceScope,
      id: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<CacheEntry>>
    /** Forgets these entries. */
    readonly remove: (workspace: WorkspaceScope, ids: ReadonlyArray<string>) => Effect.Effect<void>
  }
>() {}
