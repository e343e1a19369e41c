import { z } from "zod"

/** One page of a list; `total` counts all items that pass the filter. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly total: number
}

/** Start and size of a page. */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
}

/** A whole number of any size, for values that are clamped: `z.int()` refuses those beyond 2^53. */
export const wholeNumber = () => z.number().multipleOf(1).meta({ type: "integer" })

/** Page size; values above the maximum are clamped, as the contract requires. */
export const pageLimit = wholeNumber()
  .default(50)
  .transform((limit) => Math.min(Math.max(limit, 1), 200))
  .describe("1 to 200, clamped.")

/** Number of items to skip. */
export const pageOffset = z.int().min(0).default(0)
