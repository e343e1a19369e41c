import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { compareRuns, metricNamed, type Scored, scoreRun } from "../../core/work/evaluation/index.js"
import { linesOf } from "./bench-collection.js"
import type { Grid } from "./bench-grid.js"
import { metrics } from "./bench-grid.js"
import {
  type BenchRow,
  benchTable,
  csvTable,
  latexTable,
  markdownTable,
  topicsTable
} from "./bench-tables.js"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const hashOfFile = async (file: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const line of linesOf(file)) hash.update(line).update("\n")
  return hash.digest("hex")
}

/** Scores the runs, writes tables, run files, plots and the manifest. */
export const report = async (found: {
  readonly files: { readonly corpus: string; readonly queries: string; readonly qrels: string }
  readonly output: string
  readonly runs: ReadonlyMap<string, ReadonlyMap<string, ReadonlyArray<Scored>>>
  readonly qrels: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly grid: Grid & { readonly queries?: number | undefined; readonly seed: number }
  readonly documents: number
  readonly fingerprint: string | null
  /** Judged documents that the corpus lacks, and topics that were not asked, by reason. */
  readonly missing: ReadonlyArray<string>
  readonly skipped: Readonly<Record<string, ReadonlyArray<string>>>
  /** What stands twice in each file. */
  readonly repeated: Readonly<Record<"documents" | "queries" | "judgments", ReadonlyArray<string>>>
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
  const table = benchTable(rows, compared.pairs, main)
  // The plot library is loaded only where plots are drawn.
  const { benchPlots } = await import("./bench-plots.js")
  const written = new Map<string, string>([
    ["results.md", markdownTable(table)],
    ["results.csv", csvTable(table)],
    ["results.tex", latexTable(table)],
    [
      "topics.csv",
      topicsTable(metrics, new Map([...scored].map(([name, { perTopic }]) => [name, perTopic])))
    ],
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
      topics: qrels.size,
      skipped: found.skipped,
      missing: found.missing,
      repeated: found.repeated
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
  return { manifest, table: markdownTable(table).trimEnd() }
}

const runText = (name: string, run: ReadonlyMap<string, ReadonlyArray<Scored>>): string =>
  [...run]
    .map(([topic, found]) =>
      found
        .map(({ id, score }, place) => `${inField(topic)} Q0 ${inField(id)} ${place + 1} ${score} ${name}\n`)
        .join("")
    )
    .join("")

/** Fields of a run file are separated by blanks: those of ids are written as in an address. */
const inField = (id: string): string => id.replace(/\s/gu, encodeURIComponent)

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
