import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import {
  type EntityId,
  groupBy,
  Ids,
  nameNorm,
  now,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { wordHash } from "../document-facts/index.js"
import {
  allAliases,
  type Command,
  claimKey,
  commitEntities,
  decide,
  type EntityChange,
  EntityStore,
  isDetectable,
  isReadBySpelling,
  newRecord,
  type StoredEntity,
  sharedKey,
  surfaceKey
} from "../entities/index.js"
import { GraphStore, type KnownSurface } from "../graph/index.js"
import { loadTagger, typeOfName } from "../prose/index.js"
import { decideName, mayBeNamed, singularOf, type WantedName } from "./name-claims.js"

/** Names resolved in one unit of work. */
const namesPerUnit = 400
/** Entity changes applied in one unit of work. */
const entitiesPerUnit = 400

/**
 * Resolves the next names with changed claims and updates the entities. Returns their number; 0 when none is pending.
 */
export const resolveNextNames = traced("graph.settle")(function* (workspace: WorkspaceScope) {
  const names = (yield* GraphStore).unresolved
  const keys = yield* names.list(workspace, namesPerUnit)
  if (keys.length === 0) return 0
  const decided = yield* decisionsFor(workspace, keys)
  yield* commitEntities(freeNamesFirst(decided.flatMap(({ changes }) => changes)))
  yield* names.remove(workspace, keys)
  return keys.length
})

/** Returns the changes that the entities of these names need; empty when nothing has to change. */
export const decisionsFor = (workspace: WorkspaceScope, keys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Effect.promise(loadTagger)
    const [readingStore, claimStore, entities] = [
      (yield* GraphStore).records,
      (yield* GraphStore).claims,
      yield* EntityStore
    ]
    const singulars = keys.flatMap((key) => singularOf(key) ?? [])
    const claims = groupBy(yield* claimStore.claims(workspace, [...keys, ...singulars]), ({ key }) => key)
    const small = yield* readingStore.smallCounts(
      workspace,
      [...claims].flatMap(([key, own]) => (mayBeNamed(key, own) ? (wordHash(key) ?? []) : []))
    )
    const aliases = groupBy(yield* claimStore.aliasClaims(workspace, keys), ({ subject }) => subject)
    const found = yield* entities.bySurface(workspace, keys)
    const stated = new Set(
      yield* (yield* GraphStore).statedAbout(
        workspace,
        found.map(({ id }) => id)
      )
    )
    const at = yield* now
    const ids = yield* Ids
    const holders = groupBy(
      found
        .filter(isMaintainedByPeople)
        .flatMap((entity) => [...new Set(surfacesOf(entity))].map((surface) => ({ surface, entity }))),
      ({ surface }) => surface
    )
    const claimants = groupBy(found, (entity) => sharedKey(claimOf(entity).key))
    const decided = keys.map((key) => {
      const namedEntities = (holders.get(key) ?? []).map(({ entity }) => entity)
      const wanted = decideName(
        key,
        claims.get(key) ?? [],
        aliases.get(key) ?? [],
        claims.get(singularOf(key) ?? "") ?? [],
        (word) => small.get(wordHash(word) ?? -1) ?? 0,
        new Set(namedEntities.map(({ type }) => type)),
        typeOfName
      )
      return { key, namedEntities, wanted }
    })
    const names = yield* namesInUse(
      workspace,
      found,
      decided.flatMap(({ wanted }) => wanted.flatMap(({ names }) => (names.length > 1 ? names : [])))
    )
    return decided.map(({ key, namedEntities, wanted }) => {
      const own = claimants.get(key) ?? []
      const isTaken = (type: string, name: string) =>
        namedEntities.some(
          (other) =>
            other.mergedInto === null &&
            other.type === type &&
            other.nameNorm === nameNorm(name) &&
            (sharedKey(claimOf(other).key) !== key || claimOf(other).type !== type)
        )
      const people = { stated, isTaken, nameFor: names.choose }
      return { key, changes: changesFor(wanted, own, people, at, () => ids.make("entity")) }
    })
  })

/**
 * Chooses names for entities that share one. A name that another live entity of the type has is not chosen, unless
 * there is no other.
 */
const namesInUse = (
  workspace: WorkspaceScope,
  found: ReadonlyArray<StoredEntity>,
  candidates: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const others =
      candidates.length === 0
        ? []
        : yield* (yield* EntityStore).bySurface(workspace, candidates.map(surfaceKey))
    const holderOf = new Map(
      [...found, ...others].flatMap(({ deletedAt, id, mergedInto, nameNorm, type }) =>
        deletedAt === null && mergedInto === null ? [[`${type}\n${nameNorm}`, id] as const] : []
      )
    )
    return {
      choose: ({ names, type }: WantedName, row: StoredEntity | undefined, id: EntityId): string => {
        if (names.length === 1) return names[0]
        const isFree = (name: string): boolean => {
          const holder = holderOf.get(`${type}\n${nameNorm(name)}`)
          return holder === undefined || holder === (row?.id ?? id)
        }
        const chosen = names.find(isFree) ?? names[names.length - 1] ?? names[0]
        holderOf.set(`${type}\n${nameNorm(chosen)}`, row?.id ?? id)
        return chosen
      }
    }
  })

