import * as Effect from "effect/Effect"
import { type Checkpoint, SourceRejected } from "./crawler.js"

/** Items that one listing may name. */
const itemsMax = 1_000_000
/** Pages in a row that may name nothing new: folders without files, and changes of few items. */
const idlePagesMax = 1_000

/**
 * Ends a listing that its source never ends: one that names too many items, goes on with nothing new, or sends the
 * crawl back to the same place. Called with each page; `next` is null for the last one.
 */
export const listingBound = (): ((
  ids: ReadonlyArray<string>,
  next: Checkpoint | null
) => Effect.Effect<void, SourceRejected>) => {
  const named = new Set<string>()
  let [idlePages, place]: [number, string | null] = [0, null]
  const rejected = (message: string) => Effect.fail(new SourceRejected({ message }))
  return (ids, next) => {
    const before = named.size
    for (const id of ids) named.add(id)
    if (named.size > itemsMax) return rejected(`The source lists more than ${itemsMax} items.`)
    if (next === null) return Effect.void
    const continued = JSON.stringify(next)
    const isSame = continued === place
    place = continued
    idlePages = named.size === before ? idlePages + 1 : 0
    if (isSame && idlePages > 0)
      return rejected("The source lists the same items again and again, without an end.")
    return idlePages > idlePagesMax
      ? rejected(`The source lists ${idlePagesMax} pages in a row without anything new.`)
      : Effect.void
  }
}
