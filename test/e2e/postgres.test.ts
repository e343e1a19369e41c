import { cpSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { folder, kanon, type Ran, start as startCommand, vault } from "../support/cli.js"
import { serverShapes } from "../support/cli-shapes.js"
import { dropDatabase, makeDatabase, makeServedDatabase } from "../support/postgres.js"
import { root } from "../support/tree.js"

const Made = z.object({ workspaceId: z.string(), key: z.string() })
const Entity = z.object({ id: z.string(), name: z.string() })

const databases: Array<string> = []
/** A database for the role of a server, which does not own it. */
const database = async () => {
  const { server } = await makeServedDatabase()
  databases.push(server)
  return server
}
const servers: Array<ReturnType<typeof startCommand>> = []

afterAll(async () => {
  for (const server of servers) server.signal("SIGKILL")
  await Promise.all(servers.map(({ ended }) => ended))
  for (const url of databases) await dropDatabase(url)
})

const on = (url: string, ...args: ReadonlyArray<string>): Ran =>
  kanon(args, { env: { KANON_DATABASE_URL: url } })

const well = (ran: Ran): string => {
  expect({ status: ran.status, stderr: ran.status === 0 ? "" : ran.stderr }).toEqual({
    status: 0,
    stderr: ""
  })
  return ran.stdout
}

describe("a workspace in Postgres", () => {
  const notes = join(folder(), "notes")
  let url = ""
  let made: z.output<typeof Made>

  beforeAll(async () => {
    cpSync(join(root, "demo", "vault"), notes, { recursive: true })
    url = await database()
    made = Made.parse(JSON.parse(well(on(url, "init", "--vault", notes, "--json"))))
    well(on(url, "ingest", "--vault", notes))
  })

  const serve = async () => {
    const server = startCommand(["serve", "--vault", notes, "--database", url, "--port", "0", "--json"])
    servers.push(server)
    const { url: at } = serverShapes.serve.parse(JSON.parse(await server.firstLine))
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${at}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const told: unknown = await response.json()
      return { status: response.status, told }
    }
    return { server, call }
  }

  it("is searched, answered from and found whole", () => {
    const found = well(on(url, "search", "lantern warranty", "--vault", notes, "--json"))
    expect(JSON.parse(found).results[0].docPath).toBe("products/warranty.md")
    const answer = JSON.parse(
      well(on(url, "ask", "Which decision superseded ADR-0003?", "--vault", notes, "--json"))
    )
    expect(answer.claims.length).toBeGreaterThan(0)
    expect(JSON.parse(well(on(url, "doctor", "--vault", notes, "--json")))).toMatchObject({
      ok: true,
      findings: [{ code: "vectors_in_process" }]
    })
  })

  it("is not opened without its database, nor another one's data with it", async () => {
    const without = kanon(["status", "--vault", notes, "--json"])
    expect([without.status, JSON.parse(without.stderr).error]).toEqual([1, "database_required"])
    const sqlite = join(folder(), "notes")
    cpSync(join(root, "demo", "vault", "glossary"), sqlite, { recursive: true })
    well(kanon(["init", "--vault", sqlite]))
    const other = on(url, "status", "--vault", sqlite, "--json")
    expect([other.status, JSON.parse(other.stderr).error]).toEqual([1, "database_mismatch"])
    const wrong = kanon(["status", "--vault", notes, "--database", "mysql://somebody:secret@there/x"])
    expect([wrong.status, wrong.stderr.includes("secret")]).toEqual([2, false])
    const nobody = url.replace(/\/kanon_\w+$/, "/no_such_database")
    const gone = on(nobody, "status", "--vault", notes)
    expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining("no_such_database")])
  })

  it("takes no other vault for its own, whose files it would miss, from whatever data folder, nor another database", async () => {
    const other = vault({ "other.md": "# Other\n" })
    const refused = on(url, "ingest", "--vault", other, "--json")
    expect([refused.status, JSON.parse(refused.stderr).error]).toEqual([1, "vault_mismatch"])
    const elsewhere = join(folder(), "data")
    const same = on(url, "documents", "list", "--vault", notes, "--data", elsewhere, "--json")
    expect(JSON.parse(well(same)).total).toBeGreaterThan(80)
    const moved = `${notes}-moved`
    renameSync(notes, moved)
    well(on(url, "status", "--vault", moved, "--data", elsewhere))
    renameSync(moved, notes)
    const back = on(url, "status", "--vault", notes, "--data", join(folder(), "data"), "--json")
    expect([back.status, JSON.parse(back.stderr).error]).toEqual([1, "vault_mismatch"])
    well(on(url, "status", "--vault", notes, "--data", elsewhere))
    const empty = await makeDatabase()
    databases.push(empty)
    const wrong = on(empty, "status", "--vault", notes, "--json")
    expect([wrong.status, JSON.parse(wrong.stderr).error]).toEqual([1, "database_mismatch"])
  })

  it("is served by two at once, loses nothing when one is killed, and lets one of many writers win", async () => {
    const [one, two] = await Promise.all([serve(), serve()])
    const made = await one.call("POST", "/entities", { name: "Winter store", type: "place" })
    expect(made.status).toBe(201)
    const { id } = Entity.parse(made.told)
    const seen = await two.call("GET", `/entities/${id}`)
    expect(Entity.parse(seen.told)).toMatchObject({ id, name: "Winter store" })

    const writers = Array.from({ length: 12 }, (_, place) =>
      (place % 2 === 0 ? one : two).call("POST", "/entities", { name: "Summer store", type: "place" })
    )
    const statuses = (await Promise.all(writers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 11 }, () => 409)])

    const written: Array<string> = []
    const load = (async () => {
      for (let place = 0; place < 40; place += 1) {
        const reply = await one
          .call("POST", "/entities", { name: `Shelf ${place}`, type: "place" })
          .catch(() => null)
        if (reply === null) return
        if (reply.status === 201) written.push(Entity.parse(reply.told).id)
        if (place === 15) one.server.signal("SIGKILL")
      }
    })()
    await load
    expect(written.length).toBeGreaterThan(10)
    for (const entity of written) expect((await two.call("GET", `/entities/${entity}`)).status).toBe(200)
    two.server.signal("SIGTERM")
    expect((await two.server.ended).status).toBe(0)
    expect(JSON.parse(well(on(url, "audit", "verify", "--vault", notes, "--json")))).toMatchObject({
      ok: true
    })
    well(on(url, "ingest", "--vault", notes))
    expect(JSON.parse(well(on(url, "doctor", "--vault", notes, "--json")))).toMatchObject({ ok: true })
  })

  it("moves to SQLite and back without a changed byte", async () => {
    const work = folder()
    const [first, second, third] = ["first", "second", "third"].map((name) => join(work, `${name}.ndjson`))
    if (first === undefined || second === undefined || third === undefined) throw new Error("No names.")
    well(on(url, "export", "--vault", notes, "--out", first))
    well(kanon(["import", first, "--vault", join(work, "files"), "--no-wait"]))
    well(kanon(["export", "--vault", join(work, "files"), "--out", second]))
    const elsewhere = await database()
    well(on(elsewhere, "import", second, "--vault", join(work, "back"), "--no-wait"))
    well(on(elsewhere, "export", "--vault", join(work, "back"), "--out", third))
    const bytes = readFileSync(first)
    expect(bytes.equals(readFileSync(second)) && bytes.equals(readFileSync(third))).toBe(true)
    const again = on(elsewhere, "import", second, "--vault", join(work, "other"), "--json")
    expect([again.status, JSON.parse(again.stderr).error]).toEqual([1, "conflict"])
  })
})
