import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { syncVault } from "../core/files/vault-sync/index.js"
import { type Embedder, Models } from "../core/platform/models/index.js"
import { VectorStore } from "../core/search/vectors/index.js"
import { type JudgedCorpus, judgedCorpora, readJudged } from "./data.js"
import { energeticEmbedder } from "./peers/energetic.js"
import { type JudgedCollection, type System, searchAll, subjectOf } from "./quality.js"
import { lexicalResult, recipe, systemBy } from "./quality-systems.js"
import type { RunBench, Size } from "./result.js"
import { mean } from "./statistics.js"
import { learnVectors, openWorkspace, withFolder, writeVault } from "./workspace.js"

/** Queries and documents of a collection; a text takes the neural model some 0.15 s. */
const sizes: Readonly<Record<Size, { readonly queries: number; readonly documents: number }>> = {
  small: { queries: 15, documents: 120 },
  default: { queries: 60, documents: 500 },
  full: { queries: Infinity, documents: Infinity }
}

const words = systemBy("words", async (workspace, query) => (await lexicalResult(workspace, query)).hits)

/** Measures what a neural embedder adds, on each collection, to words and to the built-in vectors, which stay. */
export const qualityNeural: RunBench = async ({ report, say, size, skip }) => {
  const names = judgedCorpora().here
  if (names.length === 0) return skip("no collection: see docs/benchmarks.md")
  const embedder = await energeticEmbedder()
  for (const name of names) {
    const corpus = partOf(readJudged(name, sizes[size].queries), sizes[size].documents)
    say(`${name}: ${corpus.documents.length} documents`)
    const without = await figuresOf(corpus, [words, { ...recipe, name: "built-in vectors" }], null, say)
    const beside = await figuresOf(corpus, [{ ...recipe, name: "neural beside built-in" }], embedder, say)
    for (const [at, { figures, name: collection }] of without.entries()) {
      const all = new Map([...figures, ...(beside[at]?.figures ?? [])])
      const floor = all.get("built-in vectors")
      for (const [system, own] of all)
        for (const metric of ["nDCG@10", "Recall@100", "MRR"] as const) {
          const [ours, theirs] = [mean(own[metric]), mean(floor?.[metric] ?? [])]
          report({
            metric: `${collection}: ${metric}, ${system}`,
            ours,
            floor: theirs,
            n: own[metric].length,
            unit: "",
            peer: "built-in vectors"
          })
        }
    }
  }
}

/** The documents that the queries are judged on, and as many others as there is room for. */
const partOf = (corpus: JudgedCorpus, documentsMax: number): JudgedCorpus => {
  const judged = new Set(
    corpus.collections.flatMap(({ queries }) => queries.flatMap((query) => [...query.judged.keys()]))
  )
  const isJudged = ({ id }: { readonly id: string }) => judged.has(id)
  const others = corpus.documents.filter((document) => !isJudged(document))
  const named = corpus.documents.filter(isJudged)
  return { ...corpus, documents: [...named, ...others.slice(0, Math.max(0, documentsMax - named.length))] }
}

const figuresOf = (
  { collections, documents }: JudgedCorpus,
  systems: ReadonlyArray<System>,
  embedder: Context.Tag.Service<Embedder> | null,
  say: (line: string) => void
): Promise<ReadonlyArray<JudgedCollection>> =>
  withFolder(async (vault) => {
    const idOf = writeVault(documents, vault)
    const models = { chat: Option.none(), embedder: Option.fromNullable(embedder), reranker: Option.none() }
    const workspace = await openWorkspace({
      vault,
      around: (ports) => Layer.merge(ports, Layer.succeed(Models, models))
    })
    try {
      await workspace.run(syncVault())
      await learnVectors(workspace)
      const [model] = await workspace.run(
        Effect.flatMap(VectorStore, (store) => store.models(workspace.scope))
      )
      if (model?.trust !== undefined) say(`trust in the embedder: ${model.trust.toFixed(2)}`)
      return await searchAll(await subjectOf({ idOf, workspace }), { documents, collections }, systems)
    } finally {
      await workspace.close()
    }
  })
