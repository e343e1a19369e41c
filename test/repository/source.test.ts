import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { casts, longFunctions, memberUses } from "../support/syntax.js"
import { filesUnder, isGenerated, root, sourceFiles, textOf } from "../support/tree.js"

const files = sourceFiles().map((path) => ({ path, text: textOf(path) }))
const written = files.filter(({ text }) => !isGenerated(text))
const linesOf = (text: string): number => text.split("\n").length - 1

/** Returns the number of lines of code, imports apart, before the first comment. */
const codeBeforeComment = (text: string): number => {
  const body = text.replace(/^import\b[\s\S]*?"[^"\n]*"$/gm, "")
  const lines = body.split("\n").filter((line) => line.trim() !== "")
  const first = lines.findIndex((line) => /^\s*\/[/*]/.test(line))
  return first === -1 ? lines.length : first
}

/** Returns the occurrences of a pattern, as `path:line text`. */
const matches = (paths: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> =>
  paths.flatMap((path) =>
    textOf(path)
      .split("\n")
      .flatMap((line, index) =>
        pattern.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 100)}`] : []
      )
  )

describe("the sources", () => {
  it("are files that can be read in one sitting", () => {
    const sizes = written.map(({ path, text }) => ({ path, lines: linesOf(text) }))
    const outliers = sizes.filter(({ lines }) => lines > 300).sort((a, b) => b.lines - a.lines)
    const long = written.flatMap(({ path, text }) =>
      path.startsWith("test/") ? [] : longFunctions(path, text, 60)
    )
    for (const { path, lines } of outliers) console.log(`long file: ${path} ${lines} lines`)
    for (const place of long) console.log(`long function: ${place}`)
    expect(outliers.filter(({ lines }) => lines > 500)).toEqual([])
  })

  it("open with a comment on what they hold", () => {
    // Commands, texts of pages and lists of exports describe themselves.
    const isPlain = (path: string) =>
      /^(?:server\/cli|console\/src\/strings|core\/index\.ts)/.test(path) || /\/index\.ts$/.test(path)
    const open = written.filter(({ path }) => /^(?:core|adapters|server|console\/src|react)\//.test(path))
    const silent = open.filter(({ path, text }) => !isPlain(path) && codeBeforeComment(text) > 12)
    expect(open.length).toBeGreaterThan(1_000)
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  it("leave nothing for later", () => {
    // Put together from parts, so that this file does not find itself.
    const words = [
      "TO" + "DO",
      "FIX" + "ME",
      "XX" + "X",
      "for " + "now\\b",
      "not " + "implemented",
      "@ts-" + "ignore"
    ]
    const here = files.map(({ path }) => path).filter((path) => path !== "test/repository/source.test.ts")
    expect(matches(here, new RegExp(`\\b(${words.slice(0, 3).join("|")})\\b`))).toEqual([])
    expect(matches(here, new RegExp(words.slice(3).join("|"), "i"))).toEqual([])
  })

  it("name pages of the documentation in messages by addresses in the repository of the package", () => {
    const { bugs, homepage, repository } = JSON.parse(textOf("package.json"))
    const address = homepage.replace("#readme", "")
    expect([repository.url, bugs]).toEqual([`git+${address}.git`, `${address}/issues`])
    const product = written.flatMap(({ path }) => (/^(?:core|adapters|server)\//.test(path) ? [path] : []))
    const pages = product.flatMap((path) =>
      textOf(path)
        .split("\n")
        .filter((line) => /["`]/.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line))
        .flatMap((line) => line.match(/\S*\bdocs\/[\w-]+\.md/g) ?? [])
    )
    const start = `(${address}/blob/main/`
    expect(pages.filter((page) => !page.startsWith(start))).toEqual([])
    expect(pages.filter((page) => !existsSync(join(root, page.slice(start.length))))).toEqual([])
    expect(pages).not.toEqual([])
  })

  it("name no machine's folders and no registry", () => {
    const everywhere = [...filesUnder(".").filter((path) => !/\.(png|jpg|gif|ico|sqlite|bin)$/.test(path))]
    const machine = /\/work\/(main|shared)\b|\/home\/[a-z]+\/|\/Users\/[A-Za-z]+\/|(?<![\w/])\/root\/\./
    const registry = /https?:\/\/[^\s"')]*(registry|npm\.|artifactory|verdaccio|nexus)/i
    const lockfile = matches(["package-lock.json"], /"resolved": "(?!https:\/\/registry\.npmjs\.org\/)/)
    const others = everywhere.filter(
      (path) =>
        path !== "package-lock.json" &&
        path !== "test/repository/source.test.ts" &&
        !path.startsWith("test/fixtures/")
    )
    expect([...matches(others, machine), ...matches(others, registry), ...lockfile]).toEqual([])
  })

  it("keep clocks and chance out of the core", () => {
    const impure = [
      "Math.random",
      "Date.now",
      ".randomUUID",
      ".getRandomValues",
      ".toLocaleString",
      ".toLocaleLowerCase"
    ]
    const core = written.filter(({ path }) => path.startsWith("core/"))
    expect(core.flatMap(({ path, text }) => memberUses(path, text, impure))).toEqual([])
  })

  it("normalise Unicode in one place, which bounds the time that it takes", () => {
    const elsewhere = written.filter(
      ({ path }) => /^(core|adapters|server)\//.test(path) && path !== "core/platform/kernel/normal-form.ts"
    )
    expect(elsewhere.flatMap(({ path, text }) => memberUses(path, text, [".normalize"]))).toEqual([])
  })

  it("cast only at an adapter's edge", () => {
    // The other place is where an admitted id becomes the scope that every port asks for.
    const inside = written.filter(
      ({ path }) => /^(core|server)\//.test(path) && path !== "core/platform/kernel/caller.ts"
    )
    expect(inside.flatMap(({ path, text }) => casts(path, text))).toEqual([])
  })

  it("ask which database it is in one file only", () => {
    const outside = written.filter(
      ({ path }) => /^(adapters|server)\//.test(path) && path !== "adapters/sql/dialect.ts"
    )
    const asks = [".onDialect", ".onDialectOrElse"]
    expect(outside.flatMap(({ path, text }) => memberUses(path, text, asks))).toEqual([])
    expect(memberUses("adapters/sql/dialect.ts", textOf("adapters/sql/dialect.ts"), asks)).not.toEqual([])
  })
})
