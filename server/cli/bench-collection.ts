import { createReadStream, statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { createGunzip } from "node:zlib"
import { qrelReader, type TextLine, textLine } from "./judgment-lines.js"

/** The first of these files in a folder, plain or gzipped; null when there is none. */
const firstOf = (folder: string, names: ReadonlyArray<string>): string | null => {
  for (const name of names)
    for (const file of [join(folder, name), join(folder, `${name}.gz`)])
      if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) return file
  return null
}

/** Parts of a collection in the order in which their judgments are preferred. */
const splits = ["test", "dev", "validation", "train"]

/**
 * The files of a collection. BEIR: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv` or `.jsonl`. ir_datasets:
 * `docs.jsonl` or `docs.tsv`, `queries.tsv`, `qrels`. TREC: `docs.trec`, `topics.tsv` or `topics.trec`, `qrels.txt`.
 * Each may end in `.gz`.
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
    "queries.test.tsv",
    "topics.trec",
    "topics.xml",
    "topics.txt"
  ]),
  qrels: firstOf(folder, [
    ...splits.flatMap((split) => [`qrels/${split}.tsv`, `qrels/${split}.jsonl`, `qrels/${split}.txt`]),
    "qrels.tsv",
    "qrels.jsonl",
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

/** The documents of a collection, one at a time. */
export async function* documentsOf(file: string): AsyncGenerator<TextLine> {
  if (/\.(trec|xml)(\.gz)?$/u.test(file)) return yield* trecDocuments(file)
  const isTabbed = /\.tsv(\.gz)?$/u.test(file)
  let number = 0
  for await (const line of linesOf(file)) {
    number += 1
    if (line.trim() === "") continue
    if (!isTabbed) yield textLine(line, number, "document")
    else {
      const [id = "", ...rest] = line.split("\t")
      yield { id, title: rest.length > 1 ? (rest[0] ?? "") : "", text: rest.at(-1) ?? "" }
    }
  }
}

/** Documents in TREC's SGML: `<DOC>`, `<DOCNO>`, and everything else as text. */
async function* trecDocuments(file: string): AsyncGenerator<TextLine> {
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

/** The questions of a collection by id, and the ids that stand there twice: the first one counts. */
export const queriesOf = async (
  file: string
): Promise<{ readonly asked: ReadonlyMap<string, string>; readonly repeated: ReadonlyArray<string> }> => {
  const asked = new Map<string, string>()
  const repeated: Array<string> = []
  const put = (id: string, text: string) => {
    if (asked.has(id)) repeated.push(id)
    else asked.set(id, text)
  }
  const topics: Array<string> = []
  let number = 0
  for await (const line of linesOf(file)) {
    number += 1
    if (line.trim() === "") continue
    // TREC's topics are many lines each; there are a few hundred of them.
    if (topics.length > 0 || /^\s*<(?:\?xml|tops?|topics?)[\s>?]/iu.test(line)) topics.push(line)
    else if (line.trimStart().startsWith("{")) {
      const { id, text } = textLine(line, number, "question")
      put(id, text)
    } else {
      const [id = "", text] = line.split("\t")
      if (text === undefined)
        throw new Error(`Line ${number} of the questions is no question: it needs an id, a tab and the text.`)
      put(id, text)
    }
  }
  for (const { id, text } of trecTopics(topics.join("\n"))) put(id, text)
  return { asked, repeated }
}

/** Topics in TREC's SGML, `<top> <num> Number: 301 <title> …`, or its later XML, `<topic number="1"> <query>…`. */
const trecTopics = (text: string): ReadonlyArray<{ readonly id: string; readonly text: string }> =>
  text.split(/<(?=top(?:ic)?[\s>])/iu).flatMap((topic) => {
    const id =
      /^topic\s[^>]{0,200}?number\s*=\s*["']?([^"'\s>]+)/iu.exec(topic)?.[1] ??
      /<num(?:ber)?>\s*(?:number:)?\s*([^\s<]+)/iu.exec(topic)?.[1]
    const title = /<(?:title|query)>\s*(?:topic:)?([^<]*)/iu.exec(topic)?.[1]
    return id === undefined || title === undefined ? [] : [{ id, text: title.replace(/\s+/gu, " ").trim() }]
  })

/**
 * Grades by topic and document, and the pairs that are judged twice: the last grade counts. Negative grades stay, since
 * `bpref` takes them for unjudged.
 *
 * @throws Error that names a line that is no judgment.
 */
export const qrelsOf = async (
  file: string
): Promise<{
  readonly qrels: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly repeated: ReadonlyArray<string>
}> => {
  const qrels = new Map<string, Map<string, number>>()
  const repeated: Array<string> = []
  const read = qrelReader()
  let number = 0
  for await (const line of linesOf(file)) {
    number += 1
    const judgment = read(line, number)
    if (judgment === null) continue
    const { document, grade, queryId } = judgment
    const judged = qrels.get(queryId) ?? new Map<string, number>()
    if (judged.has(document)) repeated.push(`${queryId} ${document}`)
    qrels.set(queryId, judged.set(document, grade))
  }
  return { qrels, repeated }
}
