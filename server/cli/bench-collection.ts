import { createReadStream, existsSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { createGunzip } from "node:zlib"
import { z } from "zod"

/** A document of a collection. */
export interface CollectionDocument {
  readonly id: string
  readonly title: string
  readonly text: string
}

/** The first of these files in a folder, plain or gzipped; null when there is none. */
const firstOf = (folder: string, names: ReadonlyArray<string>): string | null => {
  for (const name of names)
    for (const file of [join(folder, name), join(folder, `${name}.gz`)]) if (existsSync(file)) return file
  return null
}

/**
 * The files of a collection. BEIR: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`. ir_datasets: `docs.jsonl` or
 * `docs.tsv`, `queries.tsv`, `qrels`. TREC: `docs.trec`, `topics.tsv`, `qrels.txt`. Each may end in `.gz`.
 */
export const collectionFiles = (folder: string) => ({
  corpus: firstOf(folder, [
    "corpus.jsonl",
    "docs.jsonl",
    "documents.jsonl",
    "collection.jsonl",
    "docs.tsv",
    "collection.tsv",
    "docs.trec",
    "docs.xml"
  ]),
  queries: firstOf(folder, [
    "queries.jsonl",
    "topics.jsonl",
    "queries.tsv",
    "topics.tsv",
    "queries.test.tsv"
  ]),
  qrels: firstOf(folder, [
    "qrels/test.tsv",
    "qrels/dev.tsv",
    "qrels.tsv",
    "qrels.txt",
    "qrels.trec",
    "qrels",
    "qrels.test.tsv"
  ])
})

/** The lines of a plain or gzipped file, one at a time, without a byte order mark. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file)
  const input = file.endsWith(".gz") ? bytes.pipe(createGunzip()) : bytes
  let isFirst = true
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    yield isFirst ? line.replace(/^\uFEFF/u, "") : line
    isFirst = false
  }
}

const Name = z.union([z.string(), z.number()]).transform(String)
const Line = z
  .object({
    _id: Name.optional(),
    id: Name.optional(),
    doc_id: Name.optional(),
    docid: Name.optional(),
    query_id: Name.optional(),
    title: z.string().nullish(),
    text: z.string().nullish(),
    body: z.string().nullish(),
    contents: z.string().nullish(),
    abstract: z.string().nullish()
  })
  .loose()

const jsonLine = (line: string) => {
  const { _id, abstract, body, contents, doc_id, docid, id, query_id, text, title } = Line.parse(
    JSON.parse(line)
  )
  return {
    id: _id ?? id ?? doc_id ?? docid ?? query_id ?? "",
    title: title ?? "",
    text: text ?? body ?? contents ?? abstract ?? ""
  }
}

/** The documents of a collection, one at a time. */
export async function* documentsOf(file: string): AsyncGenerator<CollectionDocument> {
  if (/\.(trec|xml)(\.gz)?$/u.test(file)) return yield* trecDocuments(file)
  const isTabbed = /\.tsv(\.gz)?$/u.test(file)
  for await (const line of linesOf(file)) {
    if (line.trim() === "") continue
    if (!isTabbed) yield jsonLine(line)
    else {
      const [id = "", ...rest] = line.split("\t")
      yield { id, title: rest.length > 1 ? (rest[0] ?? "") : "", text: rest.at(-1) ?? "" }
    }
  }
}

/** Documents in TREC's SGML: `<DOC>`, `<DOCNO>`, and everything else as text. */
async function* trecDocuments(file: string): AsyncGenerator<CollectionDocument> {
  let inside: Array<string> | null = null
  for await (const line of linesOf(file)) {
    if (/<DOC>/iu.test(line)) inside = []
    inside?.push(line)
    if (inside === null || !/<\/DOC>/iu.test(line)) continue
    const all = inside.join("\n")
    inside = null
    const part = (tag: string) =>
      new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "iu").exec(all)?.[1]?.trim() ?? ""
    const text = all
      .replace(/<DOCNO>[\s\S]*?<\/DOCNO>|<(TITLE|HEADLINE)>[\s\S]*?<\/\1>/giu, " ")
      .replace(/<[^>]+>/gu, " ")
    yield { id: part("DOCNO"), title: part("TITLE") || part("HEADLINE"), text: text.trim() }
  }
}

/** The questions of a collection by id. */
export const queriesOf = async (file: string): Promise<ReadonlyMap<string, string>> => {
  const queries = new Map<string, string>()
  for await (const line of linesOf(file)) {
    if (line.trim() === "") continue
    if (line.trimStart().startsWith("{")) {
      const { id, text } = jsonLine(line)
      queries.set(id, text)
    } else {
      const [id = "", text = ""] = line.split("\t")
      queries.set(id, text)
    }
  }
  return queries
}

/**
 * Grades by topic and document: three columns, or TREC's four; a header is skipped. With tabs, ids may hold blanks.
 *
 * @throws Error that names a line that is no judgment.
 */
export const qrelsOf = async (file: string): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> => {
  const qrels = new Map<string, Map<string, number>>()
  let number = 0
  for await (const line of linesOf(file)) {
    number += 1
    if (line.trim() === "") continue
    const fields = line.includes("\t") ? line.split("\t") : line.trim().split(/\s+/u)
    const [topic = ""] = fields
    const told = fields.at(-1)?.trim() ?? ""
    const grade = Number(told)
    const document = fields.at(-2) ?? ""
    if (fields.length < 3 || told === "" || !Number.isInteger(grade)) {
      if (number === 1) continue
      throw new Error(`Line ${number} of the judgments has no whole number as its grade.`)
    }
    const judged = qrels.get(topic) ?? new Map<string, number>()
    // Some collections mark what is worse than not relevant by negative grades.
    qrels.set(topic, judged.set(document, Math.max(0, grade)))
  }
  return qrels
}
