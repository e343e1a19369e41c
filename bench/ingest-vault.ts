import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { syncVault } from "../core/files/vault-sync/index.js"
import { type CorpusDocument, dataFolder, readCorpus } from "./data.js"
import { engineAt } from "./database.js"
import { type Cost, compare, costOf, interleaved, type Pair } from "./measure.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { statementsOf } from "./statements.js"
import { median } from "./statistics.js"
import { variations } from "./vary.js"
import { openWorkspace, withFolder, writeVault } from "./workspace.js"

/** How often the vault is written out, each time in other words. */
const copies: Readonly<Record<Size, number>> = { small: 1, default: 1, full: 6 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 15 }
const unchangedPairs: Readonly<Record<Size, number>> = { small: 2, default: 31, full: 31 }
const completeRuns: Readonly<Record<Size, number>> = { small: 1, default: 1, full: 1 }

const materialOf = ({ seed, size }: BenchContext): ReadonlyArray<CorpusDocument> | null => {
  const base = readCorpus("eips")
  if (base === null) return null
  const vary = variations(
    base.map(({ text }) => text),
    seed
  )
  return Array.from({ length: copies[size] }, (_, copy) =>
    base.map(({ id, text, title }) => ({ id: `${copy}/${id}`, title, text: vary(text, copy) }))
  ).flat()
}

const documentsPerTransaction = 200
const passageCharsMax = 1500

/** The least an ingest must do: read, scan the lines, hash, rows, full-text index, with the same durability. */
const floorIngest = (vault: string, paths: ReadonlyArray<string>, filename: string): void => {
  const database = new Database(filename)
  database.pragma("journal_mode = wal")
  database.pragma("synchronous = full")
  database.exec(`create table document (id integer primary key, path text unique, title text, hash text, bytes blob);
    create table passage (id integer primary key, document_id integer, text text);
    create virtual table words using fts5 (title, text, content = '', tokenize = 'porter unicode61')`)
  const document = database.prepare("insert into document values (?, ?, ?, ?, ?)")
  const passage = database.prepare("insert into passage values (?, ?, ?)")
  const words = database.prepare("insert into words (rowid, title, text) values (?, ?, ?)")
  let passages = 0
  const ingest = database.transaction((batch: ReadonlyArray<string>, from: number) => {
    batch.forEach((path, i) => {
      const bytes = readFileSync(join(vault, path))
      const { texts, title } = scanLines(bytes.toString("utf8"), path)
      document.run(from + i, path, title, createHash("sha256").update(bytes).digest("hex"), bytes)
      for (const text of texts) {
        passages += 1
        passage.run(passages, from + i, text)
        words.run(passages, title, text)
      }
    })
  })
  for (let from = 0; from < paths.length; from += documentsPerTransaction) {
    ingest(paths.slice(from, from + documentsPerTransaction), from)
  }
  database.close()
}

/** Cuts at headings and at blank lines once a passage is long. */
const scanLines = (source: string, path: string) => {
  const texts: Array<string> = []
  let title = path
  let open = ""
  for (const line of source.split("\n")) {
    if (line.startsWith("title:")) title = line.slice("title:".length).trim()
    if (open !== "" && (line.startsWith("#") || open.length + line.length > passageCharsMax)) {
      texts.push(open)
      open = ""
    }
    open += `${line}\n`
  }
  if (open.trim() !== "") texts.push(open)
  return { title, texts }
}

const oursIngest = async (vault: string, data: string): Promise<Cost> => {
  const engine = await engineAt({ vault, data, worker: false })
  let failed = 0
  const cost = await costOf(async () => {
    failed = (await engine.ingest({ wait: false })).documents.failed
  })
  await engine.close()
  if (failed > 0) throw new Error(`${failed} files were not indexed.`)
  return cost
}

