import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Engine } from "../../../core/index.js"
import { unguarded } from "../../support/history.js"
import { keepsakes, strewn, type Written, writeMuch, writtenIn } from "../../support/keepsakes.js"
import { burnHealthy, type Patient, patientIn, withPatient } from "../../support/patient.js"
import {
  burnOnPostgres,
  harmOn,
  makeHealthyOnPostgres,
  openOn,
  type PostgresPatient,
  withCopy
} from "../../support/postgres-patient.js"
import { runs } from "../../support/runs.js"

/** All that was there is there, as it was; what a repair added beside it is its own. */
const expectKept = async (engine: Engine, before: Written, prefix = "") => {
  expect(await engine.doctor({ repair: true })).toMatchObject({ ok: true })
  const after = await writtenIn(engine)
  for (const [what, told] of before) if (what.startsWith(prefix)) expect(after.get(what), what).toBe(told)
}

describe("a repair loses nothing that people wrote", () => {
  const root = mkdtempSync(join(tmpdir(), "kanon-written-"))
  let before: Written = new Map()
  const withMuch = (use: (patient: Patient) => Promise<void>) => {
    const copy = mkdtempSync(join(tmpdir(), "kanon-patient-"))
    cpSync(root, copy, { recursive: true, preserveTimestamps: true })
    return use(patientIn(copy)).finally(() => rmSync(copy, { recursive: true, force: true }))
  }
  beforeAll(async () => {
    await withPatient(async (patient) => {
      await writeMuch(patient)
      cpSync(join(patient.vault, ".."), root, { recursive: true, preserveTimestamps: true })
    })
    await withMuch(async (patient) => {
      before = await patient.using(writtenIn)
    })
  })
  afterAll(async () => {
    await burnHealthy()
    rmSync(root, { recursive: true, force: true })
  })

  it("of much that is written", () => {
    const count = (prefix: string) => [...before.keys()].filter((what) => what.startsWith(prefix)).length
    expect([count("text: "), count("said: "), count("trash: ")]).toEqual([12, 11, 2])
  })

  it.each(keepsakes)("where there is %s", (_what, harm) =>
    withMuch(async (patient) => {
      harm(patient)
      await patient.using((engine) => expectKept(engine, before))
    })
  )

  it("where the trail is broken, which says how many versions there were: all stay as they are", () =>
    withMuch(async (patient) => {
      const rows = () =>
        patient.sql((database) => [
          database.prepare("select id, version from document order by id").all(),
          database.prepare("select * from document_version order by document_id, version").all(),
          database.prepare("select content_hash from document_text order by content_hash").all()
        ])
      const quarry = "(select id from document where path = 'quarry.md')"
      patient.sql((database) => {
        unguarded(database, () =>
          database.exec(`delete from audit where subject_id = ${quarry} and details like '%"version":3%'`)
        )
        database.exec(`update document set version = 2 where id = ${quarry}`)
      })
      const harmed = rows()
      const { findings } = await patient.using((engine) => engine.doctor({ repair: true }))
      expect(findings.filter(({ repaired }) => !repaired).map(({ code }) => code)).toEqual([
        "audit_broken",
        "versions_differ",
        // No export carries a version beyond the last.
        "record_impossible"
      ])
      expect(rows()).toEqual(harmed)
    }))

  it.each(strewn)("though nobody can say whose it was, where there is %s", (_what, harm) =>
    withMuch(async (patient) => {
      harm(patient)
      await patient.using((engine) => expectKept(engine, before, "said: "))
    })
  )
})

describe("a repair on Postgres loses nothing that people wrote", () => {
  let healthy: PostgresPatient
  let before: Written = new Map()
  beforeAll(async () => {
    healthy = await makeHealthyOnPostgres()
    await harmOn(healthy, writeMuch)
    await withCopy(healthy, async (copy) => {
      const engine = await openOn(copy)
      before = await writtenIn(engine)
      await engine.close()
    })
  })
  afterAll(() => burnOnPostgres(healthy))

  const keeps = (harm: (patient: Patient) => void, prefix?: string) =>
    withCopy(healthy, async (copy) => {
      await harmOn(copy, harm)
      const engine = await openOn(copy)
      await expectKept(engine, before, prefix)
      await engine.close()
    })

  // Each copy of a database takes seconds: the short form takes the first ones.
  it.each(keepsakes.slice(0, runs(4)))("where there is %s", (_what, harm) => keeps(harm))
  it.each(strewn)("though nobody can say whose it was, where there is %s", (_what, harm) =>
    keeps(harm, "said: ")
  )
})
