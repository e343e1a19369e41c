import { LiteParse, type ParsedPage } from "@llamaindex/liteparse"
import type { ConvertibleFile } from "../../core/files/documents/index.js"
import { hasTornRows, withLostText } from "./conserved-text.js"
import { broken, type Conversion, encrypted } from "./converted.js"
import { withAccents } from "./pdf-accents.js"
import { filledIn } from "./pdf-forms.js"
import { type GlyphPage, glyphPages, withRaisedNumbers } from "./pdf-glyphs.js"
import { withoutFalseHeadings } from "./pdf-headings.js"
import { withHeadings, withTables } from "./pdf-layout.js"
import { lacksText } from "./pdf-partial.js"
import { plainLines, withWholeWords } from "./pdf-plain.js"
import { mayHaveRaisedDigits, withRaisedDigits } from "./pdf-raised.js"
import { rightToLeftText, runsRightToLeft } from "./pdf-rtl.js"
import { isScan, readScans } from "./pdf-scans.js"
import { signsBeyond } from "./pdf-signs.js"
import { hasTaggedHeadings, picturesOf, withTaggedHeadings } from "./pdf-tags.js"
import { withKoreanJoined, withLigaturesJoined } from "./pdf-words.js"

/** Pages of one file that are read. */
const pagesMax = 5000

/** Converts a PDF: text in reading order, headings by size, tables where they can be told, and where pages begin. */
export const convertPdf = async ({ bytes }: ConvertibleFile): Promise<Conversion> => {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.byteLength))
  if (!start.includes("%PDF-")) throw broken("The file is no PDF.")
  const parser = new LiteParse({
    outputFormat: "markdown",
    ocrEnabled: false,
    imageMode: "off",
    maxPages: pagesMax,
    continueOnPageError: true,
    extractDocumentMetadata: true,
    includeComplexity: true,
    emitWordBoxes: true,
    extractTextMetadata: true,
    extractBlocks: true,
    extractVectorGraphics: true,
    extractStructureTree: true,
    extractFormFields: true,
    extractAnnotations: true,
    quiet: true,
    numWorkers: 1
  })
  const result = await parser.parse(Buffer.from(bytes)).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    throw /password|encrypt/i.test(message)
      ? encrypted("The PDF is protected by a password.")
      : broken(`The PDF cannot be read: ${message.split("\n", 1)[0] ?? ""}`)
  })
  const pageStarts: Array<number> = []
  let markdown = ""
  const { texts, warnings: doubts } = await pageTexts(result.pages, bytes)
  const scans = await readScans(bytes, result.pages)
  const lacking = signsBeyond(bytes).filter((sign) => !texts.some((text) => text.includes(sign)))
  for (const [at, page] of result.pages.entries()) {
    const text = scans.texts.get(page.pageNum) ?? texts[at] ?? ""
    if (markdown !== "" && text !== "") markdown += "\n\n"
    // Pages that could not be read have no entry: their numbers are kept for those behind them.
    while (pageStarts.length < page.pageNum) pageStarts.push(markdown.length)
    markdown += text
  }
  const images = result.pages.reduce((sum, { complexity }) => sum + (complexity?.imageBlockCount ?? 0), 0)
  const failed = result.pageErrors ?? []
  const warnings = [
    ...doubts,
    ...scans.warnings,
    ...(lacking.length === 0
      ? []
      : [
          {
            code: "text_uncertain",
            message: `Signs of the file that its text lacks: ${lacking.slice(0, 20).join(" ")}.`
          }
        ]),
    ...(failed.length === 0
      ? []
      : [
          {
            code: "pages_unreadable",
            message: `Pages that could not be read: ${failed
              .map(({ pageNum }) => pageNum)
              .slice(0, 20)
              .join(", ")}.`
          }
        ]),
    ...(result.totalPages > pagesMax
      ? [
          {
            code: "pages_cut",
            message: `The PDF has ${result.totalPages} pages; the first ${pagesMax} are taken in.`
          }
        ]
      : [])
  ]
  const { creationDate, modDate, xmp } = result.docMeta ?? {}
  return {
    markdown,
    pageStarts,
    imagesSkipped: images,
    warnings,
    ...xmpProperties(xmp ?? ""),
    ...infoProperties(bytes),
    createdAt: pdfDate(creationDate),
    modifiedAt: pdfDate(modDate)
  }
}

