import * as Effect from "effect/Effect"
import { z } from "zod"
import { announce } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  crashPoint,
  type EntityId,
  NotFound,
  traced
} from "../../platform/kernel/index.js"
import {
  commitEntities,
  decide,
  EntityStore,
  entitiesChanged,
  headOf,
  membersOf,
  type Revision,
  readsNotes,
  refuseOthers,
  refuseTakenName,
  type StoredEntity,
  snapshotOf,
  toEntity
} from "../entities/index.js"

/** Lists revisions, newest first; a merged id means its head. */
export const listRevisions = traced("curation.revisions")(function* (id: EntityId, limit: number) {
  const head = yield* headOf(id)
  return { entityId: head.id, revisions: [...(yield* shownRevisions(head.id, limit))] }
})

/** Returns revisions of exactly this entity, newest first, without the editorial note for callers who may not write. */
export const shownRevisions = (id: EntityId, limit: number) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* EntityStore, yield* Caller]
    const found = yield* store.revisions(caller.workspace, id, limit)
    return readsNotes(caller) ? found : found.map(withoutNote)
  })

const withoutNote = ({ diff, snapshot, ...rest }: Revision): Revision => {
  const { editorialNote: _, ...shown } = diff
  return { ...rest, diff: shown, snapshot: { ...snapshot, editorialNote: "" } }
}

/**
 * Restores name, type, aliases, description and note of an earlier version as a new version. Equal fields are not
 * marked as set by a person, so extraction may still add aliases to them.
 */
export const restoreRevision = traced("curation.restoreRevision")(function* (id: EntityId, version: number) {
  return yield* atomically(
    Effect.gen(function* () {
      const before = yield* headOf(id)
      yield* refuseOthers(before)
      const fields = changedSince(before, yield* fieldsOf(before, version))
      const after = yield* decide(before, { _tag: "Edit", fields })
      if (after !== before) {
        yield* refuseTakenName(after)
        const note = `revision ${version}`
        yield* commitEntities([{ before, after, changeKind: "restore", note }])
        yield* announce(entitiesChanged, {})
      }
      return toEntity(after, yield* membersOf(after.id))
    })
  ).pipe(Effect.zipLeft(crashPoint("entity.curate.afterTransaction")))
})

/** The fields of a revision that a person may set. */
const Fields = z.object({
  name: z.string(),
  type: z.string(),
  aliases: z.array(z.string()),
  description: z.string().nullable(),
  editorialNote: z.string()
})

/** Returns the personal fields of an earlier version; NotFound if it does not exist or cannot be read. */
const fieldsOf = ({ id, version: newest }: StoredEntity, version: number) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EntityStore, yield* Caller]
    // Versions have no gaps, so the wanted one is among this many newest revisions.
    const newer = newest - version + 1
    const found = newer < 1 ? [] : yield* store.revisions(workspace, id, newer)
    const read = Fields.safeParse(found.find((one) => one.version === version)?.snapshot)
    return read.success ? read.data : yield* new NotFound({ what: "revision" })
  })

const changedSince = (entity: StoredEntity, then: z.output<typeof Fields>) => {
  const shown = Fields.parse(snapshotOf(entity))
  const isSame = (field: keyof typeof shown) => JSON.stringify(shown[field]) === JSON.stringify(then[field])
  return {
    ...(isSame("name") ? {} : { name: then.name }),
    ...(isSame("type") ? {} : { type: then.type }),
    ...(isSame("aliases") ? {} : { aliases: then.aliases }),
    ...(isSame("description") ? {} : { description: then.description }),
    ...(isSame("editorialNote") ? {} : { editorialNote: then.editorialNote })
  }
}
