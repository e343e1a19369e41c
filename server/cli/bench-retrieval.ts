import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { createEngine } from "../../adapters/sqlite/index.js"
import type { Engine } from "../../core/engine/index.js"
import { compareRuns, metricNamed, rank, type Scored, scoreRun } from "../../core/evaluation/index.js"
import { operations } from "../../core/operations.js"
import { collectionFiles, documentsOf, linesOf, qrelsOf, queriesOf } from "./bench-collection.js"
import { type BenchRow, csvTable, latexTable, markdownTable } from "./bench-tables.js"
import { command } from "./command.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { answer, say } from "./terminal.js"
import { cleanLine } from "./text.js"

/** Metrics of the tables; the first one decides the groups. */
const metrics = ["ndcg@10", "ap", "rr", "recall@100", "p@10", "judged@10"]
const depth = 100

const listOf = (text: string): ReadonlyArray<string> => text.split(",").filter((part) => part !== "")

export const benchRetrievalCommand = command("bench-retrieval", {
  description:
    "Measure retrieval on a collection in BEIR, TREC or ir_datasets form, over a grid of settings.",
  input: z.object({
    collection: z.string().optional().describe("Folder of the collection."),
    output: z.string().optional().describe("Folder for tables, run files, plots and the manifest."),
    channels: z.string().default("fts,fts+vector").describe("Grid of channels: fts, vector, fts+vector."),
    rrfK: z.string().default("60").describe("Grid of the constant of reciprocal rank fusion."),
    vectorWeight: z
      .string()
      .default("auto")
      .describe("Grid of the weight of vectors; auto follows the query."),
    demotion: z.string().default("yes").describe("Grid of demotion by the standing of documents: yes, no."),
    rerank: z.string().default("no").describe("Grid of reranking: yes, no."),
    queries: z.int().min(1).optional().describe("Ask only so many topics."),
    seed: z.int().min(0).max(4_294_967_295).default(1).describe("Seed of tests and intervals.")
  }),
  flags: {
    collection: { placeholder: "DIR" },
    output: { placeholder: "DIR" },
    channels: { placeholder: "LIST" },
    rrfK: { placeholder: "LIST" },
    vectorWeight: { placeholder: "LIST" },
    demotion: { placeholder: "LIST" },
    rerank: { placeholder: "LIST" }
  },
  run: (input) =>
    Effect.gen(function* () {
      const { collection, output } = input
      if (collection === undefined || output === undefined)
        return yield* wrongUsage("A bench needs --collection DIR and --output DIR.")
      const files = collectionFiles(resolve(collection))
      const { corpus, qrels, queries } = files
      if (corpus === null || queries === null || qrels === null) {
        const missing = Object.entries(files).flatMap(([name, file]) => (file === null ? [name] : []))
        return yield* failed(
          "file_unavailable",
          `The folder ${cleanLine(collection)} has no ${missing.join(", no ")}.`
        )
      }
      const outcome = yield* tried(() =>
        bench({ corpus, qrels, queries }, resolve(output), input, input.json)
      )
      yield* answer(input.json, outcome.manifest, () => markdownTable(outcome.rows).trimEnd())
    })
})

const tried = <A>(work: () => Promise<A>): Effect.Effect<A, Failure> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      failed("bench_failed", error instanceof Error ? cleanLine(error.message) : "The bench broke off.")
  })

interface Grid {
  readonly channels: string
  readonly rrfK: string
  readonly vectorWeight: string
  readonly demotion: string
  readonly rerank: string
  readonly queries?: number | undefined
  readonly seed: number
}

/** Every combination of the grid, with a name and the options of an evaluation run. */
const gridOf = (grid: Grid) =>
  listOf(grid.channels).flatMap((channels) =>
    listOf(grid.rrfK).flatMap((k) =>
      listOf(grid.vectorWeight).flatMap((weight) =>
        listOf(grid.demotion).flatMap((demotion) =>
          listOf(grid.rerank).map((rerank) => {
            const isFused = channels.includes("+")
            return {
              name: [
                channels.replace("+", "-"),
                ...(isFused ? [`k${k}`, ...(weight === "auto" ? [] : [`w${weight}`])] : []),
                ...(demotion === "no" ? ["no-demotion"] : []),
                ...(rerank === "yes" ? ["rerank"] : [])
              ].join("-"),
              options: {
                // Twice the depth, so that ties at the border are settled by the ids of the collection.
                depth: 2 * depth,
                channels: channels.split("+"),
                rrfK: Number(k),
                ...(weight === "auto" ? {} : { weights: { vector: Number(weight) } }),
                demotion: demotion !== "no",
                rerank: rerank === "yes"
              }
            }
          })
        )
      )
    )
  )

