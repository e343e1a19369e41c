import * as Effect from "effect/Effect"
import { z } from "zod"
import { DocumentFilter } from "../../files/documents/index.js"
import { AsOf, Caller, operation } from "../../platform/kernel/index.js"
import { counted } from "../../platform/workspace/index.js"
import { SearchResponse } from "./model.js"
import { searchAsOf, search as searchWorkspace } from "./service.js"

/** See `retrieve`. Usage of the reranker and the embedder is recorded for the workspace. */
export const search = operation({
  name: "search",
  tool: "svc_search",
  summary: "Search passages by full text and vectors.",
  scopes: ["kb:read"],
  effect: "read",
  input: DocumentFilter.extend({
    q: z.string().default("").describe("Plain text; nothing in it is syntax. Empty finds nothing."),
    limit: z.int().min(1).max(50).default(10).describe("Reranked results are at most 20."),
    rerank: z
      .boolean()
      .default(false)
      .describe("Let the configured reranker judge a wider pool; without one the fused order stays."),
    asOf: AsOf.optional()
  }),
  output: SearchResponse,
  faults: ["InvalidInput"],
  run: ({ asOf, limit, q, rerank, ...filter }) => {
    const request = { q, limit, rerank, filter }
    return Effect.flatMap(Caller, ({ workspace }) =>
      counted(workspace, asOf === undefined ? searchWorkspace(request) : searchAsOf(asOf, request))
    )
  }
})
