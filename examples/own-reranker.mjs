// A reranker of your own scores passages for a query; the search orders the first ones by it where `rerank` is set.
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const reranker = {
  modelId: "house/shortest-first-1",
  rerank: async (_query, texts) => texts.map((text) => 1 / text.length)
}
const engine = await createEngine({ vault: makeVault(), models: { reranker } })
await engine.ingest()
const plain = await engine.search("north quay crane")
const reranked = await engine.search("north quay crane", { rerank: true })
console.log(plain.results.length === reranked.results.length)
const lengths = reranked.results.map(({ snippet }) => snippet.length)
console.log(lengths.every((length, at) => at === 0 || length >= lengths[at - 1]))
await engine.close()
// Prints:
// true
// true
