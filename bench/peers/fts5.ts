import Database from "better-sqlite3"
import { stopWords } from "../../core/language/tokenization/stop-words.js"
import { type FoundRow, type Peer, type PeerRow, titleWeight, wordsOf } from "./peer.js"

export interface Fts5 {
  readonly search: (query: string, limit: number) => ReadonlyArray<FoundRow>
  /** The rows as they lie in the table. */
  readonly read: (rows: ReadonlyArray<number>) => ReadonlyArray<unknown>
  readonly close: () => void
}

/** Words joined with OR, stop words left out, each as often as it is said. */
const matchOf = (query: string): string => {
  const words = wordsOf(query)
  const topical = words.filter((word) => !stopWords.has(word))
  return (topical.length > 0 ? topical : words).map((word) => `"${word}"`).join(" OR ")
}

/** SQLite's own full-text index with the porter stemmer, beside a table that holds the rows. */
export const fts5 = (rows: Iterable<PeerRow>, filename = ":memory:"): Fts5 => {
  const database = new Database(filename)
  database.pragma("journal_mode = wal")
  database.exec(`create table passage (id integer primary key, title text, text text);
    create virtual table words using fts5 (title, text, content = '', tokenize = 'porter unicode61')`)
  const [keep, index] = [
    database.prepare("insert into passage values (?, ?, ?)"),
    database.prepare("insert into words (rowid, title, text) values (?, ?, ?)")
  ]
  database.transaction(() => {
    let row = 0
    for (const { text, title } of rows) {
      keep.run(row, title, text)
      index.run(row, title, text)
      row += 1
    }
  })()
  const best = database.prepare<[string, number], FoundRow>(
    `select rowid as row, -bm25(words, ${titleWeight}, 1) as score from words where words match ?
      order by bm25(words, ${titleWeight}, 1) limit ?`
  )
  const one = database.prepare("select * from passage where id = ?")
  return {
    search: (query, limit) => {
      const match = matchOf(query)
      return match === "" ? [] : best.all(match, limit)
    },
    read: (wanted) => wanted.map((row) => one.get(row)),
    close: () => database.close()
  }
}

export const fts5Peer: Peer = {
  name: "FTS5 porter",
  load: async () => async (rows, queries, limit) => {
    const index = fts5(rows)
    const found = queries.map((query) => index.search(query, limit))
    index.close()
    return found
  }
}
