import * as Effect from "effect/Effect"
import { record } from "../../platform/audit/index.js"
import { atomically, Caller, crashPoint, now, traced } from "../../platform/kernel/index.js"
import type { EntityChange, EntityRecord, Revision, StoredEntity } from "./model.js"
import { EntityStore } from "./store.js"

/** The topic on which this room publishes changes of entities made by people. */
export const entitiesChanged = "entities.changed"

/**
 * Commits changes of entities: row, revision and audit event of each change are written in one unit of work. A change
 * whose `after` equals its `before` is skipped. Fails as a whole with Conflict when a name is taken or another writer
 * was first.
 */
export const commitEntities = traced("entities.commit")(function* (changes: ReadonlyArray<EntityChange>) {
  const real = changes.filter(({ after, before }) => after !== before)
  if (real.length === 0) return
  const [store, caller, at] = [yield* EntityStore, yield* Caller, yield* now]
  const dated = real.map((change) => ({ ...change, after: { ...change.after, updatedAt: at } }))
  yield* atomically(
    Effect.zipRight(
      Effect.zipLeft(
        store.commit(
          caller.workspace,
          dated.map(({ after, before, changeKind, note }) => ({
            before,
            after,
            revision: {
              changeKind,
              ...revisionFieldsOf(before, after),
              activity: caller.activity,
              changedBy: caller.actor,
              note,
              createdAt: at
            }
          }))
        ),
        crashPoint("entity.commit.insideTransaction")
      ),
      record(
        dated.map(({ after, changeKind, note }) => ({
          action: `entity.${changeKind}`,
          subjectId: after.id,
          details: {
            version: after.version,
            name: after.name,
            type: after.type,
            ...(note === null ? {} : { note })
          }
        }))
      )
    )
  )
})

/**
 * Returns the snapshot of an entity that a revision stores, in wire names, without fields that change without a new
 * version.
 */
export const snapshotOf = (entity: EntityRecord & Partial<StoredEntity>): Revision["snapshot"] => {
  const {
    claim: _claim,
    extractedAliases,
    headId: _head,
    lifecycle,
    pagerank: _rank,
    personFields: _fields,
    seq: _seq,
    touched: _touched,
    ...rest
  } = entity
  return { ...rest, aliases: [...entity.aliases, ...extractedAliases], lifecycleStatus: lifecycle }
}

const unversioned = new Set(["version", "createdAt", "updatedAt"])

/** Returns the changed fields between two states of an entity. */
export const diffOf = (before: EntityRecord | null, after: EntityRecord): Revision["diff"] =>
  revisionFieldsOf(before, after).diff

/** Returns the diff of a first revision: every field of its snapshot was absent before. */
export const diffOfFirst = (snapshot: Revision["snapshot"]): Revision["diff"] => differences({}, snapshot)

/** Returns the fields of a change that a revision shows. */
const revisionFieldsOf = (
  before: EntityRecord | null,
  after: EntityRecord
): Pick<Revision, "diff" | "snapshot"> => {
  const snapshot = snapshotOf(after)
  return { diff: differences(before === null ? {} : snapshotOf(before), snapshot), snapshot }
}

const differences = (
  from: Readonly<Record<string, unknown>>,
  snapshot: Revision["snapshot"]
): Revision["diff"] => {
  const diff: Record<string, { from: unknown; to: unknown }> = {}
  for (const [field, to] of Object.entries(snapshot)) {
    const old = from[field] ?? null
    if (!unversioned.has(field) && old !== to && JSON.stringify(old) !== JSON.stringify(to))
      diff[field] = { from: old, to }
  }
  return diff
}
