/** Headings and emphasis that only the weight of the type shows, which says nothing where all type is bold. */
import { emOf, isWithin, type PdfPage, wordsOf } from "./pdf-page.js"

const headingLine = /^#{1,6} (?=\S)/
const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "")
const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** Text of headings and emphasis from which on it is no emphasis, as a share of a page's letters. */
const mostShare = 0.6

/** A page whose headings of three lines and more, and those in the type of all other text, are paragraphs. */
export const withoutFalseHeadings = (markdown: string, page: PdfPage): string => {
  const strong = markdown
    .split("\n")
    .map((line) => (headingLine.test(line) ? line : (line.match(/\*\*[^*]+\*\*/g) ?? []).join("")))
    .map(lettersOf)
    .join("")
  const isBold = strong.length > mostShare * lettersOf(markdown).length
  if (!isBold && !/^#{1,6} .{120}/m.test(markdown)) return markdown
  const words = wordsOf(page)
  const usual = median(words.flatMap((word) => Array.from(word.text, () => emOf(word))))
  const headings = (page.blocks ?? []).filter(({ kind }) => kind === "heading")
  return markdown
    .split("\n")
    .map((line) => {
      const text = isBold ? line.replace(/\*\*([^*]+)\*\*/g, "$1") : line
      if (!headingLine.test(line)) return text
      const own = lettersOf(line)
      const bbox = headings.find((block) => lettersOf(block.text ?? "") === own)?.bbox
      if (bbox === undefined) return text
      const em = median(words.filter((word) => isWithin(word, bbox)).map(emOf))
      const isFalse = bbox.height > 2.9 * em || (isBold && em < 1.1 * usual)
      return isFalse ? text.replace(headingLine, "") : text
    })
    .join("\n")
}
