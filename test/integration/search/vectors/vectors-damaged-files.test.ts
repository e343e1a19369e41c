import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { beforeAll, describe, expect, it } from "vitest"
import { scriptedEmbedder } from "../../../../adapters/models/scripted.js"
import { sqlitePorts } from "../../../../adapters/sqlite/index.js"
import { hnswVectorIndex } from "../../../../adapters/vectors/vector-index.js"
import { openEngine } from "../../../../core/engine/engine/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { sampled } from "../../../support/runs.js"

const topics = ["battery", "pump", "blade", "gearbox", "inspection", "storage", "winter", "licence"]
/** Three topics each, no two alike: near ties would be ordered by how a graph or an exact search rounds. */
const triples = topics.flatMap((one, a) =>
  topics.slice(a + 1).flatMap((two, b) => topics.slice(a + b + 2).map((three) => `${one} ${two} ${three}`))
)
const queries = ["storing a battery in winter", "gearbox and blade", "who holds a licence"]

/** An engine with a graph from the first vector on, and what it warned of. */
const open = async (base: string, { dimensions = 32, model = "proof" } = {}) => {
  const warnings: Array<string> = []
  const ports = sqlitePorts({
    vault: join(base, "vault"),
    data: join(base, "data"),
    models: { embedder: scriptedEmbedder(dimensions, model) },
    logger: Logger.make(({ message }) => void warnings.push(String(message)))
  })
  const index = Layer.provide(
    hnswVectorIndex({ folder: join(base, "data", "vectors") }),
    Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void warnings.push(String(message)))
    )
  )
  const engine = await openEngine(Layer.merge(ports, index), {
    name: "proof",
    worker: true,
    owner: `test/${base}`
  })
  const search = () =>
    Promise.all(
      queries.map(async (query) => {
        const { results } = await engine.search(query, { limit: 10 })
        return results.map(({ channels, docPath, score }) => [docPath, score, channels.join()])
      })
    )
  return { engine, search, warnings }
}

