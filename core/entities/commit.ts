import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { atomically, Caller, crashPoint, now, traced } from "../kernel/index.js"
import type { EntityChange, EntityRecord, Revision, StoredEntity } from "./model.js"
import { EntityStore } from "./store.js"

/** The topic on which this room tells that entities changed by a person's hand. */
export const entitiesChanged = "entities.changed"

/**
 * The one way in which entities change: row, revision and audit event in one unit of work, for each change
 * exactly one of each. A change whose `after` is its `before` is nothing, and leaves nothing. Fails as a whole
 * with Conflict when a name is taken or another writer was first.
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
              ...shownOf(before, after),
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
 * What a revision shows of an entity: the words of the wire, not of the table, and nothing that changes without a
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

/** What a change did to each field that a revision shows. */
export const diffOf = (before: EntityRecord | null, after: EntityRecord): Revision["diff"] =>
  shownOf(before, after).diff

/** What the first revision of an entity did to each field, which its snapshot tells: none of them was there. */
export const diffOfFirst = (snapshot: Revision["snapshot"]): Revision["diff"] => differences({}, snapshot)

/** What a revision shows of a change. */
const shownOf = (before: EntityRecord | null, after: EntityRecord): Pick<Revision, "diff" | "snapshot"> => {
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
