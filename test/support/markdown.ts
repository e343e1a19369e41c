import { readFileSync } from "node:fs"
import fc from "fast-check"

/** A Markdown file of the fixtures. */
export const markdownFixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/markdown/${name}.md`, import.meta.url), "utf8")

const word = fc.oneof(
  fc.constantFrom(
    "turbine",
    "Öl",
    "a",
    "*strong*",
    "`code`",
    "[[Note]]",
    "[l](x.md)",
    "e.g.",
    "3.5",
    "👩‍👩‍👧",
    "漢字",
    "[^1]"
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((text) => text.replace(/\s/g, "x"))
)
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(" "))
const sentence = fc
  .tuple(words, fc.constantFrom(". ", "! ", "?\n", "。", ".) ", ", ", " "))
  .map(([text, end]) => text + end)
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 20 }).map((list) => list.join(""))
const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), words)
  .map(([level, text]) => `${"#".repeat(level)} ${text}`)
const fence = fc
  .tuple(fc.constantFrom("```", "~~~~"), fc.array(words, { maxLength: 20 }))
  .map(([mark, lines]) => [`${mark}js`, ...lines, mark].join("\n"))
const table = fc
  .array(words, { maxLength: 15 })
  .map((rows) => ["| a | b |", "|---|---|", ...rows.map((row) => `| ${row} | x |`)].join("\n"))
const list = fc
  .array(fc.tuple(fc.constantFrom("- ", "  - ", "1. ", "    ", "- [ ] "), paragraph), {
    minLength: 1,
    maxLength: 12
  })
  .map((items) => items.map(([mark, text]) => mark + text).join("\n"))
const quote = paragraph.map((text) => text.replace(/^/gm, "> "))
const other = fc.constantFrom(
  "---",
  "<div>\n<b>x</b>\n</div>",
  "[Note]: note.md 'Title'",
  "[^1]: The note.",
  "Setext\n===",
  "    code\n    more",
  "<!-- a\n\nb -->",
  "\u00a0",
  "\\"
)

/** A document of every kind of block, in any order, with line breaks of any kind. */
const anyMarkdown = fc
  .tuple(
    fc.array(fc.oneof(heading, paragraph, fence, table, list, quote, other), { maxLength: 12 }),
    fc.constantFrom("\n\n", "\n", "\n\n\n  \n"),
    fc.constantFrom("\n", "\r\n", "\r")
  )
  .map(([blocks, between, lineBreak]) => blocks.join(between).replaceAll("\n", lineBreak))

const mark = fc.constantFrom(
  ..."[]()<>!*_~`#>-+|:\\\"'&;= \n\t\r.^1a漢\u0301\u200d。".split(""),
  "[[",
  "]]",
  "](",
  "<!--",
  "-->",
  "```",
  "    ",
  "\n\n",
  "- ",
  "> ",
  "👩",
  "\ud83d"
)

/** Text made of little else than marks. */
const anyMarks = fc.array(mark, { maxLength: 200 }).map((marks) => marks.join(""))

/** Arbitrary documents for properties: structured, hostile, and arbitrary text. */
export const anyDocument = fc.oneof(anyMarkdown, anyMarks, fc.string({ unit: "binary", maxLength: 300 }))
