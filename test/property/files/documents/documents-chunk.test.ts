import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ChunkDraft, chunkDocument } from "../../../../core/files/markdown/chunk.js"
import { noFrontMatter, parseFrontMatter } from "../../../../core/files/markdown/front-matter.js"
import { documentTitle, firstHeading, parseMarkdown } from "../../../../core/files/markdown/parse-markdown.js"
import { anyDocument, markdownFixture } from "../../../support/markdown.js"

const chunksOf = (source: string, maxChars = 1500, overlapChars = 200): ReadonlyArray<ChunkDraft> =>
  chunkDocument(parseMarkdown(source, parseFrontMatter(source).bodyStart), { maxChars, overlapChars })
const texts = (source: string, maxChars = 1500, overlapChars = 200): ReadonlyArray<string> =>
  chunksOf(source, maxChars, overlapChars).map((chunk) => chunk.text)
const sentences = (count: number): string =>
  Array.from({ length: count }, (_, at) => `Sentence number ${at} says little.`).join(" ")

describe("chunkDocument, for any document and any bounds", () => {
  const bounds = fc.tuple(fc.integer({ min: 16, max: 400 }), fc.integer({ min: 0, max: 300 }))

  it("gives exact, ordered, bounded pieces that cover the body and reassemble it", () => {
    fc.assert(
      fc.property(anyDocument, bounds, (source, [maxChars, overlapChars]) => {
        const { bodyStart } = parseFrontMatter(source)
        let reached = bodyStart
        let rebuilt = source.slice(0, bodyStart)
        for (const [at, chunk] of chunksOf(source, maxChars, overlapChars).entries()) {
          expect(chunk.ordinal).toBe(at)
          expect(chunk.text).toBe(source.slice(chunk.start, chunk.end))
          expect(chunk.text.length).toBeLessThanOrEqual(maxChars)
          expect(chunk.text.trim()).not.toBe("")
          expect(chunk.text.trimEnd()).toBe(chunk.text)
          expect(chunk.end).toBeGreaterThan(reached)
          expect(reached - chunk.start).toBeLessThanOrEqual(Math.min(overlapChars, maxChars / 2))
          expect(source.slice(reached, chunk.start).trim()).toBe("")
          rebuilt +=
            source.slice(reached, Math.max(reached, chunk.start)) +
            chunk.text.slice(Math.max(0, reached - chunk.start))
          reached = chunk.end
        }
        expect(source.slice(reached).trim()).toBe("")
        expect(rebuilt + source.slice(reached)).toBe(source)
      }),
      { numRuns: 1000 }
    )
  })

  it("is a function of the text, and counts equal chunks apart", () => {
    fc.assert(
      fc.property(anyDocument, bounds, (source, [maxChars, overlapChars]) => {
        const chunks = chunksOf(source, maxChars, overlapChars)
        expect(chunksOf(source, maxChars, overlapChars)).toEqual(chunks)
        const keys = chunks.map(({ headingPath, occurrence, text }) =>
          JSON.stringify([headingPath, text, occurrence])
        )
        expect(new Set(keys).size).toBe(chunks.length)
      })
    )
  })

  it("never cuts a surrogate pair", () => {
    const pairs = fc
      .array(fc.constantFrom("😀", "a", "𝒳", " ", "👩‍👩‍👧", "e\u0301"), { maxLength: 120 })
      .map((list) => list.join(""))
    fc.assert(
      fc.property(pairs, fc.integer({ min: 16, max: 40 }), (source, maxChars) => {
        for (const text of texts(source, maxChars, 8)) expect(/\p{Surrogate}/u.test(text)).toBe(false)
      })
    )
  })

  it("shifts offsets and nothing else when front matter is put before the text", () => {
    fc.assert(
      fc.property(anyDocument, (source) => {
        fc.pre(parseFrontMatter(source).bodyStart === 0)
        const head = "---\ntitle: A\n---\n"
        const moved = chunksOf(source).map((chunk) => ({
          ...chunk,
          start: chunk.start + head.length,
          end: chunk.end + head.length
        }))
        expect(chunksOf(head + source)).toEqual(moved)
      })
    )
  })

  it("counts equal sections", () => {
    const chunks = chunksOf("# A\nSame.\n# A\nSame.\n# B\nSame.")
    expect(chunks.map((chunk) => chunk.occurrence)).toEqual([0, 1, 0])
  })

  it("refuses bounds that leave no choice", () => {
    expect(() => texts("a", 15)).toThrow(RangeError)
    expect(() => texts("a", 100, -1)).toThrow(RangeError)
    expect(() => texts("a", Number.NaN)).toThrow(RangeError)
  })
})

