import * as Effect from "effect/Effect"
import { record } from "../../platform/audit/index.js"
import { atomically, Caller, type Inspector, nameNorm, traced } from "../../platform/kernel/index.js"
import type { StoredEntity } from "./model.js"
import { EntityStore } from "./store.js"
import { surfaceKey } from "./tokens.js"

/** Kinds of findings about the derived columns of entities. */
export const entityFindings = {
  entity_head_differs: "difference",
  entity_misfiled: "difference"
} as const

type EntityInspector = Inspector<keyof typeof entityFindings>

const entitiesPerPage = 256
/** Longest chain of merges that is followed; a longer one is a cycle. */
const chainMax = 1000

/**
 * Inspects the derived columns of entities: compares heads with merges and lookup keys with names. A rebuild derives
 * them again. Returns the number of entities.
 */
export const inspectEntities = traced("entities.inspect")(function* (inspector: EntityInspector) {
  const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
  for (let [seq, done] = [0, 0]; ; ) {
    const page = yield* entities.changesSince(workspace, seq, entitiesPerPage)
    const suspects = yield* suspectsOf(page)
    if (suspects.length > 0) yield* confirm(inspector, suspects)
    done += page.length
    yield* inspector.progress(done, done)
    const last = page.at(-1)
    if (last === undefined) return done
    seq = last.seq
    yield* Effect.sleep(0)
  }
})

const suspectsOf = (page: ReadonlyArray<StoredEntity>) =>
  Effect.gen(function* () {
    const filed = yield* correctlyKeyed(page)
    return yield* Effect.filter(page, (entity) =>
      filed.has(entity.id)
        ? Effect.map(headOfChain(entity), (head) => head !== entity.headId)
        : Effect.succeed(true)
    )
  })

const confirm = (inspector: EntityInspector, suspects: ReadonlyArray<StoredEntity>) =>
  atomically(
    Effect.gen(function* () {
      const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
      const present = yield* entities.findMany(
        workspace,
        suspects.map(({ id }) => id)
      )
      const filed = yield* correctlyKeyed(present)
      for (const entity of present) {
        yield* inspectHead(inspector, entity)
        if (!filed.has(entity.id)) yield* reportMisfiled(inspector, entity)
      }
    })
  )

const inspectHead = (inspector: EntityInspector, entity: StoredEntity) =>
  Effect.gen(function* () {
    const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
    const head = yield* headOfChain(entity)
    if (head === entity.headId) return
    yield* inspector.report("entity_head_differs", {
      subject: entity.id,
      message: `The head of ${entity.name} is not the entity that it was merged into.`
    })
    if (inspector.rebuild) yield* entities.setHead(workspace, [entity.id], head)
  })

const reportMisfiled = (inspector: EntityInspector, entity: StoredEntity) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* EntityStore).inspection, yield* Caller]
    yield* inspector.report("entity_misfiled", {
      subject: entity.id,
      message: `The search keys of ${entity.name} are not those of its names.`
    })
    if (!inspector.rebuild) return
    yield* inspection.refile(workspace, entity)
    yield* record([{ action: "entity.repair", subjectId: entity.id, details: { refiled: true } }])
  })

/** Returns the last entity of the chain of merges; if the chain is broken, the last one that exists. */
const headOfChain = (entity: StoredEntity) =>
  Effect.gen(function* () {
    const [entities, { workspace }] = [yield* EntityStore, yield* Caller]
    let head: StoredEntity = entity
    for (let step = 0; head.mergedInto !== null && step < chainMax; step++) {
      const [next] = yield* entities.findMany(workspace, [head.mergedInto])
      if (next === undefined) break
      head = next
    }
    return head.id
  })

/** Returns the ids of entities whose stored keys match their names and aliases. */
const correctlyKeyed = (page: ReadonlyArray<StoredEntity>) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* EntityStore).inspection, yield* Caller]
    const filings = yield* inspection.filings(
      workspace,
      page.map(({ id }) => id)
    )
    return new Set(
      page.flatMap(({ id, name }) => {
        const filing = filings.get(id)
        const isRight =
          filing !== undefined &&
          filing.nameNorm === nameNorm(name) &&
          filing.nameKey === surfaceKey(name) &&
          filing.aliases.every(
            ({ alias, key, norm }) => norm === nameNorm(alias) && key === surfaceKey(alias)
          )
        return isRight ? [id] : []
      })
    )
  })
