import type {
  GetNeighborhoodInput,
  Neighborhood,
  SearchInput,
  SearchResponse
} from "../server/client/index.js"
import { useKanon } from "./provider.js"
import { type CallState, useCall } from "./use-call.js"
import type { RenderedDocument } from "./wire.js"

/** Searches whenever the input changes; an empty `q` finds nothing and asks nothing. */
export const useSearch = (input: SearchInput): CallState<SearchResponse> => {
  const client = useKanon()
  const isEmpty = (input.q ?? "").trim() === ""
  return useCall(isEmpty ? null : JSON.stringify(input), (signal) => client.search(input, { signal }))
}

/** A document with its text, as rendered HTML too, for `SourceView`. Null waits. */
export const useDocument = (id: string | null, version?: number): CallState<RenderedDocument> => {
  const client = useKanon()
  const input = { id: id ?? "", render: "html" as const, ...(version === undefined ? {} : { version }) }
  return useCall(id === null ? null : `${id} ${version ?? ""}`, (signal) =>
    client.getDocument(input, { signal })
  )
}

/** The entities around one, for `GraphView`. Null waits. */
export const useNeighborhood = (
  id: string | null,
  limits: Omit<GetNeighborhoodInput, "id"> = {}
): CallState<Neighborhood> => {
  const client = useKanon()
  return useCall(id === null ? null : `${id} ${JSON.stringify(limits)}`, (signal) =>
    client.getNeighborhood({ id: id ?? "", ...limits }, { signal })
  )
}