/** Returns whether a person created or touched the entity; extraction never removes it then. */
const isMaintainedByPeople = (entity: StoredEntity): boolean =>
  entity.deletedAt === null && (entity.origin !== "extraction" || entity.touched)

/**
 * Returns the name under which documents know the entity: the extracted one, or the present name of a manual entity.
 */
const claimOf = (entity: StoredEntity): { readonly type: string; readonly key: string } =>
  entity.claim ?? { type: entity.type, key: claimKey(entity.name) }

const surfacesOf = (entity: StoredEntity): ReadonlyArray<string> =>
  [entity.name, ...entity.aliases].map((name) => claimKey(name))

interface People {
  readonly stated: ReadonlySet<EntityId>
  /** Returns whether a person gave this name to an entity that documents call something else. */
  readonly isTaken: (type: string, name: string) => boolean
  /** Returns the name of the entity: of its row, or of a new one with this id. */
  readonly nameFor: (wanted: WantedName, row: StoredEntity | undefined, id: EntityId) => string
}

const changesFor = (
  wanted: ReadonlyArray<WantedName>,
  own: ReadonlyArray<StoredEntity>,
  people: People,
  at: string,
  newId: () => EntityId
): ReadonlyArray<EntityChange> => {
  const changes: Array<EntityChange> = []
  const rows = rowsFor(wanted, own)
  for (const want of wanted) {
    const { aliases, claimKey: key, type } = want
    const row = rows.get(want)
    const id = row?.id ?? newId()
    const name = people.nameFor(want, row, id)
    const observed: Command = {
      _tag: "Observe",
      name,
      aliases,
      // An entity that people made has no claim of its own as long as its name is that of one document.
      ...(row === undefined || claimOf(row).key === key ? {} : { claimKey: key })
    }
    if (people.isTaken(type, name)) {
      // The entity that has the name is used; there is no second one.
      if (row?.deletedAt === null) changes.push(...change(row, [{ ...observed, name: row.name }], "update"))
    } else if (row === undefined) {
      const fresh = { id, name, type, origin: "extraction", authority: "machine_extracted" } as const
      const after = newRecord({ ...fresh, extractedAliases: aliases, claim: { type, key } }, at)
      changes.push({ before: null, after, changeKind: "create", note: null })
    } else if (row.deletedAt === null) changes.push(...change(row, [observed], "update"))
    else if (row.retired) changes.push(...change(row, [{ _tag: "Restore" }, observed], "restore"))
    // Entities deleted by a person are not created again.
  }
  const chosen = new Set([...rows.values()].map(({ id }) => id))
  for (const row of own) {
    if (chosen.has(row.id) || row.deletedAt !== null) continue
    const stays = isMaintainedByPeople(row) || people.stated.has(row.id)
    const command: Command = stays ? { _tag: "Observe", name: row.name, aliases: [] } : { _tag: "Retire", at }
    changes.push(...change(row, [command], stays ? "update" : "delete"))
  }
  return changes
}

/**
 * Returns the rows of the wanted entities. When a second document of a name comes or goes, claim keys change: a row
 * without a wanted entity then becomes that of an entity of its type without a row.
 */
const rowsFor = (
  wanted: ReadonlyArray<WantedName>,
  own: ReadonlyArray<StoredEntity>
): ReadonlyMap<WantedName, StoredEntity> => {
  const rows = new Map<WantedName, StoredEntity>()
  const left = [...own].sort(byClaimTo)
  const take = (want: WantedName, fits: (row: StoredEntity) => boolean): void => {
    const at = left.findIndex((row) => claimOf(row).type === want.type && fits(row))
    const [row] = at < 0 ? [] : left.splice(at, 1)
    if (row !== undefined) rows.set(want, row)
  }
  for (const want of wanted) take(want, (row) => claimOf(row).key === want.claimKey)
  const isWanted = new Set(wanted.map(({ claimKey }) => claimKey))
  for (const want of wanted)
    if (!rows.has(want)) take(want, (row) => !isWanted.has(claimOf(row).key) && mayReturn(row))
  return rows
}

/** Returns false for an entity that a person deleted or merged away: extraction does not restore it. */
const mayReturn = (row: StoredEntity): boolean =>
  row.deletedAt === null ? row.mergedInto === null : row.retired

/** Orders rows of one claim: live rows first, those of people before others, then rows deleted by a person. */
const byClaimTo = (a: StoredEntity, b: StoredEntity): number => {
  const order = (row: StoredEntity) =>
    row.deletedAt === null
      ? (row.mergedInto === null ? 0 : 2) + (isMaintainedByPeople(row) ? 0 : 1)
      : row.retired
        ? 5
        : 4
  return (
    order(a) - order(b) || (a.nameNorm < b.nameNorm ? -1 : a.nameNorm > b.nameNorm ? 1 : a.id < b.id ? -1 : 1)
  )
}

