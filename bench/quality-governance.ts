import { bestPerDocument, comparePaired, ndcg, rank } from "../core/answers/measures/index.js"
import { documentOperations, type Verification } from "../core/files/documents/index.js"
import { runOperation } from "../core/platform/kernel/index.js"
import { changeSettings, Settings } from "../core/platform/workspace/index.js"
import { type CorpusDocument, type JudgedCorpus, judgedCorpora, readJudged } from "./data.js"
import { type Subject, subjectOf } from "./quality.js"
import { recipe } from "./quality-systems.js"
import { randomFrom, shuffled } from "./random.js"
import type { BenchContext, Size } from "./result.js"
import { mean } from "./statistics.js"
import { addWhole, learnVectors } from "./workspace.js"

/** Collections that take some seconds each. */
const collections = ["cranfield", "eips"]
const queriesMax: Readonly<Record<Size, number>> = { small: 10, default: Infinity, full: Infinity }
/** Share of the relevant documents that stand there in an old version, too. */
const copiedShare = 0.5
/** In an old version every word at this interval is replaced by another. */
const changedWord = 12
/** Share of all documents that are certified without regard to what is asked. */
const certifiedShare = 0.1
const draws = 10_000

const usual = Settings.parse({}).retrieval.governance
const off = { certified: 1, verified: 1, deprecated: 1, reviewOverdue: 1, retiredConcept: 1 }

/**
 * Measures how the status of documents changes quality: with old versions of relevant documents deprecated, with
 * unrelated documents certified, and without any status.
 */
export const qualityGovernance = async (context: BenchContext): Promise<void> => {
  const { here } = judgedCorpora()
  for (const name of collections.filter((one) => here.includes(one))) {
    const corpus = readJudged(name, queriesMax[context.size])
    const [collection] = corpus.collections
    if (collection === undefined) continue
    await onUngoverned(context, name, corpus)
    const relevant = new Set(
      collection.queries.flatMap(({ judged }) =>
        [...judged].flatMap(([docId, grade]) => (grade > 0 ? [docId] : []))
      )
    )
    const chosen = new Set(share([...relevant].sort(), copiedShare, context.seed))
    const copies = corpus.documents
      .filter(({ id }) => chosen.has(id))
      .map((one) => oldVersion(one, context.seed))
    const names = { added: copies, target: ">= 1" }
    await onGoverned(context, `${name}, ${copies.length} deprecated old versions`, corpus, {
      ...names,
      is: new Map(copies.map(({ id }) => [id, "deprecated"]))
    })
    await onGoverned(context, `${name}, ${chosen.size} certified beside old versions`, corpus, {
      ...names,
      is: new Map([...chosen].map((id) => [id, "certified"]))
    })
    const some = share(
      corpus.documents.map(({ id }) => id),
      certifiedShare,
      context.seed + 1
    )
    await onGoverned(context, `${name}, ${some.length} certified at random`, corpus, {
      added: [],
      is: new Map(some.map((id) => [id, "certified"])),
      target: ">= 0.97"
    })
  }
}

const share = <A>(of: ReadonlyArray<A>, part: number, seed: number): ReadonlyArray<A> =>
  shuffled(of, seed).slice(0, Math.ceil(of.length * part))

const oldVersion = ({ id, text, title }: CorpusDocument, seed: number): CorpusDocument => {
  const words = text.split(/(\s+)/)
  const random = randomFrom(seed + id.length)
  const others = words.filter((word) => /\S/.test(word))
  const changed = words.map((word, place) =>
    place % (2 * changedWord) === 0 ? (others[Math.floor(random() * others.length)] ?? word) : word
  )
  return { id: `${id} (old)`, title, text: changed.join("") }
}

interface Planted {
  readonly added: ReadonlyArray<CorpusDocument>
  readonly is: ReadonlyMap<string, Verification>
  readonly target: string
}

const onGoverned = async (
  { report, seed }: BenchContext,
  name: string,
  corpus: JudgedCorpus,
  { added, is, target }: Planted
): Promise<void> => {
  const filled = await addWhole([...corpus.documents, ...added])
  const { workspace } = filled
  await learnVectors(workspace)
  const subject = await subjectOf(filled)
  for (const { documentId, label } of subject.passages) {
    const verification = is.get(subject.docIdOf(label))
    if (verification !== undefined)
      await workspace.run(runOperation(documentOperations.verifyDocument, { id: documentId, verification }))
  }
  const [ours, floor] = [await figures(subject, corpus, usual), await figures(subject, corpus, off)]
  await workspace.close()
  report({
    metric: "nDCG@10, standing",
    collection: name,
    ours: mean(ours),
    floor: mean(floor),
    n: ours.length,
    unit: "share",
    peer: "every factor 1",
    p: comparePaired(floor, ours, { draws, seed }).randomisation.p,
    target
  })
}

/** Reports how many rankings stay the same in a workspace without any status of documents. */
const onUngoverned = async ({ report }: BenchContext, name: string, corpus: JudgedCorpus): Promise<void> => {
  const filled = await addWhole(corpus.documents)
  await learnVectors(filled.workspace)
  const subject = await subjectOf(filled)
  const [governed, plain] = [await rankings(subject, corpus, usual), await rankings(subject, corpus, off)]
  await filled.workspace.close()
  const equal = governed.filter((list, place) => list.join("\n") === plain[place]?.join("\n")).length
  report({
    metric: "rankings that stay where nothing is governed",
    collection: name,
    ours: equal / governed.length,
    floor: 1,
    n: governed.length,
    unit: "share",
    peer: "every factor 1",
    target: ">= 1"
  })
}

/** Returns the documents found for each query with these factors. */
const rankings = async (
  subject: Subject,
  { collections: [collection] }: JudgedCorpus,
  governance: typeof usual
): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  await subject.workspace.run(changeSettings({ retrieval: { governance } }))
  const lists = await recipe.rank(subject, collection?.queries.map(({ text }) => text) ?? [])
  return lists.map((list) => rank(bestPerDocument(list)))
}

const figures = async (
  subject: Subject,
  corpus: JudgedCorpus,
  governance: typeof usual
): Promise<ReadonlyArray<number>> => {
  const lists = await rankings(subject, corpus, governance)
  return (corpus.collections[0]?.queries ?? []).map(({ judged }, place) =>
    ndcg(lists[place] ?? [], judged, { depth: 10 })
  )
}
