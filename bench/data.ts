import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { z } from "zod"
import type { Judgments } from "../core/answers/measures/index.js"

/** Folder of the collections to measure instead of the usual ones (`--collections`), or of a single one. */
const chosenFolder = process.env["KANON_BENCH_COLLECTIONS"]

const isCollection = (folder: string): boolean => existsSync(join(folder, "qrels.tsv"))

/** Folder of the collections: `KANON_BENCH_DATA`, else a folder beside the repository. */
export const dataFolder =
  chosenFolder === undefined
    ? (process.env["KANON_BENCH_DATA"] ?? fileURLToPath(new URL("../../shared/data", import.meta.url)))
    : isCollection(chosenFolder)
      ? dirname(resolve(chosenFolder))
      : chosenFolder

/** Whether only the collections of a given folder are measured. */
export const areChosen = chosenFolder !== undefined

const CorpusDocument = z.object({ id: z.string(), title: z.string(), text: z.string() })
export type CorpusDocument = z.infer<typeof CorpusDocument>

const Query = z.object({ id: z.string(), text: z.string(), answerable: z.boolean().optional() })

interface JudgedQuery {
  readonly id: string
  readonly text: string
  readonly judged: Judgments
  /** A document that is taken out of the ranking: the query was written from it. */
  readonly without?: string
}

export interface Collection {
  readonly name: string
  /** Those with at least one relevant document. */
  readonly queries: ReadonlyArray<JudgedQuery>
}

/** Documents, and what is asked of them: one collection, or the same questions judged in more ways than one. */
export interface JudgedCorpus {
  readonly documents: ReadonlyArray<CorpusDocument>
  readonly collections: ReadonlyArray<Collection>
}

/** The documents of a folder, or null when there is no such folder. Reads `corpus.jsonl` or `corpus.jsonl.gz`. */
export const readCorpus = (folder: string): ReadonlyArray<CorpusDocument> | null => {
  const plain = join(dataFolder, folder, "corpus.jsonl")
  if (existsSync(plain)) return jsonLines(readFileSync(plain, "utf8"), CorpusDocument)
  if (!existsSync(`${plain}.gz`)) return null
  return jsonLines(gunzipSync(readFileSync(`${plain}.gz`)).toString("utf8"), CorpusDocument)
}

/** The texts of a folder's queries. */
export const readQueries = (folder: string) =>
  jsonLines(readFileSync(join(dataFolder, folder, "queries.jsonl"), "utf8"), Query)

const AnsweredQuery = z.object({
  text: z.string(),
  answerable: z.boolean().optional(),
  answers: z.array(z.string()).optional(),
  paragraph: z.string().optional()
})

/** The questions of a folder as they are, answered or not. */
export const jsonQuestions = (folder: string) =>
  jsonLines(readFileSync(join(dataFolder, folder, "queries.jsonl"), "utf8"), AnsweredQuery)

/** Questions with an answer and the document that gives it; none for a folder whose questions have no answers. */
export const readAnswered = (folder: string) =>
  jsonQuestions(folder).flatMap(({ answerable, answers, paragraph, text }) => {
    const answer = answers?.[0]
    return answerable !== true || answer === undefined || paragraph === undefined
      ? []
      : [{ question: text, answer, paragraph }]
  })

/** Each query of `eips` is the description line of its document: with the line left in there is nothing to find. */
const withoutDescription = (document: CorpusDocument): CorpusDocument => ({
  ...document,
  text: document.text.replace(/^description:.*\n/m, "")
})

/** The folders with judgments: the usual ones, or every collection of the given folder. */
const judgedFolders =
  chosenFolder === undefined
    ? ["cranfield", "dbpedia-entity-5k", "eips", "squad2-dev-sample", "mtragun-dev"]
    : isCollection(chosenFolder)
      ? [basename(resolve(chosenFolder))]
      : readdirSync(chosenFolder)
          .filter((folder) => isCollection(join(chosenFolder, folder)))
          .sort()

/** Folders with judgments that are there, and those that are not. */
export const judgedCorpora = () => ({
  here: judgedFolders.filter(isHere),
  absent: judgedFolders.filter((folder) => !isHere(folder))
})

const isHere = (folder: string): boolean => existsSync(join(dataFolder, folder, "qrels.tsv"))

/** A corpus with at most so many queries in each collection. */
export const readJudged = (folder: string, queriesMax: number): JudgedCorpus => {
  const documents = readCorpus(folder) ?? []
  const judgments = new Map<string, Map<string, number>>()
  for (const [query = "", docId = "", grade] of tabbed(folder, "qrels.tsv")) {
    const judged = judgments.get(query) ?? new Map<string, number>()
    judgments.set(query, judged.set(docId, Number(grade)))
  }
  const queries = readQueries(folder)
    .flatMap(({ answerable = true, id, text }): ReadonlyArray<JudgedQuery> => {
      const judged = judgments.get(id) ?? new Map<string, number>()
      return answerable && hasRelevant(judged) ? [{ id, text, judged }] : []
    })
    .slice(0, queriesMax)
  const asIs: Collection = { name: folder, queries }
  return {
    documents: folder === "eips" ? documents.map(withoutDescription) : documents,
    collections: existsSync(join(dataFolder, folder, sourcesFile))
      ? [asIs, withoutSources(folder, queries)]
      : [asIs]
  }
}

const hasRelevant = (judged: Judgments): boolean => [...judged.values()].some((grade) => grade > 0)

const sourcesFile = "source-documents.tsv"

/** The same queries, each without the document that it was written from: a system only has to find its words. */
const withoutSources = (folder: string, queries: ReadonlyArray<JudgedQuery>): Collection => {
  const sourceOf = new Map(tabbed(folder, sourcesFile).map(([query = "", docId = ""]) => [query, docId]))
  return {
    name: `${folder}, sources out`,
    queries: queries.flatMap((query) => {
      const without = sourceOf.get(query.id)
      if (without === undefined) return [query]
      const judged = new Map([...query.judged].filter(([docId]) => docId !== without))
      return hasRelevant(judged) ? [{ ...query, judged, without }] : []
    })
  }
}

const tabbed = (folder: string, file: string): ReadonlyArray<ReadonlyArray<string>> =>
  readFileSync(join(dataFolder, folder, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"))

const jsonLines = <A>(text: string, schema: z.ZodType<A>): ReadonlyArray<A> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => schema.parse(JSON.parse(line)))
