import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, describe, expect, it } from "vitest"
import { createEngine, sqlitePorts } from "../../../adapters/sqlite/index.js"
import { vectorIndexInspection } from "../../../adapters/vectors/inspection.js"
import { openEngine } from "../../../core/engine/kanon.js"
import { findingKinds } from "../../../core/integrity/doctor-parts.js"
import { damages } from "../../support/damages.js"
import { differences, examine } from "../../support/examined.js"
import { unguarded } from "../../support/history.js"
import { burnHealthy, type Patient, withPatient } from "../../support/patient.js"
import { remarks } from "../../support/remarks.js"

afterAll(burnHealthy)

/** Everything that the tables hold, save what a look may add: nothing. */
const contents = ({ sql }: Patient) =>
  sql((database) => {
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' order by name")
      .pluck()
    return tables.all().map((name) => [
      name,
      database
        .prepare(`select * from "${String(name)}"`)
        .raw()
        .all()
    ])
  })

describe("a doctor", () => {
  it("finds nothing wrong with a whole workspace, and says what it compared", () =>
    withPatient(async (patient) => {
      const before = contents(patient)
      const report = await examine(patient)
      expect(report).toMatchObject({ ok: true, differences: 0, repaired: 0, remarks: 0, findings: [] })
      expect(report.checked).toMatchObject({ files: 5, documents: 6, drawn: 5, jobs: 0 })
      expect(report.checked.postings).toBe(report.checked.passages)
      expect(report.checked.passages).toBeGreaterThanOrEqual(50)
      expect(report.checked.vectors).toBe(report.checked.passages)
      expect(report.checked.segments).toBeGreaterThan(0)
      expect(report.checked.entities).toBeGreaterThan(8)
      expect(contents(patient)).toEqual(before)
    }))

  it.each(damages)("finds %s (%s) without touching it, and mends it", (code, _what, harm) =>
    withPatient(async (patient) => {
      await harm(patient)
      const before = contents(patient)
      await patient.using(async (engine) => {
        const found = await engine.doctor({ repair: false })
        expect(differences(found).map((finding) => finding.code)).toContain(code)
        expect(found).toMatchObject({ ok: false, repaired: 0 })
        expect(contents(patient)).toEqual(before)
        const mended = await engine.doctor({ repair: true })
        expect(differences(mended).filter(({ repaired }) => !repaired)).toEqual([])
        expect(differences(mended).map((finding) => finding.code)).toContain(code)
        expect(mended).toMatchObject({ ok: true, differences: 0 })
        // Ranks that only follow from something else are no difference of their own, but where they alone are wrong.
        const isOfRanks = differences(found).some((finding) => finding.code === "ranks_differ")
        expect(isOfRanks).toBe(code === "ranks_differ")
      })
    })
  )

  it("has a damage for every difference, save for those that cannot be mended", () => {
    const made = new Set<string>(damages.map(([code]) => code))
    const missing = Object.entries(findingKinds).flatMap(([code, severity]) =>
      severity === "difference" && !made.has(code) ? [code] : []
    )
    // Those of keys and members are in a suite of their own, `doctor-holders`.
    const holders = ["key_differs", "key_lost", "member_differs", "member_lost"]
    expect(missing.sort()).toEqual(
      ["audit_broken", "file_unreadable", ...holders, "record_impossible", "unexamined"].sort()
    )
  })

  it("keeps saying what only a person can mend, and leaves the document as it was", () =>
    withPatient(async (patient) => {
      writeFileSync(join(patient.vault, "orchard.md"), Buffer.from([0xff, 0xfe, 0x41, 0x00]))
      const report = await examine(patient, true)
      expect(report).toMatchObject({ ok: false, differences: 1 })
      expect(differences(report)).toEqual([
        { code: "file_unreadable", subject: "orchard.md", repaired: false }
      ])
      await patient.using(async (engine) => {
        expect((await engine.search("Orchard part 3")).results[0]?.docPath).toBe("orchard.md")
      })
    }))

  it("is content once a person has mended a file: as it was, or with what else it is to say", () =>
    withPatient(async (patient) => {
      const file = join(patient.vault, "orchard.md")
      const text = readFileSync(file, "utf8")
      const unreadable = Buffer.from([0xff, 0xfe, 0x41, 0x00])
      writeFileSync(file, unreadable)
      expect(await examine(patient, true)).toMatchObject({ ok: false, differences: 1 })
      writeFileSync(file, text)
      expect(await examine(patient)).toMatchObject({ ok: true, findings: [] })
      writeFileSync(file, unreadable)
      expect(await examine(patient, true)).toMatchObject({ ok: false, differences: 1 })
      writeFileSync(file, `${text}\nA quincunx of pears.\n`)
      expect(await examine(patient, true)).toMatchObject({ ok: true, differences: 0 })
      expect(await examine(patient)).toMatchObject({ ok: true, findings: [] })
      await patient.using(async (engine) => {
        expect((await engine.search("quincunx")).results[0]?.docPath).toBe("orchard.md")
      })
    }))

  it("names what was tampered with in the audit trail, and never mends it", () =>
    withPatient(async (patient) => {
      patient.sql((database) =>
        unguarded(database, () => database.exec("update audit set actor = 'somebody' where seq = 2"))
      )
      for (const repair of [false, true])
        expect(differences(await examine(patient, repair))).toEqual([
          { code: "audit_broken", subject: expect.stringMatching(/^event 2 \(aud_.*\)$/), repaired: false }
        ])
    }))

  it("keeps saying what no export could carry and nobody else knows, and leaves it as it is", () =>
    withPatient(async (patient) => {
      await patient.using((engine) => engine.ask("What does the orchard hold?"))
      patient.sql((database) => {
        database.exec("update answer set created_at = 'yesterday'")
        database.exec("update policy_decision set detail = json_set(detail, '$.confidence', 7)")
      })
      for (const repair of [false, true])
        expect(differences(await examine(patient, repair))).toEqual([
          { code: "record_impossible", subject: expect.stringMatching(/^answer ans_/), repaired: false },
          { code: "record_impossible", subject: expect.stringMatching(/^decision dec_/), repaired: false }
        ])
    }))

  it("is told of rows that cannot be read as everybody else is: by a code", () =>
    withPatient(async (patient) => {
      const { id } = await patient.using((engine) =>
        engine.changeRequests.propose({ kind: "create", payload: { name: "Barge", type: "vessel" } })
      )
      patient.sql((database) => database.exec("update change_request set payload = '{'"))
      await patient.using(async (engine) => {
        expect(await engine.changeRequests.list()).toEqual([])
        await expect(engine.changeRequests.get(id)).rejects.toMatchObject({ code: "data_unreadable" })
        const found = differences(await engine.doctor())
        expect(found).toContainEqual({
          code: "row_unreadable",
          subject: `change request ${id}`,
          repaired: false
        })
        expect(await engine.changeRequests.reject(id)).toMatchObject({ status: "rejected", payload: {} })
      })
      const jobs = await patient.using(async (engine) => (await engine.jobs.list()).total)
      patient.sql((database) => database.exec("update job set payload = '{', progress = '['"))
      await patient.using(async (engine) => {
        const { items } = await engine.jobs.list()
        expect(items.map(({ progress }) => progress)).toEqual(Array(jobs).fill(null))
      })
      patient.sql((database) => database.exec("update chunk set heading_path = ''"))
      await patient.using(async (engine) => {
        const exported = async () => {
          for await (const _piece of engine.export());
        }
        await expect(exported()).rejects.toMatchObject({ code: "data_unreadable" })
      })
      const harms = [
        "update workspace set settings = '{'",
        "update workspace set name = ''",
        "delete from workspace"
      ]
      for (const harm of harms) {
        patient.sql((database) => database.exec(harm))
        await expect(patient.using((engine) => engine.doctor())).rejects.toMatchObject({
          code: "data_unreadable"
        })
      }
    }))

  it("looks at everything else where a part cannot be looked at", () =>
    withPatient(async (patient) => {
      patient.sql((database) =>
        database.exec(
          "update graph_document set targets = '{'; update document set title = 'x' where path = 'quarry.md'; update vector set vector = zeroblob(3) where label = 1"
        )
      )
      const found = differences(await examine(patient)).map(({ code, subject }) => `${code} ${subject}`)
      expect(found).toContain("unexamined graph")
      expect(found.filter((one) => one.startsWith("document_differs "))).toHaveLength(1)
      expect(found.filter((one) => one.startsWith("vector_damaged "))).toHaveLength(1)
      expect(await examine(patient, true)).toMatchObject({ ok: true })
    }))

  it.each(remarks)("remarks on %s (%s), and is content", (code, _what, harm) =>
    withPatient(async (patient) => {
      await harm(patient)
      const before = contents(patient)
      const report = await examine(patient)
      expect(report).toMatchObject({ ok: true, differences: 0, remarks: report.findings.length })
      const told = report.findings.filter((finding) => finding.code === code)
      expect(told).toMatchObject([{ severity: "remark", repaired: false }])
      expect(contents(patient)).toEqual(before)
    })
  )

  it("remarks on a native library that does not load, without which every vector is looked at", () =>
    withPatient(async ({ data, vault }) => {
      const alone = vectorIndexInspection(join(data, "vectors"), Effect.succeed(null))
      const ports = Layer.merge(sqlitePorts({ vault, data }), alone)
      const engine = await openEngine(ports, { name: "alone", owner: "test", worker: false, mend: false })
      const { findings } = await engine.doctor()
      expect(findings).toMatchObject([{ code: "vector_search_exact", severity: "remark" }])
      await engine.close()
    }))

  it("has something that leads to every remark", () => {
    const made = new Set(remarks.map(([code]) => code))
    const missing = Object.entries(findingKinds).flatMap(([code, severity]) =>
      severity === "remark" && !made.has(code) ? [code] : []
    )
    // What only Postgres has, what an import cannot forge (`curation-rules`), and the one above.
    expect(missing.sort()).toEqual([
      "request_astray",
      "second_wall_down",
      "vector_search_exact",
      "vectors_in_process"
    ])
  })

  it("says no more of an old text index once a start has made it anew", () =>
    withPatient(async (patient) => {
      for (const [code, , harm] of remarks) if (code === "text_index_old") await harm(patient)
      const { data, vault } = patient
      const engine = await createEngine({ vault, data, worker: false, thread: false })
      expect(engine.repairs.map(({ code }) => code)).toEqual(["text_index_rebuilt"])
      expect(await engine.doctor()).toMatchObject({ ok: true, remarks: 0 })
      await engine.close()
    }))
})
