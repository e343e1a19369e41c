/** Values of form fields and texts of annotations, per page. */
import { textLines } from "./pdf-lines.js"
import { emOf, isWithin, type PdfBox, type PdfPage, type PdfWord, wordsOf } from "./pdf-page.js"
import { escapeMarkdown } from "./table.js"

/** Fields and annotations of a page, and characters of each, that are read. */
const [countMax, charsMax] = [1000, 5000]
const password = 1 << 13

/** Filled fields of a page as a list with their labels, and notes as quotes; empty where there are none. */
export const filledIn = (page: PdfPage): string => {
  const fields = (page.formFields ?? []).slice(0, countMax)
  if (fields.length + (page.annotations?.length ?? 0) === 0) return ""
  const boxes = fields.flatMap(({ rect }) => (rect === undefined ? [] : [rect]))
  const words = wordsOf(page).filter((word) => !boxes.some((box) => isWithin(word, box)))
  const lines = fields.flatMap((field): ReadonlyArray<string> => {
    const { alternateName, checked, exportValue = "", fieldFlags = 0, name = "", rect, type } = field
    const beside = rect === undefined ? "" : labelOf(rect, words, boxes, type).replace(/\s*:\s*$/, "")
    const label = beside || alternateName || name
    if (type === "checkbox") return [`- [${checked === true ? "x" : " "}] ${shown(label)}`]
    const value = type === "radiobutton" && checked !== true ? "" : valueOf(field)
    if (value.trim() === "" || (fieldFlags & password) !== 0 || /^(?:pushbutton|signature)$/.test(type))
      return []
    return [`- ${shown(label)}: ${shown(type === "radiobutton" ? exportValue || value : value)}`]
  })
  const text = textLines(words)
    .map((line) => line.map((word) => word.text).join(" "))
    .join(" ")
  const notes = (page.annotations ?? [])
    .slice(0, countMax)
    .flatMap(({ contents = "", subtype }) =>
      contents.trim() === "" || /^(?:widget|link|popup)$/i.test(subtype) || text.includes(contents.trim())
        ? []
        : [/^freetext$/i.test(subtype) ? shown(contents) : `> Note: ${shown(contents)}`]
    )
  return [lines.join("\n"), ...notes].filter((part) => part !== "").join("\n\n")
}

const valueOf = ({ selectedOptions = [], value = "" }: NonNullable<PdfPage["formFields"]>[number]): string =>
  selectedOptions.length > 0 ? selectedOptions.join(", ") : value

const shown = (text: string): string =>
  escapeMarkdown(
    text
      .slice(0, charsMax)
      .toWellFormed()
      .replace(/[\s\0]+/g, " ")
      .trim()
  )

/** The words beside a field that name it: left of it, right of a box to tick, else right above it. */
const labelOf = (
  rect: PdfBox,
  words: ReadonlyArray<PdfWord>,
  others: ReadonlyArray<PdfBox>,
  type: string
): string => {
  const middle = (word: PdfWord) => word.y + word.height / 2
  const beside = words.filter((word) => middle(word) > rect.y - 2 && middle(word) < rect.y + rect.height + 2)
  const isFree = (from: number, to: number) =>
    !others.some(
      (box) =>
        box.x < to - 1 &&
        box.x + box.width > from + 1 &&
        box.y < rect.y + rect.height &&
        box.y + box.height > rect.y &&
        box !== rect
    )
  /** The words that follow each other from the field on, up to a wide gap. */
  const run = (
    found: ReadonlyArray<PdfWord>,
    start: number,
    gapOf: (word: PdfWord, edge: number) => number
  ) => {
    const taken: Array<PdfWord> = []
    let edge = start
    for (const word of found) {
      const gap = gapOf(word, edge)
      if (gap > (taken.length === 0 ? 12 : 1.2) * emOf(word)) break
      taken.push(word)
      edge = gapOf === leftGap ? word.x : word.x + word.width
    }
    return isFree(Math.min(start, edge), Math.max(start, edge)) ? taken : []
  }
  const leftGap = (word: PdfWord, edge: number) => edge - word.x - word.width
  const rightGap = (word: PdfWord, edge: number) => word.x - edge
  const before = beside.filter(({ width, x }) => x + width < rect.x + 2).sort((a, b) => b.x - a.x)
  const after = beside.filter(({ x }) => x > rect.x + rect.width - 2).sort((a, b) => a.x - b.x)
  const left = run(before, rect.x, leftGap).reverse()
  const right = run(after, rect.x + rect.width, rightGap)
  const above = words
    .filter(
      (word) =>
        middle(word) < rect.y &&
        middle(word) > rect.y - 1.5 * emOf(word) &&
        word.x < rect.x + rect.width &&
        word.x + word.width > rect.x
    )
    .sort((a, b) => a.x - b.x)
  const order = /^(?:checkbox|radiobutton)$/.test(type) ? [right, left, above] : [left, above]
  return (order.find(({ length }) => length > 0) ?? []).map(({ text }) => text).join(" ")
}
