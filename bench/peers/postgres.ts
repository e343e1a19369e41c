import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { withFolder } from "../workspace.js"
import type { FoundRow, Peer, PeerRow } from "./peer.js"

const urlName = "KANON_BENCH_POSTGRES"

/** Words joined with OR: the default AND finds nearly nothing for a natural question. Title over text by weight. */
const script = (rows: string, queries: string, limit: number) => `
  set client_min_messages = warning;
  create temp table rows (row int primary key, title text, text text);
  create temp table queries (query int primary key, text text);
  \\copy rows from '${rows}'
  \\copy queries from '${queries}'
  create temp table words as select row, setweight(to_tsvector('english', title), 'A')
    || setweight(to_tsvector('english', text), 'B') as vector from rows;
  create index on words using gin (vector);
  select q.query, f.row, f.score from queries q
    cross join lateral (select replace(plainto_tsquery('english', q.text)::text, '&', '|')::tsquery as wanted) w
    cross join lateral (select row, ts_rank('{0, 0, 0.5, 1}', vector, wanted) as score from words
      where vector @@ wanted order by score desc, row limit ${limit}) f order by q.query, f.score desc;
`

const psql = (url: string, text: string) =>
  spawnSync(
    "psql",
    [url, "--quiet", "--no-align", "--tuples-only", "--set", "ON_ERROR_STOP=1", "--file", "-"],
    {
      input: text,
      encoding: "utf8",
      maxBuffer: 2 ** 29
    }
  )

/** Tab-separated with what COPY escapes. */
const copyText = (table: ReadonlyArray<ReadonlyArray<string>>): string => {
  const escaped = new Map([
    ["\\", "\\\\"],
    ["\t", "\\t"],
    ["\n", "\\n"],
    ["\r", "\\r"]
  ])
  const escape = (cell: string) =>
    cell.replaceAll("\0", "").replace(/[\\\t\n\r]/g, (found) => escaped.get(found) ?? found)
  return table.map((cells) => `${cells.map(escape).join("\t")}\n`).join("")
}

const rank = (url: string, rows: ReadonlyArray<PeerRow>, queries: ReadonlyArray<string>, limit: number) =>
  withFolder(async (folder) => {
    const files = [join(folder, "rows"), join(folder, "queries")] as const
    writeFileSync(files[0], copyText(rows.map(({ text, title }, row) => [String(row), title, text])))
    writeFileSync(files[1], copyText(queries.map((text, query) => [String(query), text])))
    const { status, stderr, stdout } = psql(url, script(...files, limit))
    if (status !== 0) throw new Error(stderr)
    const found = queries.map((): Array<FoundRow> => [])
    for (const line of stdout.split("\n").filter((text) => text !== "")) {
      const [query, row, score] = line.split("|").map(Number)
      if (query !== undefined && row !== undefined && score !== undefined) found[query]?.push({ row, score })
    }
    return found
  })

/** The ranking that Postgres brings along, through psql and a server that the environment names. */
export const postgresPeer: Peer = {
  name: "Postgres ts_rank",
  load: async () => {
    const url = process.env[urlName]
    if (url === undefined) throw new Error(`${urlName} names no server`)
    const { error, status, stderr } = psql(url, "select 1")
    if (error !== undefined || status !== 0) throw new Error(error?.message ?? stderr.trim())
    return (rows, queries, limit) => rank(url, rows, queries, limit)
  }
}
