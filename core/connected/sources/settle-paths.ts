import * as Effect from "effect/Effect"
import { moveDocument } from "../../files/document-moves/index.js"
import type { ActiveSync } from "./active-sync.js"
import { applyParts, occupantOf } from "./apply-item.js"
import { fetchItem, type PreparedParts } from "./fetch-item.js"
import { SourceStore } from "./store.js"

/** Rounds in which items may free paths for each other. */
const roundsMax = 50

/**
 * Tries items again whose path was taken, since its document may have moved or gone by now. Where items want each
 * other's paths, one of them steps aside.
 */
export const settlePaths = (sync: ActiveSync) =>
  Effect.gen(function* () {
    if (sync.run.dryRun) return
    let left = yield* blockedIds(sync)
    for (let round = 0; round < roundsMax && left.length > 0; round++) {
      let hasVacated = false
      for (const externalId of left) {
        const prepared = yield* fetchItem(sync, externalId)
        if (!("parts" in prepared)) continue
        yield* applyParts(sync, prepared)
        if (!hasVacated) hasVacated = yield* vacate(sync, prepared.parts)
      }
      const now = yield* blockedIds(sync)
      if (now.length >= left.length && !hasVacated) return
      left = now
    }
  })

/** Items whose own document, or that of an attachment, found its path taken. */
const blockedIds = ({ connector, run, tally, workspace }: ActiveSync) =>
  Effect.map(
    Effect.flatMap(SourceStore, (items) => items.items.failing(workspace, connector.id)),
    (failing) => {
      const blocked = failing.filter(({ failure }) => failure?.code === "path_taken")
      const ids = [...new Set(blocked.map(({ externalId, parentId }) => parentId ?? externalId))]
      // An upload knows only the files that it was given.
      return run.isUpload ? ids.filter((id) => tally.named.has(id)) : ids
    }
  )

/** Moves a document aside that is at the path of a blocked item and blocked itself; tells whether there was one. */
const vacate = (sync: ActiveSync, parts: PreparedParts["parts"]) =>
  Effect.gen(function* () {
    const { connector, workspace } = sync
    const items = (yield* SourceStore).items
    for (const { externalId, result } of parts) {
      if (!("text" in result)) continue
      const [item] = yield* items.find(workspace, connector.id, [externalId])
      if (item?.failure?.code !== "path_taken") continue
      const occupant = yield* occupantOf(sync, result.text.path)
      if (occupant === null || occupant.item.externalId === externalId) continue
      if (occupant.item.failure?.code !== "path_taken" || occupant.item.path !== occupant.document.path)
        continue
      const aside = occupant.document.path.replace(/\.md$/i, `.${occupant.document.id.slice(-10)}.md`)
      const moved = yield* Effect.either(
        moveDocument(occupant.document.id, aside, {
          rewriteLinks: false,
          alongside: items.put(workspace, { ...occupant.item, path: aside })
        })
      )
      if (moved._tag === "Right") return true
    }
    return false
  })