/** The text of each page, and where more than one reading is possible. */
const pageTexts = async (pages: ReadonlyArray<ParsedPage>, bytes: Uint8Array) => {
  const isTagged = hasTaggedHeadings(pages)
  const written = (page: ParsedPage): string => {
    const text = withoutFalseHeadings(cleaned(page.markdown), page)
    return isTagged ? withTaggedHeadings(text, page) : text
  }
  const read = pages.map((page) =>
    runsRightToLeft(page)
      ? rightToLeftText(page)
      : withAccents(withLigaturesJoined(withNumberedSections(withTables(written(page), page)), page), page)
  )
  const korean = withKoreanJoined(pages, withHeadings(pages, read))
  const candidates = mayHaveRaisedDigits(pages).map(({ pageNum }) => pageNum)
  const glyphs = await glyphPages(bytes, candidates)
  const fromRight = pages.filter((page) => runsRightToLeft(page))
  // Text from right to left comes in another order.
  const plain = pages.map((page) =>
    runsRightToLeft(page)
      ? { text: "", isCertain: true }
      : plainLines(page, cleaned(page.text), glyphs?.get(page.pageNum)?.text ?? "")
  )
  const plainOf = pages.map((page, at) => withAccents(plain[at]?.text ?? "", page))
  const whole = korean.texts.map((text, at) =>
    withWholeWords(text, glyphs?.get(pages[at]?.pageNum ?? 0)?.text ?? "")
  )
  const before = withExponents(pages, whole, candidates, glyphs)
  const conserved = withLostText(
    pages.map((page, at) => ({
      number: page.pageNum,
      plain: plainOf[at] ?? "",
      markdown: before.texts[at] ?? ""
    }))
  )
  // The lines that were put back come from the plain text, in which raised digits are not marked yet.
  const raised =
    glyphs === null
      ? { texts: conserved.texts, uncertain: before.uncertain }
      : withExponents(pages, conserved.texts, candidates, glyphs)
  const cutFractions = pages.filter((_, at) =>
    /(?:^|[^\d\p{No}])⁄\d|\d ?[/⁄] (?!\d)/mu.test(raised.texts[at] ?? "")
  )
  return {
    texts: raised.texts.map((text, at) => {
      const page = pages[at]
      const more = page === undefined ? [] : [filledIn(page), ...picturesOf(page)]
      return [text, ...more].filter((part) => part !== "").join("\n\n")
    }),
    warnings: [
      ...doubt("Digits that may be raised", raised.uncertain),
      ...doubt("Fractions without one of their numbers", pageNumbers(cutFractions)),
      ...doubt(
        "Arabic letters that may stand in another order (lam, alef)",
        pageNumbers(fromRight.filter(({ text }) => /\p{Script=Arabic}/u.test(text)))
      ),
      ...doubt("Text that may stand in another place", [
        ...conserved.uncertain,
        ...pageNumbers(pages.filter((_, at) => plain[at]?.isCertain === false))
      ]),
      ...doubt(
        "Rows of tables whose cells may stand apart",
        pages.flatMap((page, at) =>
          hasTornRows({ plain: plainOf[at] ?? "", markdown: conserved.texts[at] ?? "" }) ? [page.pageNum] : []
        )
      ),
      ...doubt(
        "Text of pictures or drawn shapes that may be missing",
        pageNumbers(pages.filter((page) => !isScan(page) && lacksText(page)))
      ),
      ...doubt("Korean words that may be cut at the ends of lines", korean.uncertain)
    ]
  }
}

/** Raised digits by the place of each sign where PDFium is installed, else by the boxes of words. */
const withExponents = (
  pages: ReadonlyArray<ParsedPage>,
  texts: ReadonlyArray<string>,
  candidates: ReadonlyArray<number>,
  glyphs: ReadonlyMap<number, GlyphPage> | null
): ReturnType<typeof withRaisedDigits> => {
  if (candidates.length === 0) return { texts, uncertain: [] }
  if (glyphs === null) return withRaisedDigits(pages, texts)
  const read = pages.map((page, at) =>
    withRaisedNumbers(texts[at] ?? "", glyphs.get(page.pageNum)?.numbers ?? [])
  )
  return {
    texts: read.map(({ text }) => text),
    uncertain: pageNumbers(pages.filter((_, at) => read[at]?.isCertain === false))
  }
}

const pageNumbers = (pages: ReadonlyArray<ParsedPage>) => pages.map(({ pageNum }) => pageNum)

