import { randomInt } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { invalidationCounts } from "../../core/platform/caching/index.js"
import { currentView, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { inBatches } from "./rows.js"
import { WorkspaceInForce } from "./workspace-in-force.js"

/** The cache-relevant changes of a write. */
export interface Change {
  /** Whether rows of `document`, `chunk`, `vector_model` or a `posting_*` table change, which searches read. */
  readonly content?: boolean
  /** Changed or removed documents; cached answers that depend on them are removed. */
  readonly documents?: ReadonlyArray<string>
  /** Changed or removed entities, likewise. */
  readonly entities?: ReadonlyArray<string>
  /** Whether settings change that every answer depends on; all cached answers are removed. */
  readonly settings?: boolean
}

interface Recorded {
  content: boolean
  settings: boolean
  readonly documents: Set<string>
  readonly entities: Set<string>
}

/** Changes of the running unit of work by workspace, stored once at its end. */
export class UnitChanges extends Context.Tag("kanon/sql/UnitChanges")<
  UnitChanges,
  Map<WorkspaceScope, Recorded>
>() {}

/**
 * Runs a write and stores its cache-relevant changes in the same transaction: at the end of the unit of work, else at
 * once. Every write of a table named in `Change` must use it.
 */
export const changing = <A, E>(
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  change: Change,
  write: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  Effect.withFiberRuntime<A, E | SqlError>(({ currentContext }) => {
    const unit = Context.getOption(currentContext, UnitChanges)
    if (Option.isSome(unit)) {
      // Recorded before the write, even if it fails: a superfluous change only empties a cache.
      record(unit.value, workspace, change)
      return write
    }
    const changes: UnitChanges["Type"] = new Map()
    record(changes, workspace, change)
    const whole = Effect.zipLeft(write, storeChanges(sql, changes))
    return Option.isSome(Context.getOption(currentContext, SqlClient.TransactionConnection))
      ? whole
      : sql.withTransaction(whole)
  })

/** Runs a write that changes what searches read. */
export const changingContent =
  (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    changing(sql, workspace, { content: true }, write)

/** Stores the changes of a unit of work before the commit. */
export const storeChanges = (
  sql: SqlClient.SqlClient,
  changes: UnitChanges["Type"]
): Effect.Effect<void, SqlError> =>
  Effect.suspend(() =>
    changes.size === 0
      ? Effect.void
      : Effect.forEach(
          changes,
          ([workspace, recorded]) =>
            Effect.provideService(store(sql, workspace, recorded), WorkspaceInForce, {
              workspace,
              isHost: false
            }),
          { discard: true }
        )
  )

/**
 * Returns the content stamp of a workspace, which changes with every transaction that changes what searches read;
 * null before the first.
 */
export const contentStamp = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope
): Effect.Effect<string | null, SqlError> =>
  Effect.map(
    sql<{ changes: unknown }>`select changes from content_change where workspace_id = ${workspace}`,
    ([row]) => (row === undefined ? null : String(row.changes))
  )

const record = (changes: UnitChanges["Type"], workspace: WorkspaceScope, change: Change): void => {
  const known = changes.get(workspace) ?? {
    content: false,
    settings: false,
    documents: new Set<string>(),
    entities: new Set<string>()
  }
  changes.set(workspace, known)
  known.content ||= change.content === true
  known.settings ||= change.settings === true
  for (const id of change.documents ?? []) known.documents.add(id)
  for (const id of change.entities ?? []) known.entities.add(id)
}

/** Stamps are below this limit, so that they are exact JavaScript numbers. */
const stampsEnd = 2 ** 48 - 1

const store = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  { content, documents, entities, settings }: Recorded
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const forgets = settings || documents.size + entities.size > 0
    if (!content && !forgets) return
    // Random, because a counter would repeat after a restore from a backup.
    if (content)
      yield* sql`insert into content_change (workspace_id, changes) values (${workspace}, ${randomInt(stampsEnd)})
        on conflict (workspace_id) do update set changes = excluded.changes`
    if (!forgets) return
    const cached = yield* sql`select 1 from answer_cache_entry where workspace_id = ${workspace} limit 1`
    if (cached.length === 0) return
    const removedCounts = {
      [invalidationCounts.byDocument]: yield* removeDependentAnswers(sql, workspace, "document", documents),
      [invalidationCounts.byEntity]: yield* removeDependentAnswers(sql, workspace, "entity", entities),
      [invalidationCounts.byPolicy]: settings ? yield* removeAllAnswers(sql, workspace) : 0
    }
    yield* countCacheEvents(sql, workspace, removedCounts)
  })

/** Removes and counts the cached answers that depend on one of these. */
const removeDependentAnswers = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  what: "document" | "entity",
  ids: ReadonlySet<string>
) =>
  Effect.map(
    inBatches(
      [...ids],
      (batch) => sql`delete from answer_cache_entry where workspace_id = ${workspace} and id in (
        select entry_id from ${sql(`answer_cache_${what}`)}
        where workspace_id = ${workspace} and ${sql.in(`${what}_id`, batch)}) returning id`
    ),
    (rows) => rows.length
  )

/** Removes and counts all cached answers of a workspace. */
export const removeAllAnswers = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope
): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql`delete from answer_cache_entry where workspace_id = ${workspace} returning id`,
    (rows) => rows.length
  )

/** Adds nonzero counts of cache events. */
export const countCacheEvents = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  counts: Readonly<Record<string, number>>
): Effect.Effect<void, SqlError> =>
  Effect.forEach(
    Object.entries(counts).filter(([, value]) => value > 0),
    ([name, value]) =>
      sql`insert into answer_cache_count (workspace_id, name, value) values (${workspace}, ${name}, ${value})
        on conflict (workspace_id, name) do update set value = answer_cache_count.value + excluded.value`,
    { discard: true }
  )

/** Maximum number of cached workspaces. */
const workspacesMax = 16

/**
 * Caches a value derived only from rows whose changes are stamped (`changing`), and reads it again when the stamp
 * changes. Not used within a unit of work.
 */
export const cachedValue = <Value>(
  sql: SqlClient.SqlClient,
  read: (workspace: WorkspaceScope) => Effect.Effect<Value, SqlError>,
  /** Returns whether a value is small enough to cache. */
  isKept: (value: Value) => boolean = () => true
): ((workspace: WorkspaceScope) => Effect.Effect<Value, SqlError>) => {
  const cache = new Map<WorkspaceScope, { readonly changes: string; readonly value: Value }>()
  return (workspace) =>
    Effect.gen(function* () {
      if (Option.isSome(yield* Effect.serviceOption(SqlClient.TransactionConnection)))
        return yield* read(workspace)
      // The cache holds what callers without a view read; a caller from whom something is hidden reads the database.
      if ((yield* currentView) !== null) return yield* read(workspace)
      // Read before the rows, so that a concurrent change invalidates the cached value.
      const changes = yield* contentStamp(sql, workspace)
      const known = cache.get(workspace)
      if (known !== undefined && known.changes === changes) return known.value
      cache.delete(workspace)
      const value = yield* read(workspace)
      if (changes === null || !isKept(value)) return value
      const [oldest] = cache.keys()
      if (cache.size >= workspacesMax && oldest !== undefined) cache.delete(oldest)
      cache.set(workspace, { changes, value })
      return value
    })
}
