import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, expect, it } from "vitest"
import { scopeOf } from "../../../../core/platform/kernel/index.js"
import { openSecret, resealSecrets } from "../../../../core/platform/secrets/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { startServer, type TestServer } from "../../../support/server.js"

const newKey = () => randomBytes(32).toString("base64")
const before = process.env["KANON_SECRET_KEY"]
let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(async () => {
  if (before === undefined) delete process.env["KANON_SECRET_KEY"]
  else process.env["KANON_SECRET_KEY"] = before
  await server.close()
})

it("credentials of data and content connectors open with a rotated master key alone", async () => {
  const [old, fresh] = [newKey(), newKey()]
  process.env["KANON_SECRET_KEY"] = old
  const workspace = await server.workspace("rotated")
  const key = await server.key(workspace)
  const made = [
    await server.call("POST", "/api/v1/data/connectors", {
      key,
      body: {
        name: "Shop",
        kind: "postgres",
        settings: { host: "127.0.0.1", database: "shop", user: "reader" },
        credential: "password of the database",
        probe: false
      }
    }),
    await server.call("POST", "/api/v1/connectors", {
      key,
      body: {
        name: "Files",
        kind: "document_library",
        config: { provider: "webdav", url: "https://files.example.org/dav", username: "kanon" },
        credential: "password of the library"
      }
    })
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201])
  const open = () =>
    server.as(
      workspace,
      Effect.gen(function* () {
        const scope = scopeOf(workspace)
        const held = yield* (yield* WorkspaceStore).secrets.list(scope)
        return yield* Effect.forEach(held, ({ id }) => Effect.map(openSecret(scope, id), Redacted.value))
      })
    )
  const both = [expect.stringContaining("of the database"), expect.stringContaining("of the library")]
  expect((await open()).sort()).toEqual(both)

  process.env["KANON_SECRET_KEY"] = fresh
  await expect(open()).rejects.toThrow("another master key")
  process.env["KANON_SECRET_KEY"] = `${fresh},${old}`
  expect(await server.as(workspace, resealSecrets())).toEqual({ secrets: 2, resealed: 2 })
  expect(await server.as(workspace, resealSecrets())).toEqual({ secrets: 2, resealed: 0 })
  process.env["KANON_SECRET_KEY"] = fresh
  expect((await open()).sort()).toEqual(both)
})
