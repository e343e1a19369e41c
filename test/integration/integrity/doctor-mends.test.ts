import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { DoctorReport } from "../../../core/index.js"
import { damages } from "../../support/damages.js"
import { differences, examine } from "../../support/examined.js"
import { burnHealthy, withPatient } from "../../support/patient.js"

afterAll(burnHealthy)

describe("a doctor that repairs", () => {
  it("brings a lost document whose file is there back as the one that it was, with its versions", () =>
    withPatient(async (patient) => {
      const { id, content } = await patient.using(async (engine) => {
        const before = await engine.documents.getByPath("quarry.md")
        await engine.documents.replace(before.id, `${before.content}\nAnd stone.\n`)
        return engine.documents.get(before.id)
      })
      patient.sql((database) => database.exec("delete from document where path = 'quarry.md'"))
      expect(await examine(patient, true)).toMatchObject({ ok: true })
      await patient.using(async (engine) => {
        expect(await engine.documents.getByPath("quarry.md")).toMatchObject({ id, content })
        const { items } = await engine.documents.versions(id)
        expect(items.map(({ version }) => version)).toEqual([2, 1])
      })
    }))

  it("takes what was deleted since from the trash, where an older database was put back", () =>
    withPatient(async (patient) => {
      const file = join(patient.data, "kanon.sqlite")
      cpSync(file, `${file}.before`)
      const made = await patient.using(async ({ documents }) => {
        await documents.remove((await documents.getByPath("quarry.md")).id)
        const { docId } = await documents.create({ path: "new.md", content: "# New\n\nOf chalk.\n" })
        await documents.remove(docId)
        return docId
      })
      for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true })
      renameSync(`${file}.before`, file)
      const told = (report: DoctorReport) => differences(report).map(({ code }) => code)
      expect(told(await examine(patient))).toEqual(["file_missing", "trash_file_stray"])
      expect(await examine(patient, true)).toMatchObject({ ok: true })
      await patient.using(async ({ documents, trash }) => {
        const { items } = await trash.list()
        expect(items.map(({ label }) => label).sort()).toEqual(
          ["lighthouse.md", "quarry.md", `recovered/${made}.md`].sort()
        )
        for (const { id, label } of items) if (label !== "lighthouse.md") await documents.restore(id)
        expect((await documents.getByPath("quarry.md")).content).toContain("Quarry part 9")
        expect((await documents.get(made)).content).toBe("# New\n\nOf chalk.\n")
      })
      expect(await examine(patient)).toMatchObject({ ok: true, differences: 0 })
    }))

  it("leaves what lies in the trash and can be no document, and keeps telling of it", () =>
    withPatient(async (patient) => {
      const trash = join(patient.vault, ".kanon", "trash")
      const quarry = await patient.using(async ({ documents }) => (await documents.getByPath("quarry.md")).id)
      const unreadable = Buffer.from([0xff, 0xfe, 0x41, 0x00])
      const ids = ["doc_01m7y8bm4zectrbx5qmb5s6bjz", quarry]
      for (const id of ids) writeFileSync(join(trash, `${id}.md`), unreadable)
      const folder = "doc_01m7y8bm4zectrbx5qmb5s6bk0"
      mkdirSync(join(trash, `${folder}.md`))
      for (const repair of [false, true]) {
        const report = await examine(patient, repair)
        expect(report).toMatchObject({ ok: false, differences: 3, repaired: 0 })
        expect(new Set(differences(report).map(({ code }) => code))).toEqual(new Set(["trash_file_stray"]))
      }
      for (const id of ids) expect(readFileSync(join(trash, `${id}.md`))).toEqual(unreadable)
      expect(existsSync(join(trash, `${folder}.md`))).toBe(true)
    }))

  it("finds the ranks to follow a relation that a person states, and its end", () =>
    withPatient(async (patient) => {
      const rank = () =>
        patient.sql((database) =>
          Number(database.prepare("select pagerank from entity where name = 'Mistress Ada'").pluck().get())
        )
      await patient.using(
        async (engine) => {
          const [bo, ada] = await Promise.all(
            ["Master Bo", "Mistress Ada"].map(
              async (name) => (await engine.entities.resolve(name)).candidates[0]?.id ?? ""
            )
          )
          const before = rank()
          const { relationId } = await engine.relations.create({
            srcEntityId: bo ?? "",
            dstEntityId: ada ?? "",
            type: "reports_to"
          })
          await engine.ingest()
          expect(rank()).toBeGreaterThan(before)
          expect(differences(await engine.doctor())).toEqual([])
          await engine.relations.remove(relationId)
          await engine.ingest()
          expect(rank()).toBe(before)
        },
        { worker: true }
      )
    }))

  it("writes what it mended into the trail", () =>
    withPatient(async (patient) => {
      patient.sql((database) => database.exec("delete from edge; delete from document_tag"))
      await examine(patient, true)
      const trail = patient.sql((database) =>
        database
          .prepare("select action || ' ' || details from audit where action like '%.repair'")
          .pluck()
          .all()
      )
      expect(trail.map(String).join("\n")).toMatch(/document\.repair .*"document_differs"/)
      expect(trail.map(String).join("\n")).toMatch(/workspace\.repair .*"edges_differ"/)
    }))

  it("brings back what a person wrote, not what damage made of it", () =>
    withPatient(async (patient) => {
      patient.sql((database) =>
        database.exec(
          "update entity set description = 'Nobody.' where name = 'Master Bo'; delete from entity where name = 'Mistress Ada'"
        )
      )
      await examine(patient, true)
      await patient.using(async (engine) => {
        const found = async (name: string) => (await engine.entities.resolve(name)).candidates[0]
        const bo = await found("Master Bo")
        expect((await engine.entities.get(bo?.id ?? "")).description).toBe("Keeps the ledgers.")
        const ada = await found("Mistress Ada")
        expect((await engine.entities.get(ada?.id ?? "")).aliases).toEqual(["Ada"])
      })
    }))

  it.each([
    ["keys", ["path_key"]],
    ["paths", ["path"]],
    ["paths and keys", ["path", "path_key"]]
  ])("mends documents whose %s were swapped, and all others beside them", (_what, columns) =>
    withPatient(async (patient) => {
      const rows = () =>
        patient.sql((database) =>
          database.prepare("select path, path_key, title from document order by path").all()
        )
      const before = rows()
      patient.sql((database) => {
        for (const column of columns) {
          const set = (value: string, where: string) =>
            database.prepare(`update document set ${column} = ? where ${column} = ?`).run(value, where)
          set("between", "orchard.md")
          set("orchard.md", "harbour.md")
          set("harbour.md", "between")
        }
        database.exec("update document set title = 'x' where title = 'Quarry'")
      })
      expect(rows()).not.toEqual(before)
      expect(await examine(patient, true)).toMatchObject({ ok: true, differences: 0 })
      expect(rows()).toEqual(before)
      expect(await examine(patient)).toMatchObject({ ok: true, findings: [] })
    })
  )

  it("mends all others where one cannot be mended, since another rightly has its path", () =>
    withPatient(async (patient) => {
      patient.sql((database) => {
        database.exec("update document set path = 'harbour.md' where path = 'orchard.md'")
        database.exec("update document set title = 'x' where title in ('Quarry', 'Foundry', 'Vineyard')")
      })
      const { findings } = await examine(patient, true)
      expect(findings.map(({ code }) => code)).not.toContain("unexamined")
      const titles = patient.sql((database) =>
        database.prepare("select count(*) from document where title = 'x'").pluck().get()
      )
      expect(titles).toBe(0)
    }))

  it("gives a workspace its own number again, not one under which others have rows", () =>
    withPatient(async (patient) => {
      const number = () =>
        patient.sql((database) => database.prepare("select number from workspace").pluck().get())
      const own = number()
      patient.sql((database) =>
        database.exec(
          `insert into id_number (workspace_no, id, number) values (0, 'doc_00000000000000000000000000', 1);
            update workspace set number = null`
        )
      )
      expect(await examine(patient, true)).toMatchObject({ ok: true, differences: 0 })
      expect(number()).toBe(own)
    }))

  it("puts a text whose row is lost into the trash, from where it can be restored", () =>
    withPatient(async (patient) => {
      patient.sql((database) => database.exec("delete from document where path = 'lighthouse.md'"))
      const { findings } = await examine(patient, true)
      const id = findings.find(({ code }) => code === "document_lost")?.subject ?? ""
      await patient.using(async (engine) => {
        expect((await engine.documents.restore(id)).path).toBe("lighthouse.md")
        expect((await engine.documents.get(id)).content).toContain("Lighthouse part 4")
      })
    }))
})

describe("a search that meets damaged bytes", () => {
  it.each(damages.filter(([code, what]) => code === "segment_damaged" && !what.startsWith("counts")))(
    "says so at once (%s, %s), and finds again what was there once it is mended",
    (_code, _what, harm) =>
      withPatient(async (patient) => {
        await harm(patient)
        await patient.using(async (engine) => {
          await expect(engine.search("ledgers of orchard work 1900 1910 1920")).rejects.toMatchObject({
            code: "data_unreadable",
            message: expect.stringContaining("kanon doctor --repair")
          })
          expect(await engine.doctor({ repair: true })).toMatchObject({ ok: true })
          // In the process that met the damage, too.
          expect((await engine.search("ledgers of orchard work 1900 1910 1920")).results[0]?.docPath).toBe(
            "orchard.md"
          )
        })
      })
  )
})
