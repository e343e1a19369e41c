import { copyFileSync, linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createEngine, type Engine } from "../../../../adapters/sqlite/index.js"
import { operations } from "../../../../core/operations.js"
import { temporaryFolder } from "../../../support/folders.js"
import { startServer } from "../../../support/server.js"

const root = temporaryFolder("own-files")
const [vault, data, shop] = [join(root, "vault"), join(root, "data"), join(root, "shop")]
let engine: Engine

beforeAll(async () => {
  for (const folder of [vault, shop]) mkdirSync(folder)
  engine = await createEngine({ vault, data, liveDataFolders: [root], worker: false })
})
afterAll(() => engine.close())

const database = (path: string): string => {
  new Sqlite(path).exec("create table t (a); insert into t values (1)").close()
  return path
}
let made = 0
const connect = (path: string) => {
  made += 1
  return engine.call(operations.createDataConnector, {
    name: `Connector ${made}`,
    kind: "sqlite",
    settings: { path }
  })
}
const refused = { code: "invalid_body", message: expect.stringContaining("belongs to this server") }

describe("files of the server itself", () => {
  it("are no live data under any name, though their folder is allowed", async () => {
    const own = join(data, "kanon.sqlite")
    symlinkSync(own, join(shop, "soft.sqlite"))
    symlinkSync(data, join(shop, "folder"))
    linkSync(own, join(shop, "hard.sqlite"))
    linkSync(database(join(vault, "notes.sqlite")), join(shop, "of-vault.sqlite"))
    for (const path of [
      own,
      `${own}-wal`,
      join(data, "none.sqlite"),
      join(vault, "notes.sqlite"),
      ...["soft.sqlite", "folder/kanon.sqlite", "hard.sqlite", "of-vault.sqlite"].map((name) =>
        join(shop, name)
      )
    ])
      await expect(connect(path), path).rejects.toMatchObject(refused)
  })

  it("are found out also when a link leads to them later; other files, linked or not, are read", async () => {
    const path = database(join(shop, "shop.sqlite"))
    linkSync(path, join(shop, "shop-copy.sqlite"))
    expect(await connect(join(shop, "shop-copy.sqlite"))).toMatchObject({ probe: { ok: true } })
    const { id } = await connect(path)
    const query = { title: "T", connectorId: id, sql: "select * from t" }
    await engine.call(operations.putDataQuery, { slug: "t", ...query })
    expect(await engine.call(operations.runDataQuery, { slug: "t", params: {} })).toMatchObject({
      rows: [{ a: 1 }]
    })
    rmSync(path)
    symlinkSync(join(data, "kanon.sqlite"), path)
    await expect(engine.call(operations.runDataQuery, { slug: "t", params: {} })).rejects.toMatchObject({
      code: "connector_unreachable"
    })
  })

  it("are those of all workspaces", async () => {
    const server = await startServer()
    const [mine, theirs] = [await server.workspace("mine"), await server.workspace("theirs")]
    const path = database(join(server.folder, theirs, "theirs.sqlite"))
    const elsewhere = join(server.folder, "copy.sqlite")
    copyFileSync(path, elsewhere)
    const create = async (file: string) =>
      (
        await server.call("POST", "/api/v1/data/connectors", {
          key: await server.key(mine),
          body: { name: file, kind: "sqlite", settings: { path: file } }
        })
      ).status
    expect([await create(path), await create(elsewhere)]).toEqual([400, 201])
    await server.close()
  })
})
