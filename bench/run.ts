import { spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { benches } from "./benches.js"
import { choose, chosen, type Kind } from "./database.js"
import { staleFigures, writeReport } from "./report.js"
import { type Bench, type BenchResult, type Line, type Size, sizes } from "./result.js"
import { runWithSlowSync, syncMs } from "./slow-sync.js"
import { plainTables, tablesOf } from "./table.js"

const usage = `npm run bench -- NAME [--size ${sizes.join("|")}] [--seed N] [--database sqlite|postgres|URL] [--sync-ms N] [--collections DIR]
npm run bench -- report   writes the results of the last runs into docs/benchmarks/
NAME may end in * for all benches that begin so. --collections measures those of a folder (docs/benchmarks.md), with quality-*.

${benches.map(({ name, summary }) => `${name.padEnd(16)} ${summary}`).join("\n")}`

const results = process.env["KANON_BENCH_RESULTS"] ?? fileURLToPath(new URL("results", import.meta.url))

/** The commit that is measured, and whether anything stands there that it has not; null outside a clone. */
const commitHere = (): string | null => {
  const { status, stdout } = spawnSync(
    "git",
    ["describe", "--always", "--abbrev=7", "--exclude=*", "--dirty= with changes"],
    { cwd: import.meta.dirname, encoding: "utf8" }
  )
  return status === 0 ? stdout.trim() : null
}

interface Asked {
  readonly size: Size
  readonly seed: number
  readonly database: Kind
}

/** Runs one bench; its table goes to people, its lines to standard output and to a file of its own. */
const runBench = async (bench: Bench, { database, seed, size }: Asked): Promise<void> => {
  const { name } = bench
  const startedAt = performance.now()
  const lines: Array<Line> = []
  const measured: Array<BenchResult> = []
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.versions.node}`
  const commit = commitHere()
  const slow = syncMs()
  const disk = slow === undefined ? "" : `, a sync lasts ${slow} ms`
  console.log(`${name}, size ${size}, seed ${seed}, ${database}${disk}, ${machine}`)
  const run = await bench.load()
  await run({
    size,
    seed,
    report: ({ floor = null, iqr = null, peer = "", ...figure }) => {
      const ratio = floor === null || floor === 0 ? null : figure.ours / floor
      const line = { name, floor, ratio, iqr, peer, ...figure, size }
      measured.push(line)
      lines.push(line)
    },
    skip: (reason) => {
      console.log(`skipped: ${reason}`)
      lines.push({ name, skipped: reason })
    },
    say: (text) => console.log(text)
  })
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  lines.push({
    name,
    size,
    seed,
    machine,
    ...(commit === null ? {} : { commit }),
    date: new Date().toISOString().slice(0, 10),
    seconds,
    database,
    ...(slow === undefined ? {} : { syncMs: slow })
  })
  console.log(`\n${plainTables(tablesOf(measured))}\n`)
  mkdirSync(results, { recursive: true })
  const where = `${database === "postgres" ? "-postgres" : ""}${slow === undefined ? "" : `-sync-${slow}ms`}`
  const file = join(results, `${name}-${size}${where}.jsonl`)
  rmSync(file, { force: true })
  for (const line of lines) {
    const text = JSON.stringify(line)
    console.log(text)
    appendFileSync(file, `${text}\n`)
  }
}

const main = async (): Promise<number> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      size: { type: "string", default: "default" },
      seed: { type: "string", default: "1" },
      database: { type: "string", default: "sqlite" },
      "sync-ms": { type: "string" },
      collections: { type: "string" }
    }
  })
  const [name] = positionals
  if (name === undefined) {
    console.log(usage)
    return 0
  }
  if (name === "report") {
    console.log(`wrote ${writeReport(results)}`)
    for (const line of staleFigures()) console.error(`Measure again: ${line}.`)
    return 0
  }
  const wanted = benches.filter((one) =>
    name.endsWith("*") ? one.name.startsWith(name.slice(0, -1)) : one.name === name
  )
  const size = sizes.find((one) => one === values.size)
  const seed = Number(values.seed)
  if (wanted.length === 0 || size === undefined || !Number.isInteger(seed)) {
    console.error(
      `${wanted.length === 0 ? `There is no bench ${name}.` : "Unknown size or seed."}\n\n${usage}`
    )
    return 1
  }
  if (values.collections !== undefined) {
    if (!existsSync(values.collections) || wanted.some((one) => !one.name.startsWith("quality-"))) {
      console.error(`--collections takes a folder, and goes with quality-*.\n\n${usage}`)
      return 1
    }
    // Read when a bench is loaded.
    process.env["KANON_BENCH_COLLECTIONS"] = values.collections
  }
  const isUrl = /^postgres(ql)?:\/\//.test(values.database)
  if (!isUrl && values.database !== "sqlite" && values.database !== "postgres") {
    console.error(`No database is called ${values.database}.\n\n${usage}`)
    return 1
  }
  const asked = values["sync-ms"]
  if (asked !== undefined && (!(Number(asked) > 0) || values.database !== "sqlite")) {
    console.error(`--sync-ms takes milliseconds, and reaches no database server.\n\n${usage}`)
    return 1
  }
  if (asked !== undefined && syncMs() === undefined) return runWithSlowSync(Number(asked))
  // Exits through `process.exit`, so that servers started for the run are stopped; a bare signal would leave them
  // running.
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const)
    process.once(signal, () => process.exit(code))
  const close = await choose(values.database)
  try {
    for (const bench of wanted) await runBench(bench, { size, seed, database: chosen() })
  } finally {
    await close()
  }
  return 0
}

process.exitCode = await main()
