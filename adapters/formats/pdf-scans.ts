/** Pages of a PDF without a text layer, or with one that is nonsense: they are drawn, and read as pictures. */

import { LiteParse, type ParsedPage } from "@llamaindex/liteparse"
import { pixelsMax } from "./image.js"
import { type ReadLine, readingWarnings } from "./page-reader.js"
import { hasDrawnLetters } from "./pdf-partial.js"
import { reportProgress } from "./progress.js"
import { readMarkdown } from "./read-layout.js"
import { pageReader } from "./tesseract-reader.js"

/** Pages of one file that are read as pictures. */
const scansMax = 500
const dpiWanted = 300

/** Whether the page has to be read as a picture. */
export const isScan = (page: ParsedPage): boolean => {
  const { complexity, textItems } = page
  const text = textItems.map((item) => item.text).join("")
  return (
    isNonsense(text) ||
    (complexity !== undefined &&
      !/[\p{L}\p{N}]/u.test(text) &&
      (complexity.fullPageImage ||
        complexity.imageBlockCount > 0 ||
        (complexity.uncoveredVectorArea ?? 0) > 0 ||
        hasDrawnLetters(page)))
  )
}

/**
 * Whether most signs of a text layer stand for nothing, as where a font does not say which characters its glyphs are.
 * liteparse's own `isGarbled` is true of Arabic pages that are read well.
 */
const isNonsense = (text: string): boolean => {
  const signs = [...text.replaceAll(/\s/g, "")]
  return (
    signs.length >= 20 &&
    signs.filter((sign) => /[\p{Cc}\p{Cn}\p{Co}\ufffd]/u.test(sign)).length > signs.length / 2
  )
}

/** The pages of a file that hold pictures of text, by number, as Markdown; with what is to be said of them. */
export const readScans = async (bytes: Uint8Array, pages: ReadonlyArray<ParsedPage>) => {
  const scans = pages.filter(isScan)
  const texts = new Map<number, string>()
  if (scans.length === 0) return { texts, warnings: [] }
  const reader = await pageReader().catch((error: unknown) => {
    if (error instanceof Error && "code" in error && /MODULE_NOT_FOUND/.test(String(error.code))) return null
    throw error
  })
  if (reader === null)
    return {
      texts,
      warnings: [
        {
          code: "pages_unread",
          message: `Scanned pages are not read: ${numbers(scans)}. To read them: npm install tesseract.js @tesseract.js-data/eng`
        }
      ]
    }
  const read: Array<{ readonly page: number; readonly lines: ReadonlyArray<ReadLine> }> = []
  const drawn = scans.slice(0, scansMax)
  for (const [at, page] of drawn.entries()) {
    reportProgress(at + 1, drawn.length)
    // A page of any size becomes a picture of a bounded number of pixels.
    const square = (page.width * page.height) / 72 ** 2
    const dpi = Math.min(dpiWanted, Math.floor(Math.sqrt(pixelsMax / Math.max(square, 1))))
    const [picture] = await new LiteParse({ dpi, quiet: true }).screenshot(Buffer.from(bytes), [page.pageNum])
    if (picture === undefined || picture.isSolidFill) continue
    const lines = await reader.read(picture.imageBuffer)
    texts.set(page.pageNum, readMarkdown(lines))
    read.push({ page: page.pageNum, lines })
  }
  return {
    texts,
    warnings: [
      ...readingWarnings(reader.name, read),
      ...(scans.length > scansMax
        ? [
            {
              code: "pages_cut",
              message: `The PDF has ${scans.length} scanned pages; the first ${scansMax} are read.`
            }
          ]
        : [])
    ]
  }
}

const numbers = (pages: ReadonlyArray<ParsedPage>) =>
  pages
    .slice(0, 20)
    .map(({ pageNum }) => pageNum)
    .join(", ")
