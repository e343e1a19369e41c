/** Line numbers in the margin of a page, which are no part of its sentences. */
import { type PdfTextLine, textLines } from "./pdf-lines.js"
import { emOf, type PdfPage, type PdfWord, wordsOf } from "./pdf-page.js"

/** Numbers that count lines are at least this many on a page. */
const least = 4

const known = new WeakMap<PdfPage, ReadonlySet<PdfWord>>()

/** The words of a page that count its lines: they stand left or right of all others, and count up evenly. */
export const marginNumbers = (page: PdfPage): ReadonlySet<PdfWord> => {
  const found = known.get(page) ?? numbersOf(page)
  known.set(page, found)
  return found
}

const numbersOf = (page: PdfPage): ReadonlySet<PdfWord> => {
  const words = wordsOf(page)
  if (words.filter(({ text }) => number.test(text)).length < least) return new Set()
  const lines = textLines(words).filter(({ length }) => length > 1)
  const ends = [
    { words: lines.flatMap((line) => line.slice(0, 1)), edge: ({ width, x }: PdfWord) => x + width },
    { words: lines.flatMap((line) => line.slice(-1)), edge: ({ x }: PdfWord) => x }
  ]
  const [found = new Set<PdfWord>()] = ends.flatMap(({ edge, words: own }) => {
    const run = runOf(own, edge, lines.length)
    return run === null || !isProse(lines, run) || isRuled(page, run) ? [] : [run]
  })
  return found
}

const number = /^\d{1,4}$/

/** Whether counted lines are those of sentences that go on from line to line, and no rows or items. */
const isProse = (lines: ReadonlyArray<PdfTextLine>, numbers: ReadonlySet<PdfWord>): boolean => {
  const counted = lines.flatMap((line) =>
    line.some((word) => numbers.has(word)) ? [line.filter((word) => !numbers.has(word))] : []
  )
  const long = counted.filter(({ length }) => length >= 5)
  const goingOn = counted.filter(([first]) => /^\p{Ll}/u.test(first?.text ?? ""))
  return long.length * 5 > counted.length * 3 && goingOn.length * 10 > counted.length * 3
}

/** Whether a rule stands beside one of the numbers, as in tables. */
const isRuled = ({ vectorGraphics }: PdfPage, numbers: ReadonlySet<PdfWord>): boolean =>
  (vectorGraphics?.lines ?? []).some(
    ({ x1, x2, y1, y2 }) =>
      Math.abs(x1 - x2) < 1 &&
      [...numbers].some(
        ({ height, width, x, y }) =>
          Math.min(y1, y2) < y + height &&
          Math.max(y1, y2) > y &&
          Math.abs(x1 - x - width / 2) < 4 * width + height
      )
  )

/** The numbers at one edge that count up by one or by five, with a wide gap to the text; null where there are none. */
const runOf = (
  words: ReadonlyArray<PdfWord>,
  edge: (word: PdfWord) => number,
  lines: number
): ReadonlySet<PdfWord> | null => {
  const sorted = words.filter(({ text }) => number.test(text)).sort((a, b) => a.y - b.y)
  const [first] = sorted
  if (first === undefined) return null
  const aligned = sorted.filter((word) => Math.abs(edge(word) - edge(first)) < 0.4 * emOf(first))
  const step = Number(aligned[1]?.text) - Number(aligned[0]?.text)
  const counts = aligned.every(
    ({ text }, at) => at === 0 || Number(text) - Number(aligned[at - 1]?.text) === step
  )
  const isUsual = step === 1 ? aligned.length * 2 > lines : step === 5 || step === 10
  return counts && isUsual && aligned.length >= least && aligned.length * 1.2 > sorted.length
    ? new Set(aligned)
    : null
}
