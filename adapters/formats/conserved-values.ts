/**
 * Compares the numbers and lines of a file's plain text with those of its Markdown, for every format. A warning names
 * the missing ones, and numbers that were glued together.
 */
import { normalForm } from "../../core/platform/kernel/index.js"

/** Control characters around text that never continues a number beside it: raised and lowered text, links and marks. */
export const edges = {
  raised: ["\u0001", "\u0002"],
  lowered: ["\u0003", "\u0004"],
  apart: ["\u0005", "\u0006"]
} as const

/** Characters of both texts up to which they are compared by numbers, and by words. */
const [charsMax, wordCharsMax] = [20_000_000, 1_000_000]
/** Pieces of text that a warning shows, and characters of each. */
const [piecesShown, pieceCharsMax] = [5, 80]

/** A warning where the Markdown lacks numbers or lines of the plain text; nothing where it holds all of them. */
export const lostTextWarnings = (
  plain: string,
  markdown: string
): ReadonlyArray<{ readonly code: string; readonly message: string }> => {
  if (plain.length + markdown.length > charsMax) return tooLong
  const written = withoutMarks(markdown)
  // Raised text that is cut in two, as a sign and its digits, is one.
  const held = plain.replace(/\u0002\u0001|\u0004\u0003/g, "")
  const { glued, missing } = compared(valuesOf(held), valuesOf(written))
  const lines =
    held.length + written.length > wordCharsMax ? [] : lostLines(held.split("\n"), wordsOf(written))
  if (missing.size === 0 && lines.length === 0) return []
  const pieces = [...new Set([...lines.map((line) => cut(line, 0)), ...piecesOf(held, written, missing)])]
  const shown = pieces.slice(0, piecesShown).map((piece) => `“${piece}”`)
  return [
    {
      code: "text_uncertain",
      message: [
        `The text may lack what the file holds: ${shown.join(", ")}${pieces.length > piecesShown ? ` and ${pieces.length - piecesShown} more` : ""}.`,
        ...(glued.length === 0 ? [] : [`Numbers that may be two: ${glued.slice(0, piecesShown).join(", ")}.`])
      ].join(" ")
    }
  ]
}

const tooLong = [{ code: "text_uncertain", message: "The text is too long to be compared with the file." }]

/** A number with its sign, separators and exponent. */
const valuePattern =
  /(?:(?<![\p{L}\p{N}][)\u0002\u0004\u0006]*)[-+])?\p{Nd}+(?:[.,:'’]\p{Nd}+)*(?:[eE][-+]?\p{Nd}+(?![\p{L}\p{N}]))?/gu

/** The numbers of a text in their order. Fractions and raised digits of a single sign are numbers of their own. */
const valuesOf = (text: string): ReadonlyArray<string> =>
  Array.from(simplified(text).matchAll(valuePattern), ([value]) => value)

const simplified = (given: string): string => {
  const text = given.replaceAll("\u00ad", "")
  // Most texts have no other digits and minus signs than those of ASCII.
  return /[\p{No}\u207a\u207b\u2212\uff0b-\uff1a\ufe63]/u.test(text)
    ? normalForm(
        text.replace(/[\p{No}\u207a\u207b]+/gu, (run) => ` ${normalForm(run, "NFKC")} `),
        "NFKC"
      ).replaceAll("−", "-")
    : text
}

/** Values of the plain text that the written one lacks, by number, and values that it has in place of two. */
const compared = (plain: ReadonlyArray<string>, written: ReadonlyArray<string>) => {
  const balance = new Map<string, number>()
  for (const value of plain) balance.set(value, (balance.get(value) ?? 0) + 1)
  for (const value of written) balance.set(value, (balance.get(value) ?? 0) - 1)
  const missing = new Map([...balance].filter(([, count]) => count > 0))
  const glued = new Set<string>()
  if (missing.size > 0)
    for (const [at, value] of plain.entries()) {
      const next = plain[at + 1]
      if (next === undefined || !(missing.has(value) || missing.has(next))) continue
      if ((balance.get(value + next) ?? 0) < 0) glued.add(value + next)
    }
  return { missing, glued: [...glued] }
}

/** A block of code, code in a line, the mark of an item, a link, an image, an escape, a mark of emphasis. */
const markPattern =
  /^[ \t>]*(?<fence>`{3,20})[^\n]*\n(?<block>[\s\S]*?)\n[ \t>]*\k<fence>$|(?<ticks>`{1,20})(?<code>[^`\n]+)\k<ticks>(?!`)|^[ \t>]*(?:(?:[-+*]|\d+[.)])[ \t]+)+|!?\[(?<label>(?:\\.|[^[\]\\\n]){0,2000})\]\([^()\s]*(?: "[^"\n]*")?\)|\\(?<sign>[!-/:-@[-`{-~])|\*+|~~/gm

/** Markdown as plain text, without the numbers of items and the addresses of links. */
const withoutMarks = (markdown: string): string => {
  const written = (text: string): string =>
    text.replace(markPattern, (...found: ReadonlyArray<unknown>) => {
      const groups: Partial<Record<string, string>> = Object(found.at(-1))
      const { block, code, label, sign } = groups
      if (label !== undefined) return edges.apart.join(written(label))
      return block ?? code ?? sign ?? ""
    })
  return written(markdown)
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(wordList(text))

const wordList = (text: string): ReadonlyArray<string> =>
  normalForm(text, "NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** Words of a line from which on it is looked for, and the share of them that stands nowhere where it is lost. */
const [lineWordsMin, lostShare] = [4, 0.6]

const lostLines = (lines: ReadonlyArray<string>, written: ReadonlySet<string>): ReadonlyArray<string> =>
  lines.filter((line) => {
    const words = wordList(line.replace(/\p{Cc}/gu, ""))
    return (
      words.length >= lineWordsMin &&
      words.filter((word) => !written.has(word)).length > words.length * lostShare
    )
  })

/** Lines that are looked for as a whole, so that the one is shown that is missing and not another one with its number. */
const linesSought = 200

/** The text around each missing number, in the order of the text. */
const piecesOf = (
  plain: string,
  written: string,
  missing: ReadonlyMap<string, number>
): ReadonlyArray<string> => {
  if (missing.size === 0) return []
  const flat = flatOf(written)
  const [lost, other]: [Array<string>, Array<string>] = [[], []]
  const [left, seen] = [new Map(missing), new Map<string, string>()]
  let sought = 0
  for (const line of plain.split("\n"))
    for (const found of simplified(line).matchAll(valuePattern)) {
      const count = left.get(found[0]) ?? 0
      if (count === 0) continue
      const piece = cut(line, found.index)
      if (!seen.has(found[0])) seen.set(found[0], piece)
      if (sought >= linesSought || flat.includes(flatOf(line))) continue
      sought += 1
      left.set(found[0], count - 1)
      lost.push(piece)
    }
  for (const [value, piece] of seen) if (left.get(value) === missing.get(value)) other.push(piece)
  return [...lost, ...other]
}

const flatOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** The part of a line around a place, on one line. */
const cut = (line: string, place: number): string => {
  const start = Math.max(0, Math.min(place - pieceCharsMax / 2, line.length - pieceCharsMax))
  return line
    .slice(start, start + pieceCharsMax)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .toWellFormed()
    .trim()
}
