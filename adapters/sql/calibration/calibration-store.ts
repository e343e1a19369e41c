import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Artefact, CalibrationStore, type StoredCalibration } from "../../../core/calibration/index.js"
import { serviceLayer, Timestamp } from "../../../core/kernel/index.js"
import { fromJson, ofShape, toJson, toNumber } from "../codec.js"
import { readFirst } from "../rows.js"

export interface CalibrationRow {
  readonly version: string
  readonly artefact: string
  readonly created_by: string
  readonly created_at: string
  readonly active: unknown
}

export const calibrationFromRow = (row: CalibrationRow): StoredCalibration => ({
  version: row.version,
  artefact: fromJson(row.artefact),
  createdBy: row.created_by,
  createdAt: row.created_at,
  active: toNumber(row.active) === 1
})

/** Parses a row strictly, for use in computations. */
const strictFromRow = (row: CalibrationRow): StoredCalibration => {
  const what = `the calibration ${row.version}`
  ofShape(Artefact, what, fromJson(row.artefact))
  ofShape(Timestamp, what, row.created_at)
  return calibrationFromRow(row)
}

export const sqlCalibrationStore = serviceLayer(
  CalibrationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, calibrations) =>
        Effect.forEach(
          calibrations,
          ({ active, artefact, createdAt, createdBy, version }) =>
            sql`insert into calibration (workspace_id, version, artefact, created_by, created_at, active)
              values (${workspace}, ${version}, ${toJson(artefact)}, ${createdBy}, ${createdAt}, ${active ? 1 : 0})
              on conflict (workspace_id, version) do nothing`,
          { discard: true }
        ).pipe(Effect.orDie),
      activate: (workspace, version) =>
        sql`update calibration set active = case when version = ${version} then 1 else 0 end
          where workspace_id = ${workspace}
            and exists (select 1 from calibration c where c.workspace_id = ${workspace} and c.version = ${version})`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      active: (workspace) =>
        sql<CalibrationRow>`select version, artefact, created_by, created_at, active from calibration
          where workspace_id = ${workspace} and active = 1 order by created_at desc, version limit 1`.pipe(
          readFirst(strictFromRow)
        )
    }
  })
)
