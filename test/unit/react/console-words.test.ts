import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as first from "../../../console/src/strings/de/first.js"
import * as pages from "../../../console/src/strings/de/pages.js"

const folder = join(import.meta.dirname, "../../../console/src/strings")

/** English sections by name: `englishEntities` is the section `entities`. */
const english: Record<string, unknown> = {}
const named = (name: string): string => `${name.charAt(7).toLowerCase()}${name.slice(8)}`
const modules = [
  "../strings.ts",
  ...readdirSync(folder).filter((name) => name.endsWith(".ts")),
  "../../../react/words.ts"
]
for (const name of modules)
  for (const [key, value] of Object.entries((await import(join(folder, name))) as object))
    if (key.startsWith("english")) english[named(key)] = value
const german: Record<string, unknown> = { ...first, ...pages }

/** Names, units and words that both languages write alike. */
const alike = new Set(
  `Kanon|Graph|curl|kanon/client|System|Version 1|Version 2|Original|MediaWiki|Confluence|WebDAV|Slack|GitHub|Jira Cloud
  |Wiki|Version|Text in Markdown|Bucket|Region|Branch|Sitemap|Name|Text|Parameter|Plan|Host|Port|Agent|Live|Budgets|p (Holm)|95 %|feedback|Uploads
  |nDCG@10|MRR|MAP|AP|RR|Link|Chat|Edge|Opera|Safari|Filter|Definition|1: 1|2: 2|1 ms|2 ms|1–1 %|2–2 %`
    .split("|")
    .map((one) => one.trim())
)

interface Leaf {
  readonly path: string
  readonly text: string
}

/** Every text of a section; functions are asked with one and with two. */
const leaves = (value: unknown, path: string): ReadonlyArray<Leaf> => {
  if (typeof value === "string") return [{ path, text: value }]
  if (typeof value === "function") {
    const ask = value as (...given: ReadonlyArray<unknown>) => string
    return [1, 2].map((count) => ({ path: `${path}(${count})`, text: called(ask, count) }))
  }
  return Object.entries(value as object).flatMap(([key, one]) => leaves(one, `${path}.${key}`))
}

/** Some take names in place of counts. */
const called = (ask: (...given: ReadonlyArray<unknown>) => string, count: number): string => {
  const given = Array.from({ length: ask.length }, () => count)
  try {
    return ask(...given)
  } catch {
    return ask(...given.map(String))
  }
}

const pathsOf = (sections: Record<string, unknown>): ReadonlyArray<string> =>
  Object.entries(sections)
    .flatMap(([name, section]) => leaves(section, name))
    .map(({ path }) => path)
    .sort()

describe("the texts of the console", () => {
  it("have the same keys in each language", () => {
    expect(pathsOf(german)).toEqual(pathsOf(english))
  })

  it("are taken from a section that each language has", () => {
    const sources = modules.map((name) => readFileSync(join(folder, name), "utf8")).join("\n")
    const taken = [...sources.matchAll(/inLanguage\("(\w+)"/g)].map(([, name]) => name)
    expect(taken.toSorted()).toEqual(Object.keys(german).toSorted())
  })

  it("are translated: no German one is the English one, apart from names and words that are alike", () => {
    const englishTexts = new Map(
      Object.entries(english)
        .flatMap(([name, section]) => leaves(section, name))
        .map(({ path, text }) => [path, text])
    )
    const same = Object.entries(german)
      .flatMap(([name, section]) => leaves(section, name))
      .filter(({ path, text }) => text.trim() === "" || (englishTexts.get(path) === text && !alike.has(text)))
    expect(same).toEqual([])
  })

  it("use the quotation marks of their language", () => {
    const texts = Object.entries(german).flatMap(([name, section]) => leaves(section, name))
    expect(texts.filter(({ text }) => /[“"][^”]*[”"]/.test(text.replaceAll(/„[^“]*“/g, "")))).toEqual([])
  })
})
