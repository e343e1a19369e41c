import * as Either from "effect/Either"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseMarkdown } from "../../../../core/files/markdown/parse-markdown.js"
import { judgeDiskPath, parseDocumentPath, pathKey } from "../../../../core/files/markdown/path.js"
import { defaultContent, slugPath } from "../../../../core/files/markdown/slug.js"

const codesOf = (raw: string): ReadonlyArray<string> =>
  Either.match(parseDocumentPath(raw), {
    onLeft: ({ issues }) => issues.map((issue) => issue.code),
    onRight: () => []
  })
const accepted = (raw: string): string | null => Either.getOrNull(parseDocumentPath(raw))

/** Paths, each with the one rule that it breaks. */
const refused: ReadonlyArray<readonly [string, string]> = [
  ["", "path_empty"],
  ["/etc/passwd", "path_absolute"],
  ["a/../b", "path_parent"],
  ["..", "path_parent"],
  ["a/./b", "path_dot_segment"],
  ["a//b", "path_empty_segment"],
  ["a/", "path_empty_segment"],
  ["a\\b", "path_backslash"],
  ["a\u0000b", "path_control"],
  ["a\nb", "path_control"],
  ["a\u0085b", "path_control"],
  ["a\u202eb", "path_bidi"],
  ["a\u200fb", "path_bidi"],
  ["a\ud800b", "path_encoding"],
  ["Cafe\u0301", "path_not_normalized"],
  ["C:/a", "path_character"],
  ['a"b', "path_character"],
  ["a?", "path_character"],
  [".hidden", "path_hidden"],
  ["a/.git/b", "path_hidden"],
  ["con", "path_reserved"],
  ["a/NUL.txt.md", "path_reserved"],
  ["Lpt1.md", "path_reserved"],
  ["com¹/x", "path_reserved"],
  ["a./b", "path_trailing"],
  ["a /b", "path_trailing"],
  ["x".repeat(253), "path_segment_too_long"],
  [`${"ü".repeat(127)}.md`, "path_segment_too_long"],
  [`${"a/".repeat(600)}b`, "path_too_long"]
]

describe("parseDocumentPath", () => {
  it.each(refused)("refuses %j with the code %s alone", (raw, code) => {
    expect(codesOf(raw)).toEqual([code])
  })

  it("points each issue at the path and names every broken rule", () => {
    const issues = Either.match(parseDocumentPath("a//../con?"), {
      onLeft: (fault) => fault.issues,
      onRight: () => []
    })
    expect(issues.map((issue) => issue.code).sort()).toEqual([
      "path_character",
      "path_empty_segment",
      "path_parent"
    ])
    for (const issue of issues) expect(issue.path).toEqual(["path"])
  })

  it("appends .md where it is missing and keeps one that is there as it is written", () => {
    expect(accepted("notes/first")).toBe("notes/first.md")
    expect(accepted("notes/First.MD")).toBe("notes/First.MD")
    expect(accepted("v1.2")).toBe("v1.2.md")
    expect(accepted("x".repeat(252))).toBe(`${"x".repeat(252)}.md`)
    expect(accepted("console/communication/nullable")).toBe("console/communication/nullable.md")
  })

  it("takes paths in NFC, is idempotent, and what it accepts a walk of the disk accepts without a word", () => {
    const segment = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const path = accepted(segments.join("/"))
        if (path === null) return
        expect(path).toBe(path.normalize("NFC"))
        expect(accepted(path)).toBe(path)
        expect(judgeDiskPath(path)).toEqual({ kind: "index", path })
      })
    )
    expect(accepted("Caf\u00e9")).toBe("Caf\u00e9.md")
    expect(accepted("Cafe\u0301")).toBeNull()
    expect(accepted(`a${"\u0301\u0316".repeat(100)}`)).toBeNull()
  })
})

describe("judgeDiskPath", () => {
  it.each([
    ["a:b.md", "path_character"],
    ["aux.md", "path_reserved"],
    ["folder /a.md", "path_trailing"],
    ["Cafe\u0301.md", "path_not_normalized"],
    ["caf\ufffd/a\ufffd.md", "path_encoding"]
  ])("indexes %j as it is, with the warning %s", (raw, code) => {
    const verdict = judgeDiskPath(raw)
    expect(verdict).toMatchObject({ kind: "index", path: raw, warning: { code } })
  })

  it.each([".kanon/a.md", ".md", "a/.trash/b.md", "a.log", "folder.md/x"])("skips %j", (raw) => {
    expect(judgeDiskPath(raw)).toEqual({ kind: "skip" })
  })

  it.each([
    ["../a.md", "path_parent"],
    ["a\\b.md", "path_backslash"],
    ["a\u0007.md", "path_control"],
    ["a\u2066.md", "path_bidi"],
    ["a\ud800.md", "path_encoding"],
    ["aux\\:.md", "path_backslash"],
    [`${"x".repeat(300)}.md`, "path_segment_too_long"]
  ])("refuses %j with the code %s", (raw, code) => {
    expect(judgeDiskPath(raw)).toMatchObject({ kind: "refuse", code })
  })
})

describe("pathKey", () => {
  it("is the same for every case and normal form of a name, and idempotent", () => {
    expect(pathKey("A/Stra\u00dfe.MD")).toBe(pathKey("a/STRASSE.md"))
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        expect(pathKey(name.normalize("NFD"))).toBe(pathKey(name.normalize("NFC")))
        expect(pathKey(pathKey(name))).toBe(pathKey(name))
      })
    )
  })
})

describe("slugPath", () => {
  const free = (): boolean => false

  it.each([
    ["Overspeed & turbine trip!", "overspeed-turbine-trip.md"],
    ["Don't panic", "dont-panic.md"],
    ["Über uns", "über-uns.md"],
    ["使い方 2", "使い方-2.md"],
    ["  ", "untitled.md"],
    ["🎉", "untitled.md"],
    ["NUL", "document-nul.md"],
    ["../../etc/passwd", "etc-passwd.md"]
  ])("makes of %j the path %j", (title, path) => {
    expect(slugPath(title, free)).toBe(path)
  })

  it("gives a legal path for any title", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (title) => {
        const path = slugPath(title, free)
        expect(accepted(path)).toBe(path)
      })
    )
  })

  it("gives a thousand documents of one title a thousand paths, with few probes each", () => {
    const taken = new Set<string>()
    let probes = 0
    for (let n = 0; n < 1000; n++) {
      const path = slugPath("Notes", (candidate) => {
        probes++
        return taken.has(pathKey(candidate))
      })
      expect(taken.has(pathKey(path))).toBe(false)
      taken.add(pathKey(path))
    }
    expect(taken.has("notes-1000.md")).toBe(true)
    expect(probes).toBeLessThan(30_000)
  })

  it("makes default content whose one heading is the title, whatever the title", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (title) => {
        const { blocks, headings } = parseMarkdown(defaultContent(title), 0)
        expect(blocks).toHaveLength(1)
        expect(headings).toHaveLength(1)
      })
    )
    expect(parseMarkdown(defaultContent("a *b* [c](d) & <e>"), 0).headings[0]?.text).toBe(
      "a *b* [c](d) & <e>"
    )
  })
})
