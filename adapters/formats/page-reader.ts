/** Reads the text of a picture of a page. The converter's process makes one reader and keeps it. */

/** A word with the box it stands in, in pixels from the top left corner, and how sure the reader is of it. */
export interface ReadWord {
  readonly text: string
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** From 0 to 1. */
  readonly confidence: number
}

/** A line of words from left to right; `block` numbers the paragraph or column that the line belongs to. */
export interface ReadLine {
  readonly block: number
  readonly words: ReadonlyArray<ReadWord>
}

export interface PageReader {
  /** Name and major version, as the lineage of a document shows it. */
  readonly name: string
  /** Reads a PNG, JPEG, TIFF or WebP image; lines come in reading order. Rejects for a broken image. */
  readonly read: (image: Uint8Array) => Promise<ReadonlyArray<ReadLine>>
}

/** Mean confidence of the words, weighted by their letters; 1 where there are none. */
const confidenceOf = (lines: ReadonlyArray<ReadLine>): number => {
  const words = lines.flatMap((line) => line.words)
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  return letters === 0
    ? 1
    : words.reduce((sum, { confidence, text }) => sum + confidence * text.length, 0) / letters
}

/** A page whose words are less sure than this, on average, is unsure. */
const unsureBelow = 0.8

/**
 * Returns the warnings for pages that a program read: its name with its mean confidence, and the pages below
 * `unsureBelow`.
 */
export const readingWarnings = (
  name: string,
  pages: ReadonlyArray<{ readonly page: number; readonly lines: ReadonlyArray<ReadLine> }>
) => {
  if (pages.length === 0) return []
  const sure = confidenceOf(pages.flatMap(({ lines }) => lines))
  const unsure = pages.flatMap(({ lines, page }) => (confidenceOf(lines) < unsureBelow ? [page] : []))
  return [
    { code: "read_by_machine", message: `Read by ${name}, ${Math.floor(sure * 100)} %.` },
    ...(unsure.length === 0
      ? []
      : [
          {
            code: "text_uncertain",
            message: `Scanned text that may be wrong, on pages ${unsure.slice(0, 20).join(", ")}.`
          }
        ])
  ]
}
