import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { missesTable } from "./misses.js"
import type { BenchResult, Line, RunNote, Skipped } from "./result.js"
import { markdownTables, tablesOf } from "./table.js"

const benchmarksPage = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url))
const marksOf = (what: string) => [`<!-- ${what}: begin -->`, `<!-- ${what}: end -->`] as const

/** Replaces the text between the marks of that name. */
const between = (page: string, what: string, text: string): string => {
  const [begin, end] = marksOf(what)
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The page has no place for ${what}.`)
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`
}

/**
 * Writes the results of the last runs as tables, one page per bench in `docs/benchmarks/`, and the list of missed
 * targets into the page of benchmarks. Returns the path of that page. Tables of benches without a new run stay.
 */
export const writeReport = (results: string, page = benchmarksPage): string => {
  const folder = page.replace(/\.md$/, "")
  mkdirSync(folder, { recursive: true })
  const files = existsSync(results)
    ? readdirSync(results).filter((file) =>
        /-(default|full)(-postgres)?(-sync-[0-9.]+ms)?\.jsonl$/.test(file)
      )
    : []
  const byRun = new Map([
    ...readdirSync(folder).flatMap((file) =>
      byTitle(readFileSync(join(folder, file), "utf8").split(/^(?=## )/m))
    ),
    ...byTitle(files.map((file) => sectionOf(linesOf(join(results, file)))))
  ])
  const runs = [...byRun].sort(([one], [other]) => (one < other ? -1 : 1))
  const names = [...new Set(runs.map(([title]) => nameOf(title)))]
  for (const name of names)
    writeFileSync(
      join(folder, `${name}.md`),
      `${[pageTitle(name), ...runs.flatMap(([title, section]) => (nameOf(title) === name ? section : []))].join("\n\n")}\n`
    )
  const link = (name: string) => `[${name}](${basename(folder)}/${name}.md)`
  const withPages = between(readFileSync(page, "utf8"), "results", names.map(link).join(",\n"))
  writeFileSync(page, between(withPages, "misses", missesTable(runs.map(([, section]) => section))))
  return page
}

/**
 * Returns a line for each bench whose own source changed since the commit that its figures name; empty where there is no
 * history to compare with.
 */
export const staleFigures = (page = benchmarksPage): ReadonlyArray<string> => {
  const folder = page.replace(/\.md$/, "")
  return readdirSync(folder).flatMap((file) => {
    const name = basename(file, ".md")
    const commits = new Set(
      [...readFileSync(join(folder, file), "utf8").matchAll(/measured at commit `([0-9a-f]{7,40})`/gu)].map(
        ([, commit = ""]) => commit
      )
    )
    return [...commits].flatMap((commit) => {
      const { status } = spawnSync("git", ["diff", "--quiet", commit, "--", `bench/${name}.ts`], {
        cwd: fileURLToPath(new URL("..", import.meta.url))
      })
      return status === 1 ? [`${name}: bench/${name}.ts changed since ${commit}`] : []
    })
  })
}

/** The bench of a run, whose title is its name and options. */
const nameOf = (title: string): string => /^## (\S*)/.exec(title)?.[1] ?? ""

const pageTitle = (name: string): string =>
  `# Benchmark ${name}\n\n[Benchmarks](../benchmarks.md) explains the columns and the method.`

/** Sections of runs by their first line. */
const byTitle = (sections: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  sections
    .map((section) => section.trim())
    .filter((section) => section.startsWith("## "))
    .map((section) => [section.split("\n", 1)[0] ?? "", section] as const)

const linesOf = (file: string): ReadonlyArray<Line> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Line => JSON.parse(line))

/** The commit and date of a run, in the form that `test/repository/measured-figures.test.ts` asks for. */
const measuredAt = (note: RunNote | undefined): string => {
  if (note?.commit === undefined) return ""
  const [, commit = "", changes = ""] = /^(\S+)(.*)$/.exec(note.commit) ?? []
  return `measured at commit \`${commit}\`${changes} on ${note.date} · `
}

const sectionOf = (lines: ReadonlyArray<Line>): string => {
  const results = lines.filter((line): line is BenchResult => "metric" in line)
  const skipped = lines.filter((line): line is Skipped => "skipped" in line)
  const note = lines.find((line): line is RunNote => "machine" in line)
  const size = note === undefined || note.size === "default" ? "" : ` --size ${note.size}`
  const database = note?.database === "postgres" ? " --database postgres" : ""
  const slow = note?.syncMs === undefined ? "" : ` --sync-ms ${note.syncMs}`
  const given = `${size}${database}${slow}`
  return [
    `## ${note?.name ?? ""}${given}`,
    `\`npm run bench -- ${note?.name ?? ""}${given}\` · seed ${note?.seed ?? ""} · ${note?.machine ?? ""} · ${measuredAt(note)}${note?.seconds ?? ""} s`,
    markdownTables(tablesOf(results)),
    ...new Set(skipped.map((line) => `Skipped: ${line.skipped}.`))
  ].join("\n\n")
}