export const ingestVault: RunBench = async (context) => {
  const documents = materialOf(context)
  if (documents === null) return context.skip(`no eips in ${dataFolder}`)
  await withFolder(async (folder) => {
    const vault = join(folder, "vault")
    const paths = [...writeVault(documents, vault).keys()]
    const megabytes = paths.reduce((sum, path) => sum + statSync(join(vault, path)).size, 0) / 1e6
    context.say(`${paths.length} files, ${megabytes.toFixed(1)} MB`)
    const pairs = await ingestPairs(context.size, folder, vault, paths)
    reportIngest(context, pairs, paths.length)
    await countStatements(context, vault)
    await unchanged(context, folder, vault, paths)
    await complete(context, folder, vault, paths.length, pairs)
  })
}

/** Each side into a new file every time; making and removing it is not measured. */
const ingestPairs = (size: Size, folder: string, vault: string, paths: ReadonlyArray<string>) => {
  let turn = 0
  // A name of its own each time: on a server the database goes by the folder, and would hold what came before.
  const fresh = () => {
    rmSync(join(folder, `${turn}`), { recursive: true, force: true })
    turn += 1
    mkdirSync(join(folder, `${turn}`))
    return join(folder, `${turn}`)
  }
  return interleaved(
    pairsWanted[size],
    async () => oursIngest(vault, fresh()),
    async () => {
      const filename = join(fresh(), "floor.sqlite")
      return costOf(() => floorIngest(vault, paths, filename))
    }
  )
}

const floorName = "read, line scan, SHA-256, rows, FTS5; 200 documents a transaction"

const reportIngest = ({ report }: BenchContext, pairs: ReadonlyArray<Pair<Cost>>, files: number): void => {
  const rate = (cost: keyof Cost) => compare(pairs, (one) => (files / one[cost]) * 1000)
  report({
    metric: "ingest, no embedding",
    ...rate("wallMs"),
    unit: "files/s",
    peer: floorName,
    target: ">= 0.4"
  })
  report({ metric: "ingest, no embedding, CPU", ...rate("cpuMs"), unit: "files/CPU s", peer: floorName })
}

const countStatements = async ({ report }: BenchContext, vault: string): Promise<void> => {
  const workspace = await openWorkspace({ vault })
  for (const metric of ["ingest", "unchanged"]) {
    for (const [what, count] of Object.entries(await statementsOf(workspace, syncVault()))) {
      report({
        metric: `${metric} ${what}`,
        ours: count,
        n: 1,
        unit: "a sync",
        peer: "exact count"
      })
    }
  }
  await workspace.close()
}

const unchanged = async (
  { report, size }: BenchContext,
  folder: string,
  vault: string,
  paths: ReadonlyArray<string>
) => {
  const engine = await engineAt({ vault, data: join(folder, "unchanged"), worker: false })
  // Files written a moment ago are hashed once more by the sync that follows; the ones after that look at stamps.
  for (let sync = 0; sync < 2; sync++) await engine.ingest({ wait: false })
  const pairs = await interleaved(
    unchangedPairs[size],
    () => costOf(() => engine.ingest({ wait: false })),
    () => costOf(() => paths.map((path) => statSync(join(vault, path))))
  )
  await engine.close()
  const peer = "stat of every file"
  report({
    metric: "ingest-unchanged",
    ...compare(pairs, ({ wallMs }) => wallMs),
    unit: "ms",
    peer,
    target: "<= 3"
  })
  report({ metric: "ingest-unchanged, CPU", ...compare(pairs, ({ cpuMs }) => cpuMs), unit: "ms", peer })
}

/** With all that a worker does afterwards: graph, ranks, vectors, the index over them. */
const complete = async (
  { report, size }: BenchContext,
  folder: string,
  vault: string,
  files: number,
  pairs: ReadonlyArray<Pair<Cost>>
): Promise<void> => {
  const costs: Array<Cost> = []
  for (let run = 0; run < completeRuns[size]; run++) {
    const engine = await engineAt({ vault, data: join(folder, `complete-${run}`) })
    costs.push(await costOf(() => engine.ingest()))
    await engine.close()
  }
  const ours = (files / median(costs.map(({ wallMs }) => wallMs))) * 1000
  const floor = (files / median(pairs.map(({ floor }) => floor.wallMs))) * 1000
  const line = {
    ours,
    floor,
    n: costs.length,
    unit: "files/s",
    peer: floorName
  }
  report({ metric: "ingest with graph and vectors", ...line })
}
