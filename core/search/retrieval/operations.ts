import * as Effect from "effect/Effect"
import { z } from "zod"
import { DocumentFilter } from "../../files/documents/index.js"
import { Caller, operation } from "../../platform/kernel/index.js"
import { counted } from "../../platform/models/index.js"
import { SearchResponse } from "./model.js"
import { search as searchWorkspace } from "./service.js"

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
      .describe("Let the configured reranker judge a wider pool; without one the fused order stays.")
  }),
  output: SearchResponse,
  faults: [],
  run: ({ limit, q, rerank, ...filter }) =>
    Effect.flatMap(Caller, ({ workspace }) =>
      counted(workspace, searchWorkspace({ q, limit, rerank, filter }))
    )
})
