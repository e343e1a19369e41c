import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Scored } from "../../core/work/evaluation/index.js"
import { collectionFiles, qrelsOf, queriesOf } from "./bench-collection.js"
import { type Grid, gridOf, listOf } from "./bench-grid.js"
import { report } from "./bench-report.js"
import { type BenchProgress, runIndex, writeVault } from "./bench-workspace.js"
import { command } from "./command.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { sayAboveBars, withProgress } from "./progress.js"
import { answer } from "./terminal.js"
import { cleanLine, namedSome } from "./text.js"

export const benchRetrievalCommand = command("bench-retrieval", {
  description:
    "Measure retrieval on a collection in BEIR, TREC or ir_datasets form, over a grid of settings.",
  input: z.object({
    collection: textFlag("Folder of the collection.", "DIR"),
    output: textFlag("Folder for tables, run files, plots and the manifest.", "DIR"),
    chunkChars: z.string().default("1500").describe("Grid of the most characters of a passage."),
    stemming: z.string().default("yes").describe("Grid of stemming: yes, no."),
    embedder: z
      .string()
      .default("auto")
      .describe(
        "Grid of embedding models: built-in, names of models at KANON_EMBEDDING_BASE_URL; auto is the configured one, else built-in."
      ),
    channels: z.string().default("fts,fts+vector").describe("Grid of channels: fts, vector, fts+vector."),
    rrfK: z.string().default("60").describe("Grid of the constant of reciprocal rank fusion."),
    vectorWeight: z
      .string()
      .default("auto")
      .describe("Grid of the weight of vectors; auto follows the query."),
    demotion: z.string().default("yes").describe("Grid of demotion by the standing of documents: yes, no."),
    rerank: z.string().default("no").describe("Grid of reranking: yes, no."),
    allowMissing: switchFlag("Go on where judged documents are not in the corpus; they count as not found."),
    ignoreIdenticalIds: switchFlag("Leave the document that has the id of the query out of its ranking."),
    queries: z.int().min(1).optional().describe("Ask only so many topics."),
    seed: z.int().min(0).max(4_294_967_295).default(1).describe("Seed of tests and intervals.")
  }),
  flags: {
    chunkChars: { placeholder: "LIST" },
    stemming: { placeholder: "LIST" },
    embedder: { placeholder: "LIST" },
    channels: { placeholder: "LIST" },
    rrfK: { placeholder: "LIST" },
    vectorWeight: { placeholder: "LIST" },
    demotion: { placeholder: "LIST" },
    rerank: { placeholder: "LIST" }
  },
  run: function* (input) {
    const { collection, output } = input
    if (collection === undefined || output === undefined)
      return yield* wrongUsage("A bench needs --collection DIR and --output DIR.")
    const sizes = listOf(input.chunkChars).map(Number)
    if (!sizes.every((size) => Number.isInteger(size) && size >= 200 && size <= 20_000))
      return yield* wrongUsage("--chunk-chars takes numbers from 200 to 20000, separated by commas.")
    const needsEndpoint = listOf(input.embedder).some((name) => name !== "auto" && name !== "built-in")
    if (needsEndpoint && process.env["KANON_EMBEDDING_BASE_URL"] === undefined)
      return yield* wrongUsage("--embedder with the name of a model needs KANON_EMBEDDING_BASE_URL.")
    const files = collectionFiles(resolve(collection))
    const { corpus, qrels, queries } = files
    if (corpus === null || queries === null || qrels === null) {
      const missing = Object.entries(files).flatMap(([name, file]) => (file === null ? [name] : []))
      return yield* failed(
        "file_unavailable",
        `The folder ${cleanLine(collection)} has no ${missing.join(", no ")}.`
      )
    }
    const outcome = yield* withProgress({ silent: input.json, lines: false }, (onProgress) =>
      tried(() =>
        bench({ corpus, qrels, queries }, resolve(output), input, { isQuiet: input.json, onProgress })
      )
    )
    yield* answer(input.json, outcome.manifest, () => outcome.table)
  }
})

const tried = <A>(work: () => Promise<A>): Effect.Effect<A, Failure> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      failed("bench_failed", error instanceof Error ? cleanLine(error.message) : "The bench broke off.")
  })