describe("chunkDocument follows the structure", () => {
  it("starts a chunk at each heading, with the path of headings above", () => {
    const chunks = chunksOf("Lead.\n\n# A\nOne.\n\nTwo.\n\n## B\nThree.\n\n# C\nFour.")
    expect(chunks.map(({ headingPath, text }) => [headingPath, text])).toEqual([
      [[], "Lead."],
      [["A"], "# A\nOne.\n\nTwo."],
      [["A", "B"], "## B\nThree."],
      [["C"], "# C\nFour."]
    ])
  })

  it("keeps a heading without text of its own with what follows", () => {
    const chunks = chunksOf("# A\n\n## B\n\n### C\nText.\n\n## D")
    expect(chunks.map(({ headingPath, text }) => [headingPath, text])).toEqual([
      [["A", "B", "C"], "# A\n\n## B\n\n### C\nText."],
      [["A", "D"], "## D"]
    ])
  })

  it("takes no heading from code, quotes, lists or front matter", () => {
    const source = "---\n# x: y\n---\n```\n# a\n```\n\n> # b\n\n- # c\n"
    expect(chunksOf(source)).toHaveLength(1)
    expect(chunksOf(source)[0]?.headingPath).toEqual([])
  })

  it("tears no code and no table that fits, in a list neither", () => {
    const fence = `\`\`\`\n${"line of code. It ends.\n".repeat(8)}\`\`\``
    const table = `| a | b |\n|---|---|\n${"| one. Two | x |\n".repeat(8)}`.trimEnd()
    const nested = `- item\n\n  ${fence.replaceAll("\n", "\n  ")}\n- item`
    for (const before of [0, 1, 3, 5, 7]) {
      for (const block of [fence, table, nested]) {
        const whole = block === nested ? fence.replaceAll("\n", "\n  ") : block
        const found = texts(`# H\n\n${sentences(before)}\n\n${block}\n\n${sentences(before)}`, 260, 50)
        expect(found.filter((text) => text.includes(whole))).toHaveLength(1)
      }
    }
  })

  it("tears larger code and tables between lines only, without overlap", () => {
    const code = Array.from({ length: 60 }, (_, at) => `line ${at}. And more.`)
    for (const source of [
      `\`\`\`\n${code.join("\n")}\n\`\`\``,
      `| a |\n|---|\n${code.map((line) => `| ${line} |`).join("\n")}`
    ]) {
      const pieces = texts(source, 200, 100)
      expect(pieces.length).toBeGreaterThan(4)
      expect(pieces.join("\n")).toBe(source)
    }
  })

  it("splits a long list between its items, without overlap", () => {
    const items = Array.from({ length: 30 }, (_, at) => `- Item ${at}. It says two things.\n  And a third.`)
    const pieces = texts(items.join("\n"), 300, 100)
    expect(pieces.length).toBeGreaterThan(4)
    for (const piece of pieces) expect(piece.startsWith("- Item ")).toBe(true)
    expect(pieces.join("\n")).toBe(items.join("\n"))
  })

  it("splits a long paragraph at ends of sentences and repeats the last ones", () => {
    const chunks = chunksOf(`# H\n\n${sentences(40)}`, 300, 80)
    expect(chunks.length).toBeGreaterThan(3)
    for (const [at, chunk] of chunks.entries()) {
      expect(chunk.text.endsWith("little.")).toBe(true)
      if (at === 0) expect(chunk.text.startsWith("# H\n\nSentence")).toBe(true)
      else expect(chunk.text.startsWith("Sentence number")).toBe(true)
      const before = chunks[at - 1]
      if (before !== undefined) {
        expect(before.end - chunk.start).toBeGreaterThan(20)
        expect(before.end - chunk.start).toBeLessThanOrEqual(80)
      }
    }
  })

  it("splits text without blanks at its full stops", () => {
    const pieces = texts(
      "吾輩は猫である。名前はまだ無い。「どこで生れたか。」とんと見当がつかぬ。".repeat(20),
      100,
      30
    )
    expect(pieces.length).toBeGreaterThan(5)
    for (const piece of pieces) expect(/[。」]$/.test(piece)).toBe(true)
  })

  it("cuts a word that is too long between characters", () => {
    expect(texts("👩‍👩‍👧‍👦".repeat(10), 24, 0).every((text) => text.length % 11 === 0)).toBe(true)
    expect(texts("x".repeat(100), 40, 20)).toEqual(["x".repeat(40), "x".repeat(40), "x".repeat(20)])
  })

  it("keeps the indentation of a first line", () => {
    expect(texts("    code\n    more")).toEqual(["    code\n    more"])
  })
})

