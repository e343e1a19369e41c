import { analyseQuery, fuse, retrieve, type ScoredLabel, unseededSearch } from "../core/retrieval/index.js"
import { lexicalSearch } from "../core/retrieval/lexical.js"
import type { Scored } from "./metrics.js"
import { plainBm25Peer } from "./peers/plain-bm25.js"
import { depth, onEveryCorpus, reportQuality, type Subject, type System } from "./quality.js"
import { systemOf } from "./quality-lexical.js"
import type { RunBench } from "./result.js"
import { type BenchWorkspace, learnVectors } from "./workspace.js"

type Hits = ReadonlyArray<ScoredLabel>

/** The engine's own search with its defaults. */
const recipe: System = {
  name: "Kanon",
  rank: async ({ docIdOf, workspace }, queries) => {
    const found: Array<ReadonlyArray<Scored>> = []
    for (const query of queries) {
      // Both lists whole, fused.
      const request = { query, limit: 2 * depth, rerank: false }
      const { passages } = await workspace.run(retrieve(workspace.scope, request))
      found.push(passages.map(({ passage, score }) => ({ docId: docIdOf(passage.label), score })))
    }
    return found
  }
}

const lexical = async ({ run, scope }: BenchWorkspace, query: string) =>
  (await run(lexicalSearch(scope, analyseQuery(query), { limit: depth }))).hits

const vectors = async ({ run, scope }: BenchWorkspace, query: string): Promise<Hits> =>
  (await run(unseededSearch(scope, { text: query, terms: analyseQuery(query).terms, limit: depth }))).hits

/** One stage of the recipe by itself. */
const stage = (
  name: string,
  hitsOf: (workspace: BenchWorkspace, query: string) => Promise<Hits>
): System => ({
  name,
  rank: async ({ docIdOf, workspace }: Subject, queries) => {
    const found: Array<ReadonlyArray<Scored>> = []
    for (const query of queries) {
      const hits = await hitsOf(workspace, query)
      found.push(hits.map(({ label, score }) => ({ docId: docIdOf(label), score })))
    }
    return found
  }
})

const stages = {
  words: stage("lexical, no proximity", async (workspace, query) =>
    (await lexical(workspace, query)).map(({ label, plainScore }) => ({ label, score: plainScore }))
  ),
  proximity: stage("lexical", lexical),
  vectors: stage("vectors alone", vectors),
  unseeded: stage("unseeded RRF, k 60", async (workspace, query) => {
    const lists = [await lexical(workspace, query), await vectors(workspace, query)]
    return fuse(lists.map((hits, i) => ({ name: `${i}`, ids: hits.map(({ label }) => label) }))).map(
      ({ id, score }) => ({ label: id, score })
    )
  })
}

/** What the recipe is to reach against each, on the mean over the collections and on each of them. */
const targets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [plainBm25Peer.name]: { "nDCG@10 mean": ">= 1.01", "Recall@100 mean": ">= 1.03" },
  [stages.proximity.name]: { "nDCG@10 collection": ">= 0.97" },
  [stages.vectors.name]: { "nDCG@10 collection": ">= 0.97" },
  [stages.unseeded.name]: { "nDCG@10 mean": ">= 1" }
}

export const qualityHybrid: RunBench = async (context) => {
  const others = [systemOf(plainBm25Peer.name, await plainBm25Peer.load()), ...Object.values(stages)]
  for (const form of ["whole", "passages"] as const) {
    const judged = await onEveryCorpus(context, form, [recipe, ...others], learnVectors)
    reportQuality(context, form, judged, {
      ours: recipe.name,
      peers: others.map(({ name }) => name),
      target: (metric, peer, where) => targets[peer]?.[`${metric} ${where}`]
    })
  }
}
