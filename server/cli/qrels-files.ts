import { visibleJson } from "../../core/platform/kernel/index.js"
import { gradeMax, type Judgment } from "../../core/work/evaluation/index.js"
import { type QrelLine, type QrelsFormat, qrelReader, textLine } from "./judgment-lines.js"

/** Ids of topics hold no blanks here: those of a file are written as in an address. */
const topicId = (id: string): string => id.trim().replace(/\s/gu, encodeURIComponent)

const linesIn = (text: string): ReadonlyArray<string> => text.replace(/^\uFEFF/u, "").split(/\r?\n/u)

/** Judgments of a file as a workspace keeps them: grades from 0 to 4. */
interface ReadQrels {
  readonly qrels: ReadonlyArray<QrelLine>
  /** Numbers of judgments whose grade was above 4 and counts as 4, and below 0 and counts as 0. */
  readonly lowered: number
  readonly raised: number
}

/**
 * Reads judgments in TREC's or BEIR's form or as JSON lines; without a format the file decides.
 *
 * @throws Error that names the line.
 */
export const parseQrels = (text: string, format?: QrelsFormat): ReadQrels => {
  const read = qrelReader(format)
  const found = linesIn(text).flatMap((line, at) => read(line, at + 1) ?? [])
  return {
    qrels: found.map(({ document, grade, queryId }) => ({
      queryId: topicId(queryId),
      document,
      grade: Math.min(gradeMax, Math.max(0, grade))
    })),
    lowered: found.filter(({ grade }) => grade > gradeMax).length,
    raised: found.filter(({ grade }) => grade < 0).length
  }
}

/**
 * Reads questions by id: JSON lines, or lines `id <tab> text`.
 *
 * @throws Error that names the line.
 */
export const parseTopics = (text: string): ReadonlyMap<string, string> => {
  const topics = new Map<string, string>()
  for (const [at, line] of linesIn(text).entries()) {
    if (line.trim() === "") continue
    if (line.trimStart().startsWith("{")) {
      const { id, text: question } = textLine(line, at + 1, "question")
      topics.set(topicId(id), question)
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
