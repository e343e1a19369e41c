/**
 * Puts the tables of a page, which drawn rules or columns of words show, in the place of what the library made of them.
 * The library does not look at rules, so that it tears tables that stand close together.
 */
import { linesText, paragraphsOf, textLines } from "./pdf-lines.js"
import { marginNumbers } from "./pdf-margin.js"
import {
  boxAround,
  isWithin,
  type PdfBlock,
  type PdfBox,
  type PdfPage,
  type PdfTable,
  type PdfWord,
  wordsOf
} from "./pdf-page.js"
import { ruledTables } from "./pdf-ruled.js"
import { rulesOf } from "./pdf-rules.js"
import { unruledTables } from "./pdf-unruled.js"
import { escapeMarkdown, markdownTable, plainCell } from "./table.js"
import { hasHeadings } from "./table-headings.js"

const known = new WeakMap<PdfPage, ReadonlyArray<PdfTable>>()

const tablesOf = (page: PdfPage): ReadonlyArray<PdfTable> => {
  const tables = known.get(page) ?? foundTables(page)
  known.set(page, tables)
  return tables
}

/** The tables of a page: those that are drawn first, then those that their words show. */
const foundTables = (page: PdfPage): ReadonlyArray<PdfTable> => {
  const counted = marginNumbers(page)
  const words = wordsOf(page).filter((word) => !counted.has(word))
  const rules = rulesOf(page.vectorGraphics?.lines ?? [])
  const tables: Array<PdfTable> = []
  const taken = new Set<PdfWord>()
  const add = (found: ReadonlyArray<PdfTable>): void => {
    for (const table of found) {
      if ([...table.words].some((word) => taken.has(word))) continue
      tables.push(table)
      for (const word of table.words) taken.add(word)
    }
  }
  add(ruledTables(rules, words))
  const free = words.filter((word) => !taken.has(word) && !tables.some((table) => isWithin(word, table)))
  add(unruledTables(free, rules.level))
  return tables
}

/** A part of a page: a block of the library as it wrote it, or one that is laid out here. */
interface Part {
  readonly box: PdfBox
  readonly text: string
}

/** The Markdown of a page with its tables; the Markdown as it is where a page has none. */
export const withTables = (markdown: string, page: PdfPage): string => {
  const tables = tablesOf(page)
  const counted = marginNumbers(page)
  if (tables.length + counted.size === 0) return markdown
  const blocks = blocksOf(markdown, page.blocks ?? [])
  if (blocks === null) return markdown
  const words = wordsOf(page)
  // Lines that are counted stand in blocks of their own, which are one text.
  const isTorn = counted.size > 0 ? blocks.map(() => true) : torn(blocks, tables)
  const inTables = new Set(tables.flatMap((table) => [...table.words]))
  const kept = blocks.filter((_, at) => !isTorn[at])
  const rest = new Map<string, Array<PdfWord>>()
  for (const word of words) {
    if (counted.has(word) || inTables.has(word) || kept.some(({ box }) => isWithin(word, box))) continue
    const at = counted.size > 0 ? 0 : tornBlockOf(word, blocks, isTorn)
    if (at === undefined) continue
    // Text above a table does not go on below it.
    const above = tables.filter(
      (table) => table.y + table.height / 2 < word.y && overlap(table, blocks[at]?.box ?? word)
    )
    const place = `${at} ${above.length}`
    const group = rest.get(place)
    if (group === undefined) rest.set(place, [word])
    else group.push(word)
  }
  const made: ReadonlyArray<Part> = [
    ...tables.map((table) => ({ box: table, text: writtenTable(table) })),
    ...[...rest.values()]
      .flatMap((own) => paragraphsOf(textLines(own)))
      .map((lines) => ({
        box: boxAround(lines.flat()),
        text: lineSafe(escapeMarkdown(linesText(lines)))
      }))
  ]
  return inOrder(blocks, isTorn, made)
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n")
}

/**
 * The torn block that a word belongs to: the smallest one around it, else one beside it, as the library makes the block of a
 * table no wider than its cells where it takes a line of text for a row.
 */
const tornBlockOf = (
  word: PdfWord,
  blocks: ReadonlyArray<Part>,
  isTorn: ReadonlyArray<boolean>
): number | undefined => {
  const middle = word.y + word.height / 2
  const smallest = (isNear: (box: PdfBox) => boolean) =>
    blocks
      .flatMap(({ box }, at) => (isTorn[at] === true && isNear(box) ? [at] : []))
      .sort((a, b) => sizeOf(blocks[a]?.box) - sizeOf(blocks[b]?.box))[0]
  return (
    smallest((box) => isWithin(word, box)) ?? smallest(({ height, y }) => middle > y && middle < y + height)
  )
}

const tableAtEnd = /(?:^|\n)(\|[^\n]*\|)\n\|[-| :]+\|(?:\n\|[^\n]*\|)+$/
const tableAtStart = /^(\|[^\n]*\|)\n\|[-| :]+\|(?=\n\||$)/

