import * as Effect from "effect/Effect"
import { z } from "zod"
import { operations } from "../../core/operations.js"
import { operation, runOperation } from "../../core/platform/kernel/index.js"
import { AddressOf } from "./addresses.js"
import type { Shown } from "./tools.js"

/** Most documents that a search names, and passages that are looked at for them. */
const [documentsMax, passagesMax] = [10, 30]

/** A document stands once, at its best passage. */
const search = operation({
  name: "search",
  summary:
    'Find which documents or pages are about something, by words and meaning, best first; read one with fetch. Example: {"query": "wind limit of the harbour crane"}.',
  scopes: operations.search.scopes,
  effect: "read",
  input: z.object({ query: z.string().min(1).max(4000).describe("What to look for, in plain words.") }),
  output: z.object({ results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })) }),
  faults: ["InvalidInput", "InsufficientScope", "NotFound"],
  run: ({ query }) =>
    Effect.gen(function* () {
      const { results } = yield* runOperation(operations.search, { q: query, limit: passagesMax })
      const addressOf = yield* AddressOf
      const best = new Map<string, (typeof results)[number]>()
      for (const result of results) if (!best.has(result.docId)) best.set(result.docId, result)
      return {
        results: [...best.values()].slice(0, documentsMax).map(({ chunkId, docId, docTitle, sourceUrl }) => ({
          id: docId,
          title: docTitle,
          url: addressOf({ id: docId, chunkId, sourceUrl })
        }))
      }
    })
})

const fetch = operation({
  name: "fetch",
  summary:
    'Read one document that search found, with its whole text and its address for citations. Example: {"id": "doc_01hx0000000000000000000000"}.',
  scopes: operations.getDocument.scopes,
  effect: "read",
  input: z.object({ id: z.string().describe("The id of a result of search.") }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.record(z.string(), z.string())
  }),
  faults: ["InvalidInput", "InsufficientScope", "NotFound"],
  run: ({ id }) =>
    Effect.gen(function* () {
      const { content, mediaType, path, source, title, updatedAt, verification, version } =
        yield* runOperation(operations.getDocument, { id })
      const addressOf = yield* AddressOf
      return {
        id,
        title,
        text: content,
        url: addressOf({ id, sourceUrl: source?.url }),
        metadata: { path, mediaType, updatedAt, verification, version: String(version) }
      }
    })
})

/**
 * The two tools that hosted assistants look for by name and shape. They call operations of the catalog with the rights
 * of the caller.
 */
export const assistantTools: ReadonlyArray<Shown> = [
  { operation: search, run: (input) => runOperation(search, input), tool: tool("search") },
  { operation: fetch, run: (input) => runOperation(fetch, input), tool: tool("fetch") }
]

function tool(name: string) {
  return { name, destructive: false }
}
