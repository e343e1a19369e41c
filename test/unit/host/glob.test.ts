import fc from "fast-check"
import ignore from "ignore"
import { describe, expect, it } from "vitest"
import { compileGlob, literalFolder } from "../../../adapters/host/glob.js"
import { globFilter } from "../../../adapters/sources/item-path.js"
import { isExcluded, readIgnoreFile } from "../../../adapters/vault/ignore-files.js"
import { runs } from "../../support/runs.js"

const cpuMs = (work: () => unknown): number => {
  const start = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(start)
  return (system + user) / 1000
}

describe("globs", () => {
  it("read wildcards, sets and folders as Git does", () => {
    const taken = (glob: string, path: string) => globFilter([glob])(path)
    expect(taken("docs/**/*.md", "docs/a.md")).toBe(true)
    expect(taken("docs/**/*.md", "docs/x/y/a.md")).toBe(true)
    expect(taken("docs/**/*.md", "other/a.md")).toBe(false)
    expect(taken("docs", "docs/x/a.md")).toBe(true)
    expect(taken("docs/**", "docs")).toBe(false)
    expect(taken("/docs/", "docs/a.md")).toBe(true)
    expect(taken("*.md", "x/a.md")).toBe(false)
    expect(taken("**/a?.md", "x/ab.md")).toBe(true)
    expect(taken("**/a?.md", "x/a.md")).toBe(false)
    expect(taken("[a-c]*.md", "b1.md")).toBe(true)
    expect(taken("[!a-c]*.md", "b1.md")).toBe(false)
    expect(taken("[a.md", "[a.md")).toBe(false)
    expect(taken("\\[a.md", "[a.md")).toBe(true)
    expect(globFilter(["**", "!drafts/**"])("drafts/a.md")).toBe(false)
    expect(globFilter(["!drafts"])("notes/a.md")).toBe(true)
  })

  it("name the folder before their first wildcard", () => {
    expect(["docs/**/*.md", "docs/a.md", "*.md", "a/b[c]/d"].map(literalFolder)).toEqual([
      "docs",
      "docs/a.md",
      "",
      "a"
    ])
  })

  it("match in time that does not explode, whatever the pattern", () => {
    const long = "a".repeat(250)
    const deep = Array.from({ length: 500 }, () => "a").join("/")
    const hostile = [
      [`${"*a".repeat(12)}*b`, long],
      [`${"*a".repeat(100)}*b`, long],
      [`${"**/".repeat(30)}b`, deep],
      [`${"**/a/".repeat(50)}b`, deep],
      [`${"**/*a*a/".repeat(20)}b`, Array.from({ length: 8 }, () => "a".repeat(100)).join("/")],
      ["**/**/**/**/**", deep],
      [`${"?*".repeat(100)}b`, long]
    ] as const
    for (const [glob, path] of hostile) {
      const isTaken = globFilter([glob])
      expect(
        cpuMs(() => isTaken(path)),
        glob
      ).toBeLessThan(50)
    }
  })

  it("give what a backtracking search of all possibilities gives", () => {
    const part = fc.array(fc.constantFrom("a", "b", "*", "?"), { minLength: 1, maxLength: 5 })
    const pattern = fc.array(fc.oneof(fc.constant(["**"]), part), { minLength: 1, maxLength: 5 })
    const path = fc.array(fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 6
    })
    fc.assert(
      fc.property(pattern, path, (parts, segments) => {
        const glob = parts.map((signs) => signs.join("")).join("/")
        if (glob.includes("***") || /[^/]\*\*|\*\*[^/]/.test(glob)) return
        const names = segments.map((letters) => letters.join(""))
        expect(compileGlob(glob)(names), `${glob} on ${names.join("/")}`).toBe(slow(glob.split("/"), names))
      }),
      { numRuns: runs(200) }
    )
  })
})

/** The definition of a match, in exponential time. */
const slow = (parts: ReadonlyArray<string>, names: ReadonlyArray<string>): boolean => {
  const [part, ...rest] = parts
  if (part === undefined) return names.length === 0
  const [name, ...others] = names
  if (part === "**") {
    if (rest.length === 0) return names.length > 0
    return slow(rest, names) || (name !== undefined && slow(parts, others))
  }
  const expression = new RegExp(`^${part.replaceAll("*", ".*").replaceAll("?", ".")}$`)
  return name !== undefined && expression.test(name) && slow(rest, others)
}

describe("ignore files", () => {
  it("decide as a common library does", () => {
    const piece = fc.constantFrom("a", "b", "*", "?", "a*", "*b", "**", "[ab]", "\\a")
    const line = fc
      .tuple(
        fc.constantFrom("", "!"),
        fc.constantFrom("", "/"),
        fc.array(piece, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "/", " ")
      )
      .map(([sign, start, pieces, end]) => `${sign}${start}${pieces.join("/")}${end}`)
    const segment = fc.constantFrom("a", "b", "ab", "ba", "aab")
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 4 }),
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (lines, path, isFolder) => {
          // In these cases the library decides otherwise than Git does.
          if (path.length > 1 && lines.some((text) => text.startsWith("!"))) return
          if (lines.some((text) => /\*\*\/$|\*\*.*\*\*/.test(text))) return
          const rules = [{ folder: "", rules: readIgnoreFile(lines.join("\n")) }]
          const theirs = ignore({ ignorecase: false }).add(lines.join("\n"))
          // The walk asks for each folder first, and goes into none that is excluded.
          for (let depth = 1; depth < path.length; depth++) {
            const folder = path.slice(0, depth).join("/")
            const expected = theirs.test(`${folder}/`).ignored
            expect(isExcluded(rules, folder, true), `${lines.join("|")} on ${folder}/`).toBe(expected)
            if (expected) return
          }
          const name = path.join("/")
          expect(isExcluded(rules, name, isFolder), `${lines.join("|")} on ${name} ${isFolder}`).toBe(
            theirs.test(isFolder ? `${name}/` : name).ignored
          )
        }
      ),
      { numRuns: runs(200) }
    )
  })

  it("take what is in a folder that was taken in again by its own rules, as Git does", () => {
    const rules = [{ folder: "", rules: readIgnoreFile("/**\n!*b\n") }]
    expect(isExcluded(rules, "aab", true)).toBe(false)
    expect(isExcluded(rules, "aab/a", false)).toBe(true)
  })

  it("keep blanks at the end behind a backslash only", () => {
    const excluded = (line: string, path: string) =>
      isExcluded([{ folder: "", rules: readIgnoreFile(line) }], path, false)
    expect(excluded("a.md  ", "a.md")).toBe(true)
    expect(excluded("a.md\\ ", "a.md ")).toBe(true)
    expect(excluded("\\#a", "#a")).toBe(true)
    expect(excluded("#a", "#a")).toBe(false)
  })
})
