import type { Passage } from "../core/documents/index.js"
import { type Collection, dataFolder, type JudgedCorpus, judgedCorpora, readJudged } from "./data.js"
import { bestPerDocument, ndcg, ranking, recall, reciprocalRank, type Scored } from "./metrics.js"
import type { BenchContext, Size } from "./result.js"
import { mean, randomisationP } from "./statistics.js"
import {
  addAsVault,
  addWhole,
  type BenchWorkspace,
  type Filled,
  passagesOf,
  withFolder
} from "./workspace.js"

/** Hits looked at in each list. */
export const depth = 100

/** Documents as the collection has them, one row each, or cut into passages as a vault is. */
export type Form = "whole" | "passages"

/** What a system searches. */
export interface Subject {
  readonly workspace: BenchWorkspace
  readonly passages: ReadonlyArray<Passage>
  /** The collection's id of the document that a passage, by its label, belongs to. */
  readonly docIdOf: (label: number) => string
}

export interface System {
  readonly name: string
  /** What it finds for each query; passages of one document count once, at their best. */
  readonly rank: (
    subject: Subject,
    queries: ReadonlyArray<string>
  ) => Promise<ReadonlyArray<ReadonlyArray<Scored>>>
}

const metricNames = ["nDCG@10", "Recall@100", "MRR"] as const
export type MetricName = (typeof metricNames)[number]

/** The figures of one system on one collection, a value a query. */
type Figures = Readonly<Record<MetricName, ReadonlyArray<number>>>

export interface JudgedCollection {
  readonly name: string
  readonly figures: ReadonlyMap<string, Figures>
}

const queriesMax: Readonly<Record<Size, number>> = { small: 10, default: Infinity, full: Infinity }

/** Has every system search every corpus that is there. `prepare` is called before the first of them does. */
export const onEveryCorpus = async (
  context: BenchContext,
  form: Form,
  systems: ReadonlyArray<System>,
  prepare: (workspace: BenchWorkspace) => Promise<void> = async () => {}
): Promise<ReadonlyArray<JudgedCollection>> => {
  const { absent, here } = judgedCorpora()
  if (absent.length > 0) context.skip(`no collection ${absent.join(", ")} in ${dataFolder}`)
  const judged: Array<JudgedCollection> = []
  for (const folder of here) {
    const startedAt = performance.now()
    const corpus = readJudged(folder, queriesMax[context.size])
    judged.push(
      ...(await withFolder(async (vault) => {
        const filled =
          form === "whole" ? await addWhole(corpus.documents) : await addAsVault(corpus.documents, vault)
        await prepare(filled.workspace)
        const found = await searchAll(await subjectOf(filled), corpus, systems)
        await filled.workspace.close()
        return found
      }))
    )
    context.say(`${folder}, ${form}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
  return judged
}

const subjectOf = async ({ idOf, workspace }: Filled): Promise<Subject> => {
  const passages = await passagesOf(workspace)
  const docIds = new Map(passages.map(({ docPath, label }) => [label, idOf.get(docPath) ?? ""]))
  return { workspace, passages, docIdOf: (label) => docIds.get(label) ?? "" }
}

const searchAll = async (
  subject: Subject,
  { collections }: JudgedCorpus,
  systems: ReadonlyArray<System>
): Promise<ReadonlyArray<JudgedCollection>> => {
  // A query that several collections share is asked once.
  const texts = [...new Set(collections.flatMap(({ queries }) => queries.map(({ text }) => text)))]
  const judged = collections.map((collection) => ({ collection, figures: new Map<string, Figures>() }))
  for (const { name, rank } of systems) {
    const lists = await rank(subject, texts)
    const found = new Map(texts.map((text, i) => [text, bestPerDocument(lists[i] ?? [])]))
    for (const { collection, figures } of judged) figures.set(name, judge(collection, found))
  }
  return judged.map(({ collection, figures }) => ({ name: collection.name, figures }))
}

const judge = ({ queries }: Collection, found: ReadonlyMap<string, ReadonlyArray<Scored>>): Figures => {
  const ranked = queries.map(({ text, without }) =>
    ranking(found.get(text) ?? []).filter((docId) => docId !== without)
  )
  const each = (
    figure: (list: ReadonlyArray<string>, judged: Collection["queries"][number]["judged"]) => number
  ) => queries.map(({ judged }, i) => figure(ranked[i] ?? [], judged))
  return {
    "nDCG@10": each((list, judged) => ndcg(list, judged, 10)),
    "Recall@100": each((list, judged) => recall(list, judged, depth)),
    MRR: each((list, judged) => reciprocalRank(list, judged))
  }
}

/** Seeded sign flips of a randomisation test. */
const draws = 10_000

/** Reports one system against each of the others, collection by collection and on the mean of the collections. */
export const reportQuality = (
  { report, seed }: BenchContext,
  form: Form,
  judged: ReadonlyArray<JudgedCollection>,
  options: {
    readonly ours: string
    readonly peers: ReadonlyArray<string>
    readonly target: (metric: MetricName, peer: string, where: "mean" | "collection") => string | undefined
  }
): void => {
  const valuesOf = ({ figures }: JudgedCollection, system: string, metric: MetricName) =>
    figures.get(system)?.[metric] ?? []
  for (const metric of metricNames) {
    for (const peer of options.peers) {
      const one = (
        where: "mean" | "collection",
        name: string,
        values: readonly [ours: number, peer: number],
        pairs: Paired
      ) => {
        const target = options.target(metric, peer, where)
        report({
          metric,
          collection: `${name} (${form})`,
          ours: values[0],
          floor: values[1],
          ratio: values[0] / values[1],
          n: pairs.ours.length,
          unit: "share",
          peer,
          iqr: null,
          ...(target === undefined ? {} : { target }),
          // On the mean: over the queries of all collections.
          p: randomisationP(pairs.floor, pairs.ours, { draws, seed })
        })
      }
      const pairs = judged.map((collection) => ({
        name: collection.name,
        ours: valuesOf(collection, options.ours, metric),
        floor: valuesOf(collection, peer, metric)
      }))
      for (const pair of pairs) one("collection", pair.name, [mean(pair.ours), mean(pair.floor)], pair)
      if (pairs.length > 1) {
        const means = [
          mean(pairs.map(({ ours }) => mean(ours))),
          mean(pairs.map(({ floor }) => mean(floor)))
        ] as const
        one("mean", "mean", means, {
          ours: pairs.flatMap(({ ours }) => ours),
          floor: pairs.flatMap(({ floor }) => floor)
        })
      }
    }
  }
}

interface Paired {
  readonly ours: ReadonlyArray<number>
  readonly floor: ReadonlyArray<number>
}