const bench = async (
  files: { readonly corpus: string; readonly queries: string; readonly qrels: string },
  output: string,
  grid: Grid & {
    readonly queries?: number | undefined
    readonly seed: number
    readonly allowMissing: boolean
    readonly ignoreIdenticalIds: boolean
  },
  { isQuiet, onProgress }: { readonly isQuiet: boolean; readonly onProgress: BenchProgress }
) => {
  const note = async (text: string) => {
    if (!isQuiet) sayAboveBars(text)
  }
  const { asked, repeated: askedTwice } = await queriesOf(files.queries)
  const { qrels, repeated: judgedTwice } = await qrelsOf(files.qrels)
  if (askedTwice.length > 0)
    await note(`The questions hold ${namedSome("topic", askedTwice)} twice; the first question counts.`)
  if (judgedTwice.length > 0)
    await note(`The judgments hold ${namedSome("pair", judgedTwice)} twice; the last grade counts.`)
  const { skipped, topics: all } = askable(qrels, asked)
  const topics = all.slice(0, grid.queries ?? all.length)
  for (const [reason, ids] of Object.entries(skipped))
    if (ids.length > 0) await note(`Skipped ${namedSome("topic", ids)} ${skipReasons[reason] ?? ""}`)
  if (topics.length === 0) throw new Error("No topic has a question and a relevant document.")
  const folder = mkdtempSync(join(tmpdir(), "kanon-bench-"))
  try {
    const judged = topics.flatMap(([, grades]) => [...grades.keys()])
    const written = await writeVault(files.corpus, join(folder, "vault"), judged)
    const { missing, repeated } = written
    if (repeated.length > 0)
      await note(`The corpus holds ${namedSome("document", repeated)} twice; the first text counts.`)
    if (missing.length > 0) {
      const told = namedSome("judged document", missing)
      if (!grid.allowMissing)
        throw new Error(`The corpus lacks ${told}. --allow-missing goes on; they then count as not found.`)
      await note(`The corpus lacks ${told}; they count as not found.`)
    }
    await note(`${written.documents} documents, ${topics.length} topics`)
    const runs = new Map<string, ReadonlyMap<string, ReadonlyArray<Scored>>>()
    let fingerprint: string | null = null
    for (const [place, { index, runs: planned, vectors }] of gridOf(grid).entries()) {
      if (planned.length === 0) continue
      const data = join(folder, `data-${place}`)
      const found = await runIndex(
        written,
        data,
        { index, vectors },
        { asked, seed: grid.seed, topics, ignoreIdenticalIds: grid.ignoreIdenticalIds },
        planned,
        note,
        onProgress
      )
      for (const [name, run] of found.runs) runs.set(name, run)
      fingerprint = found.fingerprint
      rmSync(data, { recursive: true, force: true })
    }
    const { chunkChars, stemming, embedder, channels, rrfK, vectorWeight, demotion, rerank, queries, seed } =
      grid
    const settings = {
      ...{ chunkChars, stemming, embedder, channels, rrfK, vectorWeight, demotion, rerank, queries, seed },
      ignoreIdenticalIds: grid.ignoreIdenticalIds
    }
    return await report({
      files,
      output,
      runs,
      qrels: new Map(topics),
      grid: settings,
      documents: written.documents,
      missing,
      repeated: { documents: repeated, queries: askedTwice, judgments: judgedTwice },
      skipped,
      fingerprint
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const skipReasons: Readonly<Record<string, string>> = {
  emptyQuery: "whose question is empty.",
  noQuery: "without a question.",
  noRelevant: "without a relevant document."
}

/** The topics that can be asked and scored, and the ids of the others by reason. */
const askable = (
  qrels: ReadonlyMap<string, ReadonlyMap<string, number>>,
  asked: ReadonlyMap<string, string>
) => {
  const skipped: Record<"emptyQuery" | "noQuery" | "noRelevant", Array<string>> = {
    emptyQuery: [],
    noQuery: [],
    noRelevant: []
  }
  const topics = [...qrels].filter(([topic, judged]) => {
    const query = asked.get(topic)
    const reason =
      query === undefined
        ? skipped.noQuery
        : query.trim() === ""
          ? skipped.emptyQuery
          : [...judged.values()].some((grade) => grade > 0)
            ? null
            : skipped.noRelevant
    reason?.push(topic)
    return reason === null
  })
  return { skipped, topics }
}