const bench = async (
  files: { readonly corpus: string; readonly queries: string; readonly qrels: string },
  output: string,
  grid: Grid,
  isQuiet: boolean
) => {
  const note = (text: string) => (isQuiet ? Promise.resolve() : Effect.runPromise(say(text)))
  const qrels = await qrelsOf(files.qrels)
  const asked = await queriesOf(files.queries)
  const topics = [...qrels]
    .filter(([topic, judged]) => asked.has(topic) && [...judged.values()].some((grade) => grade > 0))
    .slice(0, grid.queries ?? qrels.size)
  const folder = mkdtempSync(join(tmpdir(), "kanon-bench-"))
  try {
    const vault = join(folder, "vault")
    const count = await writeVault(files.corpus, vault)
    await note(`${count} documents, ${topics.length} topics`)
    const engine = await createEngine({ vault, data: join(folder, "data") })
    try {
      await engine.ingest()
      await note("indexed")
      const judged = await putTopics(engine, topics, asked)
      const runs = new Map<string, ReadonlyMap<string, ReadonlyArray<Scored>>>()
      let fingerprint: string | null = null
      for (const { name, options } of gridOf(grid)) {
        const found = await runOf(engine, name, options, grid.seed, judged.names)
        runs.set(name, found.run)
        fingerprint = found.fingerprint
        await note(`ran ${name}`)
      }
      return await report({
        files,
        output,
        runs,
        qrels: new Map(topics),
        grid,
        documents: count,
        fingerprint
      })
    } finally {
      await engine.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Documents of one folder of the vault. */
const folderSize = 1000

/** Writes every document as a file whose name holds its id, one at a time. */
const writeVault = async (corpus: string, vault: string): Promise<number> => {
  let count = 0
  for await (const { id, text, title } of documentsOf(corpus)) {
    const folder = join(vault, `${Math.floor(count / folderSize)}`)
    if (count % folderSize === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, `${fileNameOf(id)}.md`),
      title === "" ? `${text}\n` : `# ${title}\n\n${text}\n`
    )
    count += 1
  }
  return count
}

/** Ids may differ in case alone or hold anything, file names may not: those ids are written in hexadecimal. */
const fileNameOf = (id: string): string =>
  /^[a-z0-9][a-z0-9-]{0,80}$/u.test(id) && !id.startsWith("x-") ? id : `x-${Buffer.from(id).toString("hex")}`
const idOfPath = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1, -".md".length)
  return name.startsWith("x-") ? Buffer.from(name.slice(2), "hex").toString() : name
}

/** Stores the judgments of documents that the corpus has; gives the collection's id of each document that was met. */
const putTopics = async (
  engine: Engine,
  topics: ReadonlyArray<readonly [string, ReadonlyMap<string, number>]>,
  asked: ReadonlyMap<string, string>
) => {
  const wanted = new Set(topics.flatMap(([, judged]) => [...judged.keys()]))
  const names = new Map<string, string>()
  const ids = new Map<string, string>()
  for (let offset = 0; ; offset += 200) {
    const { items } = await engine.documents.list({ limit: 200, offset })
    for (const { id, path } of items) {
      const name = idOfPath(path)
      names.set(id, name)
      if (wanted.has(name)) ids.set(name, id)
    }
    if (items.length < 200) break
  }
  const judgments = topics.flatMap(([topic, judged]) =>
    [...judged].flatMap(([name, grade]) => {
      const docId = ids.get(name)
      const query = (asked.get(topic) ?? "").slice(0, 4000)
      return docId === undefined
        ? []
        : [{ set: "bench", queryId: topic, query, docId, grade: Math.min(4, grade) }]
    })
  )
  for (let from = 0; from < judgments.length; from += 1000)
    await engine.call(operations.putQrels, { judgments: judgments.slice(from, from + 1000) })
  return { names }
}