const doubt = (what: string, pages: ReadonlyArray<number>) =>
  pages.length === 0
    ? []
    : [
        {
          code: "text_uncertain",
          message: `${what}, on pages ${[...new Set(pages)].slice(0, 20).join(", ")}.`
        }
      ]

const cleaned = (markdown: string): string =>
  markdown
    .replace(/\r\n?/g, "\n")
    .replaceAll("\0", "")
    .toWellFormed()
    // A page without text comes as an empty block of code.
    .replace(/^```\w*\n\s*```$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

const sectionNumber = /^\d{1,2}(?:\.\d{1,2})*\.?$/

/**
 * Turns false tables back into text: in narrow columns the library reads section numbers, and the text below them, as
 * a table column (`| 1 | Introduction |`, `| The | harbour is closed |`).
 */
const withNumberedSections = (markdown: string): string =>
  markdown.replace(/^\|.*\|\n\|[-| :]+\|(?:\n\|.*\|)+$/gm, (table) => {
    const rows = table.split("\n").flatMap((line, at) =>
      at === 1
        ? []
        : [
            line
              .slice(1, -1)
              .split("|")
              .map((cell) => cell.trim())
          ]
    )
    const isSection = ([number = "", title = ""]: ReadonlyArray<string>) =>
      sectionNumber.test(number) && /^\p{Lu}.{0,80}[^.:;,]$/u.test(title)
    const prose = rows.filter((row) => !isSection(row))
    const isProse = ([first = "", rest = ""]: ReadonlyArray<string>) =>
      /^\p{L}/u.test(first) && rest.split(" ").length >= 4
    const [first = []] = rows
    if (rows.some(({ length }) => length !== 2) || !isSection(first) || prose.length === 0) return table
    if (prose.filter(isProse).length * 2 < prose.length) return table
    return rows
      .map((row) => {
        const level = "#".repeat(2 + (row[0]?.match(/\.\d/g)?.length ?? 0))
        return isSection(row) ? `\n${level} ${row.join(" ")}\n` : row.join(" ")
      })
      .join("\n")
      .trim()
  })

/** `D:20240131120000+01'00'` as ISO 8601. */
const pdfDate = (text: string | undefined): string | null => {
  const found = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?/.exec(
    text ?? ""
  )
  if (found === null) return null
  const [
    ,
    year,
    month = "01",
    day = "01",
    hour = "00",
    minute = "00",
    second = "00",
    sign,
    hours = "00",
    minutes = "00"
  ] = found
  const zone = sign === undefined ? "Z" : `${sign}${hours}:${minutes}`
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

const xmpProperties = (xmp: string) => {
  const text = (name: string): string | null =>
    new RegExp(`<${name}>\\s*<rdf:(?:Alt|Seq|Bag)>\\s*<rdf:li[^>]*>([^<]+)<`).exec(xmp)?.[1]?.trim() ?? null
  return { title: text("dc:title"), author: text("dc:creator") }
}

/** Title and author of the information dictionary, where it stands uncompressed in the file. */
const infoProperties = (bytes: Uint8Array) => {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = whole.subarray(Math.max(0, whole.length - 64 * 1024)).toString("latin1")
  const reference = Array.from(end.matchAll(/\/Info\s+(\d+)\s+(\d+)\s+R/g)).at(-1)
  if (reference === undefined || /\/Encrypt\s/.test(end)) return {}
  const at = whole.lastIndexOf(`\n${reference[1]} ${reference[2]} obj`)
  if (at < 0) return {}
  const file =
    whole
      .subarray(at, at + 8192)
      .toString("latin1")
      .split("endobj", 1)[0] ?? ""
  const value = (key: string): string | null => {
    const found = new RegExp(
      `/${key}\\s*(?:\\(((?:[^()\\\\]|\\\\.){1,500})\\)|<([0-9A-Fa-f]{4,2000})>)`
    ).exec(file)
    if (found === null) return null
    const raw =
      found[1] !== undefined ? unescaped(found[1]) : Buffer.from(found[2] ?? "", "hex").toString("latin1")
    return raw.startsWith("\xfe\xff")
      ? new TextDecoder("utf-16be").decode(Buffer.from(raw.slice(2), "latin1"))
      : raw
  }
  const [title, author] = [value("Title"), value("Author")]
  return { ...(title === null ? {} : { title }), ...(author === null ? {} : { author }) }
}

const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{1,3}|.)/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : code
  )
