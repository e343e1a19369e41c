import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { announce } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  Conflict,
  crashPoint,
  type EntityId,
  Ids,
  invalid,
  NotFound,
  nameNorm,
  now,
  type PageRequest,
  traced
} from "../../platform/kernel/index.js"
import { commitEntities, entitiesChanged } from "./commit.js"
import { Detectors } from "./detect.js"
import { decide, type EntityFields } from "./machine.js"
import {
  type Authority,
  type EntityListing,
  type EntityRecord,
  entityLimits,
  type Lifecycle,
  type Origin,
  type PersonField,
  type StoredEntity
} from "./model.js"
import { nameSimilarity } from "./name-similarity.js"
import { refuseOthers } from "./reviewer.js"
import { EntityStore } from "./store.js"
import { surfaceKey } from "./tokens.js"
import { allAliases, isCanonical, isRetired, newRecord, toEntity } from "./view.js"

/**
 * Returns the live head of an entity: itself or the one it was merged into. NotFound when that is deleted or unknown.
 */
export const headOf = traced("entities.head")(function* (id: EntityId) {
  const [store, { workspace }] = [yield* EntityStore, yield* Caller]
  const own = Option.getOrNull(yield* store.find(workspace, id))
  const head =
    own === null || own.headId === own.id ? own : Option.getOrNull(yield* store.find(workspace, own.headId))
  if (own === null || head === null || own.deletedAt !== null || head.deletedAt !== null) {
    return yield* new NotFound({ what: "entity" })
  }
  return head
})

/** Returns the entities merged into a head. */
export const membersOf = traced("entities.members")(function* (head: EntityId) {
  const [store, { workspace }] = [yield* EntityStore, yield* Caller]
  return (yield* store.members(workspace, [head])).filter(
    ({ deletedAt, id }) => id !== head && deletedAt === null
  )
})

/** Lists live canonical entities, the highest PageRank first; `limit` is clamped to 200. */
export const listEntities = traced("entities.list")(function* (page: PageRequest, filter: EntityListing) {
  const [store, { workspace }] = [yield* EntityStore, yield* Caller]
  const limit = Math.min(page.limit, entityLimits.pageMax)
  const { items, total } = yield* store.list(workspace, { limit, offset: page.offset }, filter)
  return {
    entities: items.map(({ authority, id, lifecycle, name, nextReviewAt, ownerId, pagerank, type }) => ({
      id,
      name,
      type,
      pagerank,
      authority,
      lifecycleStatus: lifecycle,
      ownerId,
      nextReviewAt
    })),
    total,
    limit,
    offset: page.offset
  }
})

/** Input for an entity created by hand or by an import. */
export interface NewEntity {
  readonly name: string
  readonly type: string
  readonly aliases?: ReadonlyArray<string> | undefined
  readonly description?: string | undefined
  readonly origin?: Exclude<Origin, "extraction">
  /** Default: `asserted`. */
  readonly authority?: Authority
  /** Default: `published`. */
  readonly lifecycle?: Lifecycle
}

/** Creates an entity, by default asserted and published. Conflict when a live one of this type has the name. */
export const createEntity = traced("entities.create")(function* (input: NewEntity) {
  const [ids, at] = [yield* Ids, yield* now]
  // Aliases given at creation are not final: documents may add to them until a person edits the list.
  const fields: ReadonlyArray<PersonField> =
    input.description === undefined ? ["name", "type"] : ["description", "name", "type"]
  const after = newRecord(
    {
      id: ids.make("entity"),
      name: input.name,
      type: input.type,
      origin: input.origin ?? "manual",
      authority: input.authority ?? "asserted",
      lifecycle: input.lifecycle ?? "published",
      description: input.description ?? null,
      aliases: input.aliases ?? [],
      personFields: fields
    },
    at
  )
  yield* atomically(
    Effect.gen(function* () {
      yield* refuseTakenName(after)
      yield* commitEntities([{ before: null, after, changeKind: "create", note: null }])
      yield* announce(entitiesChanged, {})
    })
  )
  yield* crashPoint("entity.write.afterTransaction")
  return toEntity(after)
})