/** Tables that go on at the head of the next page, without their headings, get them there, too. */
export const withHeadings = (
  pages: ReadonlyArray<PdfPage>,
  texts: ReadonlyArray<string>
): ReadonlyArray<string> => {
  let heading: { readonly line: string; readonly table: PdfTable } | null = null
  return texts.map((text, at) => {
    const page = pages[at]
    const tables = page === undefined ? [] : tablesOf(page)
    const [first, last] = [tables.find((table) => isFirst(table, text)), tables.at(-1)]
    const own = tableAtStart.exec(text)?.[1]
    const goesOn =
      heading !== null &&
      own !== undefined &&
      first !== undefined &&
      own !== heading.line &&
      !isBlank(heading.line) &&
      isSameShape(heading.table, first)
    const result =
      goesOn && heading !== null && own !== undefined
        ? text.replace(tableAtStart, (found) =>
            [found.replace(own, () => heading?.line ?? own), ...(isBlank(own) ? [] : [own])].join("\n")
          )
        : text
    const line: string | undefined = tableAtEnd.exec(result)?.[1]
    heading = line === undefined || last === undefined ? null : { line, table: last }
    return result
  })
}

const isBlank = (line: string): boolean => /^[|\s]*$/.test(line)

const isFirst = (table: PdfTable, text: string): boolean =>
  text.startsWith("|") && text.startsWith(writtenTable(table))

/** Whether a table goes on with another: columns at the same places, and numbers in the same columns. */
const isSameShape = (before: PdfTable, next: PdfTable): boolean => {
  const [head = [], last = [], first = []] = [before.rows[0], before.rows.at(-1), next.rows[0]]
  const isNumber = (cell: string | undefined) => /^[^\p{L}]*\p{Nd}/u.test(cell ?? "")
  return (
    head.length === first.length &&
    Math.abs(before.x - next.x) < 4 &&
    (Math.abs(before.width - next.width) < 2 ||
      first.some((cell, at) => isNumber(cell) && isNumber(last[at]) && !isNumber(head[at])))
  )
}

const writtenTable = ({ rows }: PdfTable): string =>
  markdownTable(
    rows.map((row) => row.map(plainCell)),
    hasHeadings(rows)
  )

/** Text that begins no heading, list or rule. */
const lineSafe = (text: string): string => text.replace(/^(\d*)([#+>.)=-])(?=\s|$)/, "$1\\$2")

/** Blocks that share words with a table, or lie in its place. */
const torn = (blocks: ReadonlyArray<Part>, tables: ReadonlyArray<PdfTable>): ReadonlyArray<boolean> =>
  blocks.map(({ box }) =>
    tables.some((table) => isWithin(box, table) || [...table.words].some((word) => isWithin(word, box)))
  )

/** The parts of a page in reading order: those that are made here stand in the place of the blocks that they replace. */
const inOrder = (
  blocks: ReadonlyArray<Part>,
  isTorn: ReadonlyArray<boolean>,
  made: ReadonlyArray<Part>
): ReadonlyArray<Part> => {
  const places = new Map<number, Array<Part>>()
  for (const part of made) {
    const replaced = blocks.findIndex(({ box }, at) => isTorn[at] === true && overlap(box, part.box))
    const next =
      replaced >= 0
        ? replaced
        : blocks.findIndex(({ box }) => box.y > part.box.y && overlap({ ...box, y: part.box.y }, part.box))
    const place = next < 0 ? blocks.length : next
    places.set(place, [...(places.get(place) ?? []), part])
  }
  const partsAt = (place: number) => (places.get(place) ?? []).sort((a, b) => a.box.y - b.box.y)
  return [
    ...blocks.flatMap((block, at) => (isTorn[at] === true ? partsAt(at) : [...partsAt(at), block])),
    ...partsAt(blocks.length)
  ]
}

const sizeOf = (box: PdfBox | undefined): number => (box?.width ?? 0) * (box?.height ?? 0)

const overlap = (a: PdfBox, b: PdfBox): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "")

/** Letters and digits of a text, with the place of each unit. */
const flatOf = (text: string): { readonly flat: string; readonly places: ReadonlyArray<number> } => {
  const places: Array<number> = []
  for (const { 0: run, index } of text.matchAll(/[\p{L}\p{N}]+/gu))
    for (let unit = 0; unit < run.length; unit++) places.push(index + unit)
  return { flat: lettersOf(text), places }
}

const blockText = ({ header = [], lines = [], rows = [], text = "" }: PdfBlock): string =>
  [text, ...lines, ...[header, ...rows].flat().map((cell) => cell.text)].join(" ")

/** The blocks of a page with what the Markdown has of each; null where they do not follow each other in it. */
const blocksOf = (markdown: string, blocks: ReadonlyArray<PdfBlock>): ReadonlyArray<Part> | null => {
  const { flat, places } = flatOf(markdown)
  const found: Array<{ readonly box: PdfBox; readonly start: number }> = []
  let from = 0
  for (const block of blocks) {
    const own = lettersOf(blockText(block))
    if (own === "" || block.bbox === undefined) continue
    const at = flat.indexOf(own.slice(0, 40), from)
    // Headers and footers are blocks that the Markdown lacks.
    if (at < 0 || at - from > 400) continue
    const place = places[at] ?? 0
    const lineStart = markdown.lastIndexOf("\n", place) + 1
    found.push({ box: block.bbox, start: lineStart })
    from = Math.min(flat.length, at + Math.max(1, own.length))
  }
  if (found.length === 0 && markdown.trim() !== "") return null
  return found.map(({ box, start }, at) => ({
    box,
    text: markdown.slice(at === 0 ? 0 : start, found[at + 1]?.start ?? markdown.length).trim()
  }))
}
