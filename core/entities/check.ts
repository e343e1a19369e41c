import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { atomically, Caller, type EntityId, type Examiner, nameNorm, now, traced } from "../kernel/index.js"
import { checkRevisions } from "./check-revisions.js"
import { commitEntities } from "./commit.js"
import { humanEditsOf, isEditedByPerson, repairNote as note } from "./human-edits.js"
import { EntityInspection } from "./inspection.js"
import type { EntityRecord, Revision, StoredEntity } from "./model.js"
import { differsFromRevision, recordOf } from "./revision.js"
import { EntityStore } from "./store.js"
import { surfaceKey } from "./tokens.js"

/** The kinds of what may be wrong with entities by themselves. */
export const entityFindings = {
  entity_aliases_stray: "difference",
  entity_head_differs: "difference",
  entity_id_impossible: "difference",
  entity_lost: "difference",
  entity_misfiled: "difference",
  entity_unrevised: "difference",
  revision_broken: "difference"
} as const

type EntityExaminer = Examiner<keyof typeof entityFindings>

const entitiesPerPage = 256
const lostMax = 1000
/** Merges after which a chain is no chain but a ring. */
const chainMax = 1000

/**
 * Compares each entity with the last of its revisions, with the head of its merges and with the keys under which it
 * is looked for. A revision is written with every change and never changed, so where they differ it is the row that
 * was damaged; the row is put back to it, as a change with a revision of its own. Gives how many entities there are.
 */
export const checkEntities = traced("entities.check")(function* (examiner: EntityExaminer) {
  const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
  yield* checkIds(examiner)
  yield* checkStrays(examiner)
  yield* checkRevisions(examiner)
  yield* checkLost(examiner)
  for (let [seq, done] = [0, 0]; ; ) {
    const page = yield* entities.changesSince(workspace, seq, entitiesPerPage)
    const suspects = yield* suspectsAmong(page)
    if (suspects.length > 0) yield* settle(examiner, suspects)
    done += page.length
    yield* examiner.progress(done, done)
    const last = page.at(-1)
    if (last === undefined) return done
    seq = last.seq
    yield* Effect.sleep(0)
  }
})

const suspectsAmong = (page: ReadonlyArray<StoredEntity>) =>
  Effect.gen(function* () {
    const filed = yield* filedRight(page)
    const acts = yield* actsOf(page)
    return yield* Effect.filter(page, (entity) =>
      Effect.gen(function* () {
        if (!filed.has(entity.id) || !isEditedByPerson(entity, acts.get(entity.id) ?? [])) return true
        if ((yield* headOfChain(entity)) !== entity.headId) return true
        return differsFromRevision(entity, (yield* latestOf(entity.id)).revision)
      })
    )
  })

/** What others than extraction did to them. */
const actsOf = (entities: ReadonlyArray<Pick<StoredEntity, "id">>) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* EntityInspection, yield* Caller]
    return yield* inspection.personActs(
      workspace,
      entities.map(({ id }) => id)
    )
  })

const settle = (examiner: EntityExaminer, suspects: ReadonlyArray<StoredEntity>) =>
  atomically(
    Effect.gen(function* () {
      const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
      for (const entity of yield* entities.findMany(
        workspace,
        suspects.map(({ id }) => id)
      ))
        yield* checkOne(examiner, entity)
    })
  )

const checkOne = (examiner: EntityExaminer, entity: StoredEntity) =>
  Effect.gen(function* () {
    const [entities, inspection, { workspace }] = [yield* EntityStore, yield* EntityInspection, yield* Caller]
    const { id } = entity
    const latest = yield* latestOf(id)
    const isUnknown = differsFromRevision(entity, latest.revision)
    if (isUnknown || !isEditedByPerson(entity, (yield* actsOf([entity])).get(id) ?? [])) {
      yield* examiner.tell("entity_unrevised", {
        subject: id,
        message: latest.isUnreadable
          ? `what the history last says of ${entity.name} cannot be read`
          : isUnknown
            ? `${entity.name} is in a state that its history does not know`
            : `${entity.name} does not count as what a person changed, of which its history tells`
      })
      if (examiner.repair) yield* putBack(entity, latest)
    }
    const head = yield* headOfChain(entity)
    if (head !== entity.headId) {
      yield* examiner.tell("entity_head_differs", {
        subject: id,
        message: `${entity.name} counts as another entity than it was merged into`
      })
      if (examiner.repair) yield* entities.setHead(workspace, [id], head)
    }
    if (!(yield* filedRight([entity])).has(id)) {
      yield* examiner.tell("entity_misfiled", {
        subject: id,
        message: `${entity.name} is not found under its own names`
      })
      const [present] = yield* entities.findMany(workspace, [id])
      if (examiner.repair && present !== undefined) {
        yield* inspection.refile(workspace, present)
        yield* record([{ action: "entity.repair", subjectId: id, details: { refiled: true } }])
      }
    }
  })

/** Where the history cannot be read, the row is what is known best: it stays, and a revision says so. */
const putBack = (entity: StoredEntity, { revision, version: last }: Latest) =>
  Effect.gen(function* () {
    const told = revision === undefined ? null : recordOf(entity, revision.snapshot)
    const version = Math.max(entity.version, last) + 1
    const hand = humanEditsOf({ ...entity, ...told }, (yield* actsOf([entity])).get(entity.id) ?? [])
    const after: EntityRecord = { ...entity, ...told, ...hand, version }
    yield* Effect.orDie(commitEntities([{ before: entity, after, changeKind: "update", note }]))
  })

