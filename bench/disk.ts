import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { z } from "zod"
import { engineAt } from "./database.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { vaultAtSize } from "./vault-at-size.js"
import { withFolder, writeVault } from "./workspace.js"

const chunksWanted: Readonly<Record<Size, number>> = { small: 60, default: 10_000, full: 100_000 }

/** Bytes a passage of all that a data folder holds after an ingest with vectors and graph. */
export const disk: RunBench = async (context) => {
  const documents = vaultAtSize(chunksWanted[context.size], context.seed)
  if (documents === null) return context.skip("the collection eips is not there")
  await withFolder(async (folder) => {
    const [vault, data] = [join(folder, "vault"), join(folder, "data")]
    writeVault(documents, vault)
    const engine = await engineAt({ vault, data })
    await engine.ingest({ wait: true })
    await engine.close()
    const database = new Database(join(data, "kanon.sqlite"))
    try {
      // What is free is not counted: the next rows go there.
      database.pragma("wal_checkpoint(truncate)")
      report(context, database, data, join(folder, "floor.sqlite"))
    } finally {
      database.close()
    }
  })
}

const report = (
  { report, say }: BenchContext,
  database: Database.Database,
  data: string,
  floorFile: string
): void => {
  const one = (sql: string): number => {
    const value: unknown = database.prepare(sql).pluck().get()
    return Number(value ?? 0)
  }
  const chunks = one("select count(*) from chunk")
  const graphs = sizeOf(join(data, "vectors"))
  const free = one("pragma freelist_count") * one("pragma page_size")
  const whole = sizeOf(data) - free
  const dimensions = one("select coalesce(max(dimensions), 0) from vector_model where state = 'active'")
  const vectors = one("select count(*) from vector where vector is not null")
  const text = floorOf(database, floorFile)
  const floor = text + vectors * dimensions * 4
  const row = { n: chunks, unit: "bytes/passage", iqr: null }
  const tables = tablesOf(database)
  const bytesOf = (part: Part): number =>
    tables.reduce((sum, { bytes, table }) => (partOf(table) === part ? sum + bytes : sum), 0)
  const beyond = bytesOf("entity graph") + bytesOf("history")
  const peer = "text with an FTS5 index, 4 bytes a number of each vector"
  for (const [metric, bytes] of [
    ["everything", whole],
    ["what searches need: all but entity graph and history", whole - beyond]
  ] as const)
    report({
      ...row,
      metric,
      ours: bytes / chunks,
      floor: floor / chunks,
      ratio: bytes / floor,
      peer,
      target: "<= 1.5"
    })
  const alone = (metric: string, bytes: number) =>
    report({ ...row, metric, ours: bytes / chunks, floor: null, ratio: null, peer: "" })
  for (const part of parts) alone(`part: ${part}`, bytesOf(part))
  alone("part: vector graph files", graphs)
  for (const { bytes, name, table } of tables.slice(0, tablesShown))
    alone(name === table ? `table ${name}` : `index ${name} of ${table}`, bytes)
  say(`${chunks} passages, ${vectors} vectors of ${dimensions} numbers`)
}

/** Tables and indexes that are told one by one. */
const tablesShown = 24

const parts = [
  "text and its index",
  "vectors",
  "built-in model",
  "entity graph",
  "history",
  "the rest"
] as const
type Part = (typeof parts)[number]

/** What a table is there for. The floor has nothing like the entity graph, and nothing like the history. */
const partOf = (table: string): Part => {
  if (table === "vector_artefact") return "built-in model"
  if (/^vector/.test(table)) return "vectors"
  if (/^(entity_revision|audit|audit_head|document_content)$/.test(table)) return "history"
  if (/^(graph|mention|relation|edge|entity)/.test(table)) return "entity graph"
  return /^(chunk|document|posting)/.test(table) ? "text and its index" : "the rest"
}

const Sizes = z.array(z.object({ name: z.string(), table: z.string(), bytes: z.number() }))

/** Every table and index with the bytes of its pages, largest first. */
const tablesOf = (database: Database.Database): z.infer<typeof Sizes> =>
  Sizes.parse(
    database
      .prepare(`select d.name, coalesce(s.tbl_name, d.name) as "table", sum(d.pgsize) as bytes
        from dbstat d left join sqlite_schema s on s.name = d.name group by d.name order by bytes desc`)
      .all()
  )

/** The same passages in one table with an FTS5 index over it. */
const floorOf = (database: Database.Database, file: string): number => {
  database.prepare("attach ? as floor").run(file)
  database.exec(`create table floor.passage (label integer primary key, path text, heading text, text text);
    create virtual table floor.words using fts5(text, content = 'passage', content_rowid = 'label', tokenize = 'porter');
    insert into floor.passage select c.label, d.path, c.heading_path, c.text from chunk c join document d
      on d.workspace_id = c.workspace_id and d.id = c.document_id;
    insert into floor.words (words) values ('rebuild');
    detach floor`)
  return statSync(file).size
}

/** Bytes of all files in a folder; 0 when there is none. */
const sizeOf = (folder: string): number => {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return 0
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.reduce(
    (sum, entry) => (entry.isFile() ? sum + statSync(join(entry.parentPath, entry.name)).size : sum),
    0
  )
}
