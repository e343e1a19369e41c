import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import pg from "pg"
import { z } from "zod"
import { chosen, databaseAt, engineAt } from "./database.js"
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
    const weighed = chosen() === "sqlite" ? weighSqlite(data, folder) : await weighPostgres(data)
    report(context, weighed, sizeOf(join(data, "vectors")))
  })
}

/** Size of a database in bytes, whole and by table. */
interface Weighed {
  readonly whole: number
  /** Every table and index, largest first. */
  readonly tables: ReadonlyArray<{ readonly name: string; readonly table: string; readonly bytes: number }>
  readonly chunks: number
  readonly vectors: number
  readonly dimensions: number
  /** The same passages in one table with the full-text index that the database brings along. */
  readonly text: number
  readonly peer: string
}

const countChunks = "select count(*) as n from chunk"
const countVectors = "select count(*) as n from vector where vector is not null"
const mostNumbers = "select coalesce(max(dimensions), 0) as n from vector_model where state = 'active'"

const weighSqlite = (data: string, folder: string): Weighed => {
  const database = new Database(join(data, "kanon.sqlite"))
  try {
    // Free pages are not counted, because the next rows fill them.
    database.pragma("wal_checkpoint(truncate)")
    const one = (sql: string) => Number(database.prepare(sql).pluck().get() ?? 0)
    const free = one("pragma freelist_count") * one("pragma page_size")
    return {
      whole: sizeOf(data) - free,
      tables: tablesOf(database),
      chunks: one(countChunks),
      vectors: one(countVectors),
      dimensions: one(mostNumbers),
      text: floorOf(database, join(folder, "floor.sqlite")),
      peer: "text with an FTS5 index, 4 bytes a number of each vector"
    }
  } finally {
    database.close()
  }
}

const weighPostgres = async (data: string): Promise<Weighed> => {
  const database = new pg.Client(await databaseAt(data))
  await database.connect()
  try {
    const one = async (sql: string) => Number((await database.query(sql)).rows[0]?.n ?? 0)
    // Dead rows of an ingest are not counted, just as free pages of a file are not; their space would be reused.
    await database.query("vacuum full")
    const tables = await postgresTables(database)
    return {
      whole: tables.reduce((sum, { bytes }) => sum + bytes, 0) + sizeOf(data),
      tables,
      chunks: await one(countChunks),
      vectors: await one(countVectors),
      dimensions: await one(mostNumbers),
      text: await postgresFloor(database),
      peer: "text with a GIN index over its tsvector, 4 bytes a number of each vector"
    }
  } finally {
    await database.end()
  }
}

/** A table with what was stored beside it for being long. */
const postgresTables = async (database: pg.Client): Promise<Weighed["tables"]> => {
  const { rows } = await database.query(
    `select c.relname as name, coalesce(o.relname, c.relname) as "table",
       (case when c.relkind = 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end)::float8 as bytes
     from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_class o on o.oid = i.indrelid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'i') order by bytes desc`
  )
  return Sizes.parse(rows)
}

const postgresFloor = async (database: pg.Client): Promise<number> => {
  await database.query(
    `create table floor_passage as select c.label, d.path, c.heading_path, c.text from chunk c
       join document d on d.workspace_id = c.workspace_id and d.id = c.document_id`
  )
  await database.query("alter table floor_passage add primary key (label)")
  await database.query("create index floor_words on floor_passage using gin (to_tsvector('english', text))")
  const { rows } = await database.query("select pg_total_relation_size('floor_passage') as n")
  return Number(rows[0]?.n ?? 0)
}

const report = ({ report, say }: BenchContext, weighed: Weighed, graphs: number): void => {
  const { chunks, dimensions, peer, tables, text, vectors, whole } = weighed
  const floor = text + vectors * dimensions * 4
  const row = { n: chunks, unit: "bytes/passage" }
  const bytesOf = (part: Part): number =>
    tables.reduce((sum, { bytes, table }) => (partOf(table) === part ? sum + bytes : sum), 0)
  const beyond = bytesOf("entity graph") + bytesOf("history")
  for (const [metric, bytes] of [
    ["everything", whole],
    ["what searches need: all but entity graph and history", whole - beyond]
  ] as const)
    report({
      ...row,
      metric,
      ours: bytes / chunks,
      floor: floor / chunks,
      peer,
      target: "<= 1.5"
    })
  const alone = (metric: string, bytes: number) => report({ ...row, metric, ours: bytes / chunks })
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

/** Returns the purpose of a table. The floor has nothing like the entity graph or the history. */
const partOf = (table: string): Part => {
  if (table === "vector_artefact") return "built-in model"
  if (/^vector/.test(table)) return "vectors"
  if (/^(entity_revision|audit|audit_head|document_content)$/.test(table)) return "history"
  if (/^(graph|mention|id_number|relation|edge|entity)/.test(table)) return "entity graph"
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
