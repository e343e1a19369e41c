import * as Effect from "effect/Effect"
import { type DocumentFilter, plainText } from "../documents/index.js"
import { Caller } from "../kernel/index.js"
import type { SearchResponse, SearchResult } from "./model.js"
import { type Retrieval, retrieve } from "./retrieve.js"
import type { RetrievedPassage } from "./retrieved.js"
import { snippetsFor } from "./snippet.js"

/** Reranked results are few: reading is then the bottleneck. */
const rerankedLimit = 20

/** Searches the caller's workspace; see `retrieve`. Asks no answer model. */
export const search = Effect.fn("retrieval.search")(function* (request: {
  readonly q: string
  readonly limit: number
  readonly rerank: boolean
  readonly filter: DocumentFilter
}) {
  const { workspace } = yield* Caller
  const found: Retrieval = yield* retrieve(workspace, { ...request, query: request.q })
  const shown = found.reranked ? found.passages.slice(0, rerankedLimit) : found.passages
  const snippet = snippetsFor(found.termWeights)
  return {
    query: request.q,
    results: shown.map((hit) => resultOf(hit, snippet(plainText(hit.passage.text)))),
    total: found.total
  } satisfies SearchResponse
})

const resultOf = (
  { channels, passage, rerankScore, score }: RetrievedPassage,
  snippet: string
): SearchResult => ({
  chunkId: passage.id,
  docId: passage.documentId,
  docTitle: passage.docTitle,
  docPath: passage.docPath,
  headingPath: passage.headingPath.join(" > "),
  snippet,
  score,
  channels: [...channels],
  ...(rerankScore === null ? {} : { rerankScore }),
  verification: passage.docVerification
})
