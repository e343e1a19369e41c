/**
 * Puts the tables of a page, which tags, drawn rules or columns of words tell, in the place of what the library made of
 * them. The library knows no rules, so that it tears tables that stand close together.
 */
import { normalForm } from "../../core/platform/kernel/index.js"
import { linesText, paragraphsOf, textLines } from "./pdf-lines.js"
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
import { ruledTables, rulesOf } from "./pdf-ruled.js"
import { taggedTables } from "./pdf-tags.js"
import { unruledTables } from "./pdf-unruled.js"
import { escapeMarkdown, markdownTable, plainCell } from "./table.js"

/** The tables of a page: those of its tags first, then those that are drawn, then those that their words show. */
export const tablesOf = (page: PdfPage): ReadonlyArray<PdfTable> => {
  const words = wordsOf(page)
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
  add(taggedTables(page))
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
  if (tables.length === 0) return markdown
  const blocks = blocksOf(markdown, page.blocks ?? [])
  if (blocks === null) return markdown
  const words = wordsOf(page)
  const isTorn = torn(blocks, tables)
  const inTables = new Set(tables.flatMap((table) => [...table.words]))
  const kept = blocks.filter((_, at) => !isTorn[at])
  // A word belongs to the smallest of the torn blocks around it.
  const rest = new Map<number, Array<PdfWord>>()
  for (const word of words) {
    if (inTables.has(word) || kept.some(({ box }) => isWithin(word, box))) continue
    const [at] = blocks
      .flatMap(({ box }, index) => (isTorn[index] === true && isWithin(word, box) ? [index] : []))
      .sort((a, b) => sizeOf(blocks[a]?.box) - sizeOf(blocks[b]?.box))
    if (at !== undefined) rest.set(at, [...(rest.get(at) ?? []), word])
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

const writtenTable = ({ rows }: PdfTable): string => markdownTable(rows.map((row) => row.map(plainCell)))

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

/** Letters and digits of a text, with the place of each. */
const flatOf = (text: string): { readonly flat: string; readonly places: ReadonlyArray<number> } => {
  let flat = ""
  const places: Array<number> = []
  for (const { 0: sign, index } of text.matchAll(/[\p{L}\p{N}]/gu))
    for (const one of normalForm(sign, "NFKC")) {
      flat += one
      for (let unit = 0; unit < one.length; unit++) places.push(index)
    }
  return { flat, places }
}

const blockText = ({ header = [], lines = [], rows = [], text = "" }: PdfBlock): string =>
  [text, ...lines, ...[header, ...rows].flat().map((cell) => cell.text)].join(" ")

/** The blocks of a page with what the Markdown has of each; null where they do not follow each other in it. */
const blocksOf = (markdown: string, blocks: ReadonlyArray<PdfBlock>): ReadonlyArray<Part> | null => {
  const { flat, places } = flatOf(markdown)
  const found: Array<{ readonly box: PdfBox; readonly start: number }> = []
  let from = 0
  for (const block of blocks) {
    const own = flatOf(blockText(block)).flat
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
