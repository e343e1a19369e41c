import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { cutBy, type OwnChunker } from "../../core/files/documents/index.js"
import { parseFrontMatter, parseMarkdown } from "../../core/files/markdown/index.js"

/** Texts in which chunkers go wrong. */
const texts: Readonly<Record<string, string>> = {
  nothing: "",
  "front matter alone": "---\ntitle: A\n---\n",
  "blank lines": "\n\n \n",
  "headings and prose": "# A\n\nOne.\n\n## B\n\nTwo. Three.\n",
  "front matter and prose": "---\ntitle: A\n---\n# A\n\nAda: one.\n\nBen: two.\n",
  "lines of Windows": "# A\r\n\r\nOne.\r\n\r\n- two\r\n- three\r\n",
  "code and a table": "```js\nconst a = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
  "letters of two units": `# 🦉 ${"🦉".repeat(50)}\n\n${"🦉 owl ".repeat(300)}\n`,
  "one long line": "word ".repeat(20_000)
}

/** The laws of a `Chunker`: its passages keep the rules on every text, and equal texts give equal passages. */
export const chunkerContract = (name: string, chunker: OwnChunker): void => {
  describe(`Chunker: ${name}`, () => {
    const cut = (text: string) => {
      const { bodyStart } = parseFrontMatter(text)
      const { blocks, source } = parseMarkdown(text, bodyStart)
      const settings = { maxChars: 1500, overlapChars: 150, pageStarts: [] }
      return cutBy(chunker, { ...settings, path: "notes/a.md", text: source, bodyStart, blocks })
    }

    it("has a name and a version", () => {
      expect([chunker.name.trim(), chunker.version.trim()]).not.toContain("")
    })

    it.each(Object.entries(texts))("cuts %s by the rules, and in the same way again", (_, text) => {
      const first = cut(text)
      expect(Either.getOrElse(first, (fault) => fault)).toBeInstanceOf(Array)
      expect(cut(text)).toEqual(first)
    })
  })
}
