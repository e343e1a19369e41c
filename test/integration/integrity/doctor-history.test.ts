import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { curated, history } from "../../support/damages-history.js"
import { differences, examine } from "../../support/examined.js"
import { unguarded } from "../../support/history.js"
import { burnHealthy, withPatient } from "../../support/patient.js"

afterAll(burnHealthy)

describe("a doctor who asks others what a row said", () => {
  it("tells each row that cannot be read, and looks at all the others of its kind", () =>
    withPatient(async (patient) => {
      const ids = await patient.using(async ({ ask, changeRequests, entities }) => {
        const asked = [await ask("What does the orchard hold?"), await ask("What does the quarry hold?")]
        const proposed = [
          await changeRequests.propose({ kind: "create", payload: { name: "Barge", type: "vessel" } }),
          await changeRequests.propose({ kind: "create", payload: { name: "Raft", type: "vessel" } })
        ]
        const { id } = await entities.create({ name: "Mister Cy", type: "person" })
        await entities.remove(id)
        return { asked: asked.length, proposed: proposed.map((one) => one.id), entity: id }
      })
      patient.sql((database) =>
        unguarded(database, () => {
          // The first of each is broken, so that whoever stops at it finds nothing of the second.
          for (const [table, column] of [
            ["answer", "answer"],
            ["policy_decision", "detail"],
            ["change_request", "payload"]
          ])
            database.exec(`update ${table} set ${column} = '{' where id = (select min(id) from ${table})`)
          database.exec("update answer set created_at = 'then' where id = (select max(id) from answer)")
          database.exec("update policy_decision set decided_at = 'then' where detail <> '{'")
          database.exec(
            "update change_request set entity_id = 'x', reviewed_at = 'then' where payload <> '{'"
          )
          // Nobody tells of it: the entity is gone with both its states, and the trail has no states.
          database.exec(`update entity_revision set snapshot = '{' where entity_id = '${ids.entity}'`)
          database.exec(`delete from entity where id = '${ids.entity}'`)
          database.exec("update entity set description = 'x' where name = 'Master Bo'")
        })
      )
      const found = differences(await examine(patient)).map(({ code, subject }) => `${code} ${subject}`)
      expect(found.filter((one) => one.startsWith("unexamined"))).toEqual([])
      const standing = differences(await examine(patient, true))
        .filter(({ repaired }) => !repaired)
        .map(({ code, subject }) => `${code} ${subject.replace(/_\w+$/, "")}`)
      expect(standing.sort()).toEqual([
        "record_impossible answer ans",
        "record_impossible decision dec",
        "record_impossible references",
        "revision_broken revision 1 of ent",
        "revision_broken revision 2 of ent",
        "row_unreadable answer ans",
        "row_unreadable change request cr",
        "row_unreadable decision dec",
        "row_unreadable revision 1 of ent",
        "row_unreadable revision 2 of ent"
      ])
      for (const one of ["request_differs", "entity_unrevised"])
        expect(found.filter((told) => told.startsWith(one))).toHaveLength(1)
    }))

  it("gives requests, states and the worth of documents exactly what they were", () =>
    withPatient(async (patient) => {
      const kept = () =>
        patient.sql((database) => [
          database.prepare("select * from change_request order by id").all(),
          database.prepare("select * from entity_revision order by entity_id, version").all(),
          database.prepare("select * from document_version order by document_id, version").all(),
          database
            .prepare(
              "select id, path, verification, verified_by, verified_at, next_verify_at from document order by path"
            )
            .all()
        ])
      await history(patient)
      const before = kept()
      patient.sql((database) =>
        unguarded(database, () =>
          database.exec(`
            update change_request set status = 'x', review_note = 'y', reviewed_by = 'z', applied_entity_id = null, entity_id = null;
            update change_request set payload = '[' where status <> 'open' and kind <> 'deprecate' and note <> 'please update';
            update entity_revision set snapshot = '[' where version % 2 = 1;
            update entity_revision set diff = '[' where version % 2 = 1 and version > 1;
            update document_version set document_id = (select id from document where path = 'orchard.md') where version = 2;
            update document set id = 'doc_00000000000000000000000000' where path = 'quarry.md';
            update document set verification = 'unverified', verified_by = null, next_verify_at = null`)
        )
      )
      expect(kept()).not.toEqual(before)
      expect(differences(await examine(patient, true)).filter(({ repaired }) => !repaired)).toEqual([])
      expect(kept()).toEqual(before)
    }))

  it("gives documents and their versions the numbers that the trail tells, where they stand under none", () =>
    withPatient(async (patient) => {
      await history(patient)
      const numbers = () =>
        patient.sql((database) => [
          database.prepare("select id, version from document order by id").all(),
          database
            .prepare(
              "select document_id, version, content_hash, created_at, changed_by, verification from document_version order by document_id, version"
            )
            .all(),
          database.prepare("select content_hash from document_text order by content_hash").all()
        ])
      const before = numbers()
      const quarry = "(select id from document where path = 'quarry.md')"
      for (const [harm, codes] of [
        [`update document set version = 0 where id = ${quarry}`, ["document_differs"]],
        [`update document set version = -3 where path = 'orchard.md'`, ["document_differs"]],
        [
          `update document_version set version = 0 where document_id = ${quarry} and version = 1`,
          ["versions_differ"]
        ],
        [
          `update document_version set version = 0 where document_id = ${quarry} and version = 2`,
          ["version_missing", "versions_differ"]
        ]
      ] as const) {
        patient.sql((database) => database.exec(harm))
        expect(numbers(), harm).not.toEqual(before)
        const told = differences(await examine(patient)).map(({ code }) => code)
        expect(told, harm).toEqual(expect.arrayContaining(["record_impossible", ...codes]))
        expect(await examine(patient, true), harm).toMatchObject({ ok: true })
        expect(numbers(), harm).toEqual(before)
      }
      patient.sql((database) =>
        database.exec(
          `insert into document_version select workspace_id, document_id, 0, content_hash, size_bytes, origin, changed_by, activity, '2001-01-01T00:00:00.000Z', 'unverified' from document_version where document_id = ${quarry} and version = 2`
        )
      )
      expect(await examine(patient, true)).toMatchObject({ ok: true })
      expect(numbers()).toEqual(before)
    }))

  it("leaves what documents are worth where the trail is broken, and mends all that the trail does not tell", () =>
    withPatient(async (patient) => {
      await patient.using(async ({ documents }) => {
        const { id } = await documents.getByPath("orchard.md")
        await documents.verify(id, "verified")
        await documents.verify(id, "certified")
      })
      const orchard = () =>
        patient.sql((database) =>
          database
            .prepare<[], Readonly<Record<string, unknown>>>(
              "select title, verification, verified_by, verified_at, next_verify_at, (select count(*) from audit where subject_id = document.id and action = 'document.repair') as repairs from document where path = 'orchard.md'"
            )
            .get()
        )
      const before = orchard()
      expect(before).toMatchObject({ title: "Orchard", verification: "certified", repairs: 0 })
      patient.sql((database) => {
        unguarded(database, () => database.exec("delete from audit where seq = (select max(seq) from audit)"))
        database.exec("update document set title = 'x' where path = 'orchard.md'")
      })
      const { findings } = await examine(patient, true)
      expect(findings.map(({ code, message, repaired }) => [code, repaired, message])).toEqual([
        ["audit_broken", false, expect.any(String)],
        ["document_differs", false, expect.stringMatching(/than the trail: .*; the trail is broken, so/)]
      ])
      expect(orchard()).toEqual({ ...before, repairs: 1 })
      expect(await examine(patient, true)).toMatchObject({ ok: false, differences: 2, repaired: 0 })
      expect(orchard()).toEqual({ ...before, repairs: 1 })
    }))

  it("makes requests that are gone again where the rest tells of them, and forgets the others for good", () =>
    withPatient(async (patient) => {
      await history(patient)
      const requests = () =>
        patient.sql((database) =>
          database
            .prepare<[], { readonly kind: string; readonly status: string }>(
              "select id, kind, status, entity_id, payload, proposed_by, review_note, reviewed_by, applied_entity_id from change_request order by id"
            )
            .all()
        )
      const before = requests()
      const isTold = ({ kind, status }: { readonly kind: string; readonly status: string }) =>
        status === "approved" || kind === "delete"
      expect(before.filter(isTold)).toHaveLength(3)
      patient.sql((database) => database.exec("delete from change_request"))
      const found = differences(await examine(patient))
      expect(found.map(({ code }) => code)).toEqual(before.map(() => "request_lost"))
      expect(requests()).toEqual([])
      expect(await examine(patient, true)).toMatchObject({ ok: true, repaired: before.length })
      expect(requests()).toEqual(before.filter(isTold))
      expect(await examine(patient)).toMatchObject({ ok: true, findings: [] })
    }))

  it("knows an entity again whose claim was damaged", () =>
    withPatient(async (patient) => {
      const entities = () =>
        patient.sql((database) =>
          database
            .prepare("select id, name, type, claim_type, claim_key, deleted_at from entity order by id")
            .all()
        )
      const before = entities()
      patient.sql((database) => {
        database.exec("update entity set claim_key = 'something else' where name = 'Selborne Estate'")
        database.exec("update entity set claim_type = 'x' where name = 'north'")
      })
      expect(entities()).not.toEqual(before)
      expect(await examine(patient, true)).toMatchObject({ ok: true, differences: 0 })
      expect(entities()).toEqual(before)
    }))

  it("gives what people changed back to them, and withdraws nothing of it with its documents", () =>
    withPatient(async (patient) => {
      const hands = () =>
        patient.sql((database) =>
          database
            .prepare(
              "select e.id, name, touched, person_fields, (select group_concat(alias) from entity_alias a where a.entity_id = e.id) as aliases from entity e order by e.id"
            )
            .all()
        )
      await curated(patient)
      const before = hands()
      expect(before).toContainEqual(
        expect.objectContaining({
          name: "Orchard",
          touched: 1,
          person_fields: '["aliases","description"]',
          aliases: null
        })
      )
      expect(await examine(patient)).toMatchObject({ ok: true, findings: [] })
      patient.sql((database) => database.exec("update entity set touched = 0, person_fields = '[]'"))
      const found = differences(await examine(patient)).map(({ code }) => code)
      expect(found.filter((code) => code === "entity_unrevised")).toHaveLength(3)
      expect(await examine(patient, true)).toMatchObject({ ok: true })
      expect(hands()).toEqual(before)
      rmSync(join(patient.vault, "orchard.md"))
      await patient.using(({ ingest }) => ingest(), { worker: true })
      expect(await patient.using(({ entities }) => entities.resolve("Orchard"))).toMatchObject({
        candidates: [{ name: "Orchard", matchKind: "exact" }]
      })
      // One whose row is lost comes back as theirs too.
      patient.sql((database) => database.exec("delete from entity where name = 'Orchard'"))
      expect(await examine(patient, true)).toMatchObject({ ok: true })
      expect(
        patient.sql((database) =>
          database.prepare("select touched, person_fields from entity where name = 'Orchard'").all()
        )
      ).toEqual([{ touched: 1, person_fields: '["aliases","description"]' }])
    }))

  it("sets a workspace as the trail tells that it was set last, and leaves what it does not tell", () =>
    withPatient(async (patient) => {
      const told = await patient.using(async ({ updateWorkspace }) => {
        await updateWorkspace({ name: "Estate", policy: { risk: { alpha: 0.1, delta: 0.1 } } })
        await updateWorkspace({ retention: { trashDays: 30, answerDays: 9 }, policy: { risk: null } })
        return updateWorkspace({ retention: { answerDays: 400 }, reviewIntervalDays: 7 })
      })
      expect(await examine(patient)).toMatchObject({ ok: true, findings: [] })
      patient.sql((database) =>
        database.exec(`update workspace set name = 'Other', settings = json_set(settings,
          '$.retention.trashDays', 1, '$.reviewIntervalDays', 8, '$.caps.activeRuns', 3)`)
      )
      expect(differences(await examine(patient)).map(({ code }) => code)).toEqual(["workspace_differs"])
      expect(await examine(patient, true)).toMatchObject({ ok: true, repaired: 1 })
      const [row] = patient.sql((database) =>
        database
          .prepare<[], { readonly name: string; readonly settings: string }>(
            "select name, settings from workspace"
          )
          .all()
      )
      const { caps, policy, retention, reviewIntervalDays } = JSON.parse(row?.settings ?? "{}")
      expect([row?.name, policy.risk, retention, reviewIntervalDays]).toEqual([
        told.name,
        null,
        told.settings.retention,
        7
      ])
      expect(caps.activeRuns).toBe(3)
    }))
})
