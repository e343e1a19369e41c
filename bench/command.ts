import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { z } from "zod"
import { builtModule } from "./built.js"
import { dataFolder } from "./data.js"
import { type Cost, compare, interleaved } from "./measure.js"
import type { RunBench, Size } from "./result.js"
import { withFolder } from "./workspace.js"

// CPU time of `kanon ingest`, `ask` and `search` from start to exit, on a folder of documentation.

const root = fileURLToPath(new URL("..", import.meta.url))
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 30 }
/** An ingest takes seconds. */
const ingestPairs: Readonly<Record<Size, number>> = { small: 1, default: 5, full: 15 }

const Measured = z.object({ cpuMs: z.number(), wallMs: z.number() })

/** Loaded before a program: writes what the process took, its threads included, into the last line of its errors. */
const atExit = `data:text/javascript,${encodeURIComponent(`process.once("exit", () => {
  const { system, user } = process.cpuUsage()
  const taken = { cpuMs: (user + system) / 1000, wallMs: performance.now() }
  process.stderr.write("\\n" + JSON.stringify(taken))
})`)}`

const measured = async (words: ReadonlyArray<string>): Promise<Cost> => {
  const { status, stderr } = spawnSync(process.execPath, ["--import", atExit, ...words], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
    maxBuffer: 1 << 26
  })
  if (status !== 0) throw new Error(`A program that was measured failed: ${stderr}`)
  return Measured.parse(JSON.parse(stderr.split("\n").at(-1) ?? ""))
}

const text = (value: string): string => JSON.stringify(value)
const driver = pathToFileURL(join(root, "node_modules", "better-sqlite3", "lib", "index.js")).href

/** A bare program that reads the files into a table of FTS5, a row for each paragraph. */
const bareIngest = (vault: string, file: string): string => `import Database from ${text(driver)}
import { readdirSync, readFileSync } from "node:fs"
const database = new Database(${text(file)})
database.pragma("journal_mode = wal")
database.exec("create virtual table passage using fts5 (path, text, tokenize = 'porter unicode61')")
const put = database.prepare("insert into passage values (?, ?)")
database.transaction(() => {
  for (const path of readdirSync(${text(vault)}, { recursive: true }))
    if (path.endsWith(".md"))
      for (const part of readFileSync(${text(vault)} + "/" + path, "utf8").split(/\\n\\s*\\n/)) put.run(path, part)
})()`

const bareSearch = (file: string): string => `import Database from ${text(driver)}
const database = new Database(${text(file)})
console.log(database.prepare("select * from passage where passage match ? order by rank limit 5").all("git OR merge"))`

const evaluated = (program: string): ReadonlyArray<string> => ["--input-type=module", "--eval", program]

const Questions = z.object({ cases: z.array(z.object({ q: z.string() })) })

/** Measures the command on a repository of documentation, 243 files with 1.3 MB. */
export const command: RunBench = async ({ report, size, skip }) => {
  const material = join(dataFolder, "docs-playbook")
  if (!existsSync(join(material, "vault.tar.gz"))) return skip(`no docs-playbook in ${dataFolder}`)
  const program = fileURLToPath(builtModule(join("bin", "kanon.js")))
  const { cases } = Questions.parse(JSON.parse(readFileSync(join(material, "questions.json"), "utf8")))
  await withFolder(async (folder) => {
    const source = join(folder, "source")
    mkdirSync(source)
    spawnSync("tar", ["xzf", join(material, "vault.tar.gz"), "-C", source], { stdio: "inherit" })
    if (readdirSync(source).length === 0) throw new Error("The archive of docs-playbook cannot be read.")
    const vaultOf = (turn: number): string => {
      rmSync(join(folder, `${turn - 1}`), { recursive: true, force: true })
      const vault = join(folder, `${turn}`)
      cpSync(source, vault, { recursive: true })
      return vault
    }
    let turn = 0
    const file = join(folder, "floor.sqlite")
    const line = (peer: string, pairs: Awaited<ReturnType<typeof interleaved<Cost>>>, cost: keyof Cost) => ({
      ...compare(pairs, (one) => one[cost]),
      unit: "ms",
      peer
    })
    const ingested = await interleaved(
      ingestPairs[size],
      async () => {
        turn += 1
        return measured([program, "ingest", "--vault", vaultOf(turn)])
      },
      async () => {
        for (const ending of ["", "-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true })
        return measured(evaluated(bareIngest(source, file)))
      }
    )
    const floorIngest = "read, cut at blank lines, FTS5, in a process of its own"
    report({ metric: "ingest, CPU", ...line(floorIngest, ingested, "cpuMs"), target: "<= 60" })
    report({ metric: "ingest, wall", ...line(floorIngest, ingested, "wallMs") })
    const vault = join(folder, `${turn}`)
    const floorSearch = "open, search by FTS5, in a process of its own"
    const start = async (metric: string, words: (at: number) => ReadonlyArray<string>, target: string) => {
      const pairs = await interleaved(
        pairsWanted[size],
        (at) => measured([program, ...words(at), "--vault", vault]),
        () => measured(evaluated(bareSearch(file)))
      )
      report({ metric: `${metric}, start to exit, CPU`, ...line(floorSearch, pairs, "cpuMs"), target })
      report({ metric: `${metric}, start to exit, wall`, ...line(floorSearch, pairs, "wallMs") })
    }
    const asked = (at: number): string => cases.at(at % cases.length)?.q ?? ""
    await start("ask", (at) => ["ask", asked(at)], "<= 8")
    await start("search", (at) => ["search", asked(at)], "<= 4")
  })
}
