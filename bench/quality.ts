import {
  bestPerDocument,
  comparePaired,
  rank as inOrder,
  ndcg,
  recall,
  reciprocalRank,
  type Scored
} from "../core/answers/measures/index.js"
import type { Passage } from "../core/files/documents/index.js"
import {
  areChosen,
  type Collection,
  dataFolder,
  type JudgedCorpus,
  judgedCorpora,
  readJudged
} from "./data.js"
import { languagesName, readLanguages } from "./quality-languages.js"
import type { BenchContext, Size } from "./result.js"
import { mean } from "./statistics.js"
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

/** An indexed workspace that systems search. */
export interface Subject {
  readonly workspace: BenchWorkspace
  readonly passages: ReadonlyArray<Passage>
  /** The collection's id of the document that a passage, by its label, belongs to. */
  readonly docIdOf: (label: number) => string
}

export interface System {
  readonly name: string
  /** Ranks the results of each query; passages of one document count once, at their best rank. */
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

/** The corpora that are there, each read when it is asked for. */
const corporaFor = ({ size, skip }: BenchContext) => {
  const { absent, here } = judgedCorpora()
  if (absent.length > 0) skip(`no collection ${absent.join(", ")} in ${dataFolder}`)
  if (here.length === 0) skip(`no collection in ${dataFolder}`)
  const queries = queriesMax[size]
  return [
    ...here.map((name) => ({ name, read: () => readJudged(name, queries) })),
    ...(areChosen ? [] : [{ name: languagesName, read: () => readLanguages(queries) }])
  ]
}

/** Has every system search every corpus that is there. `prepare` is called before the first of them does. */
export const onEveryCorpus = async (
  context: BenchContext,
  form: Form,
  systems: ReadonlyArray<System>,
  prepare: (workspace: BenchWorkspace) => Promise<void> = async () => {}
): Promise<ReadonlyArray<JudgedCollection>> => {
  const judged: Array<JudgedCollection> = []
  for (const { name, read } of corporaFor(context)) {
    const startedAt = performance.now()
    const corpus = read()
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
    context.say(`${name}, ${form}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
  return judged
}

export const subjectOf = async ({ idOf, workspace }: Filled): Promise<Subject> => {
  const passages = await passagesOf(workspace)
  const docIds = new Map(passages.map(({ docPath, label }) => [label, idOf.get(docPath) ?? ""]))
  return { workspace, passages, docIdOf: (label) => docIds.get(label) ?? "" }
}

/** Has each system rank every query of the collections. */
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
    inOrder(found.get(text) ?? []).filter((docId) => docId !== without)
  )
  const each = (
    figure: (list: ReadonlyArray<string>, judged: Collection["queries"][number]["judged"]) => number
  ) => queries.map(({ judged }, i) => figure(ranked[i] ?? [], judged))
  return {
    "nDCG@10": each((list, judged) => ndcg(list, judged, { depth: 10 })),
    "Recall@100": each((list, judged) => recall(list, judged, { depth })),
    MRR: each((list, judged) => reciprocalRank(list, judged))
  }
}

/** Seeded sign flips of a randomisation test. */
const draws = 10_000

/** Means that a report gives: which collections they are over, and which of their queries. */
const means: ReadonlyArray<{
  readonly name: string
  readonly has: (collection: string) => boolean
  readonly keeps: (collection: string, query: number) => boolean
}> = [
  { name: "mean", has: isLarge, keeps: () => true },
  // Constants were chosen on every other query of the collections that have enough of them.
  { name: "mean kept apart", has: isLarge, keeps: (name, query) => !isChosenOn(name) || query % 2 === 1 },
  { name: "mean of languages", has: (name) => !isLarge(name), keeps: () => true }
]

function isLarge(collection: string): boolean {
  return !collection.startsWith(languagesName)
}

const isChosenOn = (collection: string): boolean => /^(?:cranfield|squad2)/.test(collection)

interface Targets {
  readonly ours: string
  readonly peers: ReadonlyArray<string>
  /** Returns the target for our ratio to a peer, on the mean over the large collections or on each of them. */
  readonly target: (metric: MetricName, peer: string, where: "mean" | "collection") => string | undefined
}

/** Reports one system against each of the others, collection by collection and on means of the collections. */
export const reportQuality = (
  { report, seed }: BenchContext,
  form: Form,
  judged: ReadonlyArray<JudgedCollection>,
  { ours, peers, target }: Targets
): void => {
  const rows = [
    ...judged.map((collection) => ({
      name: collection.name,
      where: "collection" as const,
      of: [collection]
    })),
    ...means.map(({ has, keeps, name }) => ({
      name,
      where: name === "mean" ? ("mean" as const) : undefined,
      of: judged.filter((collection) => has(collection.name)).map((one) => only(one, keeps))
    }))
  ].filter(({ of }) => of.length > 0)
  for (const metric of metricNames) {
    for (const { name, of, where } of rows) {
      for (const peer of peers) {
        const wanted = where === undefined ? undefined : target(metric, peer, where)
        report({
          ...compare(metric, `${name} (${form})`, of, [ours, peer], seed),
          ...(wanted === undefined || (where === "collection" && !isLarge(name)) ? {} : { target: wanted })
        })
      }
    }
  }
}

/** A collection with those of its queries that are kept. */
const only = (
  { figures, name }: JudgedCollection,
  keeps: (collection: string, query: number) => boolean
): JudgedCollection => ({
  name,
  figures: new Map(
    [...figures].map(([system, values]) => {
      const kept = (metric: MetricName) => values[metric].filter((_, query) => keeps(name, query))
      return [system, { "nDCG@10": kept("nDCG@10"), "Recall@100": kept("Recall@100"), MRR: kept("MRR") }]
    })
  )
})

/** Two systems on the mean of some collections; p is over all of their queries. */
const compare = (
  metric: MetricName,
  collection: string,
  of: ReadonlyArray<JudgedCollection>,
  [ours, peer]: readonly [ours: string, peer: string],
  seed: number
) => {
  const values = (system: string) => of.map(({ figures }) => figures.get(system)?.[metric] ?? [])
  const [left, right] = [values(ours), values(peer)]
  const [one, other] = [mean(left.map(mean)), mean(right.map(mean))]
  return {
    metric,
    collection,
    ours: one,
    floor: other,
    n: left.flat().length,
    unit: "share",
    peer,
    p: comparePaired(right.flat(), left.flat(), { draws, seed }).randomisation.p
  }
}

/**
 * Reports what each stage adds to the one before it, on the means over the collections, and the least that ours
 * reaches of the better of two channels on any large collection.
 */
export const reportStages = (
  { report, seed }: BenchContext,
  form: Form,
  judged: ReadonlyArray<JudgedCollection>,
  stages: ReadonlyArray<string>,
  channels: ReadonlyArray<string>
): void => {
  for (const metric of ["nDCG@10", "Recall@100"] as const) {
    for (const { has, keeps, name } of means.slice(0, 2)) {
      const of = judged.filter((collection) => has(collection.name)).map((one) => only(one, keeps))
      stages.slice(1).forEach((stage, i) => {
        const made = compare(metric, `${name} with ${stage} (${form})`, of, [stage, stages[i] ?? ""], seed)
        report({ ...made, metric: `${metric}, stage by stage`, peer: "the stage before" })
      })
    }
  }
  const ours = stages.at(-1) ?? ""
  const shares = judged
    .filter(({ name }) => isLarge(name))
    .map(({ figures, name }) => {
      const value = (system: string) => mean(figures.get(system)?.["nDCG@10"] ?? [])
      const better = Math.max(...channels.map(value))
      return { name, ours: value(ours), better, share: value(ours) / better }
    })
    .sort((a, b) => a.share - b.share)
  const [least] = shares
  if (least === undefined) return
  report({
    metric: `nDCG@10 where ours falls furthest behind the better channel (${form})`,
    ours: least.ours,
    floor: least.better,
    n: shares.length,
    unit: "share",
    peer: `the better of ${channels.join(" and ")}, on ${least.name}`,
    target: ">= 0.97"
  })
}
