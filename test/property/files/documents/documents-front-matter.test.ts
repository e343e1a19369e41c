import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { noFrontMatter, parseFrontMatter } from "../../../../core/files/markdown/front-matter.js"
import { unstorableTexts } from "../../../../core/platform/kernel/index.js"
import { runs } from "../../../support/runs.js"

const read = (yaml: string, body = "body\n") => parseFrontMatter(`---\n${yaml}\n---\n${body}`)

describe("parseFrontMatter", () => {
  it.each([
    ["\n", "---\n"],
    ["\r\n", "---\r\n"],
    ["\n", "...\n"],
    ["\r", "--- \r"],
    ["\n", "---"]
  ])("finds the body behind line breaks %j and the end %j", (lineBreak, end) => {
    for (const mark of ["", "\ufeff"]) {
      const head = `${mark}---${lineBreak}title: A${lineBreak}tags: [b]${lineBreak}${end}`
      const body = end === "---" ? "" : "Body"
      const { bodyStart, frontMatter, warnings } = parseFrontMatter(head + body)
      expect(bodyStart).toBe(head.length)
      expect(frontMatter).toEqual({ ...noFrontMatter, title: "A", tags: ["b"] })
      expect(warnings).toEqual([])
    }
  })

  it("takes a file without a closed block, or with mere text in it, as body alone", () => {
    for (const source of [
      "",
      "text",
      "---\ntitle: A\n",
      "--- a\n---\n",
      " ---\na: b\n---\n",
      "---\nProse, not names.\n---\n"
    ]) {
      expect(parseFrontMatter(source)).toEqual({ frontMatter: noFrontMatter, bodyStart: 0, warnings: [] })
    }
    expect(parseFrontMatter("\ufefftext").bodyStart).toBe(1)
    expect(read("").bodyStart).toBe("---\n\n---\n".length)
  })

  it("reads names as they are written: numbers, dates, truth", () => {
    expect(read("title: 1.10").frontMatter.title).toBe("1.10")
    expect(read("title: 2024-01-02").frontMatter.title).toBe("2024-01-02")
    expect(read("title: true").frontMatter.title).toBe("true")
    expect(read("title: >\n  Two\n  lines").frontMatter.title).toBe("Two lines")
    expect(read("title: ' '").frontMatter.title).toBeNull()
    expect(read("title:\n  en: A").frontMatter.title).toBeNull()
    expect(read("Title: A\ntype: 7").frontMatter).toMatchObject({ title: "A", type: "7" })
    expect(read("aliases: [007, 1e3, 2024-01-02]").frontMatter.aliases).toEqual(["007", "1e3", "2024-01-02"])
  })

  it("reads aliases and tags from a string, a list with commas, an array, and each once", () => {
    expect(read("aliases: One, Two , one").frontMatter.aliases).toEqual(["One", "Two"])
    expect(read("aliases:\n  - One, Two\n  - ONE,  two").frontMatter.aliases).toEqual(["One, Two"])
    expect(read("alias: [[Inner]]\ntag: x").frontMatter).toMatchObject({ aliases: ["Inner"], tags: ["x"] })
    expect(read("tags: '#a #b'").frontMatter.tags).toEqual(["a", "b"])
    expect(read("tags: ['#a', b c, null, '']").frontMatter.tags).toEqual(["a", "b c"])
    expect(read("tags: &t [a]\naliases: *t").frontMatter.aliases).toEqual(["a"])
  })

  it("keeps every other key as plain JSON", () => {
    const yaml =
      "requires: 145, 609\ncreated: 2024-01-02\nn: 1.5\nnan: .nan\ndeep: {a: [1, null, true]}\n7: x\n? [k]\n: v"
    expect(read(yaml).frontMatter.other).toEqual({
      "7": "x",
      requires: "145, 609",
      created: "2024-01-02",
      n: 1.5,
      nan: "NaN",
      deep: { a: [1, null, true] },
      '["k"]': "v"
    })
  })

  it("has no special names: __proto__ and constructor are data", () => {
    const { other } = read("__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 2}}").frontMatter
    expect(Object.keys(other)).toEqual(["__proto__", "constructor"])
    expect(Object.getPrototypeOf(other)).toBe(Object.prototype)
    expect(JSON.parse(JSON.stringify(other))).toEqual(other)
    expect("polluted" in {}).toBe(false)
  })

  it.each([
    ["a list", "- a"],
    ["an unknown alias", "a: *b"],
    ["more than 64 KiB", `a: ${"x".repeat(64 * 1024)}`],
    ["deep flow lists", `a: ${"[".repeat(30)}${"]".repeat(30)}`],
    ["abyssal flow lists", `a: ${"[".repeat(30_000)}${"]".repeat(30_000)}`],
    ["abyssal open lists", "[".repeat(60_000)],
    ["abyssal block lists", "- ".repeat(30_000)],
    ["abyssal keys", "? ".repeat(30_000)],
    ["deep by indentation", Array.from({ length: 30 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    [
      "an alias bomb",
      [
        "a: &a [x,x,x,x,x,x,x,x,x,x]",
        ..."bcdefghi".split("").map((name, at) => {
          const inner = `*${"abcdefgh".charAt(at)}`
          return `${name}: &${name} [${Array.from({ length: 10 }, () => inner).join(",")}]`
        })
      ].join("\n")
    ],
    ["a cycle", "a: &a [*a]"]
  ])("ignores %s with a warning and keeps the body", (_, yaml) => {
    const { bodyStart, frontMatter, warnings } = read(yaml)
    expect(frontMatter).toEqual(noFrontMatter)
    expect(bodyStart).toBe(yaml.length + "---\n\n---\n".length)
    expect(warnings).toMatchObject([{ code: "front_matter_ignored" }])
  })

  it("takes a value with a tag of somebody's own as plain data, with a warning", () => {
    const { frontMatter, warnings } = read("title: !secret A\nother: !!js/function 'x'")
    expect(frontMatter.title).toBe("A")
    expect(warnings).toMatchObject([{ code: "front_matter_tag" }])
  })

  it("takes any text: it never throws, its result is JSON, and it never swallows the body", () => {
    const piece = fc.constantFrom(
      "---\n",
      "a: ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "&a ",
      "*a",
      "!t ",
      "? ",
      ": ",
      "|\n",
      ">-\n",
      '"',
      "'",
      "#",
      "\n",
      "  ",
      "x",
      "\u0000",
      "\\0",
      "\\ud800",
      "%YAML 1.1\n",
      "<<: ",
      "...\n",
      ","
    )
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 60 }),
        (pieces) => {
          const yaml = pieces.join("")
          const { bodyStart, frontMatter } = parseFrontMatter(`---\n${yaml}\n---\nbody`)
          expect(bodyStart).toBeLessThanOrEqual(yaml.length + "---\n\n---\n".length)
          expect(JSON.parse(JSON.stringify(frontMatter.other))).toEqual(frontMatter.other)
          expect(unstorableTexts(frontMatter)).toEqual([])
        }
      ),
      { numRuns: 500 }
    )
  })

  it("says the same of plain lines as the YAML parser does", () => {
    const name = fc.constantFrom(
      "title",
      "Tags",
      "alias",
      "type",
      "eip",
      "requires",
      "author",
      "null",
      "a-b",
      "x_1"
    )
    const word = fc.constantFrom(
      "Draft",
      "1",
      "007",
      "2019-02-03",
      "1.10",
      "0x1f",
      "1e3",
      "true",
      "Null",
      "~",
      "a:b"
    )
    const piece = fc.oneof(
      word,
      fc.constantFrom("#tag", "# no", ": ", " ", ",", "<a@b.c>", "(@x)", "'", '"', "é", "*a", "-"),
      fc.constantFrom(
        "7, 20",
        "1,234",
        "1, 2,",
        '"Say: it #1"',
        '"null"',
        '"a\\n"',
        '""',
        "“Łukasz”",
        "\u00a0"
      )
    )
    const value = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(" "))
    const line = fc.tuple(
      name,
      fc.constantFrom(":", ": ", ":  ", " : "),
      value,
      fc.constantFrom("", " ", "\n")
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const yaml = lines.map((parts) => parts.join("")).join("\n")
        // A comment says nothing, but is no plain line: the parser of YAML has to look.
        const [alone, beside] = [read(yaml), read(`${yaml}\n# remark`)]
        expect(alone.frontMatter).toEqual(beside.frontMatter)
        expect(alone.warnings.map(({ code }) => code)).toEqual(beside.warnings.map(({ code }) => code))
      }),
      { numRuns: runs(1000) }
    )
  })
})

it("replaces what nothing can store, however it is written", () => {
  const source = '---\ntitle: "a\\0b"\naliases: ["\\ud800"]\nother: {"k\\0": ["v\\0"]}\n---\n'
  expect(parseFrontMatter(source).frontMatter).toMatchObject({
    title: "a\ufffdb",
    other: { other: { "k\ufffd": ["v\ufffd"] } }
  })
})
