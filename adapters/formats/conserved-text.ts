/**
 * Conservation of values: what the plain text of a page holds and its Markdown lacks is put back where it stood. Layout
 * analysis takes numbers near edges for page numbers, and lines that differ in their digits for headers.
 */
import { normalForm } from "../../core/platform/kernel/index.js"
import { escapeMarkdown } from "./table.js"

/** A page as plain text in the order of its lines, and as Markdown. */
interface ReadPage {
  readonly number: number
  readonly plain: string
  readonly markdown: string
}

/** Characters of a page that is compared; what is larger is no page that people read. */
const charsMax = 200_000
/** Pieces that are put back on one page; where more are missing, the two texts are of another kind. */
const piecesMax = 200

/** The Markdown of each page with what it lacked, and the numbers of pages where a place is not certain. */
export const withLostText = (
  pages: ReadonlyArray<ReadPage>
): { readonly texts: ReadonlyArray<string>; readonly uncertain: ReadonlyArray<number> } => {
  const lines = pages.map(({ plain }) => linesOf(plain))
  const furniture = repeatedLines(pages, lines)
  const uncertain: Array<number> = []
  const texts = pages.map(({ markdown, number, plain }, at) => {
    if (plain.length > charsMax || markdown.length > charsMax) return markdown
    const missing = missingValues(plain, markdown)
    const { isCertain, text } = restored(markdown, lines[at] ?? [], missing, (line, place, count) =>
      furniture(line, place, count, at)
    )
    if (!isCertain) uncertain.push(number)
    return text
  })
  return { texts, uncertain }
}

/** Parts of a row of a table: as short as this, and as many. */
const [cellCharsMax, rowPartsMin] = [30, 3]

/** Whether cells that stand on one line of a page, with numbers among them, stand on different lines of its Markdown. */
export const hasTornRows = ({ markdown, plain }: Pick<ReadPage, "markdown" | "plain">): boolean => {
  if (plain.length > charsMax || markdown.length > charsMax) return false
  const rows = linesOf(plain).filter(
    (parts) =>
      parts.length >= rowPartsMin &&
      parts.every(({ length }) => length <= cellCharsMax) &&
      parts.filter((part) => /\d/.test(part)).length >= 2
  )
  if (rows.length === 0) return false
  const written = markdown.split(/\n+/).map(flatText)
  return rows.some((parts) => {
    const flats = parts.map(flatText).filter((part) => part !== "")
    const [first = ""] = flats
    const holders = written.filter((line) => line.includes(first))
    return holders.length > 0 && !holders.some((line) => flats.every((part) => line.includes(part)))
  })
}

/** The parts of a line, which wide gaps set apart, as columns and cells. */
type Line = ReadonlyArray<string>

const linesOf = (plain: string): ReadonlyArray<Line> =>
  plain.split("\n").flatMap((line) => {
    const parts = line.trim().split(/\s{2,}/)
    return parts[0] === "" ? [] : [parts]
  })

