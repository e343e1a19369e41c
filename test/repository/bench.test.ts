import { execFile, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { benches } from "../../bench/benches.js"
import { writeReport } from "../../bench/report.js"
import { bundledInParts } from "../support/bundled.js"
import { temporaryFolder } from "../support/folders.js"
import { isLong, sampled } from "../support/runs.js"
import { root } from "../support/tree.js"

const results = temporaryFolder("bench-results")

let program: Awaited<ReturnType<typeof bundledInParts>>
beforeAll(async () => {
  program = await bundledInParts("bench/run.ts")
})
afterAll(() => program.drop())

const tiny = fileURLToPath(new URL("../fixtures/bench", import.meta.url))

/** Runs the bench program; its exit status and what it wrote. */
const bench = async (
  args: ReadonlyArray<string>,
  data = tiny,
  around: Readonly<Record<string, string>> = {}
) => {
  const server = inject("postgresUrl")
  const env = {
    ...process.env,
    KANON_BENCH_DATA: data,
    KANON_BENCH_RESULTS: results,
    NODE_OPTIONS: "",
    TEST_DATABASE_URL: server,
    ...around
  }
  // To list them takes the program as it is written; the others need not wait for a loader of TypeScript.
  const started = args.length === 0 ? ["--import", "tsx", "bench/run.ts"] : [program.file, ...args]
  const run = promisify(execFile)(process.execPath, started, { cwd: root, env })
  return run.then(
    ({ stdout }) => ({ status: 0, stdout, stderr: "" }),
    ({ code, stderr, stdout }: { code: number; stderr: string; stdout: string }) => ({
      status: code,
      stdout,
      stderr
    })
  )
}

const jsonLines = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

const names = benches.map(({ name }) => name)

/** These ask about documents of collections that are too large to stand here. */
const ofWholeCollections = new Set(["answers", "command", "forty"])
/** Several processes, several models, or pages that are read as pictures: they take some minutes in all. */
const slow = new Set(isLong ? [] : ["memory", "mixed-load", "scale", "scans"])
const small = names.filter((name) => !ofWholeCollections.has(name) && !slow.has(name))

/** Whether syncs can be made to last longer here. */
const canSlow = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0

const tried = sampled(small, small.length)

describe("the benches", () => {
  it("are listed when none is named", async () => {
    const { status, stdout } = await bench([])
    expect(status).toBe(0)
    for (const name of names) expect(stdout).toContain(name)
  })

  it("refuse a name that is none", async () => {
    const { status, stderr } = await bench(["quality-of-life"])
    expect(status).toBe(1)
    expect(stderr).toContain("quality-of-life")
  })

  it.each(tried)("%s gives a table and a line for each result", async (name) => {
    const { status, stderr, stdout } = await bench([name, "--size", "small", "--seed", "3"])
    expect(stderr).toBe("")
    expect(status).toBe(0)
    expect(stdout).toContain("seed 3")
    const lines = jsonLines(stdout)
    const measured = lines.filter((line) => "metric" in line)
    expect(measured.length).toBeGreaterThan(2)
    for (const line of measured) {
      expect(line).toMatchObject({
        name,
        size: "small",
        metric: expect.any(String),
        unit: expect.any(String)
      })
      expect(Number.isFinite(line["ours"])).toBe(true)
      expect(line["n"]).toBeGreaterThan(0)
      expect(line["peer"]).toEqual(expect.any(String))
      for (const key of ["floor", "ratio", "iqr"]) {
        expect(line[key] === null || Number.isFinite(line[key]), `${key} of ${line["metric"]}`).toBe(true)
      }
    }
    expect(lines.at(-1)).toMatchObject({ name, size: "small", seed: 3, machine: expect.any(String) })
    expect(jsonLines(readFileSync(join(results, `${name}-small.jsonl`), "utf8"))).toEqual(lines)
  })

  it.each(["disk"])("take Postgres in place of SQLite: %s", async (name) => {
    const { status, stderr, stdout } = await bench([name, "--size", "small", "--database", "postgres"])
    expect([status, stderr]).toEqual([0, ""])
    expect(readdirSync(results)).toContain(`${name}-small-postgres.jsonl`)
    expect(jsonLines(stdout).some((line) => "skipped" in line)).toBe(false)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ name, database: "postgres" })
  })

  // A durable write waits for each sync: ten seconds.
  if (isLong)
    it.runIf(canSlow)("have every sync last as long as is asked, and count them", async () => {
      const { status, stderr, stdout } = await bench(["ingest-one", "--size", "small", "--sync-ms", "30"])
      expect([status, stderr]).toEqual([0, ""])
      const lines = jsonLines(readFileSync(join(results, "ingest-one-small-sync-30ms.jsonl"), "utf8"))
      expect(lines).toEqual(jsonLines(stdout))
      const of = (what: string) => lines.find(({ metric }) => String(metric).startsWith(what))
      const wall = of("created, wall")
      expect(Math.min(Number(wall?.["ours"]), Number(wall?.["floor"]))).toBeGreaterThanOrEqual(30)
      expect(Number(of("created, syncs")?.["ours"])).toBeGreaterThanOrEqual(1)
      expect(lines.at(-1)).toMatchObject({ database: "sqlite", syncMs: 30 })
    })

  it("refuse a slower sync where there is no compiler, no number, or another database", async () => {
    const without = await bench(["ingest-one", "--sync-ms", "4"], tiny, { PATH: results })
    expect(without.status).toBe(2)
    expect(without.stderr).toMatch(/^--sync-ms needs (a C compiler|Linux)/)
    for (const args of [
      ["--sync-ms", "soon"],
      ["--sync-ms", "4", "--database", "postgres"]
    ])
      expect(await bench(["ingest-one", ...args])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("--sync-ms takes milliseconds")
      })
  })

  it("say so and succeed when there is no data", async () => {
    const { status, stdout } = await bench(["search-library", "--size", "small"], join(results, "nowhere"))
    expect(status).toBe(0)
    expect(jsonLines(stdout)[0]).toMatchObject({
      name: "search-library",
      skipped: expect.stringContaining("nowhere")
    })
    expect(readdirSync(results)).toContain("search-library-small.jsonl")
  })

  it("are written as tables, one page per bench, in place of earlier ones", () => {
    const folder = mkdtempSync(join(results, "report-"))
    const page = join(folder, "page.md")
    writeFileSync(
      page,
      "before\n<!-- misses: begin -->\n<!-- misses: end -->\n<!-- results: begin -->\nold\n<!-- results: end -->\nafter\n"
    )
    mkdirSync(join(folder, "page"))
    writeFileSync(join(folder, "page", "search-library.md"), "# old\n\n## search-library\n\nold\n")
    const common = { name: "search-library", size: "default", n: 20, iqr: 0.1, unit: "ms", peer: "another" }
    const lines = [
      { ...common, metric: "search p50", ours: 2, floor: 4, ratio: 0.5, target: "<= 0.3" },
      { ...common, metric: "search p95", ours: 1, floor: 4, ratio: 0.25, target: "<= 0.3" },
      {
        ...common,
        metric: "nDCG@10",
        collection: "tales",
        ours: 0.5,
        floor: 0.4,
        ratio: 1.25,
        iqr: null,
        p: 0.04
      },
      { name: "search-library", skipped: "no server" },
      {
        name: "search-library",
        size: "default",
        seed: 1,
        machine: "a machine",
        commit: "abc1234 with changes",
        date: "2026-11-27",
        seconds: 9
      }
    ]
    writeFileSync(
      join(folder, "search-library-default.jsonl"),
      lines.map((line) => JSON.stringify(line)).join("\n")
    )
    writeFileSync(
      join(folder, "ingest-one-default-sync-4ms.jsonl"),
      JSON.stringify({ name: "ingest-one", size: "default", seed: 1, machine: "it", seconds: 1, syncMs: 4 })
    )
    expect(writeReport(folder, page)).toBe(page)
    writeReport(folder, page)
    const index = readFileSync(page, "utf8")
    const pageOf = (name: string) => readFileSync(join(folder, "page", `${name}.md`), "utf8")
    const text = pageOf("search-library")
    expect(text).toContain("| search p50 | 2 | 4 | ms | 0.500 | 0.100 | <= 0.3 missed | 20 | another |")
    expect(text).toContain("| tales | 20 | 0.500 | 0.400 |")
    const misses = index.slice(0, index.indexOf("<!-- misses: end -->"))
    expect(misses).toContain("| `search-library` | search p50, beside another | 0.500 | <= 0.3 | 1.67 |")
    expect(misses).not.toContain("search p95")
    expect(text).toContain("Skipped: no server.")
    expect(pageOf("ingest-one")).toContain(
      "## ingest-one --sync-ms 4\n\n`npm run bench -- ingest-one --sync-ms 4` · seed 1"
    )
    expect(text).toContain(
      "seed 1 · a machine · measured at commit `abc1234` with changes on 2026-11-27 · 9 s"
    )
    expect(index + text).not.toContain("old")
    expect(text.match(/^## search-library/gm)).toHaveLength(1)
    expect(index).toContain("[search-library](page/search-library.md)")
    expect(index.startsWith("before\n") && index.endsWith("after\n")).toBe(true)
  })

  it("state for each table in the documentation its command, machine and commit", () => {
    const folder = join(root, "docs", "benchmarks")
    const sections = readdirSync(folder).flatMap((file) =>
      readFileSync(join(folder, file), "utf8").split(/^## /m).slice(1)
    )
    expect(sections.length).toBeGreaterThan(20)
    for (const section of sections)
      expect(section.split("\n")[2]).toMatch(
        /^`npm run bench -- .+` · seed \d+ · \d+ cores .+ · (measured at|published with) commit `[0-9a-f]{7}`( with changes)? on \d{4}-\d\d-\d\d · [\d.]+ s$/
      )
  })

  it("give a reason for each missed target in the documentation", () => {
    const page = readFileSync(join(root, "docs", "benchmarks.md"), "utf8")
    const [, misses = ""] = /<!-- misses: begin -->(.*)<!-- misses: end -->/s.exec(page) ?? []
    const missing = new Set([...misses.matchAll(/^\| `([a-z-]+)/gm)].map(([, name]) => name))
    expect(missing.size).toBeGreaterThan(3)
    const [, why = ""] = /^\| Bench \| Why \|(.*?)\n\n/ms.exec(page) ?? []
    const explained = new Set([...why.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name))
    expect(explained).toEqual(missing)
  })
})
