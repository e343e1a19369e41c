import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath, pathToFileURL } from "node:url"
import { z } from "zod"
import { dataFolder } from "./data.js"
import { chosen, databaseAt } from "./database.js"
import { type Cost, compare, interleaved } from "./measure.js"
import { notesOf } from "./notes.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { median } from "./statistics.js"
import { withFolder, writeVault } from "./workspace.js"

const passagesWanted: Readonly<Record<Size, number>> = { small: 60, default: 10_000, full: 100_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 20 }
/** Notes that make one file, so that a vault of many passages is not a folder of as many files. */
const notesPerFile = 20

const root = fileURLToPath(new URL("..", import.meta.url))
const Manifest = z.object({ bin: z.object({ kanon: z.string() }) })
const command = () =>
  join(root, Manifest.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).bin.kanon)

/** Environment variables that name the database. */
type Environment = Readonly<Record<string, string>>

const kanon = (env: Environment, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [command(), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env }
  })
  if (status !== 0) throw new Error(`kanon ${args[0]}: ${stderr}`)
  return stdout
}

const Made = z.object({ data: z.string(), key: z.string() })

/** Linux counts the CPU time of every process, in hundredths of a second. */
const cpuMsOf = (pid: number): number => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  const fields = readFileSync(file, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Starts a program that prints `{url}`, asks it until it answers 200, and tells what that took. */
const untilFirstAnswer = async (
  args: ReadonlyArray<string>,
  path: string,
  key: string,
  env: Environment,
  signal: NodeJS.Signals = "SIGKILL"
): Promise<Cost> => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env }
  })
  const ended = once(child, "exit")
  const [line]: ReadonlyArray<unknown> = await once(child.stdout, "data")
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(String(line)))
  const headers = { authorization: `Bearer ${key}` }
  while ((await fetch(`${url}${path}`, { headers })).status !== 200) await pause(1)
  const cost = { wallMs: performance.now() - startedAt, cpuMs: cpuMsOf(child.pid ?? 0) }
  child.kill(signal)
  await ended
  return cost
}

/** A bare h3 server over the same file: the least that serves something of it. */
const floorProgram = (data: string, env: Environment): string => {
  const url = (name: string) => JSON.stringify(pathToFileURL(join(root, "node_modules", name)).href)
  const rows = "select id, path, title from document limit 20"
  const postgres = env["KANON_DATABASE_URL"]
  const open =
    postgres === undefined
      ? `import Database from ${url("better-sqlite3/lib/index.js")}
const database = new Database(${JSON.stringify(join(data, "kanon.sqlite"))})
database.pragma("journal_mode = wal")
const statement = database.prepare("${rows}")
const read = () => statement.all()`
      : `import pg from ${url("pg/esm/index.mjs")}
const pool = new pg.Pool({ connectionString: ${JSON.stringify(postgres)} })
const read = async () => (await pool.query("${rows}")).rows`
  return `import { createServer } from "node:http"
import { H3 } from ${url("h3/dist/_entries/node.mjs")}
import { toNodeHandler } from ${url("h3/dist/_entries/node.mjs")}
${open}
const server = createServer(toNodeHandler(new H3().all("/**", () => read())))
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: "http://127.0.0.1:" + server.address().port })))`
}

const measured = async ({ report, size }: BenchContext, what: string, vault: string) => {
  const env: Environment = chosen() === "postgres" ? { KANON_DATABASE_URL: await databaseAt(vault) } : {}
  const { data, key } = Made.parse(JSON.parse(kanon(env, "init", "--vault", vault, "--json")))
  kanon(env, "ingest", "--vault", vault, "--json")
  const ours = [command(), "serve", "--vault", vault, "--port", "0", "--json", "--no-worker"]
  const floor = ["--input-type=module", "--eval", floorProgram(data, env)]
  const path = "/api/v1/documents?limit=20"
  // The first start after an install compiles the program, and what it compiled is kept when it ends.
  await untilFirstAnswer(ours, path, key, env, "SIGTERM")
  const pairs = await interleaved(
    pairsWanted[size],
    () => untilFirstAnswer(ours, path, key, env),
    () => untilFirstAnswer(floor, path, key, env)
  )
  const peer = "bare h3 over the same database, both started before"
  for (const [name, cost, target] of [
    ["CPU", "cpuMs", { target: "<= 2" }],
    ["wall", "wallMs", {}]
  ] as const) {
    if (pairs.some((pair) => Number.isNaN(pair.ours[cost]))) continue
    report({
      metric: `start to first answer, ${what}, ${name}`,
      ...compare(pairs, (one) => one[cost]),
      unit: "ms",
      peer,
      ...target
    })
  }
  return pairs.map((pair) => pair.ours)
}

export const startupServer: RunBench = async (context) => {
  const notes = notesOf(context.seed)
  if (notes === null) return context.skip(`no eips in ${dataFolder}`)
  const build = [join(root, "tools", "build.mjs"), "--if-stale", "--keep-going"]
  if (spawnSync(process.execPath, build, { stdio: "ignore" }).status !== 0)
    context.say("The build has complaints; what was built is measured.")
  const count = passagesWanted[context.size]
  await withFolder(async (folder) => {
    const [bare, filled] = [join(folder, "bare"), join(folder, "filled")]
    writeVault([{ id: "one.md", title: "One", text: "# One\n\nA single note.\n" }], bare)
    const files = Array.from({ length: Math.ceil(count / notesPerFile) }, (_, file) => ({
      id: `${file}.md`,
      title: `File ${file}`,
      text: Array.from({ length: notesPerFile }, (_, place) => {
        const { text, title } = notes.at(file * notesPerFile + place)
        return `## ${title.replaceAll("\n", " ")} ${place}\n\n${text}`
      }).join("\n\n")
    }))
    writeVault(files, filled)
    const empty = await measured(context, "one note", bare)
    const full = await measured(context, `about ${count} passages`, filled)
    for (const [name, cost] of [
      ["CPU", "cpuMs"],
      ["wall", "wallMs"]
    ] as const) {
      const [ours, floor] = [median(full.map((one) => one[cost])), median(empty.map((one) => one[cost]))]
      if (Number.isNaN(ours)) continue
      context.report({
        metric: `about ${count} passages beside one note, ${name}`,
        ours,
        floor,
        n: full.length,
        unit: "ms",
        peer: "the server over one note",
        target: "<= 1.5"
      })
    }
  })
}
