/** A word and where it stands on its page, from the upper left corner. */
export interface PdfWord {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Words in a row in one font. */
export interface PdfItem extends PdfWord {
  readonly fontName?: string
  readonly words?: ReadonlyArray<PdfWord>
}

interface PdfCell {
  readonly bbox?: Omit<PdfWord, "text">
  readonly text: string
}

/** A part of a page; a table has cells. */
export interface PdfBlock {
  readonly kind: string
  readonly header?: ReadonlyArray<PdfCell>
  readonly rows?: ReadonlyArray<ReadonlyArray<PdfCell>>
  readonly bbox?: Omit<PdfWord, "text">
}

/** A page as the PDF library returns it. */
export interface PdfPage {
  readonly pageNum: number
  readonly markdown: string
  readonly textItems: ReadonlyArray<PdfItem>
  readonly blocks?: ReadonlyArray<PdfBlock>
}
