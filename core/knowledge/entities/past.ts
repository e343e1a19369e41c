import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { EntityId, type WorkspaceScope } from "../../platform/kernel/index.js"
import { Authority, Lifecycle, Origin, type Revision, type StoredEntity } from "./model.js"
import type { EntityStore } from "./store.js"

/** What a revision tells of an entity; the rest does not change with its versions. */
const Snapshot = z.object({
  name: z.string(),
  type: z.string(),
  nameNorm: z.string(),
  origin: Origin,
  description: z.string().nullable(),
  aliases: z.array(z.string()),
  authority: Authority,
  lifecycleStatus: Lifecycle,
  ownerId: z.string().nullable(),
  stewardIds: z.array(z.string()),
  version: z.int(),
  lastReviewedAt: z.string().nullable(),
  nextReviewAt: z.string().nullable(),
  supersededBy: EntityId.nullable(),
  editorialNote: z.string(),
  mergedIds: z.array(EntityId),
  mergedInto: EntityId.nullable(),
  deletedAt: z.string().nullable()
})

/** Longest chain of merges that is followed; there are no cycles. */
const mergesMax = 50

/** The entities as they stood at an earlier moment, for reading by id. Those that did not exist then are missing. */
export const entitiesAt = (store: EntityStore["Type"], at: string): EntityStore["Type"] => {
  const own = (workspace: WorkspaceScope, ids: ReadonlyArray<EntityId>) =>
    Effect.gen(function* () {
      const present = yield* store.findMany(workspace, ids)
      const changed = present.filter(({ updatedAt }) => updatedAt > at).map(({ id }) => id)
      const revisions = new Map(
        (yield* store.revisionsAt(workspace, changed, at)).map(({ entityId, revision }) => [
          entityId,
          revision
        ])
      )
      return present.flatMap((one): ReadonlyArray<StoredEntity> => {
        if (one.updatedAt <= at) return [one]
        const revision = revisions.get(one.id)
        const past = revision === undefined ? null : asRevised(one, revision)
        return past === null ? [] : [past]
      })
    })
  /** Sets the heads of then: a merge may have come later, also one of the head. */
  const withHeads = (workspace: WorkspaceScope, found: ReadonlyArray<StoredEntity>) =>
    Effect.forEach(found, (one) =>
      Effect.gen(function* () {
        let head = one
        for (let merges = 0; head.mergedInto !== null && merges < mergesMax; merges++) {
          const [into] = yield* own(workspace, [head.mergedInto])
          if (into === undefined) break
          head = into
        }
        return { ...one, headId: head.id }
      })
    )
  const findMany: EntityStore["Type"]["findMany"] = (workspace, ids) =>
    Effect.flatMap(own(workspace, ids), (found) => withHeads(workspace, found))
  const members: EntityStore["Type"]["members"] = (workspace, heads) =>
    Effect.gen(function* () {
      const found = new Map<EntityId, StoredEntity>()
      let wanted = heads
      while (wanted.length > 0) {
        const read = (yield* own(workspace, wanted)).filter(({ id }) => !found.has(id))
        for (const one of read) found.set(one.id, one)
        wanted = read.flatMap(({ mergedIds }) => mergedIds)
      }
      return yield* withHeads(workspace, [...found.values()])
    })
  return {
    ...store,
    find: (workspace, id) => Effect.map(findMany(workspace, [id]), ([one]) => Option.fromNullable(one)),
    findMany,
    members,
    briefs: (workspace, heads) =>
      Effect.map(members(workspace, heads), (found) => found.filter(({ deletedAt }) => deletedAt === null))
  }
}

const asRevised = (present: StoredEntity, { createdAt, snapshot }: Revision): StoredEntity | null => {
  const read = Snapshot.safeParse(snapshot)
  if (!read.success) return null
  const { lifecycleStatus, ...fields } = read.data
  return { ...present, ...fields, lifecycle: lifecycleStatus, extractedAliases: [], updatedAt: createdAt }
}
