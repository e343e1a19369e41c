import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Engine } from "../../../adapters/postgres/index.js"
import { damages } from "../../support/damages.js"
import {
  burnOnPostgres,
  contentsOf,
  harmOn,
  makeHealthyOnPostgres,
  openOn,
  type PostgresPatient,
  withCopy
} from "../../support/postgres-patient.js"

/** Damage that is done by other means than statements, or to what Postgres or an import has not. */
const ofSqlite: ReadonlySet<string> = new Set([
  "an index that lacks rows",
  "bytes where texts belong, and words where numbers do",
  "bytes that spell nothing where documents are named",
  "texts where bytes belong",
  "no bytes where some should be",
  "a list of removed passages that is cut off",
  "a list of removed passages that is gone",
  "counters that stand where none can",
  "a workspace whose number is gone, by which much is kept",
  "history that nobody guards",
  "a document that no trail tells of",
  "postings of another text",
  "an index on disk that is not what was written",
  "evidence at a place beyond all that there can be"
])

const tried = damages.filter(([, what]) => !ofSqlite.has(what))

let healthy: PostgresPatient
beforeAll(async () => {
  healthy = await makeHealthyOnPostgres()
})
afterAll(() => burnOnPostgres(healthy))

const differences = ({ findings }: Awaited<ReturnType<Engine["doctor"]>>) =>
  findings.filter(({ severity }) => severity === "difference")

describe("a doctor on Postgres", () => {
  it.each(tried)("finds %s (%s) without touching it, and mends it", (code, _what, harm) =>
    withCopy(healthy, async (copy) => {
      await harmOn(copy, harm)
      const before = await contentsOf(copy)
      const engine = await openOn(copy)
      const found = await engine.doctor({ repair: false })
      expect(differences(found).map((finding) => finding.code)).toContain(code)
      expect(found).toMatchObject({ ok: false, repaired: 0 })
      expect(await contentsOf(copy)).toEqual(before)
      const mended = await engine.doctor({ repair: true })
      expect(differences(mended).filter(({ repaired }) => !repaired)).toEqual([])
      expect(differences(mended).map((finding) => finding.code)).toContain(code)
      expect(mended).toMatchObject({ ok: true, differences: 0 })
      await engine.close()
    })
  )

  it("finds nothing wrong with a whole workspace", async () => {
    const engine = await openOn(healthy)
    expect(differences(await engine.doctor())).toEqual([])
    await engine.close()
  })
})
