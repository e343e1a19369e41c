// A named query against a live database: a steward publishes it, questions run it, and each row is cited as [Dn].

import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { operations } from "kanon"
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const vault = makeVault()
writeFileSync(
  join(vault, "tug.md"),
  "---\ntype: ship\n---\n# Petrel\n\nThe tug Petrel is based at the north quay.\n"
)
const folder = mkdtempSync(join(tmpdir(), "fleet-"))
const database = join(folder, "fleet.sqlite")
new Sqlite(database)
  .exec("create table ship (name text, bunkers_t real); insert into ship values ('Petrel', 41.5)")
  .close()

const engine = await createEngine({ vault, liveDataFolders: [folder] })
await engine.ingest()
const connector = await engine.call(operations.createDataConnector, {
  name: "Fleet",
  kind: "sqlite",
  settings: { path: database }
})
await engine.call(operations.putDataQuery, {
  slug: "bunkers",
  title: "Bunkers of a ship",
  connectorId: connector.id,
  sql: "select name, bunkers_t as bunkers_tonnes from ship where name = :name",
  params: [{ name: "name", type: "string", max: 60 }],
  bindings: [{ entityType: "ship", paramMap: { name: "name" } }]
})
const { claims, dataCalls } = await engine.ask("How many tonnes of bunkers does the Petrel have?", {
  includeData: true
})
console.log(claims[0].text, claims[0].citations)
console.log(dataCalls[0].queryTitle)
await engine.close()
// Prints:
// Bunkers of a ship: bunkers tonnes 41.5 [ 'D1' ]
// Bunkers of a ship
