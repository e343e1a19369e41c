import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { createEngine } from "../../../../adapters/sqlite/index.js"
import { verifyAudit } from "../../../../core/platform/audit/index.js"
import { scopeOf, WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { asCaller, baseLayer, runEffect } from "../../../support/run.js"

const root = temporaryFolder("audit")

/** A closed workspace with some history, in a folder of its own. */
const withHistory = async (name: string) => {
  const data = join(root, name)
  const engine = await createEngine({ vault: root, data, worker: false, thread: false })
  const { id } = await engine.entities.create({ name: "Ada", type: "person" })
  await engine.entities.update(id, { name: "Ada Lovelace" })
  await engine.documents.create({ path: `${name}.md`, content: "# Ada\n" })
  const workspace = scopeOf(WorkspaceId.parse(engine.workspace.id))
  await engine.close()
  return { file: join(data, "kanon.sqlite"), workspace }
}

describe("history", () => {
  it("is missed where it was emptied and its head with it, and only where something changed before", async () => {
    const { file, workspace } = await withHistory("emptied")
    const database = new Database(file)
    database.exec("delete from audit; delete from audit_head")
    const verified = () =>
      runEffect(verifyAudit().pipe(asCaller(workspace), Effect.provide(baseLayer(file)), Effect.scoped))
    const fault = { fault: "removed", position: 1 }
    expect(await verified()).toMatchObject({ ok: false, events: 0, differences: 1, findings: [fault] })
    database.exec("delete from entity_revision; delete from document_version")
    expect(await verified()).toMatchObject({ ok: true, events: 0, findings: [] })
    database.close()
  })

  it("goes on where its head was harmed, and every check tells of it", async () => {
    const harms = {
      gone: "delete from audit_head",
      behind: "update audit_head set seq = 1, hash = (select hash from audit where seq = 1)",
      cut: "delete from audit_head; delete from audit where seq > 2",
      number: "update audit_head set seq = 1"
    }
    for (const [name, harm] of Object.entries(harms)) {
      const { file, workspace } = await withHistory(`head-${name}`)
      const database = new Database(file)
      database.exec(harm)
      database.close()
      for (const repair of [true, false]) {
        const engine = await createEngine({ vault: root, data: dirname(file), worker: false, thread: false })
        if (repair) writeFileSync(join(root, `${name} found.md`), "# Found\n")
        const { findings } = await engine.doctor({ repair })
        const told = findings.filter(({ code }) => code === "audit_broken").map(({ repaired }) => repaired)
        // A number alone is put right by the next event: the hash beside it says where the trail ended.
        const isMended = name === "number"
        expect({ name, told: new Set(told) }).toEqual({
          name,
          told: new Set(isMended ? (repair ? [true] : []) : [false])
        })
        await engine.entities.create({ name: `Grace ${repair}`, type: "person" })
        await engine.documents.create({ path: `${name} ${repair}.md`, content: "# Grace\n" })
        await engine.close()
      }
      const report = await runEffect(
        verifyAudit().pipe(asCaller(workspace), Effect.provide(baseLayer(file)), Effect.scoped)
      )
      expect({ name, ok: report.ok }).toEqual({ name, ok: name === "number" })
    }
  })
})