describe("documentTitle", () => {
  it("is that of the front matter, else the first heading of level one with words, else the stem", () => {
    const parsed = parseMarkdown("# \n\n## Before\n\n# The *first* [one](x.md) `code`\n\n# Second", 0)
    expect(documentTitle({ ...noFrontMatter, title: "Front" }, parsed, "a/b.md")).toBe("Front")
    expect(documentTitle(noFrontMatter, parsed, "a/b.md")).toBe("The first one code")
    expect(documentTitle(noFrontMatter, parseMarkdown("text", 0), "a/b.c.MD")).toBe("b.c")
    expect(firstHeading("---\n# no\n---\nSetext\n===")).toBe("Setext")
    expect(firstHeading("text")).toBeNull()
  })

  it("bounds the text of a heading", () => {
    expect(parseMarkdown(`# ${"word ".repeat(1000)}`, 0).headings[0]?.text.length).toBeLessThanOrEqual(200)
  })
})

describe("parseMarkdown", () => {
  it("tells the blocks of a document apart", () => {
    const source = markdownFixture("everything")
    const { blocks } = parseMarkdown(source, parseFrontMatter(source).bodyStart)
    const kinds = blocks.map((block) => block.kind)
    expect(kinds).toEqual([
      "paragraph",
      "heading",
      "heading",
      "paragraph",
      "definition",
      "definition",
      "definition",
      "heading",
      "table",
      "heading",
      "code",
      "code",
      "quote",
      "list",
      "html",
      "paragraph",
      "footnote"
    ])
    expect(source.slice(blocks[12]?.start, blocks[12]?.end)).toBe("> Quoted [[in quote]]\n> and on.")
  })

  it("gives blocks in order, apart, with nothing but white space between, for any text", () => {
    fc.assert(
      fc.property(anyDocument, (source) => {
        let reached = 0
        for (const { atoms, end, innerStarts, partStarts, start } of parseMarkdown(source, 0).blocks) {
          expect(source.slice(reached, start).trim()).toBe("")
          expect(end).toBeGreaterThan(start)
          for (const place of [...partStarts, ...innerStarts]) expect(place > start && place < end).toBe(true)
          for (const atom of atoms) expect(atom.start >= start && atom.end <= end).toBe(true)
          reached = end
        }
        expect(source.slice(reached).trim()).toBe("")
      })
    )
  })
})
