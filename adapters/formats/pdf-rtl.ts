import { normalForm } from "../../core/platform/kernel/index.js"
import type { PdfPage, PdfWord } from "./pdf-page.js"

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
const leftToRight = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u

/** Whether most letters of a page are of a script that runs from right to left. */
export const runsRightToLeft = ({ markdown }: PdfPage): boolean => {
  if (!rightToLeft.test(markdown)) return false
  const letters = markdown.match(/\p{L}/gu) ?? []
  return letters.filter((letter) => rightToLeft.test(letter)).length * 2 > letters.length
}

/**
 * The text of a page from right to left, by lines and paragraphs as they stand: the library gives the words of a line as
 * they are seen from the left.
 */
export const rightToLeftText = ({ textItems }: PdfPage): string => {
  const words = textItems.flatMap((item) => item.words ?? [item])
  const lines = columnsOf(words).flatMap(linesOf)
  const gaps = lines.slice(1).map((line, at) => topOf(line) - topOf(lines[at] ?? line))
  const usual = [...gaps].filter((gap) => gap > 0).sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  const heights = lines.map(heightOf).sort((a, b) => a - b)
  const body = heights[Math.floor(heights.length / 2)] ?? 0
  return lines
    .map((line, at) => {
      const gap = gaps[at - 1] ?? 0
      const isTitle = isTitleLine(line, body)
      const isNew = gap < 0 || gap > usual * 1.4 || isTitleLine(lines[at - 1] ?? [], body)
      return `${at === 0 ? "" : isNew || isTitle ? "\n\n" : " "}${isTitle ? "## " : ""}${lineText(line)}`
    })
    .join("")
}

const isTitleLine = (line: ReadonlyArray<PdfWord>, body: number): boolean =>
  line.length < 15 && heightOf(line) > body * 1.3

const topOf = (line: ReadonlyArray<PdfWord>): number => Math.min(...line.map(({ y }) => y))
const heightOf = (line: ReadonlyArray<PdfWord>): number => {
  const heights = line.map(({ height }) => height).sort((a, b) => a - b)
  return heights[Math.floor(heights.length / 2)] ?? 0
}

/** The columns of a page, the right one first: a page has two where no word crosses a line in its middle. */
const columnsOf = (words: ReadonlyArray<PdfWord>): ReadonlyArray<ReadonlyArray<PdfWord>> => {
  const left = Math.min(...words.map(({ x }) => x))
  const right = Math.max(...words.map(({ width, x }) => x + width))
  for (let part = 0.4; part <= 0.6; part += 0.02) {
    const middle = left + (right - left) * part
    const [before, after] = [
      words.filter(({ width, x }) => x + width < middle),
      words.filter(({ x }) => x > middle)
    ]
    const isGutter = before.length + after.length === words.length
    if (isGutter && linesOf(before).length > 3 && linesOf(after).length > 3) return [after, before]
  }
  return [words]
}

/** Words that stand at one height, lines from above. */
const linesOf = (words: ReadonlyArray<PdfWord>): ReadonlyArray<ReadonlyArray<PdfWord>> => {
  const lines: Array<Array<PdfWord>> = []
  for (const word of [...words].sort((a, b) => a.y + a.height - b.y - b.height)) {
    const line = lines.at(-1)
    const [first] = line ?? []
    if (line === undefined || first === undefined || word.y + word.height / 2 > first.y + first.height)
      lines.push([word])
    else line.push(word)
  }
  return lines
}

/** The words of a line as they are read: from the right, those of other scripts among them from the left. */
const lineText = (line: ReadonlyArray<PdfWord>): string => {
  const parts: Array<PdfWord> = []
  for (const word of [...line].sort((a, b) => b.x - a.x)) {
    const last = parts.at(-1)
    const isPart = last !== undefined && last.x - word.x - word.width < 0.05 * word.height
    if (!isPart || !rightToLeft.test(last.text)) parts.push(word)
    else
      parts[parts.length - 1] = {
        ...word,
        text: leftToRight.test(word.text) ? word.text + last.text : last.text + word.text
      }
  }
  const words = parts.map(({ text }) => wordText(text))
  const isForeign = (word: string) => leftToRight.test(word) && !rightToLeft.test(word)
  const read: Array<string> = []
  for (let at = 0; at < words.length; ) {
    let end = at + 1
    while (isForeign(words[at] ?? "") && isForeign(words[end] ?? "")) end += 1
    read.push(...words.slice(at, end).reverse())
    at = end
  }
  return read.join(" ")
}

/** A word as it is read: signs at its left end come last, and so do letters of other scripts. */
const wordText = (seen: string): string => {
  if (!rightToLeft.test(seen)) return seen.replace(/^([.,،؛:؟!]+)([\p{L}\d].*)$/u, "$2$1")
  const composed = normalForm(seen, "NFC").replace(/[\ufb1d-\ufdff\ufe70-\ufefc]/gu, (sign) =>
    normalForm(sign, "NFKC")
  )
  const runs = composed.match(
    /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]+(?:[^\p{Script=Arabic}\p{Script=Hebrew}]*[\p{Script=Latin}\p{N}])?|[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]+/gu
  )
  const [, signs = "", rest = ""] =
    /^([.,،؛:؟!-]*)(.*)$/su.exec((runs ?? [composed]).reverse().reduce(joined)) ?? []
  return `${lamAlef(rest)}${signs}`
}

/** A word of another script after one from right to left begins with a blank, unless one letter belongs to it. */
const joined = (before: string, after: string): string =>
  /^\p{L}$/u.test(before) ? before + after : `${before} ${after}`

/**
 * Puts lam before alef again, which are one sign in Arabic type and come the wrong way round where it is read backwards:
 * where no word has these letters in the other order.
 */
const lamAlef = (word: string): string =>
  word
    .replace(/(?<![\p{L}\p{M}])([وفبك]?ا)([أإآ])ل/gu, "$1ل$2")
    .replace(/اال/gu, "الا")
    .replace(/(?<=\p{L}{3})الت(?!\p{L})/gu, "لات")
    .replace(/(?<=\p{L})الل(?!\p{L})/gu, "لال")
