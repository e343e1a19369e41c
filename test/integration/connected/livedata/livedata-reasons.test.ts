import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import type { Scope } from "../../../../core/platform/kernel/index.js"
import { dropDatabase, makeDatabase } from "../../../support/postgres.js"
import { startServer, type TestServer } from "../../../support/server.js"

let server: TestServer
let database = ""
let admin = ""
let runner = ""
let connectorId = ""

const send = async (method: string, path: string, body: unknown, key = admin) => {
  const answer = await server.call(method, `/api/v1${path}`, { key, body })
  return { status: answer.status, body: z.record(z.string(), z.unknown()).parse(answer.body) }
}

beforeAll(async () => {
  database = await makeDatabase()
  server = await startServer()
  const workspace = await server.workspace("harbour")
  admin = await server.key(workspace)
  runner = await server.key(workspace, ["data:read", "data:run"] satisfies ReadonlyArray<Scope>)
  const { hostname, password, pathname, port, username } = new URL(database)
  const made = await send("POST", "/data/connectors", {
    name: "Harbour",
    kind: "postgres",
    settings: {
      host: hostname,
      port: Number(port || 5432),
      database: pathname.slice(1),
      user: decodeURIComponent(username)
    },
    ...(password === "" ? {} : { credential: decodeURIComponent(password) })
  })
  expect(made).toMatchObject({ status: 201, body: { id: expect.any(String) } })
  connectorId = String(made.body["id"])
})
afterAll(async () => {
  await server.close()
  await dropDatabase(database)
})

describe("a query that the database refuses", () => {
  const params = [{ name: "word", type: "string" }]
  const query = { title: "Number", sql: "select cast(:word as integer) as n", params }

  it("tells administrators why, without values, and others that administrators are told", async () => {
    expect(await send("PATCH", `/data/connectors/${connectorId}`, { enabled: true })).toMatchObject({
      status: 200
    })
    expect(await send("PUT", "/data/queries/number", { ...query, connectorId })).toMatchObject({
      status: 201
    })
    const run = (key: string) =>
      send("POST", "/data/queries/number/run", { params: { word: "secret-word" } }, key)
    const [told, hidden] = [await run(admin), await run(runner)]
    expect(told).toMatchObject({ status: 502, body: { error: "query_failed" } })
    expect(told.body["message"]).toMatch(/invalid input syntax for type integer: …$/)
    expect(hidden).toMatchObject({ status: 502, body: { error: "query_failed" } })
    expect(hidden.body["message"]).toMatch(/workspace:admin sees why/)
    expect(JSON.stringify([told, hidden])).not.toContain("secret-word")
    expect(JSON.stringify(hidden)).not.toContain("invalid input")
  })

  it("tells why in a dry run", async () => {
    const sql = "select berth from no_such_table where berth = :word"
    const dry = await send("PUT", "/data/queries/berth", { ...query, sql, connectorId, dryRun: true })
    expect(dry).toMatchObject({ status: 400, body: { error: "invalid_body" } })
    expect(JSON.stringify(dry.body)).toMatch(/no_such_table.{0,4} does not exist/)
  })
})
