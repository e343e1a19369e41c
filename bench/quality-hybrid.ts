import * as Effect from "effect/Effect"
import { analyseQuery } from "../core/language/tokenization/index.js"
import { fuse } from "../core/search/retrieval/index.js"
import { VectorChannel } from "../core/search/vectors/index.js"
import { plainBm25Peer } from "./peers/plain-bm25.js"
import { depth, onEveryCorpus, reportQuality, reportStages } from "./quality.js"
import { qualityGovernance } from "./quality-governance.js"
import { systemOf } from "./quality-lexical.js"
import { type Hits, lexicalResult, recipe, systemBy } from "./quality-systems.js"
import type { RunBench } from "./result.js"
import { type BenchWorkspace, learnVectors } from "./workspace.js"

const lexical = async (workspace: BenchWorkspace, query: string) =>
  (await lexicalResult(workspace, query)).hits

/** The vectors alone. */
const vectors = (workspace: BenchWorkspace, query: string): Promise<Hits> => seeded(workspace, query, [])

/** Vectors whose query is steered by the first hits of the words. */
const seeded = async ({ run, scope }: BenchWorkspace, query: string, lexicalHits: Hits): Promise<Hits> =>
  (
    await run(
      Effect.flatMap(VectorChannel, (channel) =>
        channel.search(scope, { text: query, terms: analyseQuery(query).terms, lexicalHits, limit: depth })
      )
    )
  ).hits

const fused = (words: Hits, found: Hits, weight: number): Hits =>
  fuse([
    { name: "words", ids: words.map(({ label }) => label) },
    { name: "vectors", ids: found.map(({ label }) => label), weight }
  ]).map(({ id, score }) => ({ label: id, score }))

/** Stages of the recipe by themselves. */
const stages = {
  words: systemBy("lexical, no proximity", async (workspace, query) =>
    (await lexical(workspace, query)).map(({ label, plainScore }) => ({ label, score: plainScore }))
  ),
  proximity: systemBy("lexical", lexical),
  vectors: systemBy("vectors alone", vectors),
  unseeded: systemBy("unseeded RRF, k 60", async (workspace, query) =>
    fused(await lexical(workspace, query), await vectors(workspace, query), 1)
  )
}

/** Three seeds in proportion to their scores: takes away the fourth power that the engine gives them. */
const linear = (hits: Hits): Hits =>
  hits.slice(0, 3).map(({ label, score }) => ({ label, score: score ** 0.25 }))

/** Stages that no peer is measured against: what each adds to the one before it. */
const between = {
  seeds: systemBy("+ three seeds", async (workspace, query) => {
    const words = await lexical(workspace, query)
    return fused(words, await seeded(workspace, query, linear(words)), 1)
  }),
  weight: systemBy("+ weight rule", async (workspace, query) => {
    const { hits, saturation } = await lexicalResult(workspace, query)
    return fused(hits, await seeded(workspace, query, linear(hits)), weightOf(saturation))
  }),
  power: systemBy("+ five seeds, fourth power", async (workspace, query) => {
    const { hits, saturation } = await lexicalResult(workspace, query)
    return fused(hits, await seeded(workspace, query, hits), weightOf(saturation))
  })
}

/** The weight rule of the engine, for stages that have no more of the recipe than it. */
const weightOf = (saturation: number): number => Math.min(1, Math.max(0.2, 1.2 - saturation))

/** Targets of the recipe against each system, on the mean over the collections and on each collection. */
const targets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [plainBm25Peer.name]: { "nDCG@10 mean": ">= 1.01", "Recall@100 mean": ">= 1.03" },
  [stages.proximity.name]: { "nDCG@10 collection": ">= 0.97" },
  [stages.vectors.name]: { "nDCG@10 collection": ">= 0.97" },
  [stages.unseeded.name]: { "nDCG@10 mean": ">= 1" }
}

export const qualityHybrid: RunBench = async (context) => {
  const others = [systemOf(plainBm25Peer.name, await plainBm25Peer.load()), ...Object.values(stages)]
  for (const form of ["whole", "passages"] as const) {
    const systems = [recipe, ...others, ...Object.values(between)]
    const judged = await onEveryCorpus(context, form, systems, learnVectors)
    reportQuality(context, form, judged, {
      ours: recipe.name,
      peers: others.map(({ name }) => name),
      target: (metric, peer, where) => targets[peer]?.[`${metric} ${where}`]
    })
    const added = [stages.words, stages.proximity, stages.unseeded, ...Object.values(between), recipe]
    reportStages(
      context,
      form,
      judged,
      added.map(({ name }) => name),
      [stages.proximity.name, stages.vectors.name]
    )
  }
  await qualityGovernance(context)
}
