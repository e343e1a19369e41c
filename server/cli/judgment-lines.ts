// Reads lines of judgments, documents and questions as test collections write them: JSON lines, tabs or blanks.
import { z } from "zod"

/** A judgment of a collection; `document` is its id or, in a workspace, its vault path. */
export interface QrelLine {
  readonly queryId: string
  readonly document: string
  /** As it is written: above 4 and below 0 too. */
  readonly grade: number
}

export type QrelsFormat = "trec" | "beir"

const nameOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]/gu, "")

/** The names of the three columns of judgments, without case, hyphens and underscores. */
const columnNames: Readonly<Record<keyof Columns, ReadonlyArray<string>>> = {
  queryId: ["queryid", "query", "qid", "topic", "topicid", "topicno"],
  document: [
    "corpusid",
    "docid",
    "document",
    "documentid",
    "docno",
    "did",
    "doc",
    "pid",
    "passageid",
    "passage"
  ],
  grade: ["score", "relevance", "rel", "grade", "label", "judgment", "judgement", "rating", "qrel"]
}

interface Columns {
  readonly queryId: number
  readonly document: number
  readonly grade: number
}

/** Returns the places of the columns that a header names; null for a line that is no header. */
const columnsOf = (fields: ReadonlyArray<string>): Columns | null => {
  const names = fields.map(nameOf)
  const at = (column: keyof Columns) => names.findIndex((name) => columnNames[column].includes(name))
  const found = { queryId: at("queryId"), document: at("document"), grade: at("grade") }
  return Object.values(found).some((place) => place < 0) ? null : found
}

const wholeNumber = /^-?\d+(?:\.0*)?$/u

/** Returns the columns of a line without a header: three, or TREC's four, with or without a column behind the grade. */
const plainColumns = (fields: ReadonlyArray<string>): Columns | null => {
  const isGrade = (at: number) => wholeNumber.test(fields[at] ?? "")
  if (fields.length === 3) return isGrade(2) ? { queryId: 0, document: 1, grade: 2 } : null
  const hasExtra = fields.length === 5 && isGrade(3)
  if (fields.length !== 4 && !hasExtra) return null
  return isGrade(3) ? { queryId: 0, document: 2, grade: 3 } : null
}

const jsonQrel = (line: string, number: number): QrelLine => {
  const fields = Object.entries(jsonObject(line, number))
  const value = (column: keyof Columns) =>
    fields.find(([name]) => columnNames[column].includes(nameOf(name)))?.[1]
  const [queryId, document, grade] = [
    value("queryId"),
    value("document"),
    Number(value("grade") ?? Number.NaN)
  ]
  const isId = (id: unknown) => typeof id === "number" || (typeof id === "string" && id !== "")
  if (!isId(queryId) || !isId(document) || !Number.isInteger(grade))
    throw new Error(
      `Line ${number} is no judgment: it has the fields ${namesOf(fields)}; a query id, a document id and a whole number as the grade are needed, such as query-id, corpus-id, score.`
    )
  return { queryId: String(queryId), document: String(document), grade }
}

/**
 * Returns a reader of the lines of one file of judgments. A header decides where its columns are. Without a format each
 * line shows its own: JSON, or fields between tabs, or between blanks. A document of TREC's form may hold blanks.
 *
 * @throws Error that names the line, from the reader.
 */
export const qrelReader = (format?: QrelsFormat) => {
  let header: Columns | null = null
  let isFirst = true
  return (line: string, number: number): QrelLine | null => {
    if (line.trim() === "") return null
    const mayBeHeader = isFirst
    isFirst = false
    if (format === undefined && line.trimStart().startsWith("{")) return jsonQrel(line, number)
    const isTabbed = format === "beir" || (format === undefined && line.includes("\t"))
    const fields = isTabbed ? line.split("\t").map((field) => field.trim()) : line.trim().split(/\s+/u)
    if (mayBeHeader) {
      header = columnsOf(fields)
      if (header !== null) return null
    }
    const columns = header ?? plainColumns(fields)
    const [queryId = "", document = "", grade = ""] =
      columns === null
        ? isTabbed
          ? []
          : blankedTrec(line)
        : [columns.queryId, columns.document, columns.grade].map((at) => fields[at] ?? "")
    if (queryId !== "" && document !== "" && wholeNumber.test(grade))
      return { queryId, document, grade: Number(grade) }
    throw new Error(
      `Line ${number} is no judgment${format === undefined ? "" : ` in the format ${format}`}: ${
        header === null
          ? "it needs a query id, a document and a whole number as the grade, in three columns, in TREC's four, or under a header that names them"
          : "a column that the header names is empty, or its grade is no whole number"
      }.${format === undefined ? "" : " Without --format the file decides."}`
    )
  }
}

/** Fields of a line in TREC's form whose document holds blanks: the grade is the last field. */
const blankedTrec = (line: string): ReadonlyArray<string> => {
  const [, queryId = "", document = "", grade = ""] =
    /^\s*(\S+)[ \t]+\S+[ \t]+(\S.*?)[ \t]+(-?\d+(?:\.0*)?)\s*$/u.exec(line) ?? []
  return [queryId, document, grade]
}

const Id = z.union([z.string(), z.number()])

const idNames = ["_id", "id", "doc_id", "docid", "docno", "document_id", "pid", "passage_id"]
const queryIdNames = ["_id", "id", "query_id", "query-id", "qid", "queryid", "topic_id", "number"]
/** Fields that hold the text of a document or a question; the first that a line has is read. */
const textNames = ["text", "body", "contents", "content", "segment", "passage", "chunk", "abstract"]
const questionNames = ["text", "query", "question", "title"]

/** A document or question of JSON. */
export interface TextLine {
  readonly id: string
  readonly title: string
  readonly text: string
}

/**
 * Reads a document or a question of JSON lines.
 *
 * @throws Error that names the line and its fields when none of them is known as the id or the text.
 */
export const textLine = (line: string, number: number, kind: "document" | "question"): TextLine => {
  const given = jsonObject(line, number)
  const fields = Object.entries(given)
  const first = (names: ReadonlyArray<string>) => names.find((name) => Object.hasOwn(given, name))
  const [ids, texts] = kind === "document" ? [idNames, textNames] : [queryIdNames, questionNames]
  const id = Id.safeParse(given[first(ids) ?? ""])
  const text = given[first(texts) ?? ""]
  const title = given["title"]
  // Of a document with a title and an id alone nothing is lost.
  const isTitleAlone =
    kind === "document" &&
    typeof title === "string" &&
    fields.every(([name]) => name === "title" || ids.includes(name))
  if (!id.success || !(typeof text === "string" || text === null || isTitleAlone))
    throw new Error(
      `Line ${number} has no ${id.success ? "text" : "id"} of a ${kind}: it has the fields ${namesOf(fields)}. The ${
        id.success ? "text" : "id"
      } is read from ${(id.success ? texts : ids).join(", ")}.`
    )
  return {
    id: String(id.data),
    title: typeof title === "string" ? title : "",
    text: typeof text === "string" ? text : ""
  }
}

const jsonObject = (line: string, number: number): Readonly<Record<string, unknown>> => {
  try {
    const read: unknown = JSON.parse(line)
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return { ...read }
  } catch {}
  throw new Error(`Line ${number} is no JSON object.`)
}

const namesMax = 12

const namesOf = (fields: ReadonlyArray<readonly [string, unknown]>): string =>
  fields.length === 0
    ? "(none)"
    : fields
        .slice(0, namesMax)
        .map(([name]) => name.slice(0, 40))
        .join(", ")
        .concat(fields.length > namesMax ? ", …" : "")
