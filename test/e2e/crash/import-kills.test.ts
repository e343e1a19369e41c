import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { beginImport } from "../../../adapters/engine/import-mark.js"
import { randomFrom } from "../../../bench/random.js"
import { kanon as command, folder, type Ran, start, vault, write } from "../../support/cli.js"
import { importPoints, say } from "../../support/crash-chain.js"
import { wrongsOf } from "../../support/crash-rows.js"
import { dropDatabase, makeDatabase } from "../../support/postgres.js"
import { runs, testDatabase } from "../../support/runs.js"

/** More than one of the units in which files are noted as done. */
const documents = 72
const seed = Number(process.env["KANON_CRASH_SEED"] ?? 1)

const page = (number: number): string =>
  `---\ntags: [pump]\n---\n# Pump ${number}\n\nThe Cooling Circuit feeds [[pump-${(number + 1) % documents}]].\n`

const succeeded = (ran: Ran): Ran => {
  expect(ran.status, ran.stderr).toBe(0)
  return ran
}

const markdownIn = (place: string): ReadonlyArray<string> =>
  readdirSync(place, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !path.startsWith(".kanon"))
    .sort()

/** URL of the database of each vault whose data are not in its own folder. */
const databases = new Map<string, string>()
afterAll(async () => {
  for (const url of databases.values()) await dropDatabase(url)
})

/** A vault's database, on the kind of database that this run is about. */
const withDatabase = async (place: string): Promise<string> => {
  if (testDatabase === "postgres") databases.set(place, await makeDatabase())
  return place
}
const emptyPlace = (): Promise<string> => withDatabase(folder())

const environmentOf = (place: string, env: Readonly<Record<string, string>> = {}) => {
  const url = databases.get(place)
  return { env: { ...env, ...(url === undefined ? {} : { KANON_DATABASE_URL: url }) } }
}

const kanon = (place: string, args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>): Ran =>
  command([...args, "--vault", place], environmentOf(place, env))

const finishedLines = ({ stderr }: Ran): number => stderr.split("(write_finished)").length - 1

