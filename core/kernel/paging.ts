import { z } from "zod"

/** One page of a list; `total` counts all that the filter lets through. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly total: number
}

/** Where a page starts and how many items it may hold. */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
}

/** How many items a page holds, where the contract clamps rather than refuses. */
export const pageLimit = z
  .int()
  .default(50)
  .transform((limit) => Math.min(Math.max(limit, 1), 200))
  .describe("1 to 200, clamped.")

/** How many items are passed over. */
export const pageOffset = z.int().min(0).default(0)
