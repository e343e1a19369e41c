import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  DocumentStore,
  fileBytesMax,
  restoreDocument,
  trashedText,
  Vault
} from "../../files/documents/index.js"
import { restoreEntity, restoreRelation } from "../../knowledge/graph/index.js"
import {
  Caller,
  DocumentId,
  EntityId,
  invalid,
  millisOf,
  NotFound,
  type PageRequest,
  RelationId,
  timestampOf,
  traced
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { OverviewStore, type TrashEntry, type TrashId, type TrashKind } from "../overview/index.js"
import { lostText, type RestoreAck, type TrashItem, type TrashPage } from "./model.js"

/** Number of files checked concurrently. */
const filesAtOnce = 16

/** Lists deleted items, newest first, with the reasons that currently block a restore. */
export const listTrash = traced("trash.list")(function* (page: PageRequest, kind?: TrashKind) {
  const { workspace } = yield* Caller
  const { items, total } = yield* (yield* OverviewStore).trash.list(workspace, kind, page)
  const { trashDays } = (yield* (yield* WorkspaceStore).get(workspace)).settings.retention
  const shown: TrashPage = {
    items: yield* Effect.forEach(items, toItem(trashDays), { concurrency: filesAtOnce }),
    total
  }
  return shown
})

const dayMs = 86_400_000

const toItem =
  (trashDays: number) =>
  ({ blockedBy, carried, deletedAt, deletedBy, id, kind, label }: TrashEntry) =>
    Effect.gen(function* () {
      const isFree = blockedBy === null && carried
      const document = DocumentId.safeParse(id)
      const textLost = isFree && document.success && !(yield* hasText(document.data))
      const restorable = isFree && !textLost && (kind !== "document" || (yield* isFreeOfFiles(label)))
      // Deleted entities and relations are never purged: extraction would create them again.
      const goes = kind === "document" && trashDays > 0
      const purgeAt = goes ? timestampOf(millisOf(deletedAt) + trashDays * dayMs) : null
      const obstacle = textLost ? lostText : blockedBy
      const item: TrashItem = {
        id,
        kind,
        label,
        deletedAt,
        deletedBy,
        purgeAt,
        restorable,
        blockedBy: obstacle
      }
      return item
    })

const hasText = (id: DocumentId) =>
  Effect.gen(function* () {
    const found = yield* (yield* DocumentStore).find((yield* Caller).workspace, id)
    return Option.isSome(found) && Option.isSome(yield* trashedText(found.value))
  }).pipe(
    // Whether it is there is not known while the vault cannot be reached.
    Effect.catchTag("VaultUnavailable", () => Effect.succeed(true))
  )

/** Returns whether the path is free of files that have not been ingested yet. */
const isFreeOfFiles = (path: string) =>
  Effect.flatMap(Vault, (vault) =>
    Effect.match(vault.read(path, fileBytesMax(path)), { onFailure: () => false, onSuccess: Option.isNone })
  )

/**
 * Restores a deleted item under its old id: a document with its file, an entity or a relation with its edges, a
 * merged entity split out of its head. Conflict when a live item occupies its place.
 *
 * @param path New path of a document instead of its old one; only documents take it.
 */
export const restoreFromTrash = traced("trash.restore")(function* (id: TrashId, path?: string) {
  const document = DocumentId.safeParse(id)
  if (document.success) {
    yield* restoreDocument(document.data, path).pipe(
      Effect.catchTag("NotFound", () => new NotFound({ what: "trash entry" }))
    )
    return restored(id, "document")
  }
  if (path !== undefined) return yield* invalid(["path"], "not_a_document", "Only documents have a path.")
  const relation = RelationId.safeParse(id)
  if (!relation.success) return restored(id, yield* restoreEntity(EntityId.parse(id)))
  yield* restoreRelation(relation.data)
  return restored(id, "relation")
})

const restored = (id: TrashId, kind: TrashKind): RestoreAck => ({ id, kind, restored: true })
