import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { createEngine, importWorkspace, sqlitePorts } from "../../../adapters/sqlite/index.js"
import { addMember, createUser, mintAsHost } from "../../../core/identity/index.js"
import { type Finding, scopeOf, WorkspaceId } from "../../../core/kernel/index.js"
import { history } from "../../support/damages-history.js"
import { differences, examine } from "../../support/examined.js"
import { unguarded } from "../../support/history.js"
import { burnHealthy, withPatient } from "../../support/patient.js"
import { asCaller, runEffect } from "../../support/run.js"
import { exported } from "../../support/transfer.js"

afterAll(burnHealthy)

describe("a doctor who looks for people, keys and moments", () => {
  it("tells of keys, members, credentials and calibrations that cannot be, and gives nobody anything", () =>
    withPatient(async (patient) => {
      const own = "(select id from workspace)"
      patient.sql((database) =>
        database.exec(`
          insert into key_grant select id, 'key_00000000000000000000000000' from workspace;
          insert into membership select id, 'usr_00000000000000000000000000', 'king', 'once' from workspace;
          insert into secret select id, 'x', 'y', 'z' from workspace;
          insert into model_usage (workspace_id, month, input_tokens, output_tokens, cost_usd_1e10)
            values (${own}, '2026-13', -1, 0, 0);
          insert into calibration values (${own}, 'x', '{}', 'local', 'once', 7)`)
      )
      for (const repair of [false, true])
        expect(
          differences(await examine(patient, repair))
            .map(({ code, subject }) => `${code} ${subject}`)
            .sort()
        ).toEqual([
          "record_impossible calibration x",
          "record_impossible calibrations",
          "record_impossible credential x",
          "record_impossible key key_00000000000000000000000000",
          "record_impossible member usr_00000000000000000000000000",
          "record_impossible usage of 2026-13"
        ])
    }))

  it("misses neither keys nor members where the trail that tells of them was imported", () =>
    withPatient(async (patient) => {
      const { id } = await patient.using((engine) => Promise.resolve(engine.workspace))
      const workspace = scopeOf(WorkspaceId.parse(id))
      const owner = { kind: "workspace", workspace } as const
      const made = Effect.gen(function* () {
        const { id: ada } = yield* createUser("Ada")
        yield* addMember(ada, "admin")
        yield* mintAsHost({ name: "reader", scopes: ["kb:read"], expiresAt: null, owner })
      })
      const ports = sqlitePorts({ vault: patient.vault, data: patient.data })
      await runEffect(Effect.provide(asCaller(workspace)(made), ports))
      const bytes = await patient.using((engine) => exported(engine))
      const copy = join(patient.vault, "..", "copy")
      const source = async function* () {
        yield bytes
      }
      await importWorkspace(source(), { vault: copy, thread: false })
      const engine = await createEngine({ vault: copy, thread: false })
      expect((await engine.audit.list({ action: "member.add" })).total).toBe(1)
      expect((await engine.doctor()).findings).toEqual([])
      expect((await exported(engine)).equals(bytes)).toBe(true)
      await engine.close()
      patient.sql((database) =>
        database.exec("delete from membership; delete from api_key; delete from key_grant")
      )
      patient.sql((database) =>
        unguarded(database, () => database.exec("update audit set actor = 'somebody' where seq = 2"))
      )
      await patient.using(async (harmed) => {
        const { findings } = await harmed.doctor()
        expect(findings.map(({ code }) => code)).toEqual(["audit_broken"])
      })
      patient.sql((database) =>
        unguarded(database, () => database.exec("update audit set actor = 'local' where seq = 2"))
      )
      await patient.using(async (harmed) => {
        const told = ({ code, repaired }: Finding) => [code, repaired]
        expect((await harmed.doctor()).findings.map(told)).toEqual([
          ["key_lost", false],
          ["member_lost", false]
        ])
        expect((await harmed.doctor({ repair: true })).findings.map(told)).toEqual([
          ["key_lost", true],
          ["member_lost", true]
        ])
        expect((await harmed.doctor()).findings).toEqual([])
      })
    }))

  it("gives relations, members and users back the moments that they had", () =>
    withPatient(async (patient) => {
      await history(patient)
      const { id } = await patient.using((engine) => Promise.resolve(engine.workspace))
      const made = Effect.gen(function* () {
        for (const name of ["Ada", "Bo"]) yield* addMember((yield* createUser(name)).id, "member")
      })
      const ports = sqlitePorts({ vault: patient.vault, data: patient.data })
      await runEffect(Effect.provide(asCaller(scopeOf(WorkspaceId.parse(id)))(made), ports))
      const rows = () =>
        patient.sql((database) =>
          ["relation", "host_user", "membership"].map((table) =>
            z
              .array(z.object({ created_at: z.string() }).loose())
              .parse(database.prepare(`select * from ${table} order by 1, 2`).all())
          )
        )
      const millis = (kept: ReturnType<typeof rows>) =>
        kept.flat().map(({ created_at }) => new Date(created_at).getTime())
      const before = rows()
      patient.sql((database) =>
        database.exec(`
          update relation set created_at = '2026-02-31T00:00:00.000Z';
          update host_user set created_at = 'once';
          update membership set created_at = ''`)
      )
      const harmed = rows()
      const told = differences(await examine(patient))
      expect(new Set(told.map(({ code }) => code))).toEqual(new Set(["record_impossible"]))
      expect(rows()).toEqual(harmed)
      expect(await examine(patient, true)).toMatchObject({ ok: true })
      const mended = millis(rows())
      // The id of a row, its moment and the event about it are made one after the other.
      for (const [place, at] of millis(before).entries())
        expect(Math.abs((mended[place] ?? 0) - at)).toBeLessThan(60_000)
      const events = patient.sql((database) =>
        database
          .prepare<[], { readonly action: string }>(
            "select distinct action from audit where action like '%.repair'"
          )
          .all()
      )
      expect(events.map(({ action }) => action).sort()).toEqual([
        "member.repair",
        "relation.repair",
        "user.repair",
        "workspace.repair"
      ])
      expect(await examine(patient)).toMatchObject({ ok: true, findings: [] })
    }))

  it("takes the moment of a deletion from the trail", () =>
    withPatient(async (patient) => {
      await patient.using(async ({ entities, relations }) => {
        const [src, dst] = [
          await entities.create({ name: "Kiln", type: "thing" }),
          await entities.create({ name: "Flue", type: "thing" })
        ]
        const { relationId } = await relations.create({
          srcEntityId: src.id,
          type: "feeds",
          dstEntityId: dst.id
        })
        await relations.remove(relationId)
      })
      const deletedAt = () =>
        patient.sql((database) =>
          database
            .prepare<[], { readonly at: string }>(
              "select deleted_at as at from relation where type = 'feeds'"
            )
            .all()
        )
      const [before] = deletedAt()
      patient.sql((database) => database.exec("update relation set deleted_at = 'x' where type = 'feeds'"))
      expect(await examine(patient, true)).toMatchObject({ ok: true, repaired: 1 })
      const [after] = deletedAt()
      const lateMs = new Date(after?.at ?? "").getTime() - new Date(before?.at ?? "").getTime()
      expect(lateMs).toBeGreaterThanOrEqual(0)
      expect(lateMs).toBeLessThan(1000)
    }))

  it("tells of rows of another workspace whose row is lost, and leaves them to whoever takes it back", () =>
    withPatient(async (patient) => {
      const other = "ws_00000000000000000000000000"
      patient.sql((database) =>
        database.exec(`
          insert into audit_head values ('${other}', 1, 'x');
          insert into document_text select '${other}', content_hash, x'00' from document limit 1;
          insert into counter values ('${other}', 'document_seq', 9)`)
      )
      const strangers = () =>
        patient.sql((database) =>
          ["audit_head", "document_text", "counter"].map((table) =>
            database.prepare(`select * from ${table} where workspace_id = '${other}'`).all()
          )
        )
      const before = strangers()
      expect(before.map(({ length }) => length)).toEqual([1, 1, 1])
      for (const repair of [false, true])
        expect(differences(await examine(patient, repair))).toEqual(
          ["audit_head", "counter", "document_text"].map((table) => ({
            code: "rows_astray",
            subject: `${table} of ${other}`,
            repaired: false
          }))
        )
      expect(strangers()).toEqual(before)
    }))
})
