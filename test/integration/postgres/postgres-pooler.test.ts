import { cpSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createEngine } from "../../../adapters/postgres/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, makeDatabase } from "../../support/postgres.js"
import { type Pooler, transactionPooler } from "../../support/transaction-pooler.js"
import { root } from "../../support/tree.js"

describe("a pooler in transaction mode", () => {
  const folder = temporaryFolder("pooler")
  const vault = join(folder, "vault")
  let url = ""
  let pooler: Pooler

  beforeAll(async () => {
    cpSync(join(root, "demo", "vault", "glossary"), vault, { recursive: true })
    url = await makeDatabase()
    pooler = await transactionPooler(url, 4)
  })
  afterAll(async () => {
    await pooler.close()
    await dropDatabase(url)
  })

  it("may stand before the database: nothing rests on the state of a session", async () => {
    const place = { vault, database: pooler.url, connectionsMax: 6 }
    const first = await createEngine(place)
    await first.ingest()
    const second = await createEngine(place)
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? first : second).entities.create({ name: `Pier ${index % 6}`, type: "place" })
      )
    )
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(6)
    const { results } = await second.search("availability of a turbine")
    expect(results.length).toBeGreaterThan(0)
    // Either engine may run the other's jobs; notifications do not pass the pooler, so each polls.
    await first.jobs.start("reindex")
    await second.ingest()
    expect((await first.jobs.list({ status: "dead" })).total).toBe(0)
    let exported = ""
    for await (const piece of second.export()) exported += Buffer.from(piece).toString()
    expect(exported.split("\n").length).toBeGreaterThan(10)
    const { findings } = await first.doctor()
    expect(findings.filter(({ severity }) => severity === "difference")).toEqual([])
    await second.close()
    await first.close()
    expect(pooler.switches()).toBeGreaterThan(50)
  })

  it("is named when it gives each statement a connection", async () => {
    const ofStatements = await transactionPooler(url, 2, { mode: "statement" })
    const opened = createEngine({ vault, database: ofStatements.url })
    await expect(opened).rejects.toMatchObject({
      code: "database_unavailable",
      message: expect.stringContaining("pool_mode = statement")
    })
    await ofStatements.close()
  })

  it("is asked for no more connections than one says, and the one that listens, whatever comes at once", async () => {
    const connectionsMax = 3
    const watcher = new pg.Client(url)
    await watcher.connect()
    const others = await watcher.query<{ pid: number }>("select pid from pg_stat_activity")
    const engine = await createEngine({ vault, database: url, connectionsMax })
    let isOver = false
    const watch = async () => {
      const seen: Array<number> = []
      while (!isOver) {
        const { rows } = await watcher.query<{ n: string }>(
          "select count(*) as n from pg_stat_activity where datname = current_database() and pid <> all ($1)",
          [others.rows.map(({ pid }) => pid)]
        )
        seen.push(Number(rows[0]?.n))
      }
      return Math.max(...seen)
    }
    const watched = watch()
    await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        index % 2 === 0
          ? engine.entities.create({ name: `Quay ${index}`, type: "place" })
          : engine.search("availability of a turbine")
      )
    )
    isOver = true
    const most = await watched
    await engine.close()
    await watcher.end()
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(connectionsMax + 1)
  })
})
