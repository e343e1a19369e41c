import { operations } from "../../core/operations.js"
import type { TrashItem } from "../../core/upkeep/trash/index.js"
import { group, operationCommand } from "./command.js"
import { dayOf, listOf, wordsOf } from "./tables.js"
import { paint } from "./terminal.js"

const list = operationCommand("list", operations.listTrash, {
  description: "List what was deleted or merged away, newest first, and what prevents a restore.",
  print: ({ items, total }, { kind, offset }) =>
    total === 0
      ? `${kind === undefined ? "The trash is empty" : `No ${wordsOf(kind)} is in the trash`}.`
      : listOf(
          "item",
          items,
          { total, offset },
          [
            ["name", "label"],
            ["kind", (item) => wordsOf(item.kind)],
            ["deleted", ({ deletedAt }) => dayOf(deletedAt)],
            ["by", "deletedBy"],
            "id",
            ["blocked by", obstacleOf]
          ],
          { shrink: ["name"], paint: { "blocked by": paint.yellow } }
        )
})

const restore = operationCommand("restore", operations.restoreFromTrash, {
  description: "Restore what was deleted; split a merged entity out again.",
  arguments: { id: { description: "Id of what to restore (doc_…, ent_… or rel_…)." } },
  print: ({ id, kind }) => `${paint.green("Restored")} the ${wordsOf(kind)} ${id}`
})

const obstacleOf = ({ blockedBy, kind, restorable }: TrashItem): string =>
  restorable ? "" : (blockedBy ?? (kind === "document" ? "a file at its path" : "no document states it"))

export const trashCommands = group("trash", "Deleted documents, entities and relations.", [list, restore])
