import { spawnSync } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { afterAll, describe, expect, inject, it } from "vitest"
import { createEngine, type Engine } from "../../../adapters/postgres/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, makeBare, makeDatabase } from "../../support/postgres.js"
import { localProgram, startOwnCluster } from "../../support/postgres-cluster.js"
import { root } from "../../support/tree.js"

const folder = temporaryFolder("backup")
const ends: Array<() => unknown> = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

const within = async <A>(url: string, name: string, use: (engine: Engine) => Promise<A>): Promise<A> => {
  const engine = await createEngine({
    vault: join(folder, name),
    data: join(folder, `${name}-data`),
    database: url
  })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

const exported = async (engine: Engine): Promise<Buffer> => {
  const parts: Array<Uint8Array> = []
  for await (const part of engine.export()) parts.push(part)
  return Buffer.concat(parts)
}

const run = (program: string, ...args: ReadonlyArray<string>) => {
  const { error, status, stderr } = spawnSync(program, [...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? ""}${stderr}`)
}

/** Makes a workspace with a past; gives its export. */
const live = (url: string): Promise<Buffer> => {
  cpSync(join(root, "demo", "vault", "products"), join(folder, "before", "products"), { recursive: true })
  return within(url, "before", async (engine) => {
    await engine.ingest()
    const { id } = await engine.entities.create({ name: "Winter store", type: "place" })
    await engine.entities.update(id, { description: "Where lanterns wait." })
    await engine.entities.remove(id)
    // Background work of the changes is finished before the comparison.
    await engine.ingest()
    return exported(engine)
  })
}

/** The programs for dumps of this machine; none where they are missing, or older than the server of the tests. */
const dumpPrograms = async (): Promise<readonly [string | null, string | null]> => {
  const [dump, restore] = [localProgram("pg_dump"), localProgram("pg_restore")]
  if (dump === null) return [null, null]
  const client = new pg.Client(inject("postgresUrl"))
  await client.connect()
  const { rows } = await client.query<{ server_version_num: string }>("show server_version_num")
  await client.end()
  const told = spawnSync(dump, ["--version"], { encoding: "utf8" }).stdout
  const major = Number(/\) (\d+)/.exec(told)?.[1] ?? 0)
  return major * 10_000 + 9999 >= Number(rows[0]?.server_version_num) ? [dump, restore] : [null, null]
}

/** Dumps the database and takes the dump back into an empty one. */
const byDump = async (dump: string, restore: string) => {
  const [url, other] = [await makeDatabase(), await makeBare()]
  ends.push(
    () => dropDatabase(url),
    () => dropDatabase(other)
  )
  const before = await live(url)
  const file = join(folder, "backup")
  run(dump, "--format=custom", "--file", file, "--dbname", url)
  run(restore, "--no-owner", "--exit-on-error", "--dbname", other, file)
  return { before, url: other }
}

/** Stops the server and starts another one over a copy of its files. */
const byCopy = async () => {
  const cluster = await startOwnCluster()
  ends.push(cluster.stop)
  const before = await live(await ownDatabase(cluster.url))
  const copy = await cluster.copied()
  ends.push(copy.stop)
  return { before, url: await ownDatabase(copy.url) }
}

const ownDatabase = async (url: string): Promise<string> => {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query("select 1 from pg_database where datname = 'kanon'")
  if (rows.length === 0) await client.query("create database kanon")
  await client.end()
  const own = new URL(url)
  own.pathname = "/kanon"
  return own.href
}

const hasPgvector = async (url: string): Promise<boolean> => {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query("select 1 from pg_extension where extname = 'vector'")
  await client.end()
  return rows.length > 0
}

describe("a backup of Postgres", () => {
  it("comes back whole: nothing differs from the files, and the export is the same byte for byte", async () => {
    const [dump, restore] = await dumpPrograms()
    const { before, url } = dump === null || restore === null ? await byCopy() : await byDump(dump, restore)
    cpSync(join(folder, "before"), join(folder, "after"), { recursive: true })
    await within(url, "after", async (engine) => {
      const after = await exported(engine)
      expect(after.equals(before)).toBe(true)
      const { differences, findings } = await engine.doctor({})
      expect([differences, findings.map(({ code }) => code)]).toEqual([
        0,
        ["second_wall_down", ...((await hasPgvector(url)) ? [] : ["vectors_in_process"])]
      ])
      expect((await engine.search("lantern warranty")).results[0]?.docPath).toBe("products/warranty.md")
    })
  })
})