/** Combines several commands into one change with one version and one revision. */
const change = (
  before: StoredEntity,
  commands: ReadonlyArray<Command>,
  changeKind: EntityChange["changeKind"]
): ReadonlyArray<EntityChange> => {
  const moved = commands.reduce<EntityChange["after"]>(
    (now, command) => Either.getOrElse(decide(now, command), () => now),
    before
  )
  if (moved === before) return []
  return [{ before, after: { ...moved, version: before.version + 1 }, changeKind, note: null }]
}

/** Orders changes that free a name before those that take one. */
const freeNamesFirst = (changes: ReadonlyArray<EntityChange>): ReadonlyArray<EntityChange> => {
  const order = ({ before, changeKind }: EntityChange) =>
    changeKind === "delete" ? 0 : before === null ? 2 : 1
  return [...changes].sort((a, b) => order(a) - order(b))
}

/**
 * Applies the next entity changes of extraction and of people: updates the detection surfaces, marks documents whose
 * mentions or relations may change, and marks names taken or freed by people as unresolved. Returns the number of
 * changes; 0 at the end of the feed.
 */
export const applyEntityChanges = traced("graph.entities")(function* (workspace: WorkspaceScope) {
  const [extraction, readingStore, entities] = [
    (yield* GraphStore).extraction,
    (yield* GraphStore).records,
    yield* EntityStore
  ]
  const state = yield* extraction.state(workspace)
  const feed = yield* entities.changesSince(workspace, state.entityCursor, entitiesPerUnit)
  const last = feed.at(-1)
  if (last === undefined) return 0
  // The detection surfaces of a head include those of its members.
  const members = yield* entities.members(
    workspace,
    feed.map(({ id }) => id)
  )
  const changed = [...new Map([...feed, ...members].map((entity) => [entity.id, entity])).values()]
  const heads = new Map(
    (yield* entities.findMany(
      workspace,
      changed.map(({ headId }) => headId)
    )).map((head) => [head.id, head])
  )
  const wanted = changed.flatMap((entity) => detectedBy(entity, heads.get(entity.headId)))
  const known = yield* extraction.surfaces(
    workspace,
    changed.map(({ id }) => id)
  )
  const text = ({ entityId, headId, key }: KnownSurface) => `${entityId} ${headId} ${key}`
  const [before, after] = [new Set(known.map(text)), new Set(wanted.map(text))]
  const removed = known.filter((surface) => !after.has(text(surface)))
  const added = wanted.filter((surface) => !before.has(text(surface)))
  // A changed entity may be found by the same name in other spellings than before.
  const extracted = new Set(feed.flatMap(({ id, origin }) => (origin === "extraction" ? id : [])))
  const respelled = wanted.filter(({ entityId, key }) => extracted.has(entityId) && isReadBySpelling(key))
  yield* readingStore.markStale(workspace, [
    ...(yield* extraction.mentioning(workspace, removed)),
    ...(yield* readingStore.holders(
      workspace,
      [...added, ...respelled].map(({ key }) => key)
    ))
  ])
  yield* extraction.changeSurfaces(workspace, { removed, added })
  yield* markDocumentsStale(workspace, [
    ...[...removed, ...added].map(({ key }) => key),
    ...feed.flatMap((entity) => [sharedKey(claimOf(entity).key), ...allSurfaces(entity)])
  ])
  yield* (yield* GraphStore).unresolved.add(
    workspace,
    feed
      .filter((entity) => entity.origin !== "extraction" || entity.touched)
      .flatMap((entity) => [
        sharedKey(claimOf(entity).key),
        ...allSurfaces(entity),
        ...known.filter(({ entityId }) => entityId === entity.id).map(({ key }) => key)
      ])
  )
  yield* (yield* GraphStore).rehead(
    workspace,
    changed.map(({ deletedAt, headId, id }) => ({
      id,
      head: deletedAt === null && heads.get(headId)?.deletedAt === null ? headId : null
    }))
  )
  yield* extraction.setState(workspace, { ...state, entityCursor: last.seq })
  return feed.length
})

const allSurfaces = (entity: StoredEntity): ReadonlyArray<string> =>
  [entity.name, ...allAliases(entity)].map((name) => claimKey(name))

/** Returns the names by which an entity is detected. */
export const detectedBy = (
  entity: StoredEntity,
  head: StoredEntity | undefined
): ReadonlyArray<KnownSurface> => {
  if (entity.deletedAt !== null || head === undefined || head.deletedAt !== null) return []
  if (head.lifecycle === "draft" || head.lifecycle === "pending_review") return []
  const keys = [entity.name, ...allAliases(entity)].map(surfaceKey).filter(isDetectable)
  return [...new Set(keys)].map((key) => ({ entityId: entity.id, key, headId: entity.headId }))
}

/** Marks documents with relations to or from these names as stale. */
const markDocumentsStale = (workspace: WorkspaceScope, keys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [readingStore, claimStore] = [(yield* GraphStore).records, (yield* GraphStore).claims]
    const claimants = yield* claimStore.claimants(workspace, keys)
    const about = claimants.filter(({ role }) => role === "self").map(({ documentId }) => documentId)
    yield* readingStore.markStale(workspace, [
      ...claimants.map(({ documentId }) => documentId),
      ...(yield* readingStore.linkers(workspace, about))
    ])
  })
