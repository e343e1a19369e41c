/** A place on a page, in points from the upper left corner. */
export interface PdfBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A word and where it stands on its page. */
export interface PdfWord extends PdfBox {
  readonly text: string
  /** The size of its type; boxes are as high as the font or as the letters of the word. */
  readonly em?: number
}

/** Words in a row in one font. */
export interface PdfItem extends PdfWord {
  readonly fontName?: string
  readonly fontSize?: number
  readonly words?: ReadonlyArray<PdfWord>
}

interface PdfCell {
  readonly bbox?: PdfBox
  readonly text: string
}

/** A part of a page; a table has cells, all other kinds have text or lines. */
export interface PdfBlock {
  readonly kind: string
  readonly text?: string
  readonly lines?: ReadonlyArray<string>
  readonly header?: ReadonlyArray<PdfCell>
  readonly rows?: ReadonlyArray<ReadonlyArray<PdfCell>>
  readonly bbox?: PdfBox
}

/** A drawn line that is level or upright. */
export interface PdfLine {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
}

/** A field of a form, filled or not. */
interface PdfField {
  readonly type: string
  readonly name?: string
  readonly alternateName?: string
  readonly value?: string
  readonly exportValue?: string
  readonly fieldFlags?: number
  readonly checked?: boolean
  readonly selectedOptions?: ReadonlyArray<string>
  readonly rect?: PdfBox
}

/** A page as the PDF library returns it. */
export interface PdfPage {
  readonly pageNum: number
  readonly markdown: string
  readonly textItems: ReadonlyArray<PdfItem>
  readonly blocks?: ReadonlyArray<PdfBlock>
  readonly formFields?: ReadonlyArray<PdfField>
  readonly annotations?: ReadonlyArray<{ readonly subtype: string; readonly contents?: string }>
  readonly vectorGraphics?: { readonly lines: ReadonlyArray<PdfLine> }
}

/** A table that was found on a page: the texts of its cells by rows, and the words that they hold. */
export interface PdfTable extends PdfBox {
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly words: ReadonlySet<PdfWord>
}

const known = new WeakMap<object, ReadonlyArray<PdfWord>>()

/** The words of a page. The same words come each time. */
export const wordsOf = (page: Pick<PdfPage, "textItems">): ReadonlyArray<PdfWord> => {
  const found = known.get(page)
  if (found !== undefined) return found
  // Boxes of words are as high as the font, or as their letters: the highest one of a font tells its size.
  const highest = new Map<string, number>()
  const keyOf = ({ fontName = "", fontSize = 0 }: PdfItem) => `${fontName} ${fontSize}`
  const items = page.textItems.map((item) => ({
    key: keyOf(item),
    words: item.words === undefined || item.words.length === 0 ? [item] : item.words
  }))
  for (const { key, words } of items)
    for (const { height, text, width } of words)
      if (text.length < 3 || height < 3 * width) highest.set(key, Math.max(highest.get(key) ?? 0, height))
  const words = items.flatMap((item) =>
    item.words.map(({ height, text, width, x, y }) => ({
      text,
      x,
      y,
      width,
      height,
      em: (highest.get(item.key) ?? height) / heightOfEm
    }))
  )
  known.set(page, words)
  return words
}

/** The height of a word with high and low letters, as a share of the size of its type, about. */
const heightOfEm = 1.05

/** The size of the type of a word. */
export const emOf = ({ em, height }: PdfWord): number => em ?? height

/** The smallest box around others. */
export const boxAround = (boxes: ReadonlyArray<PdfBox>): PdfBox => {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { height, width, x, y } of boxes) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Whether the middle of a box lies in another one. */
export const isWithin = (inner: PdfBox, { height, width, x, y }: PdfBox): boolean => {
  const [middleX, middleY] = [inner.x + inner.width / 2, inner.y + inner.height / 2]
  return middleX > x && middleX < x + width && middleY > y && middleY < y + height
}
