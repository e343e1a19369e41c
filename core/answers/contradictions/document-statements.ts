import type { Passage } from "../../files/documents/index.js"
import { readQuestion } from "../../language/questions/index.js"
import { attributeOf, type Idf, type TextCache } from "../../language/text-analysis/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { memoize } from "../../platform/caching/index.js"
import { once } from "../../platform/kernel/index.js"
import { type Disagreement, type Statement, statementsOf, statesCode } from "../conflicts/index.js"
import { makeEvidence } from "../evidence/index.js"
import { isGeneralStatement, isOfItself, sentenceDisagreement } from "./sentences.js"
import { areOtherValues, type TableValue, tableValueOf } from "./table-values.js"

/** A statement that may contradict one of another document. */
export interface CorpusStatement {
  readonly passage: Passage
  readonly statement: Statement
  /** Of a cell that states a value; null for a sentence. */
  readonly cell: TableValue | null
}

const noQuestion = once(() => readQuestion("", analyse))

/** Returns what a passage states: sentences with a value or an attribute, and cells with the value of a named thing. */
export const statementsIn = (passage: Passage, texts: TextCache): ReadonlyArray<CorpusStatement> => {
  const evidence = makeEvidence({
    question: noQuestion(),
    passages: [passage],
    idf: () => 1,
    analyse,
    texts
  })
  // Metadata and settings are of their own document.
  const own = new Set(
    evidence.sources.flatMap(({ units }) =>
      units.flatMap(({ kind, text }) =>
        kind === "field" || kind === "setting" || kind === "code" ? [text] : []
      )
    )
  )
  const isOwnPage = isOfItself(passage)
  const found: Array<CorpusStatement> = []
  for (const some of statementsOf(evidence, () => true)) {
    const torn = tornRows(some)
    for (const statement of some) {
      if (torn.has(statement.quote)) continue
      const cell = tableValueOf(statement)
      if (cell !== null || (!isOwnPage && !own.has(statement.text) && isSentence(statement)))
        found.push({ passage, statement, cell })
    }
  }
  return found
}

/** Rows with more cells than their table has columns: a bar inside a cell moved the others. */
const tornRows = (statements: ReadonlyArray<Statement>): ReadonlySet<string> => {
  const cells = new Map<string, number>()
  for (const { quote, row } of statements) if (row !== null) cells.set(quote, (cells.get(quote) ?? 1) + 1)
  return new Set([...cells].flatMap(([quote, count]) => (cellsIn(quote) > count ? [quote] : [])))
}
const cellsIn = (row: string): number => row.split(/(?<!\\)\|/u).filter((cell) => cell.trim() !== "").length

const isSentence = (statement: Statement): boolean =>
  isGeneralStatement(statement) &&
  (statement.values.length > 0 ||
    attributeOf(statement.read) !== undefined ||
    hasState(statement) ||
    statesCode(statement))

const hasState = memoize(({ text }: Statement) =>
  /\b(?:true|false|enabled|disabled|mandatory|optional|required)\b/iu.test(text)
)

/** Returns how two statements of two documents contradict each other; undefined when they do not. */
export const contradictionOf = (
  one: CorpusStatement,
  other: CorpusStatement,
  idf: Idf
): Disagreement | undefined => {
  if (one.passage.documentId === other.passage.documentId || areEditions(one.passage, other.passage))
    return undefined
  if (one.cell !== null && other.cell !== null)
    return one.cell.key === other.cell.key && areOtherValues(one.cell, other.cell)
      ? {
          kind: /\d/u.test(one.cell.norm) && /\d/u.test(other.cell.norm) ? "number" : "category",
          subject: one.cell.subject,
          attribute: one.cell.column,
          a: one.cell.value,
          b: other.cell.value,
          overlap: 1
        }
      : undefined
  if (one.cell !== null || other.cell !== null) return undefined
  return sentenceDisagreement(one.statement, other.statement, idf)
}

/**
 * Whether two documents are two editions or translations of one (`v1/guide.md`, `v2/guide.md`), or two of a numbered
 * series (`adr-0003-tables.md`, `adr-0007-connectors.md`), each of which decides or proposes for itself.
 */
const areEditions = ({ docPath: one }: Passage, { docPath: other }: Passage): boolean => {
  const [a, b] = [editionsIn(one), editionsIn(other)]
  const series = seriesOf(one)
  return (a !== "" && b !== "" && a !== b) || (series !== null && series === seriesOf(other))
}
const seriesOf = (path: string): string | null =>
  /(?:^|\/|_)(\p{L}+)[-_ ]?\d{1,5}(?=[-_. ][^/]*$)/iu.exec(path)?.[1]?.toLowerCase() ?? null
const editionsIn = (path: string): string =>
  (
    path.match(
      /(?:^|[/._-])(?:v?\d+(?:\.\d+)+|v\d+|(?:19|20)\d{2}(?:-\d{2}){0,2}|de|en|es|fr)(?=[/._-])/giu
    ) ?? []
  ).join()
