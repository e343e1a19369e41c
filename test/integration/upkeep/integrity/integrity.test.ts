import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { createEngine, sqlitePorts } from "../../../../adapters/sqlite/index.js"
import { vectorIndexInspection } from "../../../../adapters/vectors/inspection.js"
import { openEngine } from "../../../../core/engine/engine/index.js"
import { VectorIndex, type VectorIndexInspection } from "../../../../core/search/vectors/index.js"
import { findingKinds } from "../../../../core/upkeep/integrity/index.js"
import { damages, primaryDamages, sqliteDamages } from "../../../support/damages.js"
import { differences, expectRebuilt, inspect } from "../../../support/inspected.js"
import { burnHealthy, type Patient, withPatient } from "../../../support/patient.js"
import { remarks } from "../../../support/remarks.js"
import { runs, sampled } from "../../../support/runs.js"

afterAll(burnHealthy)

const advice = "Restore this workspace from a backup or an export."

/** Everything that the tables hold. */
const contentsOf = ({ sql }: Patient) =>
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

/** Tables that hold primary data alone; a repair changes no row of them. */
const primaryTables: ReadonlySet<string> = new Set([
  "document",
  "document_content",
  "document_version",
  "entity_alias",
  "entity_revision"
])

const all = [...damages, ...sqliteDamages]

/** The ports with another inspection of the vector index. */
const inspectedWith = (ports: ReturnType<typeof sqlitePorts>, inspection: VectorIndexInspection) =>
  Layer.map(ports, (context) =>
    Context.add(context, VectorIndex, { ...Context.get(context, VectorIndex), inspection })
  )

