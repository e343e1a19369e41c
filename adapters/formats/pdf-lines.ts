/** Words of a page as lines and paragraphs, for parts of pages that Kanon lays out itself. */
import { boxAround, emOf, type PdfWord } from "./pdf-page.js"

/** Words that stand on one line, from the left. */
export type PdfTextLine = ReadonlyArray<PdfWord>

/** Words that are upright or stand for a drawing tell nothing about lines. */
const isLevel = ({ height, text, width }: PdfWord): boolean => text.length < 3 || height < 3 * width

/** The lines of some words, from above. */
export const textLines = (words: ReadonlyArray<PdfWord>): ReadonlyArray<PdfTextLine> => {
  const lines: Array<{ top: number; bottom: number; words: Array<PdfWord> }> = []
  const middle = ({ height, y }: PdfWord) => y + height / 2
  for (const word of words.filter(isLevel).sort((a, b) => middle(a) - middle(b))) {
    const bottom = word.y + word.height
    // Raised words may come a little before the line that they belong to.
    const line = lines.slice(-3).find((one) => {
      const shared = Math.min(one.bottom, bottom) - Math.max(one.top, word.y)
      return shared > 0.5 * Math.min(word.height, one.bottom - one.top)
    })
    if (line === undefined) lines.push({ top: word.y, bottom, words: [word] })
    else {
      line.words.push(word)
      // A line is as high as its words are, without high brackets and rules of roots.
      const isUsual = word.height < 1.6 * (line.bottom - line.top)
      if (isUsual) {
        line.top = Math.min(line.top, word.y)
        line.bottom = Math.max(line.bottom, bottom)
      }
    }
  }
  return lines.sort((a, b) => a.bottom - b.bottom).map((line) => line.words.sort((a, b) => a.x - b.x))
}

/** The text of a line. Words without a gap between them, as raised digits have none, stay together. */
export const lineText = (line: PdfTextLine): string =>
  line.reduce((text, word, at) => {
    const before = line[at - 1]
    const isJoined = before !== undefined && word.x - before.x - before.width < 0.06 * emOf(word)
    return `${text}${before === undefined || isJoined ? "" : " "}${word.text}`
  }, "")

/** The text of several lines of one paragraph or cell. */
export const linesText = (lines: ReadonlyArray<PdfTextLine>): string =>
  lines.map(lineText).reduce((text, line) => {
    if (text === "") return line
    // A word that is cut at the end of a line is one word; a hyphen between others belongs to the word.
    return /\p{Ll}[-\u00ad‐]$/u.test(text) && /^\p{Ll}/u.test(line)
      ? text.slice(0, -1) + line
      : `${text} ${line}`
  }, "")

const heightOf = (line: PdfTextLine): number => boxAround(line).height

/** Puts lines together as paragraphs: at wide gaps, and where the size of the type changes, a new one begins. */
export const paragraphsOf = (
  lines: ReadonlyArray<PdfTextLine>
): ReadonlyArray<ReadonlyArray<PdfTextLine>> => {
  const boxes = lines.map(boxAround)
  const pitches = boxes.slice(1).flatMap((box, at) => {
    const pitch = box.y + box.height - (boxes[at]?.y ?? 0) - (boxes[at]?.height ?? 0)
    return pitch > 0 ? [pitch] : []
  })
  const usual = [...pitches].sort((a, b) => a - b)[Math.floor(pitches.length / 3)] ?? 0
  return lines.reduce<Array<Array<PdfTextLine>>>((found, line, at) => {
    const [before, box] = [boxes[at - 1], boxes[at]]
    const last = found.at(-1)
    const pitch =
      before === undefined || box === undefined ? Infinity : box.y + box.height - before.y - before.height
    const isSame =
      last !== undefined &&
      pitch < 1.35 * Math.max(usual, 1.05 * heightOf(line)) &&
      heightOf(line) < 1.4 * heightOf(last.at(-1) ?? line) &&
      heightOf(line) * 1.4 > heightOf(last.at(-1) ?? line)
    if (isSame) last.push(line)
    else found.push([line])
    return found
  }, [])
}
