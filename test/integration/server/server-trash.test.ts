import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { TrashPage } from "../../../core/upkeep/trash/index.js"
import { startServer, type TestServer } from "../../support/server.js"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const Made = z.object({ id: z.string() })

/** A workspace of its own, with what its tests ask of it. */
const begin = async (name: string) => {
  const key = await server.key(await server.workspace(name))
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await server.call(method, `/api/v1${path}`, {
      key,
      ...(body === undefined ? {} : { body })
    })
    const headers = [...answer.headers].filter(([header]) => header !== "x-request-id")
    return { status: answer.status, body: answer.body, headers }
  }
  const write = async (path: string, content = `# ${path}\n\nThe heron waits.\n`) =>
    z.object({ docId: z.string() }).parse((await send("POST", "/documents", { path, content })).body).docId
  const enter = async (entity: string) =>
    Made.parse((await send("POST", "/entities", { name: entity, type: "bird" })).body).id
  const relate = async (srcEntityId: string, dstEntityId: string) =>
    z
      .object({ relationId: z.string() })
      .parse((await send("POST", "/relations", { srcEntityId, dstEntityId, type: "hunts" })).body).relationId
  const trash = async (query = "") => TrashPage.parse((await send("GET", `/trash${query}`)).body)
  const restore = (id: string, body?: unknown) => send("POST", `/trash/${id}/restore`, body)
  return { send, write, enter, relate, trash, restore }
}

/** Something of every kind, live and in the trash. */
const fill = async ({ enter, relate, send, write }: Awaited<ReturnType<typeof begin>>) => {
  const [live, document] = [await write("live.md"), await write("gone.md")]
  const [heron, pike, twin, entity] = [
    await enter("Heron"),
    await enter("Pike"),
    await enter("Grey heron"),
    await enter("Dodo")
  ]
  const [stays, relation] = [await relate(heron, pike), await relate(pike, heron)]
  await send("DELETE", `/documents/${document}`)
  await send("DELETE", `/relations/${relation}`)
  await send("DELETE", `/entities/${entity}`)
  expect((await send("POST", `/entities/${twin}/merge`, { intoId: heron })).status).toBe(200)
  return { live: [live, heron, stays], gone: [document, entity, relation, twin] }
}

describe("the trash over the API", () => {
  it("answers what is unknown, live or another workspace's in the very same way", async () => {
    const [home, other] = [await begin("home"), await begin("other")]
    const own = await fill(home)
    const foreign = await fill(other)
    const before = await other.trash()
    const unknown = ["doc", "ent", "rel"].map((prefix) => `${prefix}_00000000000000000000000000`)
    const [first, ...others] = await Promise.all(
      [...unknown, ...own.live, ...foreign.gone, ...foreign.live, "nonsense", "chk_1"].map((id) =>
        home.restore(id)
      )
    )
    expect(first).toMatchObject({ status: 404, body: { error: "not_found" } })
    for (const answer of others) expect(answer).toEqual(first)
    expect(await other.trash()).toEqual(before)
    const shown = (await home.trash()).items.map(({ id }) => id)
    expect(shown.sort()).toEqual([...own.gone].sort())
    for (const id of own.gone) expect((await home.restore(id)).status).toBe(200)
    for (const id of own.gone) expect(await home.restore(id)).toEqual(first)
    expect(await home.trash()).toEqual({ items: [], total: 0 })
  })

  it("says who deleted what, and lists one kind", async () => {
    const home = await begin("who")
    const { gone } = await fill(home)
    const { items, total } = await home.trash()
    expect(total).toBe(4)
    expect(new Set(items.map(({ deletedBy }) => deletedBy?.slice(0, 4)))).toEqual(new Set(["key_"]))
    expect([...items].sort((a, b) => gone.indexOf(a.id) - gone.indexOf(b.id))).toMatchObject([
      { kind: "document", label: "gone.md", restorable: true, blockedBy: null, purgeAt: null },
      { kind: "entity", label: "Dodo", restorable: true },
      { kind: "relation", label: "Pike hunts Heron", restorable: true },
      { kind: "merged_entity", label: "Grey heron", restorable: true }
    ])
    expect((await home.trash("?kind=merged_entity")).items).toMatchObject([{ id: gone[3] }])
    expect((await home.trash("?limit=0")).items).toHaveLength(1)
    expect((await home.trash("?limit=1000&offset=3")).items).toHaveLength(1)
    for (const query of ["?kind=chunk", "?limit=all", "?offset=-1"])
      expect(await home.send("GET", `/trash${query}`)).toMatchObject({
        status: 400,
        body: { error: "invalid_params" }
      })
  })

  it("puts a document at another path when its own is taken, and finds it at once", async () => {
    const home = await begin("paths")
    const id = await home.write("notes.md", "# Notes\n\nThe quagga is gone.\n")
    await home.send("DELETE", `/documents/${id}`)
    const holder = await home.write("Notes.md")
    expect((await home.trash()).items).toMatchObject([{ id, restorable: false, blockedBy: holder }])
    const refused = { status: 409, body: { error: "conflict", existingId: holder } }
    expect(await home.restore(id)).toMatchObject(refused)
    expect(await home.restore(id, {})).toMatchObject(refused)
    expect(await home.restore(id, { path: "../out.md" })).toMatchObject({ status: 400 })
    expect(await home.restore(id, { path: "old/notes.md" })).toMatchObject({
      status: 200,
      body: { id, kind: "document", restored: true }
    })
    const found = z
      .object({ results: z.array(z.object({ docId: z.string(), docPath: z.string() })) })
      .parse((await home.send("GET", "/search?q=quagga")).body)
    expect(found.results).toMatchObject([{ docId: id, docPath: "old/notes.md" }])
  })

  it("gives a path to documents alone", async () => {
    const home = await begin("entities")
    const { gone } = await fill(home)
    for (const id of gone.slice(1))
      expect(await home.restore(id, { path: "a.md" })).toMatchObject({
        status: 400,
        body: { error: "invalid_body", issues: [{ path: ["path"] }] }
      })
    expect((await home.trash()).total).toBe(4)
  })
})
