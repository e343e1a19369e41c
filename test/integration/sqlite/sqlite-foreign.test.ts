import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { beforeEach, describe, expect, it } from "vitest"
import { createEngine, KanonError } from "../../../adapters/sqlite/index.js"
import { temporaryFolder } from "../../support/folders.js"

let vault = ""
let file = ""
beforeEach(() => {
  vault = temporaryFolder("foreign")
  writeFileSync(join(vault, "pottery.md"), "# On pottery\n\nClay is fired twice.\n")
  mkdirSync(join(vault, ".kanon"))
  file = join(vault, ".kanon", "kanon.sqlite")
})

const digest = () => createHash("sha256").update(readFileSync(file)).digest("hex")

const inDatabase = (work: (database: Database.Database) => void) => {
  const database = new Database(file)
  work(database)
  database.close()
}

const refusal = async (): Promise<KanonError> => {
  try {
    await (await createEngine({ vault })).close()
  } catch (error) {
    if (error instanceof KanonError) return error
    throw error
  }
  throw new Error("It was opened.")
}

const ingested = async () => {
  const engine = await createEngine({ vault })
  const report = await engine.ingest()
  await engine.close()
  return report
}

describe("a database that cannot be used", () => {
  it("is refused when it is no database, and left as it is", async () => {
    writeFileSync(file, "These are notes, not a database.\n".repeat(200))
    const before = digest()
    expect(await refusal()).toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("no SQLite")
    })
    expect(digest()).toBe(before)
  })

  it("is refused when it is another program's, and left as it is", async () => {
    inDatabase((database) =>
      database.exec("create table invoice (id integer); insert into invoice values (7)")
    )
    const before = digest()
    expect(await refusal()).toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("another program")
    })
    expect(digest()).toBe(before)
    inDatabase((database) => expect(database.pragma("journal_mode", { simple: true })).toBe("delete"))
  })

  it("is refused when it is damaged where it is read", async () => {
    await ingested()
    const bytes = readFileSync(file)
    // Everything behind the page of the schema.
    bytes.fill(0xff, 4096)
    writeFileSync(file, bytes)
    expect(await refusal()).toMatchObject({ code: "data_unreadable" })
  })

  it.each([
    ["and says which version made it", "9.9.9", "Kanon 9.9.9 (schema 9999)"],
    ["also when nobody wrote down who made it", null, "a newer Kanon (schema 9999)"]
  ])("is refused when it is newer than the program, %s", async (_, madeBy, said) => {
    await ingested()
    inDatabase((database) => {
      database.exec("insert into effect_sql_migrations (migration_id, name) values (9999, 'of_tomorrow')")
      if (madeBy === null) database.exec("drop table schema_made_by")
      else database.prepare("insert into schema_made_by values (9999, ?)").run(madeBy)
    })
    const before = digest()
    const error = await refusal()
    expect(error).toMatchObject({ code: "data_too_new", message: expect.stringContaining(said) })
    expect(digest()).toBe(before)
  })

  it("notes which version of the program made it", async () => {
    await ingested()
    const { version } = JSON.parse(readFileSync("package.json", "utf8"))
    inDatabase((database) =>
      expect(database.prepare("select program from schema_made_by").pluck().all()).toEqual([version])
    )
  })
})
