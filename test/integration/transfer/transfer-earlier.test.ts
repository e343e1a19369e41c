import { mkdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { kindsSince } from "../../../core/transfer/index.js"
import { createEngine, importWorkspace } from "../../support/database.js"
import {
  exported,
  ofFirstVersion,
  ofVersion,
  piecesOf,
  refusalOf,
  sealed,
  withPlace
} from "../../support/transfer.js"

describe("the revision of the settings", () => {
  it("is that of the exported workspace, also where an older export only tells of its changes", () =>
    withPlace(async (vault) => {
      mkdirSync(vault)
      const engine = await createEngine({ vault, worker: false })
      await engine.updateWorkspace({ reviewIntervalDays: 30 })
      await engine.updateWorkspace({ name: "Third", retrieval: { governance: { verified: 1.1 } } })
      await engine.updateWorkspace({ retention: { trashDays: 9 }, policy: { mode: "enforce" } })
      expect((await engine.getWorkspace()).revision).toBe(4)
      const now = await exported(engine)
      await engine.close()
      const records = now.toString().trimEnd().split("\n").slice(0, -1)
      const older = sealed(records.map((line, at) => (at === 0 ? ofVersion(line, 4) : withoutRevision(line))))
      for (const bytes of [now, older])
        await withPlace(async (copy) => {
          await importWorkspace(piecesOf(bytes), { vault: copy, wait: false })
          const again = await createEngine({ vault: copy, worker: false })
          expect((await again.getWorkspace()).revision).toBe(4)
          expect((await exported(again)).toString()).toBe(now.toString())
          await expect(again.updateWorkspace({ name: "X", expectRevision: 3 })).rejects.toThrow("revision 4")
          await again.close()
        })
      const claiming = sealed(records.map((line, at) => (at === 0 ? ofVersion(line, 4) : line)))
      expect(await refusalOf(claiming)).toBe("invalid_record")
    }))
})

describe("an export of the first version of the format", () => {
  it("is taken in: of each document the present version is known", async () => {
    const lines = await withPlace(async (vault) => {
      mkdirSync(vault)
      const engine = await createEngine({ vault })
      const { docId } = await engine.documents.create({
        path: "crane.md",
        content: "# Crane\n\nBy the [[Quay]].\n"
      })
      await engine.documents.create({ path: "quay.md", content: "# Quay\n\nThe crane stands here.\n" })
      await engine.ingest()
      await engine.documents.replace(docId, "# Crane\n\nThe Beacon stands beside the [[Quay]].\n")
      const whole = await exported(engine)
      await engine.close()
      return whole.toString().trimEnd().split("\n").slice(0, -1)
    })
    const later = Object.keys(kindsSince)
    const old = lines
      .filter((line) => !later.some((kind) => line.includes(`"kind":"${kind}"`)))
      .map((line) => line.replace(/"auditHead":\{[^}]*\},/, ""))
      .map(withoutRevision)
      .map((line) =>
        line.replace(/"(?:hash|position|prevHash|requestId)":[^,}]+,/g, (field) =>
          line.includes('"kind":"audit"') ? "" : field
        )
      )
    const whole = sealed(ofFirstVersion(old)).toString()
    const bytes = later.reduce((text, kind) => text.replace(new RegExp(`"${kind}":0,`), ""), whole)
    expect(await refusalOf(Buffer.from(whole))).toBe("invalid_record")
    await withPlace(async (vault) => {
      await importWorkspace(piecesOf(Buffer.from(bytes)), { vault, wait: false })
      const engine = await createEngine({ vault, worker: false })
      const { contentHash, id, version } = await engine.documents.getByPath("crane.md")
      expect(await engine.documents.versions(id)).toEqual({
        items: [
          expect.objectContaining({
            version,
            contentHash,
            origin: "upload",
            changedBy: "local",
            activity: "ui"
          })
        ],
        total: 1
      })
      expect(await engine.doctor()).toMatchObject({ ok: true })
      await engine.close()
    })
  })
})

const withoutRevision = (line: string): string =>
  line.includes('"kind":"workspace"') ? line.replace(/"revision":\d+,/, "") : line