describe("inspection and rebuild", () => {
  it("an inspection of a sound workspace finds nothing and changes nothing", () =>
    withPatient(async (patient) => {
      const before = contentsOf(patient)
      const report = await inspect(patient)
      expect(report).toMatchObject({ ok: true, differences: 0, repaired: 0, remarks: 0, findings: [] })
      expect(report.checked).toMatchObject({ files: 5, documents: 6, drawn: 5, jobs: 0 })
      expect(report.checked.postings).toBe(report.checked.passages)
      expect(report.checked.vectors).toBe(report.checked.passages)
      expect(report.checked.passages).toBeGreaterThanOrEqual(50)
      expect(contentsOf(patient)).toEqual(before)
    }))

  it("random damage of files and derived data is found, and a repair equals a fresh ingest", () =>
    fc.assert(
      fc.asyncProperty(fc.subarray(all, { minLength: 1, maxLength: 3 }), (some) =>
        withPatient(async (patient) => {
          for (const [, , harm] of some) await harm(patient)
          // Several damages may hide each other until the first of them is repaired.
          const codes = some.length === 1 ? some.map(([code]) => code) : []
          const contents = () => contentsOf(patient)
          await patient.using((engine) => expectRebuilt(engine, { codes, contents, vault: patient.vault }))
        })
      ),
      { numRuns: runs(8) }
    ))

  it.each(sampled(all, 6))("finds %s (%s)", (code, _what, harm) =>
    withPatient(async (patient) => {
      await harm(patient)
      expect(differences(await inspect(patient)).map((finding) => finding.code)).toContain(code)
    })
  )

  it("there is a damage for every difference that a repair corrects", () => {
    const tried = new Set<string>(all.map(([code]) => code))
    const missing = Object.entries(findingKinds).flatMap(([code, severity]) =>
      severity === "difference" && !tried.has(code) ? [code] : []
    )
    expect(missing.sort()).toEqual([
      "audit_broken",
      "database_damaged",
      "file_unreadable",
      "record_impossible",
      "unexamined"
    ])
  })

  it.each(primaryDamages)(
    "a damaged primary row is reported with its table and the advice, and left untouched: %s %s",
    (code, subject, statements) =>
      withPatient(async (patient) => {
        patient.sql((database) => {
          for (const statement of statements) database.exec(statement)
        })
        const before = contentsOf(patient)
        const found = (await inspect(patient)).findings.filter((finding) => finding.code === code)
        expect(found).toContainEqual(
          expect.objectContaining({
            subject: expect.stringMatching(subject),
            message: expect.stringContaining(advice),
            repaired: false
          })
        )
        expect(contentsOf(patient)).toEqual(before)
        const report = await inspect(patient, true)
        expect(report.ok).toBe(false)
        expect(differences(report)).toContainEqual({
          code,
          subject: expect.stringMatching(subject),
          repaired: false
        })
        const after = new Map(contentsOf(patient).map(([name, rows]) => [name, rows]))
        for (const [name, rows] of before)
          if (primaryTables.has(String(name))) expect(after.get(name), String(name)).toEqual(rows)
      })
  )

  it("an event of the audit trail that was changed is reported and never repaired", () =>
    withPatient(async (patient) => {
      patient.sql((database) => database.exec("update audit set actor = 'somebody' where seq = 2"))
      for (const repair of [false, true])
        expect(differences(await inspect(patient, repair))).toEqual([
          {
            code: "audit_broken",
            subject: expect.stringMatching(/^audit event 2 \(aud_.*\)$/),
            repaired: false
          }
        ])
    }))

  it("a file that cannot be read is reported until a person corrects it", () =>
    withPatient(async (patient) => {
      const file = join(patient.vault, "orchard.md")
      const text = readFileSync(file, "utf8")
      writeFileSync(file, Buffer.from([0x41, 0xc3, 0x28, 0xff]))
      expect(differences(await inspect(patient, true))).toEqual([
        { code: "file_unreadable", subject: "orchard.md", repaired: false }
      ])
      writeFileSync(file, `${text}\nA quincunx of pears.\n`)
      expect(await inspect(patient, true)).toMatchObject({ ok: true, differences: 0 })
      await patient.using(async (engine) => {
        expect((await engine.search("quincunx")).results[0]?.docPath).toBe("orchard.md")
      })
    }))

  it("a file in the trash that may be the only copy of its text stays", () =>
    withPatient(async (patient) => {
      const file = join(patient.vault, ".kanon", "trash", "doc_01m7y8bm4zectrbx5qmb5s6bjz.md")
      writeFileSync(file, "# Lost\n\nA page.\n")
      const { findings } = await inspect(patient, true)
      expect(findings).toMatchObject([{ code: "trash_file_stray", repaired: false }])
      expect(findings[0]?.message).toContain(
        "move .kanon/trash/doc_01m7y8bm4zectrbx5qmb5s6bjz.md into the vault"
      )
      expect(readFileSync(file, "utf8")).toContain("A page.")
    }))

  it("the other parts are inspected when one cannot be", () =>
    withPatient(async (patient) => {
      patient.sql((database) =>
        database.exec(
          "update graph_document set targets = '{'; update document set title = 'x' where path = 'quarry.md'"
        )
      )
      const found = differences(await inspect(patient)).map(({ code, subject }) => `${code} ${subject}`)
      expect(found).toEqual(expect.arrayContaining(["unexamined graph", "document_differs quarry.md"]))
      expect(await inspect(patient, true)).toMatchObject({ ok: true })
    }))

  it("repairs are recorded in the audit trail", () =>
    withPatient(async (patient) => {
      patient.sql((database) => database.exec("delete from edge; delete from document_tag"))
      await inspect(patient, true)
      const trail = patient
        .sql((database) =>
          database
            .prepare("select action || ' ' || details from audit where action like '%.repair'")
            .pluck()
            .all()
        )
        .map(String)
        .join("\n")
      expect(trail).toMatch(/document\.repair .*"document_differs"/)
      expect(trail).toMatch(/workspace\.repair .*"edges_differ"/)
    }))

  it("a workspace whose own row cannot be read does not open", () =>
    withPatient(async (patient) => {
      for (const statement of ["update workspace set settings = '{'", "delete from workspace"]) {
        patient.sql((database) => database.exec(statement))
        await expect(inspect(patient)).rejects.toMatchObject({ code: "data_unreadable" })
      }
    }))

  it("a search that meets damaged bytes fails, and works again after a repair", () =>
    withPatient(async (patient) => {
      patient.sql((database) => database.exec("delete from posting_block where ordinal = 0"))
      await patient.using(async (engine) => {
        const query = "ledgers of orchard work 1900 1910 1920"
        await expect(engine.search(query)).rejects.toMatchObject({
          code: "data_unreadable",
          message: expect.stringContaining("kanon doctor --repair")
        })
        expect(await engine.doctor({ repair: true })).toMatchObject({ ok: true })
        expect((await engine.search(query)).results[0]?.docPath).toBe("orchard.md")
      })
    }))
})

