import type * as Context from "effect/Context"
import { z } from "zod"
import type { Reranker } from "../../core/platform/models/index.js"
import { type Ranking, rerankerOver } from "./ai-sdk-reranker.js"
import { optionsOf, type ServerSettings } from "./metered-call.js"
import { postJson, under } from "./post-json.js"
import { ownVectorFetch } from "./provider-fetch.js"
import type { Patience } from "./resilience.js"

/** The server's protocol: Cohere, Jina (also vLLM, LiteLLM, Infinity and others), or TEI. */
export type RerankForm = "cohere" | "jina" | "tei"

/**
 * Settings of a reranker behind one of three protocols; `/rerank` is appended to `baseUrl`, which is by default the
 * address of Cohere or Jina. A TEI server has no default address.
 */
export interface HttpReranker extends ServerSettings {
  readonly form: RerankForm
}

const ownAddresses: Readonly<Record<RerankForm, string>> = {
  cohere: "https://api.cohere.com/v2",
  jina: "https://api.jina.ai/v1",
  tei: "http://127.0.0.1:8080"
}

/** One attempt: a search waits for at most two seconds, and a failure must be detected before that. */
const rerankPatience: Partial<Patience> = { attempts: 1, attemptTimeoutMs: 1900, callTimeoutMs: 1900 }

const Count = z.number().min(0).optional().catch(undefined)
/** Usage reported by Cohere (`meta`) and Jina-like servers (`usage`); an unparsable one counts as not reported. */
const Results = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
  usage: z.object({ total_tokens: Count }).optional().catch(undefined),
  meta: z
    .object({
      billed_units: z.object({ search_units: Count, input_tokens: Count }).optional().catch(undefined),
      tokens: z.object({ input_tokens: Count }).optional().catch(undefined)
    })
    .optional()
    .catch(undefined)
})
const Scores = z.array(z.object({ index: z.int().min(0), score: z.number() }))

/** Makes a reranker. A passage that the server omits comes last. */
export const httpReranker = (settings: HttpReranker): Context.Tag.Service<Reranker> => {
  const { apiKey, baseUrl, fetch = ownVectorFetch, form, model, patience } = settings
  const endpoint = { url: under(baseUrl ?? ownAddresses[form], "rerank"), apiKey, fetch }
  return rerankerOver(
    model,
    async (query, passages, signal) =>
      readRanking(form, await postJson(endpoint, bodyOf(form, model, query, passages), signal)),
    { ...optionsOf(settings), patience: { ...rerankPatience, ...patience } }
  )
}

const readRanking = (form: RerankForm, given: unknown): Ranking => {
  if (form === "tei") return { ranking: Scores.parse(given) }
  const { meta, results, usage } = Results.parse(given)
  return {
    ranking: results.map(({ index, relevance_score }) => ({ index, score: relevance_score })),
    tokens: usage?.total_tokens ?? meta?.tokens?.input_tokens ?? meta?.billed_units?.input_tokens,
    calls: meta?.billed_units?.search_units
  }
}

const bodyOf = (form: RerankForm, model: string, query: string, passages: ReadonlyArray<string>) => {
  if (form === "tei") return { query, texts: passages, truncate: true }
  const requestBody = { model, query, documents: passages, top_n: passages.length }
  return form === "jina" ? { ...requestBody, return_documents: false } : requestBody
}
