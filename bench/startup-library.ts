import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { z } from "zod"
import { builtEngine } from "./built.js"
import { chosen, databaseAt } from "./database.js"
import { type Cost, compare, interleaved } from "./measure.js"
import type { RunBench, Size } from "./result.js"
import { withFolder } from "./workspace.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 40 }
const root = fileURLToPath(new URL("..", import.meta.url))

/** Runs a program in a process of its own and gives what it wrote. */
const child = (program: string, options: ReadonlyArray<string> = []): string => {
  const given = [...options, "--input-type=module", "--eval", program]
  const environment = { ...process.env, NODE_OPTIONS: "" }
  const { status, stderr, stdout } = spawnSync(process.execPath, given, {
    cwd: root,
    encoding: "utf8",
    env: environment,
    maxBuffer: 1 << 26
  })
  if (status !== 0) throw new Error(`A program that was measured failed: ${stderr}`)
  return stdout
}

const Measured = z.object({ cpuMs: z.number(), wallMs: z.number() })

/** The same, measured from the start of the process by itself. */
const measured = async (program: string): Promise<Cost> =>
  Measured.parse(JSON.parse(child(`${program}\n${tell}\nprocess.exit(0)`)))

const tell = `const { system, user } = process.cpuUsage()
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, wallMs: performance.now() }))`

const text = (value: string): string => JSON.stringify(value)

/** Returns the modules that the program loads from dependencies, in load order. */
const dependenciesOf = (program: string): ReadonlyArray<string> => {
  const recorder = pathToFileURL(join(root, "test", "support", "record-imports.mjs")).href
  const lines = child(program, ["--import", recorder]).split("\n")
  return [...new Set(lines.filter((line) => line.startsWith("file:") && line.includes("/node_modules/")))]
}

const bareSqlite = (driver: string, file: string): string =>
  `const { default: Database } = await import(${text(driver === "" ? "better-sqlite3" : driver)})
const database = new Database(${text(file)})
database.pragma("journal_mode = wal")
database.prepare("select * from workspace").all()`

const barePostgres = (driver: string, url: string): string =>
  `const { default: pg } = await import(${text(driver === "" ? "pg" : driver)})
const client = new pg.Client(${text(url)})
await client.connect()
await client.query("select * from workspace")`

export const startupLibrary: RunBench = async ({ report, size }) => {
  const built = builtEngine()
  await withFolder(async (folder) => {
    const vault = join(folder, "vault")
    mkdirSync(vault)
    const onPostgres = chosen() === "postgres"
    const database = onPostgres ? await databaseAt(folder) : undefined
    const open = `const { createEngine } = await import(${text(built.href)})
const engine = await createEngine(${JSON.stringify({ vault, database, worker: false })})`
    // The first time it makes the tables; what is measured is every later start.
    const close = "await engine.close()"
    child(`${open}\n${close}`)
    const dependencies = dependenciesOf(`${open}\n${close}`)
    const file = join(vault, ".kanon", "kanon.sqlite")
    const found = (part: string) => dependencies.find((url) => url.includes(part)) ?? ""
    const loading = dependencies.map((url) => `await import(${text(url)})`).join("\n")
    const onOpen =
      database === undefined
        ? bareSqlite(found("/better-sqlite3/lib/index.js"), file)
        : barePostgres(found("/pg/esm/index.mjs"), database)
    const floor = `${loading}\n${onOpen}`
    const pairs = await interleaved(
      pairsWanted[size],
      () => measured(open),
      () => measured(floor)
    )
    const peer = `importing the ${dependencies.length} files of others that it loads, opening the database`
    const line = (cost: keyof Cost) => ({ ...compare(pairs, (one) => one[cost]), unit: "ms", peer })
    report({ metric: "start to open workspace, CPU", ...line("cpuMs"), target: "<= 1.3" })
    report({ metric: "start to open workspace, wall", ...line("wallMs") })
    const count = (metric: string, pattern: RegExp) =>
      report({
        metric,
        ours: dependencies.filter((url) => pattern.test(url)).length,
        n: 1,
        unit: "files loaded",
        peer: "exact count"
      })
    count("root of effect", /\/node_modules\/effect\/dist\/(?:esm|cjs)\/index\.js$/)
    count("MCP SDK", /\/node_modules\/@modelcontextprotocol\//)
    count("of all packages", /./)
  })
}
