import type { makeCall } from "./request.js"
import type { PageOptions, Wire } from "./types.js"

/** Maximum page size of any list. */
const pageMax = 200

/**
 * Iterates over the items of a list page by page on demand. Items added or removed meanwhile may be missed or
 * repeated.
 */
export const makePages = (call: ReturnType<typeof makeCall>) =>
  async function* <Item>(
    wire: Wire,
    list: string,
    input: object = {},
    { itemsMax = Number.POSITIVE_INFINITY, ...options }: PageOptions = {}
  ): AsyncGenerator<Item, undefined> {
    const wish: Readonly<Record<string, unknown>> = { ...input }
    const limit = typeof wish["limit"] === "number" ? wish["limit"] : pageMax
    let offset = typeof wish["offset"] === "number" ? wish["offset"] : 0
    let cursor = wish["cursor"]
    const byCursor = wire.query.includes("cursor")
    let yieldedCount = 0
    while (yieldedCount < itemsMax) {
      const wanted = Math.min(limit, itemsMax - yieldedCount)
      const page = await call<
        Readonly<Record<string, ReadonlyArray<Item>>> & {
          readonly total: number
          readonly nextCursor?: string | null
        }
      >(wire, { ...wish, limit: wanted, ...(byCursor ? { cursor } : { offset }) }, options)
      const items = page[list] ?? []
      for (const item of items) {
        if (yieldedCount >= itemsMax) return
        yieldedCount += 1
        yield item
      }
      // Unreadable items leave their place empty, so a page may be short before the end.
      offset += Math.max(items.length, Math.min(wanted, pageMax), 1)
      cursor = page.nextCursor
      if (byCursor ? items.length === 0 || cursor === null : !(offset < page.total)) return
    }
  }
