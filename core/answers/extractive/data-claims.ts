import type { Question } from "../../language/questions/index.js"
import { textUnits } from "../../language/text-analysis/index.js"
import {
  type AnswerFormat,
  type Claim,
  cellText,
  type Evidence,
  type EvidenceData,
  marker
} from "../evidence/index.js"

/** A longer list is for the reader to look up: the marker leads to all of it. */
const rowsMax = 8
/** Calls that have about as much to do with the question as the best one. */
const nearShare = 0.6

/**
 * Answers from rows of data calls: a single value, the row that is asked for by comparison, a count, or a short list.
 * Each claim is a row, or part of one, with the title of its query before it. Pure.
 */
export const dataClaims = (evidence: Evidence): ReadonlyArray<Claim> =>
  relevant(evidence).flatMap((data) => claimsOf(evidence, data))

/** The calls with rows that share most with the question; all of them where none shares anything. */
const relevant = (evidence: Evidence): ReadonlyArray<EvidenceData> => {
  const scored = evidence.data
    .filter(({ rows }) => rows.length > 0)
    .map((data) => ({ data, score: sharedWeight(evidence, [data.queryTitle, ...data.columns]) }))
  const best = Math.max(0, ...scored.map(({ score }) => score))
  return scored.filter(({ score }) => score >= nearShare * best).map(({ data }) => data)
}

const claimsOf = (evidence: Evidence, data: EvidenceData): ReadonlyArray<Claim> => {
  const { question } = evidence
  const [only] = data.rows
  if (only === undefined) return []
  if (data.rows.length === 1) {
    const columns = askedColumns(evidence, data)
    return columns.length === 0 ? [] : [rowClaim(data, only, columns)]
  }
  const extreme = extremeRows(evidence, data)
  if (extreme !== null) return extreme.map((row) => rowClaim(data, row, data.columns))
  if (asksHowMany(question) && !data.truncated)
    return countsRows(evidence, data) ? [claim(data, String(data.rowCount))] : []
  const namedRows = rowsNamed(evidence, data)
  return (namedRows.length > 0 ? namedRows : data.rows)
    .slice(0, rowsMax)
    .map((row) => rowClaim(data, row, data.columns))
}

/** In the words that grounding reads of a row, so that it finds it. */
const rowClaim = (
  data: EvidenceData,
  row: EvidenceData["rows"][number],
  columns: ReadonlyArray<string>
): Claim =>
  claim(data, columns.map((column) => `${words(column)} ${cellText(row[column])}`.trim()).join(", "))

const claim = ({ id, queryTitle }: EvidenceData, text: string): Claim => ({
  text: `${queryTitle}: ${text}`,
  citations: [id]
})

/** "crew_limit" is "crew limit". */
const words = (column: string): string => column.replace(/_+/gu, " ").trim()

/**
 * Returns the columns of a row that the question mentions, by name or by the kind of value that it asks for. Returns
 * all columns when the question asks for the row itself or for its entity alone, and none when the row lacks what it
 * asks for.
 */
const askedColumns = (evidence: Evidence, data: EvidenceData): ReadonlyArray<string> => {
  const { columns } = data
  const namedColumns = columns.filter((column) => sharedWeight(evidence, [column]) > 0)
  if (namedColumns.length > 0) return namedColumns
  const { original } = evidence.question
  const kinds = askedKinds.find(([question]) => question.test(original))?.[1]
  const fitting = kinds === undefined ? [] : columns.filter((column) => kinds.test(words(column)))
  if (fitting.length > 0) return fitting
  return columns.length === 1 || asksForRow(evidence, data) ? columns : []
}

/** Words of columns that hold what such questions ask for. */
const askedKinds: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [
    /\b(?:where|wo|où|dónde)\b/iu,
    /\b(?:address|city|country|location|place|region|room|site|street|town|ort|stadt)\b/iu
  ],
  [/\b(?:when|wann|quand|cuándo)\b/iu, /\b(?:at|date|day|month|since|time|until|year|datum)\b/iu],
  [/\b(?:how much|wie viel|combien|cuánto)\b/iu, /\b(?:amount|cost|price|sum|total|betrag|preis)\b/iu]
]

/** Whether the question shares words with the title of the query, or has none beside the name of the entity. */
const asksForRow = (evidence: Evidence, { about, queryTitle }: EvidenceData): boolean => {
  if (sharedWeight(evidence, [queryTitle]) > sharedWeight(evidence, [about ?? ""])) return true
  const named = new Set(evidence.analyse(about ?? "").map(({ term }) => term))
  return evidence.question.terms.every(({ term }) => named.has(term))
}

