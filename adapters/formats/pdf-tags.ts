/** Tables of tagged PDFs, whose rows and cells are named in the file. */
import { linesText, textLines } from "./pdf-lines.js"
import { boxAround, itemWords, type PdfPage, type PdfTable, type PdfTag, type PdfWord } from "./pdf-page.js"

/** How deep tags are followed, and the cells of a table. */
const [depthMax, cellsMax] = [60, 20_000]
/** A cell with more words is a part of a page's layout. */
const cellWordsMax = 200

/** The tables of a page by its tags. One whose text is not all marked is left out. */
export const taggedTables = (page: PdfPage): ReadonlyArray<PdfTable> => {
  const tables = (page.structureTree?.roots ?? []).flatMap((root) => below(root, /^Table$/, /^$/))
  if (tables.length === 0) return []
  const words = itemWords(page)
  const items = page.textItems.map(({ mcid }, at) => ({ mcid, words: words[at] ?? [] }))
  return tables.flatMap((table) => {
    const byMark = wordsByMark(marksOf(table), items)
    const found = byMark === null ? null : tableOf(table, byMark)
    return found === null ? [] : [found]
  })
}

/**
 * The words of each mark. The library may join words of neighbouring cells, which then have the mark of the first: they
 * are parted at the widest gaps. Null where a mark is left without words.
 */
const wordsByMark = (
  marks: ReadonlyArray<number>,
  items: ReadonlyArray<{ readonly mcid: number | undefined; readonly words: ReadonlyArray<PdfWord> }>
): ReadonlyMap<number, ReadonlyArray<PdfWord>> | null => {
  const wanted = new Set(marks)
  const held = new Map<number, Array<PdfWord>>()
  for (const { mcid } of items) if (mcid !== undefined && wanted.has(mcid)) held.set(mcid, [])
  for (const { mcid, words } of items) {
    if (mcid === undefined || !wanted.has(mcid)) continue
    const gaps = words
      .slice(1)
      .map((word, at) => ({ at: at + 1, gap: word.x - (words[at]?.x ?? 0) - (words[at]?.width ?? 0) }))
    const ends = gaps.sort((a, b) => b.gap - a.gap)
    let lacking = 0
    while (wanted.has(mcid + lacking + 1) && !held.has(mcid + lacking + 1)) lacking += 1
    const cuts = ends
      .slice(0, lacking)
      .map(({ at }) => at)
      .sort((a, b) => a - b)
    if (lacking > 0 && words.length > lacking) {
      for (let part = 0; part <= lacking; part++) {
        const own = words.slice(cuts[part - 1] ?? 0, cuts[part] ?? words.length)
        held.set(mcid + part, [...(held.get(mcid + part) ?? []), ...own])
      }
    } else held.get(mcid)?.push(...words)
  }
  return marks.every((mark) => held.has(mark)) ? held : null
}

/** Elements of some types below one, not those within elements of other types. */
const below = (tag: PdfTag, types: RegExp, within: RegExp, depth = 0): ReadonlyArray<PdfTag> =>
  depth > depthMax
    ? []
    : types.test(tag.type)
      ? [tag]
      : within.test(tag.type)
        ? []
        : tag.children.flatMap((child) => below(child, types, within, depth + 1))

const marksOf = (tag: PdfTag, depth = 0): ReadonlyArray<number> =>
  depth > depthMax
    ? []
    : [...tag.markedContentIds, ...tag.children.flatMap((child) => marksOf(child, depth + 1))]

const spanOf = ({ attributes }: PdfTag, name: string): number => {
  const span = Number(attributes[name] ?? 1)
  return Number.isInteger(span) && span > 0 && span <= 100 ? span : 1
}

const tableOf = (table: PdfTag, byMark: ReadonlyMap<number, ReadonlyArray<PdfWord>>): PdfTable | null => {
  const rows = table.children.flatMap((child) => below(child, /^TR$/, /^Table$/))
  const used = new Set<PdfWord>()
  const grid: Array<Array<string>> = []
  let count = 0
  for (const [at, row] of rows.entries()) {
    let column = 0
    for (const cell of row.children.flatMap((child) => below(child, /^T[HD]$/, /^Table$/))) {
      const isNested = cell.children.some((child) => below(child, /^Table$/, /^$/).length > 0)
      const words = [...new Set(marksOf(cell))].flatMap((mark) => byMark.get(mark) ?? [])
      if (isNested || words.length > cellWordsMax) return null
      // The places that cells of rows above span are taken.
      while (grid[at]?.[column] !== undefined) column += 1
      const [across, down] = [spanOf(cell, "ColSpan"), spanOf(cell, "RowSpan")]
      count += across * down
      if (count > cellsMax) return null
      for (let y = 0; y < down && at + y < rows.length; y++)
        for (let x = 0; x < across; x++) {
          const line = grid[at + y] ?? []
          grid[at + y] = line
          line[column + x] = x + y === 0 ? linesText(textLines(words)) : ""
        }
      for (const word of words) used.add(word)
      column += across
    }
  }
  const filled = grid
    .map((row) => Array.from(row, (cell) => cell ?? ""))
    .filter((row) => row.some((cell) => cell !== ""))
  const width = Math.max(0, ...filled.map(({ length }) => length))
  if (filled.length < 2 || width < 2 || used.size === 0) return null
  return { ...boxAround([...used]), rows: filled, words: used }
}
