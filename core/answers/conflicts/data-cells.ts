/** Which cells of data rows are compared with which statements. */
import type { ReadText } from "../../language/text-analysis/index.js"
import type { Evidence } from "../evidence/index.js"
import { nameOneProperty } from "./measured-properties.js"
import { matchMin } from "./other-subject.js"
import type { DataCell, Statement } from "./statements.js"

type CellStatement = Statement & { readonly cell: DataCell }

/**
 * Decides which cells of data rows are compared with which statements. A statement of a passage is compared with the one
 * column of a row that fits its words best, of several rows with the row that it names, and only when it is about what
 * was asked; so neither the other columns of the row nor other rows can disagree with it. Cells of two calls are
 * compared when they are the same column of the same row.
 */
export class CellComparisons {
  readonly #cells: ReadonlyArray<CellStatement>
  /** Cells in columns that the question names; all of them where it names none. */
  readonly #asked: ReadonlySet<Statement>
  readonly #fitting = new Map<Statement, ReadonlySet<Statement>>()
  readonly #isAsked: (passage: Statement) => boolean

  /** @param isAsked Whether a statement of a passage, with its context, is about what was asked. */
  constructor(
    statements: ReadonlyArray<Statement>,
    question: Evidence["question"],
    isAsked: (passage: Statement) => boolean
  ) {
    this.#cells = statements.filter((one): one is CellStatement => one.cell !== null)
    this.#isAsked = isAsked
    const [first] = this.#cells
    const read = first?.read.part(question.original)
    const asked = this.#cells.filter(({ cell: { name } }) => read !== undefined && isNamed(name, read))
    this.#asked = new Set(asked.length > 0 ? asked : this.#cells)
  }

  areComparable(one: Statement, other: Statement): boolean {
    if (one.cell === null && other.cell === null) return true
    if (one.cell !== null && other.cell !== null) return areOfOneCell(one.cell, other.cell)
    const [cell, passage] = one.cell === null ? [other, one] : [one, other]
    return this.#asked.has(cell) && this.#isAsked(passage) && this.#fittingTo(passage).has(cell)
  }

  #fittingTo(passage: Statement): ReadonlySet<Statement> {
    const cached = this.#fitting.get(passage)
    if (cached !== undefined) return cached
    const best = new Map<string, { readonly fit: number; readonly cells: Array<Statement> }>()
    for (const cell of this.#cells) {
      const fit = isRowOf(cell, passage) ? columnFit(cell, passage) : 0
      if (fit === 0 || isRepeated(cell, passage)) continue
      const row = `${cell.sourceId}\n${cell.cell.row}`
      const known = best.get(row)
      if (known === undefined || known.fit < fit) best.set(row, { fit, cells: [cell] })
      else if (known.fit === fit) known.cells.push(cell)
    }
    // Two columns that fit equally well leave open which of them the passage states.
    const found = new Set([...best.values()].flatMap(({ cells }) => (cells.length === 1 ? cells : [])))
    this.#fitting.set(passage, found)
    return found
  }
}

const areOfOneCell = (one: DataCell, other: DataCell): boolean =>
  one.name.text.toLowerCase() === other.name.text.toLowerCase() &&
  one.rowKey !== null &&
  one.rowKey?.text === other.rowKey?.text

/** Whether the passage is about the row of a cell: the only one of its call, or the one that it names. */
const isRowOf = ({ cell: { rowKey } }: CellStatement, { context, language, read }: Statement): boolean => {
  if (rowKey === null) return false
  const terms = rowKey.termsIn(rowKey.language)
  return terms.every(
    ({ term }) => read.set.match(term, language) >= matchMin || context.set.match(term, language) >= matchMin
  )
}

/** Whether the passage has the words of the cell ("stop: Octave"): they name what it is about. */
const isRepeated = ({ text }: CellStatement, { read }: Statement): boolean => {
  const value = text.slice(text.lastIndexOf(": ") + 2)
  return /^\P{N}+$/u.test(value) && read.text.toLowerCase().includes(value.toLowerCase())
}

const isNamed = (column: ReadText, question: ReadText): boolean =>
  nameOneProperty(column, question) ||
  column.termsIn(column.language).some(({ term }) => question.set.match(term, question.language) >= matchMin)

/**
 * Returns how well a column name fits a statement: the share of its words that the statement has, less for another word
 * for the same property, 0 when it has none.
 */
const columnFit = ({ cell: { name } }: CellStatement, passage: Statement): number => {
  const terms = name.termsIn(name.language)
  const shared = terms.filter(({ term }) => passage.read.set.match(term, passage.language) >= matchMin).length
  if (shared > 0) return shared / terms.length
  return nameOneProperty(name, passage.read) ? otherWordFit / Math.max(1, terms.length) : 0
}
const otherWordFit = 0.5
