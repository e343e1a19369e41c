import { stemmer } from "stemmer"
import { ndcg, rank } from "../core/answers/measures/index.js"
import { stopWords } from "../core/language/tokenization/stop-words.js"
import { judgedCorpora, readJudged } from "./data.js"
import { plainBm25, type Terms } from "./peers/plain-bm25.js"
import type { RunBench } from "./result.js"
import { mean } from "./statistics.js"

/** nDCG@10 of a plain BM25 (k1 1.2, b 0.75) as the notes of the collections state it. */
const published: Readonly<Record<string, number>> = {
  cranfield: 0.335,
  "dbpedia-entity-5k": 0.321,
  "squad2-dev-sample": 0.898
}

const luceneStopWords = new Set(
  "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with".split(
    " "
  )
)
/** Words without common endings: "no real stemming". */
const stripped = (word: string): string => (word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/u, "") : word)

const variants: ReadonlyArray<{
  readonly name: string
  readonly gain: "linear" | "exponential"
  readonly terms: Terms
}> = [
  {
    name: "33 stop words, endings stripped, words of one letter left out, exponential gain",
    gain: "exponential",
    terms: {
      stemOf: (word) => (luceneStopWords.has(word) || word.length < 2 ? null : stripped(word)),
      titles: 1
    }
  },
  {
    name: "the same with our stop words",
    gain: "exponential",
    terms: { stemOf: (word) => (stopWords.has(word) || word.length < 2 ? null : stripped(word)), titles: 1 }
  },
  {
    name: "33 stop words, no stemming",
    gain: "linear",
    terms: { stemOf: (word) => (luceneStopWords.has(word) ? null : word), titles: 1 }
  },
  {
    name: "the title twice",
    gain: "linear",
    terms: { stemOf: (word) => (luceneStopWords.has(word) ? null : word), titles: 2 }
  },
  {
    name: "our stop words",
    gain: "linear",
    terms: { stemOf: (word) => (stopWords.has(word) ? null : word), titles: 2 }
  },
  {
    name: "Porter's stemmer",
    gain: "linear",
    terms: { stemOf: (word) => (stopWords.has(word) ? null : stemmer(word)), titles: 2 }
  }
]

/** Rebuilds published figures of BM25, and shows step by step what leads from them to ours. */
export const qualityPublished: RunBench = async ({ report, skip }) => {
  for (const name of judgedCorpora().here) {
    const figure = published[name]
    if (figure === undefined) continue
    const { collections, documents } = readJudged(name, Number.POSITIVE_INFINITY)
    const queries = collections[0]?.queries ?? []
    for (const { gain, name: variant, terms } of variants) {
      const search = plainBm25(documents, terms)
      const ours = mean(
        queries.map(({ judged, text }) => {
          const found = search(text, documents.length).map(({ row, score }) => ({
            id: documents[row]?.id ?? "",
            score
          }))
          return ndcg(rank(found), judged, { depth: 10, gain })
        })
      )
      report({
        metric: `nDCG@10, ${variant}`,
        ours,
        floor: figure,
        n: queries.length,
        unit: "",
        peer: "the published figure",
        collection: name
      })
    }
  }
  if (!judgedCorpora().here.some((name) => name in published)) skip("no collection with a published figure")
}