const vectorFiles = (base: string): ReadonlyArray<string> =>
  readdirSync(join(base, "data", "vectors"), { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : []
  )

/** Kinds of damage to one file. */
const damages: Readonly<Record<string, (file: string) => void>> = {
  "cut in half": (file) => truncateSync(file, readFileSync(file).length >> 1),
  empty: (file) => truncateSync(file, 0),
  "changed in one bit": (file) => {
    const bytes = readFileSync(file)
    const at = Math.floor(bytes.length * 0.7)
    bytes[at] = (bytes[at] ?? 0) ^ 4
    writeFileSync(file, bytes)
  },
  "full of something else": (file) => writeFileSync(file, "not what it was\n".repeat(50)),
  gone: (file) => rmSync(file),
  "a folder": (file) => {
    rmSync(file)
    mkdirSync(file)
    writeFileSync(join(file, "inside"), "something")
  },
  "a pipe that nobody writes into": (file) => {
    rmSync(file)
    execFileSync("mkfifo", [file])
  }
}

describe("a vector index on disk that cannot be trusted", () => {
  const folder = () => temporaryFolder("vectors")
  const copyOf = (base: string) => {
    const copy = folder()
    cpSync(base, copy, { recursive: true })
    return copy
  }
  const base = folder()
  let expected: Awaited<ReturnType<Awaited<ReturnType<typeof open>>["search"]>> = []

  beforeAll(async () => {
    const vault = join(base, "vault")
    mkdirSync(vault)
    mkdirSync(join(base, "data"))
    for (let n = 0; n < 48; n++) {
      const words = topics.filter((_, place) => ((n * 7 + 5) >> place) & 1).join(" ")
      writeFileSync(join(vault, `n${n}.md`), `# Note ${n}\n\n${words} and number ${n}.\n`)
    }
    const { engine, search, warnings } = await open(base)
    await engine.ingest()
    expected = await search()
    expect(expected.flat().some(([, , channels]) => String(channels).includes("vector"))).toBe(true)
    await engine.close()
    expect(vectorFiles(base).length).toBeGreaterThan(1)
    expect(warnings).toEqual([])
  })

  it("is read without a word when it is whole", async () => {
    const { engine, search, warnings } = await open(copyOf(base))
    expect(await search()).toEqual(expected)
    await engine.close()
    expect(warnings).toEqual([])
  })

  /** Opens, finds the same, is told so; after the next change the disk is good again. */
  const judge = async (copy: string, silent: boolean, kind?: Parameters<typeof open>[1]) => {
    const first = await open(copy, kind)
    expect(await first.search()).toEqual(expected)
    expect(first.warnings.filter((line) => /vector index/.test(line)).length > 0).toBe(!silent)
    await first.engine.documents.create({ path: "more.md", content: "# More\n\nSomething else.\n" })
    await first.engine.ingest()
    const found = await first.search()
    await first.engine.close()
    const second = await open(copy, kind)
    expect(await second.search()).toEqual(found)
    await second.engine.close()
    expect(second.warnings).toEqual([])
  }

  it.each([[""], ["the folder of the workspace"]])(
    "is built anew where a file lies in place of its folder %s",
    async (inner) => {
      const copy = copyOf(base)
      const root = join(copy, "data", "vectors")
      const [workspace = ""] = readdirSync(root)
      const place = inner === "" ? root : join(root, workspace)
      rmSync(place, { recursive: true })
      writeFileSync(place, "no folder")
      await judge(copy, false)
    }
  )

  for (const [what, damage] of sampled(Object.entries(damages), 7))
    it(`whose files are ${what}, one at a time: the engine starts, says so, finds the same`, async () => {
      for (const place of vectorFiles(base).keys()) {
        const copy = copyOf(base)
        const file = vectorFiles(copy)[place] ?? ""
        damage(file)
        // Without a manifest there is no index to distrust.
        await judge(copy, what === "gone" && file.endsWith("manifest.json"))
      }
    })

  it("that is gone, where the work of building it cannot be noted: the same is found, and that is told", async () => {
    const copy = copyOf(base)
    rmSync(join(copy, "data", "vectors"), { recursive: true })
    const database = new Sqlite(join(copy, "data", "kanon.sqlite"))
    database.exec("create trigger full before insert on job begin select raise(abort, 'no room'); end")
    database.close()
    const { engine, search, warnings } = await open(copy)
    expect(await search()).toEqual(expected)
    await engine.close()
    expect(warnings.filter((line) => /embedding job could not be enqueued/.test(line))).not.toEqual([])
  })

  it("that is gone, while somebody else writes for long: who searches does not wait for that", async () => {
    const copy = copyOf(base)
    rmSync(join(copy, "data", "vectors"), { recursive: true })
    const { engine, search, warnings } = await open(copy)
    const database = new Sqlite(join(copy, "data", "kanon.sqlite"))
    database.exec("begin immediate")
    expect(await search()).toEqual(expected)
    // Nor has it waited until the work could not be noted.
    expect(warnings).toEqual([])
    database.exec("commit")
    database.close()
    await engine.close()
  })

  it.each([
    ["another model", { model: "other" }],
    ["other dimensions", { dimensions: 16 }],
    ["another workspace", {}]
  ])("that is of %s: the engine starts, says so, finds the same", async (_, kind) => {
    const other = copyOf(base)
    rmSync(join(other, "data"), { recursive: true })
    // Labels and positions of the other are those of this one, and stand for other notes.
    for (let n = 0; n < 48; n++)
      cpSync(join(base, "vault", `n${(n * 11) % 48}.md`), join(other, "vault", `n${n}.md`))
    mkdirSync(join(other, "data"))
    const { engine } = await open(other, kind)
    await engine.ingest()
    await engine.close()
    const copy = copyOf(base)
    const [mine, foreign] = [vectorFiles(copy), vectorFiles(other)]
    const own = join(mine[0] ?? "", "..")
    for (const file of mine) rmSync(file)
    for (const file of foreign) cpSync(file, join(own, file.slice(join(file, "..").length + 1)))
    await judge(copy, false)
  })

  it.each([
    ["a few notes", 4],
    ["as many notes as were there then, and more", 40]
  ])(
    "that is of a later state than the database, which was put back: %s taken in since are found",
    async (_, count) => {
      const copy = copyOf(base)
      const file = join(copy, "data", "kanon.sqlite")
      const kept = readFileSync(file)
      const add = (name: string, number: number) => {
        for (let n = 0; n < number; n++)
          writeFileSync(
            join(copy, "vault", `${name}${n}.md`),
            `# ${name} ${n}\n\n${triples[(n * 11) % triples.length]} and number ${n}.\n`
          )
      }
      const change = async (name: string, number: number) => {
        add(name, number)
        const { engine } = await open(copy)
        await engine.ingest()
        await engine.close()
      }
      // Items with labels and places in the feed are moved to later places, or removed.
      for (const [name, number] of [
        ["first", 12],
        ["second", 12]
      ] as const) {
        await change(name, number)
        if (name === "first") for (let n = 0; n < number; n++) rmSync(join(copy, "vault", `first${n}.md`))
      }
      for (let n = 0; n < 12; n++) rmSync(join(copy, "vault", `second${n}.md`))
      writeFileSync(file, kept)
      for (const log of ["-wal", "-shm"]) rmSync(`${file}${log}`, { force: true })
      await change("third", count)
      const asIs = await open(copy)
      const found = await asIs.search()
      await asIs.engine.close()
      rmSync(join(copy, "data", "vectors"), { recursive: true })
      const anew = await open(copy)
      expect(found).toEqual(await anew.search())
      await anew.engine.close()
    }
  )
})
