import { useQueries } from "@tanstack/react-query"
import { useMemo } from "react"
import { callOperation, type InputOf, type OperationName, type OutputOf } from "./hooks.js"
import { useSession } from "./session.js"

/** A list of which only the visible pages are loaded. */
export interface PagedList<Item> {
  /** Undefined until the first page arrived. */
  readonly total: number | undefined
  readonly itemAt: (index: number) => Item | undefined
  readonly error: Error | null
  readonly isLoading: boolean
}

const pageSize = 100

/**
 * Reads the pages of a list that hold the places `first` to `last`. `itemsOf` takes the items from a page, `totalOf`
 * their number. The list is not read further than what is looked at.
 */
export const usePagedList = <Name extends OperationName, Item>(
  name: Name,
  input: InputOf<Name>,
  itemsOf: (page: OutputOf<Name>) => ReadonlyArray<Item>,
  totalOf: (page: OutputOf<Name>) => number,
  [first, last]: readonly [number, number]
): PagedList<Item> => {
  const { workspaceId } = useSession()
  const wanted = useMemo(() => {
    const from = Math.floor(Math.max(0, first) / pageSize)
    const to = Math.floor(Math.max(0, last) / pageSize)
    const pages = Array.from({ length: to - from + 1 }, (_, at) => from + at)
    // The first page tells the total, wherever one has jumped to.
    return pages.includes(0) ? pages : [0, ...pages]
  }, [first, last])
  const results = useQueries({
    queries: wanted.map((page) => {
      const ofPage = { ...input, limit: pageSize, offset: page * pageSize }
      return {
        queryKey: [workspaceId, name, ofPage],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => callOperation(name, ofPage, { signal })
      }
    })
  })
  const byPage = new Map(wanted.map((page, at) => [page, results[at]?.data]))
  const head = byPage.get(0)
  return {
    total: head === undefined ? undefined : totalOf(head),
    itemAt: (index) => {
      const page = byPage.get(Math.floor(index / pageSize))
      return page === undefined ? undefined : itemsOf(page)[index % pageSize]
    },
    error: results.find(({ error }) => error !== null)?.error ?? null,
    isLoading: head === undefined && results.some(({ isPending }) => isPending)
  }
}
