import { diffOfFirst, type Revision } from "../../../../core/knowledge/entities/index.js"
import type { EntityId, WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { fromJson, objectIn, toJson, toNumber, unreadable } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"

/** The columns of a revision except its snapshot and diff. */
const columns = columnsOf<Omit<Revision, "snapshot" | "diff">>({
  version: number(),
  changeKind: text(),
  activity: text(),
  changedBy: text(),
  note: text(),
  createdAt: text()
})

/** A row of `entity_revision`. */
export interface RevisionRow {
  readonly entity_id: EntityId
  readonly version: number
  readonly created_at: string
  /** As a list of one object: the fields that differ from `usual`. As an object: all fields. */
  readonly snapshot: string
  /** Null if all of the snapshot is new. */
  readonly diff: string | null
}

export const revisionFromRow = (row: RevisionRow): Revision => {
  const kept = fromJson<Snapshot | readonly [Snapshot]>(row.snapshot)
  const snapshotFields: unknown = isShort(kept) ? kept[0] : kept
  if (typeof snapshotFields !== "object" || snapshotFields === null)
    throw unreadable("a snapshot is no object")
  const snapshot = isShort(kept) ? { ...defaultSnapshot(row, kept[0]), ...kept[0] } : kept
  const diff = row.diff === null ? diffOfFirst(snapshot) : objectIn<Revision["diff"]>(row.diff)
  return { ...columns.read(row), snapshot, diff }
}

export const revisionToRow = (workspace: WorkspaceId, entity: EntityId, revision: Revision) => {
  const { createdAt, snapshot, version } = revision
  const diff = toJson(revision.diff)
  const usual = defaultSnapshot({ entity_id: entity, version, created_at: createdAt }, snapshot)
  return {
    workspace_id: workspace,
    ...columns.write(revision),
    entity_id: entity,
    version,
    created_at: createdAt,
    snapshot: toJson(shortOf(snapshot, usual)),
    diff: version === 1 && diff === toJson(diffOfFirst(snapshot)) ? null : diff
  }
}

type Snapshot = Revision["snapshot"]
type Beside = Pick<RevisionRow, "entity_id" | "version" | "created_at">

/**
 * Default values of a snapshot, from the row's other columns and its own name. Stored rows depend on it: do not
 * change it.
 */
const defaultSnapshot = ({ created_at, entity_id, version }: Beside, { name }: Snapshot): Snapshot => ({
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

/**
 * Returns the snapshot without default values; unchanged if it lacks a field, which could not be distinguished from a
 * default.
 */
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