/** The end of a history; undefined where there is none, or it cannot be read. */
interface Latest {
  readonly revision: Pick<Revision, "version" | "snapshot"> | undefined
  readonly isUnreadable: boolean
  readonly version: number
}

const latestOf = (id: EntityId): Effect.Effect<Latest, never, EntityInspection | Caller> =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* EntityInspection, yield* Caller]
    const last = yield* inspection.lastRevision(workspace, id)
    if (last === null) return { revision: undefined, isUnreadable: false, version: 0 }
    const { diff, snapshot, version } = last
    return diff === null || snapshot === null
      ? { revision: undefined, isUnreadable: true, version }
      : { revision: { version, snapshot }, isUnreadable: false, version }
  })

/** The newest state that the history tells of and that can be read. */
const lastStateOf = (id: EntityId) =>
  Effect.gen(function* () {
    const kept = yield* (yield* EntityInspection).keptRevisions((yield* Caller).workspace, id)
    const version = kept.at(-1)?.version ?? 0
    const readable = kept.filter(({ snapshot }) => snapshot !== null && recordOf(null, snapshot) !== null)
    return { version, snapshot: readable.at(-1)?.snapshot ?? null }
  })

/** Itself, or the last of the chain of merges; where the chain is broken, the last that is there. */
const headOfChain = (entity: StoredEntity) =>
  Effect.gen(function* () {
    const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
    let at: StoredEntity = entity
    for (let step = 0; at.mergedInto !== null && step < chainMax; step++) {
      const [next] = yield* entities.findMany(workspace, [at.mergedInto])
      if (next === undefined) break
      at = next
    }
    return at.id
  })

/** Ids of those that are filed under their names and aliases. */
const filedRight = (page: ReadonlyArray<StoredEntity>) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* EntityInspection, yield* Caller]
    const filings = yield* inspection.filings(
      workspace,
      page.map(({ id }) => id)
    )
    return new Set(
      page.flatMap(({ id, name }) => {
        const filing = filings.get(id)
        const right =
          filing !== undefined &&
          filing.nameNorm === nameNorm(name) &&
          filing.nameKey === surfaceKey(name) &&
          filing.aliases.every(
            ({ alias, key, norm }) => norm === nameNorm(alias) && key === surfaceKey(alias)
          )
        return right ? [id] : []
      })
    )
  })

/** A row under an id that is none goes: what it was comes back from its history, which has the id that it had. */
const checkIds = (examiner: EntityExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* EntityInspection, yield* Caller]
    if ((yield* inspection.impossibleIds(workspace)).length === 0) return
    yield* atomically(
      Effect.gen(function* () {
        const found = yield* inspection.impossibleIds(workspace)
        for (const id of found)
          yield* examiner.tell("entity_id_impossible", {
            subject: id,
            message: "an entity stands under an id that none can have, and has no history"
          })
        if (!examiner.repair || found.length === 0) return
        yield* inspection.removeImpossible(workspace)
        yield* record([
          { action: "entity.repair", subjectId: workspace, details: { impossibleIds: found.length } }
        ])
      })
    )
  })

const checkStrays = (examiner: EntityExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* EntityInspection, yield* Caller]
    if ((yield* inspection.strayAliases(workspace)) === 0) return
    yield* atomically(
      Effect.gen(function* () {
        const count = yield* inspection.strayAliases(workspace)
        if (count === 0) return
        yield* examiner.tell("entity_aliases_stray", {
          subject: "",
          message: "aliases of entities that are gone",
          count
        })
        if (!examiner.repair) return
        yield* inspection.removeStrayAliases(workspace)
        yield* record([{ action: "entity.repair", subjectId: workspace, details: { aliases: count } }])
      })
    )
  })

/**
 * Entities whose row is gone come back as their history says; deleted, where another has their name by now. One that
 * has their name and no history is themselves, under an id that is not theirs.
 */
const checkLost = (examiner: EntityExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* EntityInspection, yield* Caller]
    if ((yield* inspection.lost(workspace, 1)).length === 0) return
    yield* atomically(
      Effect.gen(function* () {
        for (const id of yield* inspection.lost(workspace, lostMax)) {
          const { snapshot, version } = yield* lastStateOf(id)
          const told = snapshot === null ? null : recordOf(null, snapshot)
          if (told === null) continue
          yield* examiner.tell("entity_lost", {
            subject: id,
            message: `${told.name} has a history and is not there`
          })
          if (!examiner.repair) continue
          const hand = humanEditsOf(told, (yield* actsOf([{ id }])).get(id) ?? [])
          yield* revive({ ...told, ...hand, id, version: version + 1 })
        }
      })
    )
  })

const revive = (after: EntityRecord) =>
  Effect.gen(function* () {
    const [entities, inspection, at, { workspace }] = [
      yield* EntityStore,
      yield* EntityInspection,
      yield* now,
      yield* Caller
    ]
    const isLive = after.deletedAt === null && after.mergedInto === null
    const find = entities.findByName(workspace, after.type, after.nameNorm)
    const named = isLive ? yield* find : null
    if (named !== null && named._tag === "Some") yield* inspection.removeUnknown(workspace, named.value.id)
    const holder = isLive ? yield* find : null
    const taken = holder !== null && holder._tag === "Some"
    yield* commitEntities([
      { before: null, after: taken ? { ...after, deletedAt: at } : after, changeKind: "restore", note }
    ]).pipe(Effect.orDie)
  })
