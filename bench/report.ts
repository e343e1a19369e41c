import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BenchResult, Line, RunNote, Skipped } from "./result.js"
import { markdownTables, tablesOf } from "./table.js"

const benchmarksPage = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url))
const [begin, end] = ["<!-- results: begin -->", "<!-- results: end -->"]

/**
 * Puts the lines of the last runs between the marks of the page of benchmarks, as tables; gives the page's path. What
 * the page says of a bench that was not run here stays.
 */
export const writeReport = (results: string, page = benchmarksPage): string => {
  const files = existsSync(results)
    ? readdirSync(results).filter((file) =>
        /-(default|full)(-postgres)?(-sync-[0-9.]+ms)?\.jsonl$/.test(file)
      )
    : []
  const text = readFileSync(page, "utf8")
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no place for results.`)
  const sections = new Map([
    ...byTitle(text.slice(from + begin.length, to).split(/^(?=### )/m)),
    ...byTitle(files.map((file) => sectionOf(linesOf(join(results, file)))))
  ])
  writeFileSync(
    page,
    `${text.slice(0, from + begin.length)}\n\n${[...sections.keys()]
      .sort()
      .map((title) => sections.get(title))
      .join("\n\n")}\n\n${text.slice(to)}`
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
  const given = `${size}${database}${note?.syncMs === undefined ? "" : ` --sync-ms ${note.syncMs}`}`
  return [
    `### ${note?.name ?? ""}${given}`,
    `\`npm run bench -- ${note?.name ?? ""}${given}\` · seed ${note?.seed ?? ""} · ${note?.machine ?? ""} · ${commitOf(note)}${note?.seconds ?? ""} s`,
    markdownTables(tablesOf(results)),
    ...new Set(skipped.map((line) => `Skipped: ${line.skipped}.`))
  ].join("\n\n")
}
