import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import auditChain from "../../../adapters/sql/migrations/0018-audit-chain.js"
import { createEngine } from "../../../adapters/sqlite/index.js"
import { listAudit, verifyAudit } from "../../../core/audit/index.js"
import { scopeOf, WorkspaceId } from "../../../core/kernel/index.js"
import { unguarded } from "../../support/history.js"
import { asCaller, baseLayer, runEffect } from "../../support/run.js"

const root = mkdtempSync(join(tmpdir(), "kanon-audit-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

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
  it("cannot be changed, removed or replaced by another client of the database", async () => {
    const { file } = await withHistory("guarded")
    const database = new Database(file)
    const before = ["audit", "audit_head", "entity_revision"].map((table) =>
      database.prepare(`select * from ${table}`).all()
    )
    const attempts = [
      "update audit set actor = 'eve'",
      "update audit set details = '{}' where seq = 1",
      "update or replace audit set seq = 1 where seq = 2",
      "delete from audit where seq = 1",
      "insert or replace into audit select * from audit where seq = 1",
      "replace into audit select workspace_id, seq + 100, id, 'forged', actor, activity, subject_id, at, details, request_id, prev_hash, hash from audit where seq = 1",
      "insert into audit select * from audit where true on conflict do update set actor = 'eve'",
      "update audit_head set seq = seq - 1",
      "delete from audit_head",
      "update entity_revision set snapshot = '{}'",
      "update entity_revision set changed_by = 'eve' where version = 1",
      "delete from entity_revision",
      "insert or replace into entity_revision select * from entity_revision"
    ]
    for (const attempt of attempts)
      expect(() => database.exec(attempt), attempt).toThrow(/append-only|goes forward only|never removed/)
    expect(
      ["audit", "audit_head", "entity_revision"].map((table) =>
        database.prepare(`select * from ${table}`).all()
      )
    ).toEqual(before)
    expect(before.map((rows) => rows.length > 0)).toEqual([true, true, true])
    database.close()
  })

  it("is missed where it was emptied and its head with it, and only where something changed before", async () => {
    const { file, workspace } = await withHistory("emptied")
    const database = new Database(file)
    const triggers = database.prepare("select name from sqlite_schema where type = 'trigger'").pluck().all()
    for (const name of triggers) database.exec(`drop trigger "${String(name)}"`)
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
      unguarded(database, () => database.exec(harm))
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

  it("from before the chain is linked in the order in which it was made", async () => {
    const { file, workspace } = await withHistory("older")
    const database = new Database(file)
    const old = "id, action, actor, activity, subject_id, at, details"
    const triggers = database.prepare("select name from sqlite_schema where type = 'trigger'").pluck().all()
    for (const name of triggers) database.exec(`drop trigger "${String(name)}"`)
    database.exec(`create table audit_loose (workspace_id text not null, id text not null, action text not null,
        actor text not null, activity text not null, subject_id text not null, at text not null,
        details text not null, primary key (workspace_id, id)) without rowid;
      insert into audit_loose select workspace_id, ${old} from audit;
      insert into audit_loose select workspace_id, 'aud_00000000000000000000000000', 'note.damaged', actor, activity,
        subject_id, at, '{"not": json' from audit where seq = 1;
      drop table audit; drop table audit_head; alter table audit_loose rename to audit`)
    const rows = database.prepare(`select ${old} from audit order by id`).all()
    database.close()
    const [report, page] = await runEffect(
      Effect.gen(function* () {
        yield* (yield* SqlClient.SqlClient).withTransaction(auditChain)
        return yield* Effect.all([verifyAudit(), listAudit({}, { cursor: undefined, limit: 200 })])
      }).pipe(asCaller(workspace), Effect.provide(baseLayer(file)), Effect.scoped)
    )
    expect(report).toMatchObject({ ok: true, events: rows.length })
    expect(
      page.items.reverse().map(({ action, activity, actor, at, details, id, subjectId }) => ({
        id,
        action,
        actor,
        activity,
        subject_id: subjectId,
        at,
        details: action === "note.damaged" ? details["unreadable"] : JSON.stringify(details)
      }))
    ).toEqual(rows)
  })
})
