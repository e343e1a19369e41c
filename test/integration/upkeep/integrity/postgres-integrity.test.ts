import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { damages } from "../../../support/damages.js"
import { differences, expectRebuilt } from "../../../support/inspected.js"
import {
  burnOnPostgres,
  contentsOf,
  harmOn,
  makeHealthyOnPostgres,
  openOn,
  type PostgresPatient,
  withCopy
} from "../../../support/postgres-patient.js"
import { runs } from "../../../support/runs.js"

let healthy: PostgresPatient
beforeAll(async () => {
  healthy = await makeHealthyOnPostgres()
})
afterAll(() => burnOnPostgres(healthy))

describe("inspection and rebuild on Postgres", () => {
  it("random damage of files and derived data is found, and a repair equals a fresh ingest", () =>
    fc.assert(
      fc.asyncProperty(fc.subarray([...damages], { minLength: 1, maxLength: 4 }), (some) =>
        withCopy(healthy, async (copy) => {
          for (const [, , harm] of some) await harmOn(copy, harm)
          const engine = await openOn(copy)
          try {
            await expectRebuilt(engine, {
              codes: some.length === 1 ? some.map(([code]) => code) : [],
              contents: () => contentsOf(copy),
              vault: `${copy.root}/vault`
            })
          } finally {
            await engine.close()
          }
        })
      ),
      { numRuns: runs(2) }
    ))

  it("an inspection of a sound workspace finds no difference", async () => {
    const engine = await openOn(healthy)
    expect(differences(await engine.doctor())).toEqual([])
    await engine.close()
  })
})
