import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as onPostgres from "../../../adapters/postgres/index.js"
import * as onSqlite from "../../../adapters/sqlite/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, makeMigrated } from "../../support/postgres.js"
import { exported, linesOf, piecesOf } from "../../support/transfer.js"

const folder = temporaryFolder("import-race")
const databases: Array<string> = []
afterAll(() => Promise.all(databases.map(dropDatabase)))

const made = async (name: string): Promise<Buffer> => {
  const vault = join(folder, "origins", name)
  mkdirSync(vault, { recursive: true })
  writeFileSync(join(vault, "page.md"), `# ${name}\n\nThe ${name} has a crane.\n`)
  const engine = await onSqlite.createEngine({ vault, data: join(vault, ".kanon"), worker: false })
  await engine.ingest({ wait: false })
  try {
    return await exported(engine)
  } finally {
    await engine.close()
  }
}

describe("two imports into one empty database at once", () => {
  let [harbour, wharf]: [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)]
  beforeAll(async () => {
    harbour = await made("Harbour")
    wharf = await made("Wharf")
  })

  /** Each with a data folder and a vault of its own, as on two machines. */
  const race = async (round: number, exports: ReadonlyArray<Buffer>) => {
    const database = await makeMigrated()
    databases.push(database)
    const places = exports.map((bytes, place) => {
      const at = join(folder, `round-${round}`, `${place}`)
      return { bytes, vault: join(at, "vault"), data: join(at, "data"), database }
    })
    const outcomes = await Promise.allSettled(
      places.map(({ bytes, ...place }) =>
        onPostgres.importWorkspace(piecesOf(bytes), { ...place, wait: false, connectionsMax: 4 })
      )
    )
    return { places, outcomes }
  }

  it("both land when they are of two workspaces, each with its own files", async () => {
    for (let round = 0; round < 4; round++) {
      const { outcomes, places } = await race(round, [harbour, wharf])
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"])
      for (const [place, { bytes, ...home }] of places.entries()) {
        const workspace = String(linesOf(bytes)[0]?.["workspaceId"])
        const engine = await onPostgres.createEngine({ ...home, workspace, worker: false, connectionsMax: 4 })
        // Files of another workspace would be new to it, and its own would be gone.
        const { documents } = await engine.ingest({ wait: false })
        expect(documents).toMatchObject({ created: 0, deleted: 0, unchanged: 1 })
        expect((await exported(engine)).toString()).toBe(bytes.toString())
        await engine.close()
        expect(readFileSync(join(home.vault, "page.md"), "utf8")).toContain(place === 0 ? "Harbour" : "Wharf")
      }
    }
  })

  it("one lands when both are of the same workspace, and the other changes nothing", async () => {
    for (let round = 10; round < 13; round++) {
      const { outcomes, places } = await race(round, [harbour, harbour])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
      for (const [place, outcome] of outcomes.entries()) {
        const vault = places[place]?.vault ?? ""
        expect(existsSync(join(vault, "page.md"))).toBe(outcome.status === "fulfilled")
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "conflict" })
      }
    }
  })
})
