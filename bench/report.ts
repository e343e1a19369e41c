import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { missesTable } from "./misses.js"
import type { BenchResult, Line, RunNote, Skipped } from "./result.js"
import { markdownTables, tablesOf } from "./table.js"

const benchmarksPage = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url))
const marksOf = (what: string) => [`<!-- ${what}: begin -->`, `<!-- ${what}: end -->`] as const

/** The page with something else between the marks of that name. */
const between = (page: string, what: string, put: (before: string) => string): string => {
  const [begin, end] = marksOf(what)
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The page has no place for ${what}.`)
  return `${page.slice(0, from + begin.length)}\n\n${put(page.slice(from + begin.length, to))}\n\n${page.slice(to)}`
}

/**
 * Puts the lines of the last runs into the page of benchmarks, as tables, and all that misses its target beside them;
 * gives the page's path. What the page says of a bench that was not run here stays.
 */
export const writeReport = (results: string, page = benchmarksPage): string => {
  const files = existsSync(results)
    ? readdirSync(results).filter((file) =>
        /-(default|full)(-postgres)?(-sync-[0-9.]+ms)?(-documents-[0-9]+)?\.jsonl$/.test(file)
      )
    : []
  let sections: ReadonlyArray<string> = []
  const withTables = between(readFileSync(page, "utf8"), "results", (before) => {
    const byName = new Map([
      ...byTitle(before.split(/^(?=### )/m)),
      ...byTitle(files.map((file) => sectionOf(linesOf(join(results, file)))))
    ])
    sections = [...byName].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, section]) => section)
    return sections.join("\n\n")
  })
  writeFileSync(
    page,
    between(withTables, "misses", () => missesTable(sections))
  )
  return page
}

/** Sections by their first line. */
const byTitle = (sections: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  sections
    .map((section) => section.trim())
    .filter((section) => section !== "")
    .map((section) => [section.split("\n", 1)[0] ?? "", section] as const)

const linesOf = (file: string): ReadonlyArray<Line> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Line => JSON.parse(line))

const commitOf = (note: RunNote | undefined): string =>
  note?.commit === undefined ? "" : `commit ${note.commit} · `

const sectionOf = (lines: ReadonlyArray<Line>): string => {
  const results = lines.filter((line): line is BenchResult => "metric" in line)
  const skipped = lines.filter((line): line is Skipped => "skipped" in line)
  const note = lines.find((line): line is RunNote => "machine" in line)
  const size = note === undefined || note.size === "default" ? "" : ` --size ${note.size}`
  const database = note?.database === "postgres" ? " --database postgres" : ""
  const slow = note?.syncMs === undefined ? "" : ` --sync-ms ${note.syncMs}`
  const more = note?.documents === undefined ? "" : ` --documents ${note.documents}`
  const given = `${size}${database}${slow}${more}`
  return [
    `### ${note?.name ?? ""}${given}`,
    `\`npm run bench -- ${note?.name ?? ""}${given}\` · seed ${note?.seed ?? ""} · ${note?.machine ?? ""} · ${commitOf(note)}${note?.seconds ?? ""} s`,
    markdownTables(tablesOf(results)),
    ...new Set(skipped.map((line) => `Skipped: ${line.skipped}.`))
  ].join("\n\n")
}
