import * as Effect from "effect/Effect"
import { type DocumentFilter, withIndexing } from "../../files/documents/index.js"
import { Caller, traced } from "../../platform/kernel/index.js"
import { documentsAsOf } from "./as-of.js"
import type { RetrievedPassage, SearchResponse, SearchResult } from "./model.js"
import { type Retrieval, retrieve } from "./retrieve.js"
import { SearchCache } from "./search-cache.js"
import { snippetsFor } from "./snippet.js"

/** Default limit of reranked results, which are meant to be read by people. */
const rerankedLimit = 20

interface SearchRequest {
  readonly q: string
  readonly limit: number
  readonly rerank: boolean
  readonly filter: DocumentFilter
}

/** Searches the workspace as it stood at an earlier moment. */
export const searchAsOf = Effect.fnUntraced(function* (asOf: string, request: SearchRequest) {
  const { workspace } = yield* Caller
  const { isIncomplete, services } = yield* documentsAsOf(workspace, asOf)
  const found = yield* Effect.provide(search(request), services)
  return { ...found, asOf, ...(isIncomplete ? { historyIncomplete: true } : {}) }
})

/** Searches the caller's workspace; see `retrieve`. Uses no chat model. */
export const search = traced("retrieval.search")(function* (request: SearchRequest) {
  const { workspace } = yield* Caller
  const found = yield* retrieve(workspace, { ...request, query: request.q })
  return yield* withIndexing(showFound(request.q, found, (yield* SearchCache).line), found.stamp)
})

/** Converts retrieved passages to search results; `line` gives the plain text of a passage. */
const showFound = (
  query: string,
  found: Retrieval,
  line: (passage: RetrievedPassage["passage"]) => string
): SearchResponse => {
  const shown = found.reranked ? found.passages.slice(0, rerankedLimit) : found.passages
  const snippet = snippetsFor(found.termWeights)
  return {
    query,
    results: shown.map((hit) => resultOf(hit, snippet(line(hit.passage)))),
    total: found.total
  }
}

const resultOf = (
  { channels, passage, rerankScore, score }: RetrievedPassage,
  snippet: string
): SearchResult => ({
  chunkId: passage.id,
  docId: passage.documentId,
  docTitle: passage.docTitle,
  docPath: passage.docPath,
  headingPath: passage.headingPath.join(" > "),
  ...(passage.page === undefined ? {} : { page: passage.page }),
  ...(passage.docSourceUrl === undefined ? {} : { sourceUrl: passage.docSourceUrl }),
  snippet,
  score,
  channels: [...channels],
  ...(rerankScore === null ? {} : { rerankScore }),
  verification: passage.docVerification
})