/** Numbers with their separators; digits around a mark of raised text are read apart and together. */
const valuesOf = (text: string): ReadonlyArray<string> =>
  Array.from(normalForm(text, "NFKC").matchAll(/\d+(?:[.,:'’]\d+)*/g), ([value]) => value)

const missingValues = (plain: string, markdown: string): Map<string, number> => {
  const missing = new Map<string, number>()
  for (const value of valuesOf(plain)) missing.set(value, (missing.get(value) ?? 0) + 1)
  const written = markdown.replace(/\\(?=[^\w\s])/g, "").replace(/\]\([^)]*\)/g, "]")
  const found = [
    ...valuesOf(written),
    // `10^6` may stand in the plain text as 106.
    ...Array.from(written.matchAll(/[\d.,]*\d\^[-−–]?\(?\d+/g), ([text]) => text.replace(/[^\d.,]/g, ""))
  ]
  for (const value of found) {
    const count = missing.get(value)
    if (count !== undefined && count > 1) missing.set(value, count - 1)
    else missing.delete(value)
  }
  return missing
}

/** Letters and digits alone, with the place of each in the text. */
const flatOf = (text: string): { readonly flat: string; readonly places: ReadonlyArray<number> } => {
  let flat = ""
  const places: Array<number> = []
  let at = 0
  for (const sign of text) {
    for (const one of normalForm(sign, "NFKC").toLowerCase())
      if (/[\p{L}\p{N}]/u.test(one)) {
        flat += one
        for (let unit = 0; unit < one.length; unit++) places.push(at)
      }
    at += sign.length
  }
  return { flat, places }
}

const flatText = (text: string): string =>
  normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

interface Lost {
  readonly text: string
  readonly isWhole: boolean
  readonly before: string
  readonly after: string
}

const restored = (
  markdown: string,
  lines: ReadonlyArray<Line>,
  missing: Map<string, number>,
  isFurniture: (line: string, place: number, count: number) => boolean
): { readonly text: string; readonly isCertain: boolean } => {
  const lost = lostPieces(markdown, lines, missing, isFurniture)
  if (lost.length === 0) return { text: markdown, isCertain: true }
  if (lost.length > piecesMax) return { text: markdown, isCertain: false }
  return lost.reduce<{ readonly text: string; readonly isCertain: boolean }>(
    ({ isCertain, text }, piece) => {
      const next = putBack(text, piece)
      return { text: next.text, isCertain: isCertain && next.isCertain }
    },
    { text: markdown, isCertain: true }
  )
}

const lostPieces = (
  markdown: string,
  lines: ReadonlyArray<Line>,
  missing: Map<string, number>,
  isFurniture: (line: string, place: number, count: number) => boolean
): ReadonlyArray<Lost> => {
  const flat = flatText(markdown)
  const words = new Set(markdown.split(/[^\p{L}\p{N}]+/u).map(flatText))
  const found: Array<Lost> = []
  /** The flat text before and after a part of a line. */
  const flats = lines.map((line) => line.map(flatText))
  const before = (row: number, part: number): string =>
    [...flats.slice(Math.max(0, row - 3), row).flat(), ...(flats[row] ?? []).slice(0, part)].join("")
  const after = (row: number, part: number): string =>
    [...(flats[row] ?? []).slice(part + 1), ...flats.slice(row + 1, row + 4).flat()]
      .join("")
      .slice(0, contextMax)
  const isLackedBy = (word: string): boolean => valuesOf(word).some((value) => (missing.get(value) ?? 0) > 0)
  const take = (text: string): void => {
    for (const value of valuesOf(text)) missing.set(value, (missing.get(value) ?? 0) - 1)
  }
  const furniture = lines.map((line, row) => isFurniture(line.join(" "), row, lines.length))
  // The number of a page is no number that its text lacks.
  for (const [row, line] of lines.entries()) if (furniture[row] === true) take(line.join(" "))
  for (const [row, line] of lines.entries()) {
    if (furniture[row] === true) continue
    for (const [part, text] of line.entries()) {
      const own = flats[row]?.[part] ?? ""
      const parts = text.split(/\s+/)
      const isText =
        parts.length >= 3 &&
        !flat.includes(own) &&
        parts.filter((word) => flatText(word) !== "" && !words.has(flatText(word))).length * 5 >
          parts.length * 3
      const context = before(row, part).slice(-20)
      const isWritten = own.length >= 8 ? flat.includes(own) : context !== "" && flat.includes(context + own)
      if (isWritten || (!isText && !parts.some(isLackedBy))) continue
      const rest = flatText(parts.filter((word) => !isLackedBy(word)).join(""))
      if (isText || (rest !== "" && !flat.includes(rest))) {
        take(text)
        found.push({ text, isWhole: true, before: before(row, part), after: after(row, part) })
        continue
      }
      for (const [at, word] of parts.entries()) {
        if (!isLackedBy(word)) continue
        take(word)
        found.push({
          text: word,
          isWhole: line.length === 1 && parts.length === 1,
          before: before(row, part) + flatText(parts.slice(0, at).join("")),
          after: flatText(parts.slice(at + 1).join("")) + after(row, part)
        })
      }
    }
  }
  return found
}

const contextMax = 60
/** Characters of the text beside a piece by which its place is looked for, and from which on the place is certain. */
const [contextLengths, certainFrom] = [[60, 40, 25, 15, 10, 6, 4], 15]

const putBack = (markdown: string, piece: Lost): { readonly text: string; readonly isCertain: boolean } => {
  const { flat, places } = flatOf(markdown)
  const text = escapeMarkdown(piece.text)
  // A lone number may belong to a formula or a table, whose form is lost.
  const isSentence = piece.isWhole && piece.text.split(/\s+/).length > 2
  for (const length of contextLengths) {
    const context = piece.before.slice(-length)
    if (context.length < Math.min(length, 4)) continue
    const at = flat.indexOf(context)
    if (at < 0) continue
    const isOnly = flat.indexOf(context, at + 1) < 0
    const last = isOnly ? at : nearestTo(flat, context, piece.after)
    const end = (places[last + context.length - 1] ?? 0) + 1
    const inserted = insertedAfter(markdown, end, text, piece.isWhole)
    return {
      text: inserted.text,
      isCertain: isSentence && isOnly && context.length >= certainFrom && !inserted.isInTable
    }
  }
  for (const length of contextLengths) {
    const context = piece.after.slice(0, length)
    if (context.length < Math.min(length, 4)) continue
    const at = flat.indexOf(context)
    if (at < 0) continue
    // Before the block in which the text after it begins.
    const start = markdown.lastIndexOf("\n\n", places[at] ?? 0)
    const head = start < 0 ? "" : markdown.slice(0, start)
    const rest = start < 0 ? markdown : markdown.slice(start + 2)
    return {
      text: [head, lineSafe(text), rest].filter((block) => block !== "").join("\n\n"),
      // The first line of a page stands before all others.
      isCertain:
        piece.before === "" ||
        (isSentence && context.length >= certainFrom && flat.indexOf(context, at + 1) < 0)
    }
  }
  return {
    text: [markdown, lineSafe(text)].filter((block) => block !== "").join("\n\n"),
    isCertain: markdown === ""
  }
}

/** The occurrence of a context that the text after the piece follows; else the last one. */
const nearestTo = (flat: string, context: string, after: string): number => {
  const next = after.slice(0, 12)
  const followed = next === "" ? -1 : flat.indexOf(context + next)
  return followed >= 0 ? followed : flat.lastIndexOf(context)
}

/** Text that begins no heading, list or rule. */
const lineSafe = (text: string): string => text.replace(/^(\d*)([#+>.)=-])(?=\s|$)/, "$1\\$2")

const insertedAfter = (
  markdown: string,
  end: number,
  text: string,
  isWhole: boolean
): { readonly text: string; readonly isInTable: boolean } => {
  const lineStart = markdown.lastIndexOf("\n", end - 1) + 1
  const lineEnd = markdown.indexOf("\n", end) < 0 ? markdown.length : markdown.indexOf("\n", end)
  const line = markdown.slice(lineStart, lineEnd)
  if (line.startsWith("|")) {
    const cellEnd = markdown.indexOf("|", end)
    const isEmptyNext = cellEnd >= 0 && cellEnd < lineEnd && /^\|\s*\|/.test(markdown.slice(cellEnd, lineEnd))
    const cell = text.replaceAll("|", "\\|")
    const at = isEmptyNext ? cellEnd + 1 : cellEnd < 0 || cellEnd > lineEnd ? end : cellEnd
    const lead = isEmptyNext ? " " : ""
    return {
      text: `${markdown.slice(0, at)}${lead}${cell} ${markdown.slice(at).replace(/^ +/, "")}`,
      isInTable: true
    }
  }
  // Punctuation and marks of emphasis belong to the text before.
  const after =
    end + (/^(?:\\?[.,;:!?)\]"”’%€*_`~]|\]\([^)\s]*\))*/.exec(markdown.slice(end, lineEnd))?.[0].length ?? 0)
  const isAtEnd = after >= lineEnd
  if (isAtEnd && (isWhole || /^(?:#|\s*[-*] |\s*\d+\. )/.test(line)))
    return {
      text: `${markdown.slice(0, lineEnd)}\n\n${lineSafe(text)}${markdown.slice(lineEnd)}`,
      isInTable: false
    }
  return { text: `${markdown.slice(0, after)} ${text}${markdown.slice(after)}`, isInTable: false }
}

/** Lines at the head and foot of a page that are looked at, and the share of pages on which the same line repeats. */
const [edgeLines, repeatedShare] = [4, 0.5]

/** Says of a line whether it is a header or footer that most pages repeat, digits included, or the number of its page. */
const repeatedLines = (pages: ReadonlyArray<ReadPage>, lines: ReadonlyArray<ReadonlyArray<Line>>) => {
  const counts = new Map<string, number>()
  for (const page of lines)
    for (const line of new Set(page.map((parts) => flatText(parts.join("")))))
      counts.set(line, (counts.get(line) ?? 0) + 1)
  const numberOf = (line: string): number | null => {
    const found = pageNumberPattern.exec(line.trim())
    return found === null ? null : Number(found[1])
  }
  /** By how much the number at the foot or head of a page differs from its place in the file, by how many pages. */
  const offsets = new Map<number, number>()
  for (const [at, page] of lines.entries()) {
    const edge = [...page.slice(0, edgeLines), ...page.slice(-edgeLines)]
    for (const offset of new Set(
      edge.flatMap((parts) => {
        const number = [parts.join(" "), ...parts].map(numberOf).find((one) => one !== null)
        return number === undefined || number === null ? [] : [number - at]
      })
    ))
      offsets.set(offset, (offsets.get(offset) ?? 0) + 1)
  }
  return (line: string, place: number, count: number, at: number): boolean => {
    if (pages.length > 1 && (counts.get(flatText(line)) ?? 0) > Math.max(1, pages.length * repeatedShare))
      return true
    if (place >= edgeLines && place < count - edgeLines) return false
    const number = numberOf(line)
    if (number === null) return false
    const isNamed = /\p{L}|\//u.test(line)
    const agreeing = offsets.get(number - at) ?? 0
    return pages.length === 1
      ? (isNamed || place === count - 1) && number === (pages[at]?.number ?? 1)
      : isNamed || agreeing > Math.max(1, pages.length * repeatedShare)
  }
}

/** The number of a page, alone or with the usual words: `17`, `- 17 -`, `Page 3 of 12`, `Seite 3`, `3/12`. */
const pageNumberPattern =
  /^(?:[-–—|\s]*)(?:(?:page|seite|p|s|pag|página|pagina|sida|side|sivu|стр|página)\.?\s*)?(\d{1,4})(?:\s*(?:of|von|de|di|av|af|\/|из)\s*\d{1,4})?(?:[-–—|\s]*)$/iu
