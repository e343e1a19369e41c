import { type ChangeKind, diffOfFirst, type Revision } from "../../../core/entities/index.js"
import type { EntityId, WorkspaceId } from "../../../core/kernel/index.js"
import { fromJson, objectIn, toJson, toNumber, unreadable } from "../codec.js"

/** A row of `entity_revision`. */
export interface RevisionRow {
  readonly entity_id: EntityId
  readonly version: number
  readonly change_kind: ChangeKind
  /** A list of one object: what `usual` does not say. An object: all of it. */
  readonly snapshot: string
  /** Null where it says no more than that all of the snapshot is new. */
  readonly diff: string | null
  readonly activity: string
  readonly changed_by: string
  readonly note: string | null
  readonly created_at: string
}

export const revisionFromRow = (row: RevisionRow): Revision => {
  const kept = fromJson<Snapshot | readonly [Snapshot]>(row.snapshot)
  const told: unknown = isShort(kept) ? kept[0] : kept
  if (typeof told !== "object" || told === null) throw unreadable("a snapshot is no object")
  const snapshot = isShort(kept) ? { ...usual(row, kept[0]), ...kept[0] } : kept
  return {
    version: toNumber(row.version),
    changeKind: row.change_kind,
    snapshot,
    diff: row.diff === null ? diffOfFirst(snapshot) : objectIn(row.diff),
    activity: row.activity,
    changedBy: row.changed_by,
    note: row.note,
    createdAt: row.created_at
  }
}

export const revisionToRow = (workspace: WorkspaceId, entity: EntityId, revision: Revision) => {
  const { activity, changedBy, changeKind, createdAt, note, snapshot, version } = revision
  const row = {
    workspace_id: workspace,
    entity_id: entity,
    version,
    change_kind: changeKind,
    activity,
    changed_by: changedBy,
    note,
    created_at: createdAt
  }
  const diff = toJson(revision.diff)
  return {
    ...row,
    snapshot: toJson(shortOf(snapshot, usual(row, snapshot))),
    diff: version === 1 && diff === toJson(diffOfFirst(snapshot)) ? null : diff
  }
}

type Snapshot = Revision["snapshot"]
type Beside = Pick<RevisionRow, "entity_id" | "version" | "created_at">

/** What a snapshot says most often, by the columns beside it and by its own name. Rows are read by it: it never changes. */
const usual = ({ created_at, entity_id, version }: Beside, { name }: Snapshot): Snapshot => ({
  description: null,
  ownerId: null,
  stewardIds: [],
  lastReviewedAt: null,
  nextReviewAt: null,
  supersededBy: null,
  editorialNote: "",
  mergedIds: [],
  mergedInto: null,
  deletedAt: null,
  retired: false,
  id: entity_id,
  name: null,
  type: "concept",
  origin: "extraction",
  authority: "machine_extracted",
  nameNorm: typeof name === "string" ? name.toLowerCase() : null,
  aliases: [],
  version: toNumber(version),
  createdAt: created_at,
  updatedAt: created_at,
  lifecycleStatus: "published"
})

const isShort = (kept: Snapshot | readonly [Snapshot]): kept is readonly [Snapshot] => Array.isArray(kept)

/** A snapshot without what is usual; as it is where it lacks a field, which nobody could tell from a usual one then. */
const shortOf = (snapshot: Snapshot, most: Snapshot): Snapshot | readonly [Snapshot] =>
  Object.keys(most).every((field) => Object.hasOwn(snapshot, field))
    ? [
        Object.fromEntries(
          Object.entries({ ...most, ...snapshot }).filter(([field, told]) => !isSame(told, most[field]))
        )
      ]
    : snapshot

const isSame = (told: unknown, most: unknown): boolean =>
  told === most || (Array.isArray(told) && told.length === 0 && Array.isArray(most))
