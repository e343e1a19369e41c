import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { createEngine } from "../../../../adapters/sqlite/index.js"
import { operations } from "../../../../core/operations.js"
import { fences } from "../../../support/docs.js"
import { temporaryFolder } from "../../../support/folders.js"
import { hasMariaDb, startMariaDb } from "../../../support/mariadb.js"
import { dropDatabase, makeDatabase } from "../../../support/postgres.js"
import { root } from "../../../support/tree.js"

/** The commands of the tutorial, and what the page says that they print. */
const commands = fences()
  .filter(({ attributes }) => attributes["test"] === "live-data")
  .map(({ text }) => text)
  .join("\n")
const promised = fences().find(({ attributes }) => attributes["output"] === "live-data")?.text ?? ""
const questions = [...commands.matchAll(/kanon ask --include-data "([^"]+)"/gu)].map(
  ([, question]) => question ?? ""
)
const plain = (text: string) => text.replace(/\s+/gu, " ").trim()

const shop = readFileSync(join(root, "demo/chinook/chinook.sql"), "utf8")
const QueryFile = z.object({ queries: z.array(z.looseObject({ slug: z.string() })) })
const { queries } = QueryFile.parse(parse(readFileSync(join(root, "demo/chinook/queries.yaml"), "utf8")))

interface Shop {
  readonly settings: Readonly<Record<string, unknown>>
  readonly credential: string
  readonly close: () => Promise<void>
}

/** The database of the tutorial on a server, with an account that may only read. */
const shops: Readonly<Record<string, () => Promise<Shop>>> = {
  postgres: async () => {
    const url = new URL(await makeDatabase())
    const client = new pg.Client(url.href)
    await client.connect()
    const database = url.pathname.slice(1)
    const user = `${database}_shop`
    await client.query(shop)
    await client.query(`create role ${user} login password 'secret'`)
    await client.query(`grant usage on schema public to ${user}`)
    await client.query(`grant select on all tables in schema public to ${user}`)
    return {
      settings: { host: url.hostname, port: Number(url.port || 5432), database, user, tls: "off" },
      credential: "secret",
      close: async () => {
        await client.query(`drop owned by ${user}`)
        await client.query(`drop role ${user}`)
        await client.end()
        await dropDatabase(url.href)
      }
    }
  },
  ...(hasMariaDb()
    ? {
        mysql: async () => {
          const server = await startMariaDb()
          await server.root("create database shop character set utf8mb4")
          await server.script("shop", shop)
          await server.root(
            "create user kanon@'127.0.0.1' identified by 'secret'",
            "grant select on shop.* to kanon@'127.0.0.1'"
          )
          return {
            settings: { host: server.host, port: server.port, database: "shop", user: "kanon", tls: "off" },
            credential: "secret",
            close: () => server.stop()
          }
        }
      }
    : {})
}

describe.each(Object.entries(shops))("the tutorial of live data on %s", (kind, open) => {
  const vault = temporaryFolder("shop")

  it("publishes three queries, and six questions get the answers of the page from rows", async () => {
    cpSync(join(root, "demo/chinook/vault"), vault, { recursive: true })
    const { close, ...given } = await open()
    const engine = await createEngine({ vault, data: ":memory:", privateDataAddresses: true })
    try {
      await engine.ingest()
      const connector = await engine.call(operations.createDataConnector, { name: "Shop", kind, ...given })
      expect(connector.probe).toMatchObject({ ok: true, readOnlyProven: true })
      for (const { connector: _connector, ...query } of queries)
        expect(
          await engine.call(operations.putDataQuery, { ...query, connectorId: connector.id })
        ).toMatchObject({ slug: query.slug, revision: 1 })
      expect([queries.length, questions.length]).toEqual([3, 6])
      for (const question of questions) {
        const { answer, claims } = await engine.ask(question, { includeData: true })
        expect(
          claims.flatMap(({ citations }) => citations),
          question
        ).toContainEqual(expect.stringMatching(/^D\d+$/u))
        expect(plain(promised), question).toContain(plain(answer))
      }
    } finally {
      await engine.close()
      await close()
    }
  })
})
