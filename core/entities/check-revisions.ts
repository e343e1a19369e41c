import * as Effect from "effect/Effect"
import { eventsOf, isMoment, record } from "../audit/index.js"
import { atomically, Caller, type EntityId, type Examiner } from "../kernel/index.js"
import { diffBetween, diffOfFirst, snapshotOf } from "./commit.js"
import { EntityInspection, type KeptRevision } from "./inspection.js"
import { ChangeKind, type Revision, type StoredEntity } from "./model.js"
import { isSnapshot } from "./revision.js"
import { EntityStore } from "./store.js"

const brokenMax = 1000

/**
 * Puts revisions together again of which a part cannot be read, or says what cannot be: a state is the one before it
 * with its changes, or the one after it without them, or that of the entity as it stands; what was done, and when, the
 * trail tells. Where these contradict each other, and where nothing tells, a revision stays as it is.
 */
export const checkRevisions = (examiner: Examiner<"revision_broken">) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* EntityInspection, yield* Caller]
    if ((yield* inspection.brokenRevisions(workspace, 1)).length === 0) return
    yield* atomically(
      Effect.gen(function* () {
        for (const id of yield* inspection.brokenRevisions(workspace, brokenMax)) {
          for (const one of yield* inspection.keptRevisions(workspace, id))
            if (isBroken(one))
              yield* examiner.tell("revision_broken", {
                subject: `revision ${one.version} of ${id}`,
                message: "a revision cannot be read, or says what cannot be"
              })
          if (examiner.repair) yield* mendOf(id)
        }
      })
    )
  })

const isBroken = ({ changeKind, createdAt, diff, snapshot }: KeptRevision): boolean =>
  snapshot === null || diff === null || !ChangeKind.safeParse(changeKind).success || !isMoment(createdAt)

const mendOf = (id: EntityId) =>
  Effect.gen(function* () {
    const [inspection, entities, { workspace }] = [yield* EntityInspection, yield* EntityStore, yield* Caller]
    const [entity] = yield* entities.findMany(workspace, [id])
    const told = yield* eventsOf(id)
    // What was put together may be what the next one is put together from: upwards, then downwards.
    for (const isUpwards of [true, false]) {
      const kept = yield* inspection.keptRevisions(workspace, id)
      const versions = kept.map(({ version }) => version)
      for (const version of isUpwards ? versions : versions.reverse()) {
        const all = new Map(
          (yield* inspection.keptRevisions(workspace, id)).map((one) => [one.version, one] as const)
        )
        const event = told.find(({ details }) => details["version"] === version)
        const broken = all.get(version)
        const mended = broken === undefined ? null : wholeOf(broken, all, entity, event)
        if (mended === null || !(yield* inspection.rewriteRevision(workspace, id, mended))) continue
        yield* record([{ action: "entity.repair", subjectId: id, details: { revision: version } }])
      }
    }
  })

type Told = Effect.Effect.Success<ReturnType<typeof eventsOf>>[number]

/** The revision as it must have been; null where it is whole, or nobody can say. */
const wholeOf = (
  one: KeptRevision,
  all: ReadonlyMap<number, KeptRevision>,
  entity: StoredEntity | undefined,
  event: Told | undefined
): Revision | null => {
  const kind = ChangeKind.safeParse(event?.action.replace(/^entity\./, "")).data
  const changeKind = ChangeKind.safeParse(one.changeKind).data ?? kind
  const createdAt = isMoment(one.createdAt) ? one.createdAt : event?.at
  if (!isBroken(one) || changeKind === undefined || createdAt === undefined) return null
  const [before, after] = [all.get(one.version - 1), all.get(one.version + 1)]
  const snapshot = one.snapshot ?? stateOf({ ...one, createdAt }, before, after, entity)
  if (snapshot === null || !agrees(snapshot, event)) return null
  const diff =
    one.diff ??
    (one.version === 1
      ? diffOfFirst(snapshot)
      : before === undefined || before.snapshot === null
        ? null
        : diffBetween(before.snapshot, snapshot))
  return diff === null ? null : { ...one, changeKind, createdAt, snapshot, diff }
}

/** The state that a version was in, where those that tell of it say the same. */
const stateOf = (
  { createdAt, diff, version }: KeptRevision,
  before: KeptRevision | undefined,
  after: KeptRevision | undefined,
  entity: StoredEntity | undefined
): Revision["snapshot"] | null => {
  const own = { version, updatedAt: createdAt }
  const candidates = [
    ...(before?.snapshot && diff !== null ? [{ ...before.snapshot, ...sideOf(diff, "to"), ...own }] : []),
    ...(after?.snapshot && after.diff !== null
      ? [{ ...after.snapshot, ...sideOf(after.diff, "from"), ...own }]
      : []),
    ...(entity?.version === version ? [{ ...snapshotOf(entity), ...own }] : [])
  ].filter(isSnapshot)
  const [first, ...others] = candidates
  return first !== undefined && others.every((other) => isAlike(first, other)) ? first : null
}

const sideOf = (diff: Revision["diff"], side: "from" | "to") =>
  Object.fromEntries(Object.entries(diff).map(([field, moved]) => [field, moved[side]]))

const isAlike = (a: Revision["snapshot"], b: Revision["snapshot"]): boolean =>
  Object.keys(diffBetween(sorted(a), sorted(b))).length === 0

/** Databases and we disagree on the order of some aliases. */
const sorted = (snapshot: Revision["snapshot"]): Revision["snapshot"] => ({
  ...snapshot,
  aliases: [...(Array.isArray(snapshot["aliases"]) ? snapshot["aliases"] : [])].sort()
})

/** Whether it is what the trail calls it, where that tells of it. */
const agrees = (snapshot: Revision["snapshot"], event: Told | undefined): boolean =>
  event === undefined ||
  (["name", "type"] as const).every((field) => event.details[field] === snapshot[field])