describe("remarks of an inspection", () => {
  it.each(remarks)("%s: %s", (code, _what, harm) =>
    withPatient(async (patient) => {
      await harm(patient)
      const before = contentsOf(patient)
      const report = await inspect(patient)
      expect(report).toMatchObject({ ok: true, differences: 0, remarks: report.findings.length })
      const found = report.findings.filter((finding) => finding.code === code)
      expect(found).toMatchObject([{ severity: "remark", repaired: false }])
      expect(contentsOf(patient)).toEqual(before)
    })
  )

  it("vector_search_exact: a native library that does not load", () =>
    withPatient(async ({ data, vault }) => {
      const alone = vectorIndexInspection(join(data, "vectors"), Effect.succeed(null))
      const ports = inspectedWith(sqlitePorts({ vault, data }), alone)
      const engine = await openEngine(ports, { name: "alone", owner: "test", worker: false, mend: false })
      expect((await engine.doctor()).findings).toMatchObject([
        { code: "vector_search_exact", severity: "remark" }
      ])
      await engine.close()
    }))

  it("vector_memory_short: vectors that fill the memory, which the log tells at the start too", () =>
    withPatient(async ({ data, vault }) => {
      const lines: Array<string> = []
      const openWith = (available: number) => {
        const alone = vectorIndexInspection(join(data, "vectors"), undefined, () => available)
        const logger = Logger.make(({ message }) => void lines.push(String(message)))
        const ports = inspectedWith(sqlitePorts({ vault, data, logger }), alone)
        return openEngine(ports, { name: "alone", owner: "test", worker: false })
      }
      const cramped = await openWith(20_000)
      expect((await cramped.doctor()).findings).toMatchObject([
        { code: "vector_memory_short", severity: "remark" }
      ])
      expect(lines.filter((line) => line.includes("0.00 GB of memory is available"))).toHaveLength(1)
      await cramped.close()
      const roomy = await openWith(1e9)
      expect((await roomy.doctor()).findings).toEqual([])
      await roomy.close()
      expect(lines.filter((line) => line.includes("of memory is available"))).toHaveLength(1)
    }))

  it("vector_recall_low: an index that misses what exact search finds", () =>
    withPatient(async ({ data, vault }) => {
      const openWith = (recall: number) => {
        const measured = {
          ...vectorIndexInspection(join(data, "vectors")),
          recall: () => Effect.succeed({ recall, queries: 20 })
        }
        return openEngine(inspectedWith(sqlitePorts({ vault, data }), measured), {
          name: "alone",
          owner: "test",
          worker: false
        })
      }
      const poor = await openWith(0.58)
      expect(await poor.doctor()).toMatchObject({
        findings: [
          { code: "vector_recall_low", severity: "remark", message: expect.stringContaining("58 %") }
        ],
        checked: { vectorRecall: 0.58 }
      })
      await poor.close()
      const good = await openWith(0.97)
      expect(await good.doctor()).toMatchObject({ findings: [], checked: { vectorRecall: 0.97 } })
      await good.close()
    }))

  it("there is a test for every remark but those of Postgres", () => {
    const tried = new Set(remarks.map(([code]) => code))
    const missing = Object.entries(findingKinds).flatMap(([code, severity]) =>
      severity === "remark" && !tried.has(code) ? [code] : []
    )
    expect(missing.sort()).toEqual([
      "replica_left_out",
      "second_wall_down",
      "vector_memory_short",
      "vector_recall_low",
      "vector_search_exact",
      "vectors_in_process"
    ])
  })

  it("text_index_old is gone after the next start", () =>
    withPatient(async (patient) => {
      for (const [code, , harm] of remarks) if (code === "text_index_old") await harm(patient)
      const { data, vault } = patient
      const engine = await createEngine({ vault, data, worker: false, thread: false })
      expect(engine.repairs.map(({ code }) => code)).toEqual(["text_index_rebuilt"])
      expect(await engine.doctor()).toMatchObject({ ok: true, remarks: 0 })
      await engine.close()
    }))
})
