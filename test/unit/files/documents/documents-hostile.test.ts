import { describe, expect, it } from "vitest"
import { linkResolver } from "../../../../core/files/links/link-resolver.js"
import { documentLinks, maxDocumentLinks } from "../../../../core/files/links/links.js"
import { chunkDocument } from "../../../../core/files/markdown/chunk.js"
import { parseFrontMatter } from "../../../../core/files/markdown/front-matter.js"
import { parseMarkdown } from "../../../../core/files/markdown/parse-markdown.js"
import { plainText } from "../../../../core/files/markdown/plain-text.js"
import { isLong, sampled } from "../../../support/runs.js"

const mebibyte = 1024 * 1024
/** So much of one piece that what is not linear takes minutes, not seconds; eight times as much in a long run. */
const size = isLong ? mebibyte : mebibyte / 8
const filled = (piece: string, sizeChars = size): string => piece.repeat(Math.floor(sizeChars / piece.length))
/** The largest document there may be. */
const largest = 5 * mebibyte

const pieces = [
  "[",
  "[[",
  "[[a ",
  "[]",
  "[](",
  "[](<",
  '[](a "',
  "[a](b (",
  "[a][",
  "[a]",
  "[^",
  "![",
  "](b)",
  ">",
  "> ",
  "*",
  "*a ",
  "*a**b_c_",
  "* ",
  "- ",
  "`",
  "`a``b```c",
  "<",
  "<a ",
  "<!-- ",
  "a <!-- [x]\n\n",
  "&",
  "\\",
  "|",
  "#",
  "a",
  "a\n",
  "a\n\n",
  "-\n",
  "- a\n\n",
  "# a\n",
  "> a\n\n",
  "[a\n",
  "[a]: b\n",
  "[a]: b\n'c\n",
  "[^1]: a\n",
  "[^a]: ",
  "```\n",
  "\t",
  "\n",
  " ",
  "a\r",
  "a\u0301",
  "👩\u200d",
  "漢",
  "漢字。",
  ".",
  '."',
  "🇩🇪",
  "\ud800",
  "[[a]] ",
  "[a](b) ",
  "---\n",
  "<div>\n"
]

const documents: ReadonlyArray<readonly [string, string]> = [
  ...pieces.map((piece) => [`much of ${JSON.stringify(piece)}`, filled(piece)] as const),
  ...["[", ">", "*", "`", "word "].map(
    (piece) => [`5 MiB of ${JSON.stringify(piece)}`, filled(piece, largest)] as const
  ),

  ["a huge heading", `# ${filled("word ")}`],
  ["a huge table", `|a|b|\n|-|-|\n${filled("|a. [b](c)|\n")}`],
  [
    "a very wide table",
    `${"|".repeat(Math.floor(size / 3))}\n${"|-".repeat(Math.floor(size / 6))}\n${"|\n".repeat(Math.floor(size / 6))}`
  ],
  ["a list 10,000 deep on one line", `${"- ".repeat(10_000)}x`],
  [
    "a list 2,000 deep by indentation",
    Array.from({ length: 2_000 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n")
  ],
  ["a quote 10,000 deep", `${"> ".repeat(10_000)}x`],
  ["deep quotes on many lines", `${">".repeat(100)}a\n`.repeat(50_000)],
  [
    "runs of backticks, each of its own length",
    Array.from({ length: 3_000 }, (_, length) => "`".repeat(length)).join(" ")
  ],
  ["a paragraph that a quote goes on with", `> a\n${filled("a\n")}`],
  ["front matter that never ends", `---\n${filled("a: [\n")}`]
]

describe("hostile documents", () => {
  it.each(sampled(documents, 3))("takes %s", (_, source) => {
    const { bodyStart } = parseFrontMatter(source)
    const parsed = parseMarkdown(source, bodyStart)
    const chunks = chunkDocument(parsed, { maxChars: 1500, overlapChars: 200 })
    let reached = bodyStart
    for (const { end, start, text } of chunks) {
      if (source.slice(reached, start).trim() !== "" || text.length > 1500 || end <= reached) {
        expect.fail(`the chunk at ${start} breaks the laws`)
      }
      reached = end
    }
    expect(source.slice(reached).trim()).toBe("")
    expect(documentLinks(parsed).length).toBeLessThanOrEqual(maxDocumentLinks)
    expect(plainText(source).length).toBeLessThanOrEqual(source.length * 2)
  })

  it("resolves in a vault where every folder has the same names", () => {
    const folders = Array.from({ length: isLong ? 20_000 : 4_000 }, (_, at) => `a/${at % 100}/${at}`)
    const resolver = linkResolver(
      folders.map((folder, at) => ({
        id: `${at}`,
        path: `${folder}/README.md`,
        title: "Readme",
        aliases: ["start"]
      }))
    )
    const deep = `${"x/".repeat(500)}README`
    for (const [at, folder] of folders.entries()) {
      for (const target of ["README", "readme.md", "Start"]) {
        expect(resolver.resolve(`${folder}/note.md`, { kind: "wiki", target })).toBe(`${at}`)
      }
      expect(resolver.resolve(`${folder}/note.md`, { kind: "wiki", target: deep })).toBeNull()
    }
  })
})
