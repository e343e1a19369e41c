import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createEngine, migrateDatabase } from "../../../adapters/postgres/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, makeDatabase, makeMigrated } from "../../support/postgres.js"

const vault = temporaryFolder("read-only")
let [url, empty] = ["", ""]

/** Has a database answer as a standby does. */
const standBy = async (database: string): Promise<void> => {
  const client = new pg.Client(database)
  await client.connect()
  await client.query(
    `alter database ${new URL(database).pathname.slice(1)} set default_transaction_read_only = on`
  )
  await client.end()
}

beforeAll(async () => {
  mkdirSync(join(vault, "craft"))
  writeFileSync(join(vault, "craft", "pottery.md"), "# On pottery\n\nClay is fired twice.\n")
  url = await makeMigrated()
  empty = await makeDatabase()
  const engine = await createEngine({ vault, database: url })
  await engine.ingest()
  await engine.close()
  for (const database of [url, empty]) await standBy(database)
})
afterAll(async () => {
  for (const database of [url, empty]) await dropDatabase(database)
})

describe("a database that may be read alone, as a standby", () => {
  it("is searched, listed and asked, while changes are refused by name and nothing is complained of", async () => {
    const said: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (LogLevel.greaterThan(logLevel, LogLevel.Info)) said.push(String(message))
    })
    const engine = await createEngine({ vault, database: url, logger })
    try {
      expect((await engine.search("clay")).results.map(({ docPath }) => docPath)).toEqual([
        "craft/pottery.md"
      ])
      expect((await engine.documents.list()).total).toBe(1)
      expect((await engine.ask("How often is clay fired?")).sources).toHaveLength(1)
      await expect(engine.entities.create({ name: "Kiln", type: "thing" })).rejects.toMatchObject({
        code: "data_read_only"
      })
      // Something to take in: there is nothing to refuse of a vault that is as it was.
      writeFileSync(join(vault, "craft", "glazing.md"), "# On glazing\n\nGlaze melts at 1,200 degrees.\n")
      await expect(engine.ingest()).rejects.toMatchObject({ code: "data_read_only" })
    } finally {
      await engine.close()
    }
    expect(said).toEqual([])
  })

  it("is not migrated, and says why", async () => {
    for (const database of [url, empty])
      await expect(migrateDatabase({ database })).rejects.toMatchObject({ code: "data_read_only" })
  })
})