describe("an import that is killed", () => {
  const file = join(folder(), "export.ndjson")
  let original: string
  let exported: Buffer
  let importMs = 3000

  beforeAll(async () => {
    const pages = Array.from({ length: documents }, (_, number) => [`pump-${number}.md`, page(number)])
    const files = { ...Object.fromEntries(pages), "gone.md": "# Gone\n\nWas here.\n" }
    original = await withDatabase(vault(files))
    succeeded(kanon(original, ["ingest"]))
    succeeded(kanon(original, ["documents", "rm", "gone.md"]))
    succeeded(kanon(original, ["ingest"]))
    succeeded(kanon(original, ["export", "--out", file]))
    exported = readFileSync(file)
  })

  const importInto = (place: string, env?: Readonly<Record<string, string>>) =>
    kanon(place, ["import", file], env)

  const killedAt = (at: string, { status, stderr }: Ran) =>
    expect({ status, killed: stderr.includes(`crash point ${at.split(":")[0]}\n`) }, stderr).toEqual({
      status: null,
      killed: true
    })

  /** The records and the files are those that were exported. */
  const isSame = (place: string): Ran => {
    const again = succeeded(kanon(place, ["export"]))
    expect(again.stdout === exported.toString()).toBe(true)
    expect(markdownIn(place)).toEqual(markdownIn(original))
    return again
  }

  /** So are they, and what is derived of them is as it must be. */
  const isWhole = async (place: string) => {
    succeeded(kanon(place, ["ingest"]))
    isSame(place)
    const database = databases.get(place) ?? null
    expect(await wrongsOf({ vault: place, data: join(place, ".kanon"), database })).toEqual([])
  }

  it("before it has committed leaves nothing: the same import works at once", async () => {
    const place = await emptyPlace()
    killedAt("import.insideTransaction", importInto(place, armed("import.insideTransaction")))
    expect(markdownIn(place)).toEqual([])
    const began = performance.now()
    succeeded(importInto(place))
    importMs = performance.now() - began
    await isWhole(place)
  })

  it("leaves a folder in which nothing else begins until it is run again, whatever came between", async () => {
    const place = await emptyPlace()
    killedAt("import.insideTransaction", importInto(place, armed("import.insideTransaction")))
    for (const args of commands) {
      const { status, stderr } = kanon(place, [...args, "--json"])
      const { error, message } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "")
      expect([args[0], status, error]).toEqual([args[0], 1, "import_unfinished"])
      expect(message).toContain(`${join(place, ".kanon")} was interrupted`)
      expect(message).toContain("run kanon import FILE again")
    }
    killedAt("import.insideTransaction", importInto(place, armed("import.insideTransaction")))
    expect(kanon(place, ["status"]).stderr).toContain("was interrupted")
    succeeded(importInto(place))
    await isWhole(place)
    expect(readdirSync(join(place, ".kanon"))).not.toContain("import-under-way")
  })

  it("leaves a data folder apart from the vault in the same way, and both may be removed", async () => {
    const place = await emptyPlace()
    const data = folder()
    const apart = ["--data", data]
    killedAt(
      "import.insideTransaction",
      kanon(place, ["import", file, ...apart], armed("import.insideTransaction"))
    )
    const refused = kanon(place, ["status", ...apart, "--json"])
    expect(JSON.parse(refused.stderr).message).toContain(`${data} was interrupted`)
    const unnamed = command(["status", ...apart, "--json"], environmentOf(place))
    expect(JSON.parse(unnamed.stderr).error).toBe("import_unfinished")
    rmSync(data, { recursive: true })
    mkdirSync(data)
    succeeded(kanon(place, ["status", ...apart]))
  })

  it("after its commit stands in nobody's way", async () => {
    const place = await emptyPlace()
    killedAt("import.afterTransaction", importInto(place, armed("import.afterTransaction")))
    expect(readdirSync(join(place, ".kanon"))).toContain("import-under-way")
    isSame(place)
    expect(readdirSync(join(place, ".kanon"))).not.toContain("import-under-way")
  })

  it("tells others meanwhile that it is under way", async () => {
    const place = await emptyPlace()
    const data = join(place, ".kanon")
    mkdirSync(data)
    const end = beginImport(data)
    for (const args of [["status"], ["import", file]]) {
      const { status, stderr } = kanon(place, [...args, "--json"])
      const { error, message } = JSON.parse(stderr)
      expect([status, error]).toEqual([1, "import_unfinished"])
      expect(message).toContain("is in progress")
    }
    end()
    succeeded(importInto(place))
    isSame(place)
  })

  it.each(afterCommit)(
    "at %s leaves what the next start finishes, one printed line for each file",
    async (at, left) => {
      const place = await emptyPlace()
      killedAt(at, importInto(place, armed(at)))
      const there = markdownIn(place).length
      expect(left.there).toContain(there)
      expect(finishedLines(isSame(place))).toBe(left.finished)
    }
  )

  it("before a file is written, and again and again while they are, ends with the whole of it", async () => {
    const place = await emptyPlace()
    killedAt("import.afterTransaction", importInto(place, armed("import.afterTransaction")))
    expect(markdownIn(place)).toEqual([])
    for (const at of ["owed.file.afterPublish:20", "owed.files.afterUnit", "owed.file.afterPublish:3"])
      killedAt(at, kanon(place, ["documents", "list"], armed(at)))
    expect(finishedLines(isSame(place))).toBeGreaterThan(0)
    await isWhole(place)
  })

  it("keeps what somebody put into the vault meanwhile", async () => {
    const place = await emptyPlace()
    killedAt("import.afterTransaction", importInto(place, armed("import.afterTransaction")))
    write(place, { "pump-7.md": "# Mine\n" })
    succeeded(kanon(place, ["ingest", "--no-wait"]))
    expect(readFileSync(join(place, "pump-7.md"), "utf8")).toBe("# Mine\n")
    expect(markdownIn(place)).toEqual(markdownIn(original))
  })

  it("at any moment leaves nothing, or what the next start finishes", async () => {
    const random = randomFrom(seed)
    say(`import kills: KANON_CRASH_SEED=${seed} replays these`)
    for (let kill = 0; kill < runs(1); kill++) {
      const place = await emptyPlace()
      const { ended, signal } = start(["import", file, "--vault", place], environmentOf(place))
      await sleep(random() * importMs)
      signal("SIGKILL")
      await ended
      const listed = kanon(place, ["documents", "list", "--limit", "1", "--json"])
      const total = listed.status === 0 ? JSON.parse(listed.stdout).total : 0
      expect([0, documents]).toContain(total)
      if (total === 0) expect(markdownIn(place)).toEqual([])
      else isSame(place)
    }
  })

  it("is killed at each of its points", () => {
    const visited = ["import.insideTransaction", "import.afterTransaction", ...afterCommit.map(([at]) => at)]
    expect(visited.sort()).toEqual([...importPoints].sort())
  })
})

/** Commands that would create a workspace where there is none, or report that there is none. */
const commands = [
  ["status"],
  ["ingest"],
  ["search", "pump"],
  ["init"],
  ["doctor"],
  ["serve", "--port", "0"],
  ["worker"],
  ["keys", "list"],
  ["workspaces", "list"]
]

const armed = (at: string) => ({ KANON_TEST: "1", KANON_CRASH_AT: at })

/**
 * Crash points after the commit, with the number of files that may exist then, and the number that the next start
 * writes or finds.
 */
const afterCommit: ReadonlyArray<
  readonly [at: string, left: { there: ReadonlyArray<number>; finished: number }]
> = [
  ["owed.files.afterUnit", { there: [64], finished: documents - 64 }],
  ["owed.file.afterPublish", { there: [1, 2, 3, 4, 5, 6, 7, 8], finished: documents }],
  ["import.afterFiles", { there: [documents], finished: 0 }]
]
