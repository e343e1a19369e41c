import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { beginImport } from "../../../../adapters/engine/import-mark.js"
import { processOwner } from "../../../../adapters/host/process-owner.js"
import * as onPostgres from "../../../../adapters/postgres/index.js"
import * as onSqlite from "../../../../adapters/sqlite/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { dropDatabase, makeMigrated } from "../../../support/postgres.js"

const folder = temporaryFolder("unfinished")

/** A process of this host that is no more: this one, as it was in another life. */
const gone = processOwner().replace(/[^/]+$/, "000000000000")
const elsewhere = ["another-host", "7", "000000000000"].join("/")

let url: string
beforeAll(async () => {
  url = await makeMigrated()
})
afterAll(() => dropDatabase(url))

const kinds = [
  {
    name: "SQLite",
    open: (vault: string, data: string) => onSqlite.createEngine({ vault, data, worker: false }),
    take: (source: AsyncIterable<Uint8Array>, vault: string, data: string) =>
      onSqlite.importWorkspace(source, { vault, data, wait: false })
  },
  {
    name: "Postgres",
    open: (vault: string, data: string) =>
      onPostgres.createEngine({ vault, data, database: url, worker: false }),
    take: (source: AsyncIterable<Uint8Array>, vault: string, data: string) =>
      onPostgres.importWorkspace(source, { vault, data, database: url, wait: false })
  }
]

describe.each(kinds)("the data folder of an import on $name", ({ name, open, take }) => {
  const [vault, data] = [join(folder, name, "vault"), join(folder, name, "data")]
  const mark = join(data, "import-under-way")
  const leaveMark = (owner: string) => writeFileSync(mark, owner)
  const refusal = (state: string) => ({ code: "import_unfinished", fault: { folder: data, state } })
  let bytes: Buffer

  beforeAll(async () => {
    const original = join(folder, name, "original")
    for (const made of [vault, data, original]) mkdirSync(made, { recursive: true })
    writeFileSync(join(original, "a.md"), "# A\n\nOne page.\n")
    const engine = await onSqlite.createEngine({ vault: original, worker: false })
    await engine.ingest({ wait: false })
    const pieces: Array<Uint8Array> = []
    for await (const piece of engine.export()) pieces.push(piece)
    bytes = Buffer.concat(pieces)
    await engine.close()
  })

  const imported = () => take(source(bytes), vault, data)

  it("takes no other workspace while the import is under way, nor another import", async () => {
    const end = beginImport(data)
    await expect(open(vault, data)).rejects.toMatchObject(refusal("under_way"))
    await expect(imported()).rejects.toMatchObject(refusal("under_way"))
    end()
    expect(existsSync(mark)).toBe(false)
  })

  it("takes none when the import was interrupted, or when nobody here can tell, only the import again", async () => {
    leaveMark(elsewhere)
    await expect(open(vault, data)).rejects.toMatchObject(refusal("unknown"))
    leaveMark(gone)
    await expect(open(vault, data)).rejects.toMatchObject(refusal("cut_short"))
    await expect(take(source(bytes.subarray(0, 900)), vault, data)).rejects.toMatchObject({
      code: "invalid_export"
    })
    expect(existsSync(mark)).toBe(true)
    expect((await imported()).records.document).toBe(1)
    expect(existsSync(mark)).toBe(false)
  })

  it("opens a workspace that is there, whatever is noted", async () => {
    leaveMark(gone)
    const engine = await open(vault, data)
    expect((await engine.documents.list({})).total).toBe(1)
    await engine.close()
    expect(existsSync(mark)).toBe(false)
    const empty = join(folder, name, "empty")
    mkdirSync(empty)
    await expect(take(source(bytes), empty, data)).rejects.toMatchObject({ code: "conflict" })
    expect(existsSync(mark)).toBe(false)
  })
})

const source = async function* (bytes: Uint8Array) {
  yield bytes
}