/** Sets fields of an entity, or of the head of a merged one. The authority does not change. */
export const updateEntity = traced("entities.update")(function* (
  id: EntityId,
  fields: EntityFields,
  expectVersion?: number
) {
  const after = yield* atomically(
    Effect.gen(function* () {
      const before = yield* headOf(id)
      yield* refuseOthers(before)
      if (expectVersion !== undefined && before.version !== expectVersion)
        return yield* new Conflict({
          message: `The entity was changed since it was read: its version is ${before.version} now.`
        })
      const edited = yield* decide(before, { _tag: "Edit", fields }).pipe(
        Effect.mapError(() => new NotFound({ what: "entity" }))
      )
      if (edited === before) return before
      yield* refuseTakenName(edited)
      yield* commitEntities([{ before, after: edited, changeKind: "update", note: null }])
      yield* announce(entitiesChanged, {})
      return edited
    })
  )
  yield* crashPoint("entity.write.afterTransaction")
  return { ...toEntity(after, yield* membersOf(after.id)), version: after.version }
})

/** Fails when another live canonical entity of the type has the name, or when the name has an empty key. */
export const refuseTakenName = (wanted: EntityRecord) =>
  Effect.gen(function* () {
    if (nameNorm(wanted.name) === "")
      return yield* invalid(["name"], "empty", "A name needs a visible character.")
    const [store, { workspace }] = [yield* EntityStore, yield* Caller]
    const holder = yield* store.findByName(workspace, wanted.type, wanted.nameNorm)
    if (Option.isSome(holder) && holder.value.id !== wanted.id) {
      return yield* new Conflict({
        message: `A ${wanted.type} of this name already exists.`,
        existingId: holder.value.id
      })
    }
  })

/** How a candidate was found, best first. */
export type MatchKind = "exact" | "alias" | "fuzzy"

/** A candidate for a name. `matched` is the name or alias that matched. */
export interface ResolvedEntity {
  readonly entity: StoredEntity
  readonly matched: string
  readonly matchKind: MatchKind
  /** In (0, 1]: 1 for an exact match, 0.95 for an alias, the similarity for a fuzzy match. */
  readonly score: number
}

/** Minimum similarity of a fuzzy match; below it, unrelated names begin to match. */
const fuzzyScoreMin = 0.5

/** Returns candidate entities for a name: exact name matches first, then alias matches, then similar names. */
export const resolveEntities = traced("entities.resolve")(function* (
  query: string,
  options: { readonly type?: string | undefined; readonly limit: number }
) {
  const [store, { workspace }] = [yield* EntityStore, yield* Caller]
  const best = new Map<EntityId, { matched: string; matchKind: MatchKind; score: number }>()
  const offer = (id: EntityId, found: { matched: string; matchKind: MatchKind; score: number }) => {
    if ((best.get(id)?.score ?? 0) < found.score) best.set(id, found)
  }
  const key = surfaceKey(query)
  for (const entity of yield* store.bySurface(workspace, key === "" ? [] : [key])) {
    if (entity.deletedAt !== null) continue
    const isName = surfaceKey(entity.name) === key && isCanonical(entity)
    const alias = [entity.name, ...allAliases(entity)].find((one) => surfaceKey(one) === key) ?? entity.name
    offer(entity.headId, {
      matched: isName ? entity.name : alias,
      matchKind: isName ? "exact" : "alias",
      score: isName ? 1 : 0.95
    })
  }
  const alike = nameSimilarity(query, fuzzyScoreMin)
  for (const { headId, surfaces } of (yield* (yield* Detectors).of(workspace)).entities) {
    for (const surface of surfaces) {
      const score = alike(surface)
      if (score >= fuzzyScoreMin)
        offer(headId, { matched: surface, matchKind: "fuzzy", score: Math.min(score, 0.94) })
    }
  }
  const entities = yield* store.findMany(workspace, [...best.keys()])
  return entities
    .flatMap((entity): ReadonlyArray<ResolvedEntity> => {
      const found = best.get(entity.id)
      const fits = isCanonical(entity) && (options.type === undefined || entity.type === options.type)
      return found === undefined || !fits ? [] : [{ entity, ...found }]
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        // Retired entities come last.
        Number(isRetired(a.entity)) - Number(isRetired(b.entity)) ||
        (b.entity.pagerank ?? -1) - (a.entity.pagerank ?? -1) ||
        (a.entity.nameNorm < b.entity.nameNorm ? -1 : a.entity.nameNorm > b.entity.nameNorm ? 1 : 0) ||
        (a.entity.id < b.entity.id ? -1 : 1)
    )
    .slice(0, options.limit)
})
