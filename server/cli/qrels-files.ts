import { z } from "zod"
import { visibleJson } from "../../core/platform/kernel/index.js"
import type { Judgment } from "../../core/work/evaluation/index.js"

/** A line of a file of judgments. */
export interface QrelLine {
  readonly queryId: string
  readonly document: string
  readonly grade: number
}

/** Ids of topics hold no blanks here: those of a file are written as in an address. */
const topicId = (id: string): string => id.trim().replace(/\s/gu, encodeURIComponent)

/**
 * Reads judgments. Grades below 0, which some collections give to what is worse than not relevant, are 0. trec: `query-id iteration document grade`, separated by blanks or tabs. beir: a header, then
 * `query-id <tab> document <tab> grade`. A document may be a vault path; in TREC files blanks in it are kept, since the
 * grade is the last field.
 *
 * @throws Error that names the line.
 */
export const parseQrels = (text: string, format: "trec" | "beir"): ReadonlyArray<QrelLine> => {
  const lines = text.replace(/^\uFEFF/u, "").split(/\r?\n/u)
  return lines.flatMap((line, at) => {
    if (line.trim() === "") return []
    if (format === "beir" && at === 0 && /^query[-_]?id\t/iu.test(line)) return []
    const form =
      format === "beir"
        ? /^([^\t]+)\t(.+)\t(-?\d+(?:\.0*)?)\s*$/u
        : /^\s*(\S+)[ \t]+\S+[ \t]+(.+?)[ \t]+(-?\d+(?:\.0*)?)\s*$/u
    const [, queryId = "", document = "", grade = ""] = form.exec(line) ?? []
    if (queryId === "") throw new Error(`Line ${at + 1} is no judgment in the format ${format}.`)
    const value = Number(grade)
    if (value > 4) throw new Error(`Line ${at + 1}: a grade is at most 4.`)
    return [{ queryId: topicId(queryId), document, grade: Math.max(0, value) }]
  })
}

const QueryLine = z.object({
  _id: z.union([z.string(), z.number()]).optional(),
  id: z.union([z.string(), z.number()]).optional(),
  query_id: z.union([z.string(), z.number()]).optional(),
  text: z.string()
})

/** Reads questions by id: JSON lines with `_id` or `id` and `text`, or lines `id <tab> text`. */
export const parseTopics = (text: string): ReadonlyMap<string, string> => {
  const topics = new Map<string, string>()
  for (const [at, line] of text
    .replace(/^\uFEFF/u, "")
    .split(/\r?\n/u)
    .entries()) {
    if (line.trim() === "") continue
    if (line.trimStart().startsWith("{")) {
      const { _id, id, query_id, text: question } = QueryLine.parse(JSON.parse(line))
      topics.set(topicId(String(_id ?? id ?? query_id ?? at)), question)
      continue
    }
    const tab = line.indexOf("\t")
    if (tab <= 0) throw new Error(`Line ${at + 1} is no question: it needs an id, a tab and the text.`)
    topics.set(topicId(line.slice(0, tab)), line.slice(tab + 1))
  }
  return topics
}

/** Judgments of documents as a file. */
export const qrelsText = (judgments: ReadonlyArray<Judgment>, format: "trec" | "beir"): string => {
  const lines = judgments.flatMap(({ docId, grade, queryId }) =>
    docId === null || grade === null
      ? []
      : [format === "trec" ? `${queryId} 0 ${docId} ${grade}` : `${queryId}\t${docId}\t${grade}`]
  )
  return [...(format === "beir" ? ["query-id\tcorpus-id\tscore"] : []), ...lines].join("\n").concat("\n")
}

/** The questions as BEIR's `queries.jsonl`. */
export const topicsText = (judgments: ReadonlyArray<Judgment>): string =>
  [...new Map(judgments.map(({ query, queryId }) => [queryId, query]))]
    .map(([id, text]) => visibleJson({ _id: id, text, metadata: {} }))
    .join("\n")
    .concat("\n")
