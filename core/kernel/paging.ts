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
