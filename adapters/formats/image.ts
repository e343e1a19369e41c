import type { ConvertibleFile } from "../../core/files/documents/index.js"
import { broken, type Conversion, tooLarge } from "./converted.js"
import { imageSize } from "./image-size.js"
import { readingWarnings } from "./page-reader.js"
import { readMarkdown } from "./read-layout.js"
import { pageReader } from "./tesseract-reader.js"

/** Pixels of an image that is read: what fits into the memory of the process several times over. */
export const pixelsMax = 25_000_000
const sideMax = 20_000

/** Converts a picture of a page: its lines, with tables where columns show them. */
export const convertImage = async ({ bytes }: ConvertibleFile): Promise<Conversion> => {
  const size = imageSize(bytes)
  if (size === null) throw broken("The file is no PNG, JPEG, TIFF or WebP image.")
  const { height, pages, width } = size
  if (width > sideMax || height > sideMax || width * height > pixelsMax)
    throw tooLarge(
      `The image has ${width} by ${height} pixels; ${pixelsMax / 1e6} million and sides of ${sideMax} are read at most.`
    )
  const reader = await pageReader()
  const lines = await reader.read(bytes)
  return {
    markdown: readMarkdown(lines),
    pageStarts: [0],
    warnings: [
      ...readingWarnings(reader.name, [{ page: 1, lines }]),
      ...(pages > 1
        ? [{ code: "pages_cut", message: `The image has ${pages} pages; the first is taken in.` }]
        : [])
    ]
  }
}
