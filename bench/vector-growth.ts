import * as Effect from "effect/Effect"
import { comparePaired } from "../core/answers/measures/index.js"
import { refreshVectors, VectorStore } from "../core/search/vectors/index.js"
import { type CorpusDocument, dataFolder, type JudgedCorpus, judgedCorpora, readJudged } from "./data.js"
import { compare, costOf, interleaved } from "./measure.js"
import { type Notes, notesOf } from "./notes.js"
import { searchAll, subjectOf } from "./quality.js"
import { recipe } from "./quality-systems.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { mean } from "./statistics.js"
import {
  addTo,
  addWhole,
  type BenchWorkspace,
  type Filled,
  learnVectors,
  openWorkspace
} from "./workspace.js"

/** Sizes of the workspaces in which one document changes, in passages. */
const passagesOf: Readonly<Record<Size, ReadonlyArray<number>>> = {
  small: [60],
  default: [900, 4000],
  full: [900, 4000]
}
const pairsOf: Readonly<Record<Size, number>> = { small: 2, default: 9, full: 9 }

const queriesMax: Readonly<Record<Size, number>> = { small: 10, default: Infinity, full: Infinity }

/** Shares of a collection that are there, one after the other. */
const steps = Array.from({ length: 11 }, (_, step) => 0.5 + step / 20)

/** Sign flips of a randomisation test. */
const draws = 10_000

export const vectorGrowth: RunBench = async (context) => {
  const notes = notesOf(context.seed)
  if (notes === null) context.skip(`no eips in ${dataFolder}`)
  else for (const passages of passagesOf[context.size]) await costAt(context, notes, passages)
  const { absent, here } = judgedCorpora()
  if (absent.length > 0) context.skip(`no collection ${absent.join(", ")} in ${dataFolder}`)
  for (const name of here) await growthOf(context, name, readJudged(name, queriesMax[context.size]))
}

/** CPU time of vectors after one changed document: folded into the model, beside a new fit. */
const costAt = async (context: BenchContext, notes: Notes, passages: number): Promise<void> => {
  const workspace = await openWorkspace()
  const documents = Array.from({ length: passages }, (_, place) => notes.at(place))
  await addTo(workspace, documents, 0)
  await learnVectors(workspace)
  let added = passages
  const after = async (relearn: boolean) => {
    await addTo(workspace, [notes.at(added)], added)
    added += 1
    return costOf(() => workspace.run(refreshVectors(workspace.scope, { relearn })))
  }
  const pairs = await interleaved(
    pairsOf[context.size],
    () => after(false),
    () => after(true)
  )
  context.report({
    metric: `one document more in ${passages} passages, CPU`,
    ...compare(pairs, ({ cpuMs }) => cpuMs),
    unit: "ms",
    peer: "a new fit"
  })
  await workspace.close()
}

/** nDCG@10 of a collection that grows, beside one that is learned anew at each step. */
const growthOf = async (context: BenchContext, name: string, corpus: JudgedCorpus): Promise<void> => {
  const grown = await openWorkspace()
  let present = 0
  let fits = 0
  let fitted: string | undefined
  for (const share of steps) {
    const documents = corpus.documents.slice(0, Math.round(share * corpus.documents.length))
    await addTo(grown, documents.slice(present), present)
    present = documents.length
    await learnVectors(grown)
    const model = await modelOf(grown)
    if (model !== fitted) fits += 1
    fitted = model
    if (share === steps[0]) continue
    const fresh = await addWhole(documents)
    await learnVectors(fresh.workspace)
    await reportStep(context, { name, share, judged: among(corpus, documents), grown, fresh })
    await fresh.workspace.close()
  }
  context.report({
    metric: "fits while it grows from half to whole",
    collection: name,
    ours: fits - 1,
    floor: steps.length - 1,
    ratio: null,
    n: present,
    unit: "fits",
    peer: "one a step"
  })
  await grown.close()
  context.say(`${name}: done`)
}

const reportStep = async (
  { report, seed }: BenchContext,
  step: {
    readonly name: string
    readonly share: number
    readonly judged: JudgedCorpus
    readonly grown: BenchWorkspace
    readonly fresh: Filled
  }
): Promise<void> => {
  // Documents have the same paths in both.
  const { fresh, grown, judged, share } = step
  const figures = async (filled: Filled) => {
    const [collection] = await searchAll(await subjectOf(filled), judged, [recipe])
    return collection?.figures.get(recipe.name)?.["nDCG@10"] ?? []
  }
  const [ours, floor] = [await figures({ workspace: grown, idOf: fresh.idOf }), await figures(fresh)]
  report({
    metric: `nDCG@10 at ${Math.round(100 * share)} %`,
    collection: step.name,
    ours: mean(ours),
    floor: mean(floor),
    n: ours.length,
    unit: "share",
    peer: "a new fit",
    p: comparePaired(floor, ours, { draws, seed }).randomisation.p
  })
}

/** The queries that have a relevant document among these. */
const among = ({ collections }: JudgedCorpus, documents: ReadonlyArray<CorpusDocument>): JudgedCorpus => {
  const ids = new Set(documents.map(({ id }) => id))
  return {
    documents,
    collections: collections.slice(0, 1).map(({ name, queries }) => ({
      name,
      queries: queries.flatMap((query) => {
        const judged = new Map([...query.judged].filter(([id]) => ids.has(id)))
        return [...judged.values()].some((grade) => grade > 0) ? [{ ...query, judged }] : []
      })
    }))
  }
}

const modelOf = ({ run, scope }: BenchWorkspace): Promise<string | undefined> =>
  run(
    Effect.flatMap(VectorStore, (store) =>
      Effect.map(store.models(scope), (models) => models.find(({ state }) => state === "active")?.id)
    )
  )