const runOf = async (
  engine: Engine,
  name: string,
  options: object,
  seed: number,
  names: ReadonlyMap<string, string>
) => {
  const { id } = await engine.call(operations.startEval, {
    name,
    suite: "retrieval",
    set: "bench",
    seed,
    options
  })
  for (;;) {
    const shown = await engine.call(operations.getEval, { id, limit: 1 })
    if (shown.eval.status === "succeeded") break
    if (shown.eval.status !== "queued" && shown.eval.status !== "running")
      throw new Error(`The run ${name} is ${shown.eval.status}: ${shown.eval.error ?? ""}`)
    await new Promise((wake) => setTimeout(wake, 200))
  }
  const run = new Map<string, ReadonlyArray<Scored>>()
  let fingerprint: string | null = null
  for (let offset = 0; ; offset += 200) {
    const page = await engine.call(operations.getEval, { id, limit: 200, offset })
    fingerprint = page.eval.corpusFingerprint
    for (const { queryId, ranking, scores } of page.results) {
      const found = ranking.map((docId, at) => ({ id: names.get(docId) ?? docId, score: scores[at] ?? 0 }))
      const scoreOf = new Map(found.map((one) => [one.id, one.score]))
      run.set(
        queryId,
        rank(found)
          .slice(0, depth)
          .map((one) => ({ id: one, score: scoreOf.get(one) ?? 0 }))
      )
    }
    if (page.results.length < 200) break
  }
  return { run, fingerprint }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const hashOfFile = async (file: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const line of linesOf(file)) hash.update(line).update("\n")
  return hash.digest("hex")
}

const report = async (found: {
  readonly files: { readonly corpus: string; readonly queries: string; readonly qrels: string }
  readonly output: string
  readonly runs: ReadonlyMap<string, ReadonlyMap<string, ReadonlyArray<Scored>>>
  readonly qrels: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly grid: Grid
  readonly documents: number
  readonly fingerprint: string | null
}) => {
  const { files, fingerprint, grid, output, qrels, runs } = found
  const [main = "ndcg@10"] = metrics
  mkdirSync(output, { recursive: true })
  const scored = new Map([...runs].map(([name, run]) => [name, scoreRun(run, qrels, { metrics })]))
  const values = new Map(
    [...scored].map(([name, { perTopic }]) => [
      name,
      new Map([...perTopic].map(([topic, scores]) => [topic, scores[main] ?? 0]))
    ])
  )
  const compared = compareRuns(values, { seed: grid.seed })
  const groups = new Map(compared.runs.map(({ group, name }) => [name, group]))
  const rows: ReadonlyArray<BenchRow> = [...scored].map(([name, { mean }]) => ({
    name,
    values: mean,
    group: groups.get(name) ?? ""
  }))
  // The plot library is loaded only where plots are drawn.
  const { benchPlots } = await import("./bench-plots.js")
  const written = new Map<string, string>([
    ["results.md", markdownTable(rows)],
    ["results.csv", csvTable(rows)],
    ["results.tex", latexTable(rows)],
    ...[...runs].map(([name, run]) => [`${name}.run`, runText(name, run)] as const),
    ...benchPlots(plotted(runs, qrels, main), main)
  ])
  const manifest = {
    format: 1,
    collection: {
      corpus: await hashOfFile(files.corpus),
      queries: await hashOfFile(files.queries),
      qrels: await hashOfFile(files.qrels),
      documents: found.documents,
      topics: qrels.size
    },
    corpusFingerprint: fingerprint,
    grid,
    metrics,
    runs: rows,
    comparisons: compared.pairs,
    files: Object.fromEntries([...written].map(([file, text]) => [file, sha256(text)]))
  }
  for (const [file, text] of written) writeFileSync(join(output, file), text)
  writeFileSync(join(output, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  return { manifest, rows }
}

const runText = (name: string, run: ReadonlyMap<string, ReadonlyArray<Scored>>): string =>
  [...run]
    .map(([topic, found]) =>
      found.map(({ id, score }, place) => `${topic} Q0 ${id} ${place + 1} ${score} ${name}\n`).join("")
    )
    .join("")

const plotted = (
  runs: ReadonlyMap<string, ReadonlyMap<string, ReadonlyArray<Scored>>>,
  qrels: ReadonlyMap<string, ReadonlyMap<string, number>>,
  main: string
) =>
  new Map(
    [...runs].map(([name, run]) => {
      const top = Math.max(1e-12, ...[...run.values()].map(([first]) => first?.score ?? 0))
      return [
        name,
        [...qrels].map(([topic, judgments]) => {
          const ranking = (run.get(topic) ?? []).map(({ id }) => id)
          const confidence = (run.get(topic)?.[0]?.score ?? 0) / top
          return {
            topic,
            ranking,
            judgments,
            confidence,
            value: metricNamed(main)?.(ranking, judgments) ?? 0
          }
        })
      ]
    })
  )