/** The rows with the greatest or least value where the question asks for one; null where it does not. */
const extremeRows = (evidence: Evidence, data: EvidenceData): EvidenceData["rows"] | null => {
  const sign = extremeSign(evidence.question.original)
  if (sign === null) return null
  const numeric = data.columns.filter((column) => data.rows.every((row) => numberOf(row[column]) !== null))
  const measures = numeric.filter((column) => !/(?:^|_)id$/iu.test(column))
  const column =
    [...measures].sort((a, b) => sharedWeight(evidence, [b]) - sharedWeight(evidence, [a]))[0] ?? null
  if (column === null) return null
  const worth = (row: EvidenceData["rows"][number]) => sign * (numberOf(row[column]) ?? 0)
  const top = Math.max(...data.rows.map(worth))
  const rows = data.rows.filter((row) => worth(row) === top)
  return rows.length <= rowsMax ? rows : null
}

/** 1 where a question asks for the greatest, -1 for the least; null for others. */
export const extremeSign = (question: string): 1 | -1 | null =>
  least.test(question) ? -1 : greatest.test(question) ? 1 : null

const greatest =
  /\b(?:most|highest|largest|biggest|greatest|maximum|best|top|longest|newest|latest|meisten|höchste\w*|größte\w*|beste\w*|neueste\w*|le plus|plus grand\w*|meilleur\w*|mayor|más)\b/iu
const least =
  /\b(?:least|lowest|smallest|fewest|minimum|shortest|cheapest|oldest|wenigsten|niedrigste\w*|kleinste\w*|le moins|plus petit\w*|menor|menos)\b/iu

const numberOf = (cell: unknown): number | null => {
  if (typeof cell === "number") return cell
  return typeof cell === "string" && /^-?\d+(?:\.\d+)?$/u.test(cell) ? Number(cell) : null
}

const asksHowMany = ({ original }: Question): boolean =>
  /\b(?:how many|number of|count of|wie viele|wieviele|anzahl|combien|nombre de|cuánt[oa]s|número de)\b/iu.test(
    original
  )

/** Whether the rows are what a question counts: beside the name of their entity it has a word of their title or columns. */
const countsRows = (
  { analyse, question }: Evidence,
  { about, columns, queryTitle }: EvidenceData
): boolean => {
  const termsOf = (texts: ReadonlyArray<string>) =>
    new Set(texts.flatMap((text) => analyse(words(text)).map(({ term }) => term)))
  const [named, described] = [termsOf([about ?? ""]), termsOf([queryTitle, ...columns])]
  return question.terms.some(({ term }) => !named.has(term) && described.has(term))
}

/** Rows of which a cell stands in the question, beside what every row has in common and the entity of the call. */
const rowsNamed = ({ question }: Evidence, { about, columns, rows }: EvidenceData): EvidenceData["rows"] => {
  const text = ` ${fold(question.original)} `
  const subject = fold(about ?? "")
  const isNamed = (row: EvidenceData["rows"][number]) =>
    columns.some((column) => {
      const cell = fold(cellText(row[column]))
      return cell.length > 2 && cell !== subject && !/^\d+$/u.test(cell) && text.includes(` ${cell} `)
    })
  const named = rows.filter(isNamed)
  return named.length < rows.length ? named : []
}

const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** Returns the summed rarity of the terms of the question that occur in the texts. */
const sharedWeight = ({ analyse, idf, question }: Evidence, texts: ReadonlyArray<string>): number => {
  const presentTerms = new Set(texts.flatMap((text) => analyse(words(text)).map(({ term }) => term)))
  const terms = new Set(question.terms.map(({ term }) => term))
  return [...terms].reduce((sum, term) => sum + (presentTerms.has(term) ? Math.max(0.05, idf(term)) : 0), 0)
}

/** The text of claims, each followed by its markers: in one paragraph, or as a list. */
export const proseOfClaims = (claims: ReadonlyArray<Claim>, format: AnswerFormat = "prose"): string => {
  const withMarkers = (text: string, { citations }: Claim) =>
    `${text} ${citations.map(marker).join("")}`.trim()
  if (format === "prose") return claims.map((claim) => withMarkers(claim.text, claim)).join(" ")
  let number = 0
  const item = (text: string) => `${format === "steps" ? `${++number}.` : "-"} ${text}`
  return claims
    .flatMap((claim) => {
      // A list that is quoted as one claim begins with its introduction: "To start the pump: Open the valve. …"
      const sentences = textUnits(claim.text).map(({ text }) => text)
      if (sentences.length < 2) return [item(withMarkers(claim.text, claim))]
      const [, lead, first] = /^([^:.]{1,200}:) (.+)$/u.exec(sentences[0] ?? "") ?? []
      const items = lead === undefined || first === undefined ? sentences : [first, ...sentences.slice(1)]
      const lines = items.map((text) => item(withMarkers(text, claim)))
      return lead === undefined ? lines : [lead, ...lines]
    })
    .join("\n")
}
