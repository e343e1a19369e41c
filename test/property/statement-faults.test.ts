import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createEngine, type Engine, KanonError } from "../../adapters/sqlite/index.js"
import { type FaultyStatements, faultyStatements, statementFaults } from "../support/faulty-sqlite.js"
import { isLong } from "../support/runs.js"

/** What is there before, made anew for each try. */
interface Given {
  readonly engine: Engine
  readonly vault: string
  /** A name that no try before had. */
  readonly name: string
}

/** What is made ready, and what is done with it. */
type Scenario = (given: Given) => Promise<() => Promise<unknown>>

const made = async ({ engine }: Given, path: string, content = `# ${path}\n`) =>
  (await engine.documents.create({ path, content })).docId
const entered = async ({ engine }: Given, name: string) =>
  (await engine.entities.create({ name, type: "System" })).id

const scenarios: Readonly<Record<string, Scenario>> = {
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

/** What follows by itself in units of its own, and what the doctor compares with the rest. */
const derived = /^(posting_|job|file_intent|sqlite_)/

let [vault, statements, engine]: [string, FaultyStatements, Engine] = [] as never
beforeAll(async () => {
  vault = mkdtempSync(join(tmpdir(), "kanon-statements-"))
  statements = faultyStatements()
  engine = await createEngine({ vault, data: ":memory:", worker: false, thread: false })
})
afterAll(async () => {
  await engine.close()
  statements.restore()
  rmSync(vault, { recursive: true, force: true })
})

/** How many rows each table has, and which files there are. */
const counted = () => {
  const database = statements.database()
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all()
  const rows = tables
    .filter((table): table is string => typeof table === "string" && !derived.test(table))
    .map(
      (table) => [table, Number(database.prepare(`select count(*) from "${table}"`).pluck().get())] as const
    )
  const files = readdirSync(vault, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".md")
  )
  const texts = files.map((path) => readFileSync(join(vault, path), "utf8").length)
  const total = texts.reduce((sum, length) => sum + length, 0)
  return new Map<string, number>([...rows, ["files", files.length], ["characters", total]])
}

/** What one has more than the other, or fewer. */
const between = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) =>
  Object.fromEntries(
    [...after].flatMap(([what, count]) => {
      const more = count - (before.get(what) ?? 0)
      return more === 0 ? [] : [[what, more] as const]
    })
  )

/** SQLite's number for `synchronous = full`. */
const fullySynced = 2

let tries = 0
/** Does it with one failing statement, or none; gives what came of it once nothing is owed any more. */
const attempt = async (scenario: Scenario, at: number | null) => {
  tries += 1
  const given = { engine, vault, name: `n${String(tries).padStart(6, "0")}` }
  const work = await scenario(given)
  await engine.ingest({ path: "nowhere", wait: false })
  const before = counted()
  statements.arm(at, statementFaults[(at ?? 0) % statementFaults.length])
  const outcome = await work().then(
    () => "done",
    (error: unknown) => (error instanceof KanonError ? error.code : String(error))
  )
  const [failed, texts] = [statements.hasFailed(), [...statements.texts]]
  statements.arm(null)
  return { before, outcome, failed, texts, work }
}

describe("a statement that fails", () => {
  it.each(Object.entries(scenarios))("leaves the whole of it or nothing: %s", async (_, scenario) => {
    // The first of its kind begins counters.
    await attempt(scenario, null)
    const clean = await attempt(scenario, null)
    expect(clean.outcome).toBe("done")
    const whole = between(clean.before, counted())
    expect(whole).not.toEqual({})
    const all = [...clean.texts.keys()]
    // The short form tries one of them, each time another one.
    const places = isLong ? all : [Math.floor(Math.random() * all.length)]
    for (const at of places) {
      const { before, failed, outcome, texts, work } = await attempt(scenario, at)
      const place = `${at} (${outcome}): ${texts[at]}`
      const repaired = await engine.ingest({ wait: false })
      expect([place, repaired.errors]).toEqual([place, []])
      let came = between(before, counted())
      if (Object.keys(came).length === 0) {
        expect([place, outcome === "done"]).toEqual([place, false])
        await work()
        came = between(before, counted())
      }
      expect([place, came]).toEqual([place, whole])
      expect([place, failed ? await engine.doctor() : { differences: 0 }]).toMatchObject([
        place,
        { differences: 0 }
      ])
    }
  })

  it("that was to sync commits again is done before the next commit", async () => {
    // That the file of a write is in its place is noted by the ingest, without waiting for the disk.
    const ingest: Scenario = async (given) => async () => {
      await made(given, `${given.name}.md`)
      await given.engine.ingest({ wait: false })
    }
    const { texts } = await attempt(ingest, null)
    const places = [...texts.keys()].filter((at) => texts[at]?.includes("synchronous = full"))
    expect(places.length).toBeGreaterThan(0)
    for (const at of places) {
      expect((await attempt(ingest, at)).failed, `${at}`).toBe(true)
      await engine.entities.create({ name: `Synced ${tries}`, type: "System" })
      expect([at, statements.database().pragma("synchronous", { simple: true })]).toEqual([at, fullySynced])
    }
  })
})
