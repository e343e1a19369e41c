import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import {
  createEngine as engineOnPostgres,
  importWorkspace as importIntoPostgres
} from "../../adapters/postgres/index.js"
import { createEngine, type Engine, importWorkspace } from "../../adapters/sqlite/index.js"
import { startObjectStorage } from "../support/object-storage.js"
import { dropDatabase, makeMigrated } from "../support/postgres.js"

const folder = mkdtempSync(join(tmpdir(), "kanon-places-"))
const storage = await startObjectStorage()
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

const bytesOf = async (engine: Engine): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of engine.export()) pieces.push(piece)
  return Buffer.concat(pieces)
}

const pieceOf = async function* (bytes: Uint8Array) {
  yield bytes
}

describe("a workspace that moves house", () => {
  it("takes its documents along, from a folder into the database, into object storage and back", async () => {
    const vault = join(folder, "notes")
    mkdirSync(vault)
    writeFileSync(join(vault, "pump.md"), "# Pump\n\nThe pump stands in hall seven.\n")
    writeFileSync(join(vault, "crane.md"), "# Crane\n\nThe crane lifts the [[Pump]].\n")
    const first = await createEngine({ vault, worker: false, thread: false })
    await first.ingest({ wait: false })
    await first.documents.create({ path: "deep/valve.md", content: "# Valve\n\nThe valve is shut.\n" })
    const bytes = await bytesOf(first)
    await first.close()

    const database = await makeMigrated()
    try {
      const options = { vault: "database:", data: join(folder, "second"), database, worker: false }
      const { ingest } = await importIntoPostgres(pieceOf(bytes), { ...options, wait: false })
      expect(ingest.documents).toMatchObject({ unchanged: 3, created: 0, deleted: 0, failed: 0 })
      const second = await engineOnPostgres(options)
      expect(await bytesOf(second)).toEqual(bytes)
      const [found] = (await second.search("hall seven")).results
      expect(found?.docPath).toBe("pump.md")
      await second.documents.replace(found?.docId ?? "", "# Pump\n\nThe pump stands in hall eight.\n")
      await second.documents.remove((await second.search("valve shut")).results[0]?.docId ?? "")
      expect((await second.ingest({ wait: false })).documents).toMatchObject({ unchanged: 2, deleted: 0 })
      expect((await second.doctor()).findings.filter(({ severity }) => severity === "difference")).toEqual([])
      const changed = await bytesOf(second)
      await second.close()

      const objects = { vault: `s3://${storage.bucket}/house`, data: join(folder, "third"), thread: false }
      await importWorkspace(pieceOf(changed), { ...objects, wait: false })
      await expect(
        importWorkspace(pieceOf(changed), { ...objects, data: join(folder, "other"), wait: false })
      ).rejects.toMatchObject({ code: "conflict" })
      const third = await createEngine({ ...objects, worker: false })
      expect(await bytesOf(third)).toEqual(changed)
      expect((await third.search("hall eight")).results[0]?.docPath).toBe("pump.md")
      expect((await third.ingest({ wait: false })).documents).toMatchObject({ unchanged: 2, failed: 0 })
      await third.close()
    } finally {
      await dropDatabase(database)
    }
  })

  it("is refused a place that is none", async () => {
    const options = { vault: "s3://_", data: join(folder, "none"), thread: false }
    await expect(createEngine(options)).rejects.toMatchObject({ code: "invalid_body" })
  })
})
