import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createEngine } from "../../adapters/postgres/index.js"
import { dropDatabase, makeDatabase } from "../support/postgres.js"
import { type Pooler, transactionPooler } from "../support/transaction-pooler.js"
import { root } from "../support/tree.js"

describe("a pooler in transaction mode", () => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-pooler-"))
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
    rmSync(folder, { recursive: true, force: true })
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
    // What one asks for the other may do; whoever listens hears nothing here, and looks by itself.
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
})
