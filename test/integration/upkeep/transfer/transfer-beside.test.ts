import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as onPostgres from "../../../../adapters/postgres/index.js"
import * as onSqlite from "../../../../adapters/sqlite/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { dropDatabase, makeMigrated } from "../../../support/postgres.js"
import { exported, linesOf, piecesOf, sealed } from "../../../support/transfer.js"

const folder = temporaryFolder("beside")
const urls: Array<string> = []
beforeAll(async () => {
  urls.push(await makeMigrated(), await makeMigrated())
})
afterAll(() => Promise.all(urls.map(dropDatabase)))

/** A database with its data folder, and the vault of its first workspace. */
interface Home {
  readonly data: string
  readonly vault: string
  readonly database: string
}

interface Kind {
  readonly name: string
  readonly open: (home: Home, workspace?: string) => Promise<onSqlite.Engine>
  readonly take: (
    bytes: Uint8Array,
    home: Home,
    vault: string,
    acceptBrokenAudit?: boolean
  ) => Promise<onSqlite.ImportReport>
}

const named = (workspace: string | undefined) => (workspace === undefined ? {} : { workspace })

const kinds: ReadonlyArray<Kind> = [
  {
    name: "SQLite",
    open: ({ data, vault }, workspace) =>
      onSqlite.createEngine({ vault, data, worker: false, ...named(workspace) }),
    take: (bytes, { data }, vault, acceptBrokenAudit = false) =>
      onSqlite.importWorkspace(piecesOf(bytes), { vault, data, acceptBrokenAudit })
  },
  {
    name: "Postgres",
    open: ({ data, database, vault }, workspace) =>
      onPostgres.createEngine({ vault, data, database, worker: false, ...named(workspace) }),
    take: (bytes, { data, database }, vault, acceptBrokenAudit = false) =>
      onPostgres.importWorkspace(piecesOf(bytes), { vault, data, database, acceptBrokenAudit })
  }
]

const madeIn = async (kind: Kind, home: Home, title: string): Promise<void> => {
  mkdirSync(home.vault, { recursive: true })
  writeFileSync(
    join(home.vault, "page.md"),
    `# ${title}\n\nThe [[Harbour crane]] of ${title} lifts 40 tonnes.\n`
  )
  const engine = await kind.open(home)
  await engine.ingest({ wait: false })
  const { id } = await engine.entities.create({ name: `Crane of ${title}`, type: "machine" })
  await engine.entities.certify(id)
  await engine.close()
}

const within = async <A>(opening: Promise<onSqlite.Engine>, use: (engine: onSqlite.Engine) => Promise<A>) => {
  const engine = await opening
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

const bytesIn = (kind: Kind, home: Home, workspace?: string) => within(kind.open(home, workspace), exported)
const idIn = (bytes: Buffer): string => String(linesOf(bytes)[0]?.["workspaceId"])

describe.each(kinds)("an import beside other workspaces on $name", (kind) => {
  const at = (...names: ReadonlyArray<string>) => join(folder, kind.name, ...names)
  const home = (name: string, database: number): Home => ({
    data: at(name, "data"),
    vault: at(name, "vault"),
    database: urls[database] ?? ""
  })
  let [one, two]: [Home, Home] = [home("one", 0), home("two", 1)]
  let moved: Buffer
  let [first, second]: [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)]

  beforeAll(async () => {
    ;[one, two] = [home("one", 0), home("two", 1)]
    // The workspace that moves is older than those that it moves to.
    const origin = { ...home("origin", 0), data: at("origin", "data") }
    await madeIn(kinds[0] ?? kind, origin, "Wharf")
    moved = await bytesIn(kinds[0] ?? kind, origin)
    await madeIn(kind, one, "North quay")
    await madeIn(kind, two, "South quay")
    ;[first, second] = [await bytesIn(kind, one), await bytesIn(kind, two)]
    await kind.take(moved, one, at("one", "beside"))
  })

  it("moves one of two workspaces of a database to another one, the same byte by byte", async () => {
    const workspace = idIn(moved)
    const out = await bytesIn(kind, one, workspace)
    expect(out.toString()).toBe(moved.toString())
    const { ingest } = await kind.take(out, two, at("two", "beside"))
    expect(ingest.documents).toMatchObject({ created: 0, deleted: 0, unchanged: 1 })
    expect((await bytesIn(kind, two, workspace)).toString()).toBe(moved.toString())
    expect(readFileSync(at("two", "beside", "page.md"), "utf8")).toContain("# Wharf")
    await within(kind.open(two, workspace), async (engine) => {
      expect(await engine.audit.verify()).toMatchObject({ ok: true, findings: [] })
      expect((await engine.search("crane")).results.map(({ docTitle }) => docTitle)).toEqual(["Wharf"])
      expect((await engine.ingest({ wait: false })).documents).toMatchObject({ deleted: 0, unchanged: 1 })
    })
  })

  it("leaves the other workspaces as they were, and the first one of each database its default", async () => {
    expect((await bytesIn(kind, one)).toString()).toBe(first.toString())
    expect((await bytesIn(kind, two)).toString()).toBe(second.toString())
    await within(kind.open(two), async (engine) => {
      expect(await engine.audit.verify()).toMatchObject({ ok: true, findings: [] })
      expect((await engine.search("crane")).results.map(({ docTitle }) => docTitle)).toEqual(["South quay"])
      expect((await engine.doctor()).differences).toBe(0)
    })
  })

  it("refuses a workspace that is there, and writes nothing", async () => {
    const vault = at("two", "again")
    await expect(kind.take(moved, two, vault)).rejects.toMatchObject({ code: "conflict" })
    expect(existsSync(vault)).toBe(false)
    expect((await bytesIn(kind, two)).toString()).toBe(second.toString())
    expect((await bytesIn(kind, two, idIn(moved))).toString()).toBe(moved.toString())
  })

  it("refuses a vault that holds files", async () => {
    await expect(kind.take(moved, one, two.vault)).rejects.toMatchObject({ code: "conflict" })
    expect(readdirSync(two.vault)).toEqual(["page.md"])
  })

  it("takes rows whose ids another workspace has", async () => {
    const other = `ws_${"0".repeat(26)}`
    const lines = moved.toString().trimEnd().split("\n").slice(0, -1)
    const twin = sealed(lines.map((line) => line.replaceAll(idIn(moved), other)))
    // Its trail tells of another workspace.
    await kind.take(twin, two, at("two", "twin"), true)
    expect((await bytesIn(kind, two, other)).toString()).toBe(twin.toString())
    expect((await bytesIn(kind, two, idIn(moved))).toString()).toBe(moved.toString())
  })
})
