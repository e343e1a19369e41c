import type * as Effect from "effect/Effect"
import type { ChunkId, DocumentId, EntityId, WorkspaceScope } from "../../platform/kernel/index.js"
import type { Claim as AnswerClaim } from "../evidence/index.js"
import type { ClaimCheck } from "../grounding/index.js"
import type { Verdict } from "../policy/index.js"

/** A model's answer with the passages it was given. */
export interface KeptAnswer {
  /** Prose with markers that refer to `sources`. */
  readonly answer: string
  readonly claims: ReadonlyArray<AnswerClaim>
  /** One per claim, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
  readonly sources: ReadonlyArray<{ readonly id: string; readonly chunkId: ChunkId }>
  /** The known entities of the question, ascending. */
  readonly entityIds: ReadonlyArray<EntityId>
  /** Verdict of the gate; null without a gate. */
  readonly verdict: Verdict | null
  /** The id of its entry, which detects an answer in the wrong row; absent in earlier versions. */
  readonly of?: string
}

/** A cached answer. */
export interface CacheEntry {
  /** SHA-256 over scope, evidence and question, hexadecimal; an entry with the same id is replaced. */
  readonly id: string
  /** SHA-256 over everything that an answer depends on except question and evidence. */
  readonly scope: string
  /** SHA-256 over the chosen passages, in any order. */
  readonly evidence: string
  /** SHA-256 over the versions in the scope: models, prompt, pipeline, calibration. */
  readonly versions: string
  /** The question as asked; empty if the workspace does not store questions. */
  readonly question: string
  readonly kept: KeptAnswer
  readonly createdAt: string
  readonly expiresAt: string
}

/** The documents and entities that an entry depends on. */
export interface CacheDependencies {
  readonly documents: ReadonlyArray<DocumentId>
  readonly entities: ReadonlyArray<EntityId>
}

/** Limits of a workspace's cache. */
export interface CacheBounds {
  readonly entries: number
  /** Size of the answers with their questions. */
  readonly bytes: number
}

/** Counters of a workspace's cache by name; counters of 0 are left out. */
export type CacheCounts = Readonly<Record<string, number>>

/**
 * Stores cached answers. An entry is removed by the first change of a document or entity that it depends on, or of
 * the settings that answers depend on (policy, models, retrieval, chunking, retention), in the unit of work of that
 * change; the store counts removals by kind of change.
 */
export interface AnswerCacheStore {
  /** Returns entries of this scope and evidence that have not expired, most recently used first, at most `limit`. */
  readonly like: (
    workspace: WorkspaceScope,
    wanted: { readonly scope: string; readonly evidence: string; readonly at: string },
    limit: number
  ) => Effect.Effect<ReadonlyArray<CacheEntry>>
  /**
   * Stores an entry in the caller's unit of work, replacing one with its id. Expired entries are deleted, then the
   * least recently used ones, until the rest is within the limits. Stores nothing and returns false if something
   * that it depends on is missing.
   */
  readonly put: (
    workspace: WorkspaceScope,
    entry: CacheEntry,
    dependencies: CacheDependencies,
    bounds: CacheBounds
  ) => Effect.Effect<boolean>
  /** Records a use of an entry. */
  readonly use: (workspace: WorkspaceScope, id: string, at: string) => Effect.Effect<void>
  /** Adds to counters. */
  readonly add: (workspace: WorkspaceScope, counts: CacheCounts) => Effect.Effect<void>
  readonly counts: (workspace: WorkspaceScope) => Effect.Effect<CacheCounts>
  /** Summarizes the entries; stale ones have expired or other versions. */
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
  /** Counts the entries that depend on a document or an entity. */
  readonly countOf: (workspace: WorkspaceScope, what: DocumentId | EntityId) => Effect.Effect<number>
  /** Removes every entry and keeps the counters; returns the number of removed entries. */
  readonly clear: (workspace: WorkspaceScope) => Effect.Effect<number>
  /** Removes the entries that have expired; returns their number. */
  readonly expire: (workspace: WorkspaceScope, at: string) => Effect.Effect<number>
  /** Returns entries whose dependencies are missing, changed or none, which indicates damage; at most `limit`. */
  readonly astray: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<string>>
  /** Returns the next readable entries by id, at most `limit`. */
  readonly after: (
    workspace: WorkspaceScope,
    id: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<CacheEntry>>
  /** Removes these entries. */
  readonly remove: (workspace: WorkspaceScope, ids: ReadonlyArray<string>) => Effect.Effect<void>
}
