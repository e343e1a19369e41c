import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Engine, KanonError } from "../../adapters/sqlite/index.js"
import { createEngine } from "./database.js"
import type { FaultyStatements } from "./faulty-statements.js"
import { testDatabase } from "./runs.js"

/** Engine and vault of a try, made anew for each. */
interface Given {
  readonly engine: Engine
  readonly vault: string
  /** A name that no try before had. */
  readonly name: string
}

/** Prepares a try and returns the work to run. */
export type Scenario = (given: Given) => Promise<() => Promise<unknown>>

export const made = async ({ engine }: Given, path: string, content = `# ${path}\n`) =>
  (await engine.documents.create({ path, content })).docId
const entered = async ({ engine }: Given, name: string) =>
  (await engine.entities.create({ name, type: "System" })).id

export const scenarios: Readonly<Record<string, Scenario>> = {
  "create a document":
    async ({ engine, name }) =>
    () =>
      engine.documents.create({ path: `${name}/new.md`, content: `# New ${name}\n\nSome words.\n` }),
  "replace a document": async (given) => {
    const id = await made(given, `${given.name}.md`)
    return () => given.engine.documents.replace(id, `# Other ${given.name}\n\nOther words.\n`)
  },
  "move a document to which others link": async (given) => {
    const { engine, name } = given
    const id = await made(given, `${name}.md`)
    for (const other of ["one", "two"]) await made(given, `${name}-${other}.md`, `To [it](${name}.md).\n`)
    return () => engine.documents.move(id, `moved/${name}.md`)
  },
  "remove a document": async (given) => {
    const id = await made(given, `${given.name}.md`)
    return () => given.engine.documents.remove(id)
  },
  "restore a document": async (given) => {
    const id = await made(given, `${given.name}.md`)
    await given.engine.documents.remove(id)
    return () => given.engine.documents.restore(id)
  },
  "ingest some files": async ({ engine, name, vault }) => {
    for (const number of [1, 2, 3]) {
      const file = join(vault, name, `${number}.md`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `# File ${number} of ${name}\n`)
    }
    return () => engine.ingest({ wait: false })
  },
  "create an entity":
    async ({ engine, name }) =>
    () =>
      engine.entities.create({ name: `Pump ${name}`, type: "System", aliases: [`P ${name}`] }),
  "update an entity": async (given) => {
    const id = await entered(given, `Valve ${given.name}`)
    return () => given.engine.entities.update(id, { description: "Opens and closes." })
  },
  "merge entities": async (given) => {
    const [id, into] = [
      await entered(given, `Left ${given.name}`),
      await entered(given, `Right ${given.name}`)
    ]
    return () => given.engine.entities.merge(id, into)
  },
  "certify an entity": async (given) => {
    const id = await entered(given, `Tank ${given.name}`)
    return () => given.engine.entities.certify(id, "seen")
  },
  "approve a change request": async (given) => {
    const { engine, name } = given
    const entityId = await entered(given, `Hose ${name}`)
    const payload = { description: "Carries water." }
    const { id } = await engine.changeRequests.propose({ kind: "update", entityId, payload })
    return () => engine.changeRequests.approve(id)
  }
}

/** Tables that follow in units of their own, and that the doctor compares with the rest. */
const derived = /^(posting_|job|file_intent|sqlite_)/

const allTables =
  testDatabase === "sqlite"
    ? "select name from sqlite_schema where type = 'table'"
    : "select table_name as name from information_schema.tables where table_schema = current_schema()"

/** An engine in memory over an empty vault, with which scenarios are tried whose statements fail. */
export const openTries = async <Faulty extends FaultyStatements>(statements: Faulty) => {
  const vault = mkdtempSync(join(tmpdir(), "kanon-statements-"))
  const engine = await createEngine({ vault, data: ":memory:", worker: false, thread: false })
  let tries = 0

  /** How many rows each table has, and which files there are. */
  const counted = async (): Promise<ReadonlyMap<string, number>> => {
    const tables = (await statements.beside(allTables)).map(({ name }) => String(name))
    const counts = tables
      .filter((table) => !derived.test(table))
      .map((table) => `select '${table}' as name, count(*) as n from "${table}"`)
    const rows = (await statements.beside(counts.join(" union all "))).map(
      ({ n, name }) => [String(name), Number(n)] as const
    )
    const files = readdirSync(vault, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".md")
    )
    const texts = files.map((path) => readFileSync(join(vault, path), "utf8").length)
    const total = texts.reduce((sum, length) => sum + length, 0)
    return new Map<string, number>([...rows, ["files", files.length], ["characters", total]])
  }

  /** Does it with one failing statement, or none. */
  const attempt = async (scenario: Scenario, at: number | null) => {
    tries += 1
    const given = { engine, vault, name: `n${String(tries).padStart(6, "0")}` }
    const work = await scenario(given)
    await engine.ingest({ path: "nowhere", wait: false })
    const before = await counted()
    statements.arm(at)
    const outcome = await work().then(
      () => "done",
      (error: unknown) => (error instanceof KanonError ? error.code : String(error))
    )
    const [failed, texts] = [statements.hasFailed(), [...statements.texts]]
    statements.arm(null)
    return { before, outcome, failed, texts, work }
  }

  return {
    engine,
    attempt,
    counted,
    close: async () => {
      await engine.close()
      statements.restore()
      rmSync(vault, { recursive: true, force: true })
    }
  }
}
