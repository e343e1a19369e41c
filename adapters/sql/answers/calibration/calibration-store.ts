import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  Artefact,
  type CalibrationStore,
  type StoredCalibration
} from "../../../../core/answers/calibration/index.js"
import { Timestamp } from "../../../../core/platform/kernel/index.js"
import { ofShape } from "../../codec.js"
import { columnsOf, flag, json, text } from "../../columns.js"
import { done, readFirst } from "../../rows.js"

const columns = columnsOf<StoredCalibration>({
  version: text(),
  artefact: json(),
  createdBy: text(),
  createdAt: text(),
  active: flag()
})

export const calibrationFromRow = columns.read

/** Parses a row strictly, for use in computations. */
const strictFromRow = (row: object): StoredCalibration => {
  const calibration = calibrationFromRow(row)
  const what = `the calibration ${calibration.version}`
  ofShape(Artefact, what, calibration.artefact)
  ofShape(Timestamp, what, calibration.createdAt)
  return calibration
}

export const calibrations: Effect.Effect<CalibrationStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, calibrations) =>
        Effect.forEach(
          calibrations,
          (one) =>
            sql`insert into calibration ${sql.insert({ workspace_id: workspace, ...columns.write(one) })}
              on conflict (workspace_id, version) do nothing`,
          { discard: true }
        ).pipe(Effect.orDie),
      activate: (workspace, version) =>
        done(sql`update calibration set active = case when version = ${version} then 1 else 0 end
          where workspace_id = ${workspace}
            and exists (select 1 from calibration c where c.workspace_id = ${workspace} and c.version = ${version})`),
      active: (workspace) =>
        sql`select * from calibration
          where workspace_id = ${workspace} and active = 1 order by created_at desc, version limit 1`.pipe(
          readFirst(strictFromRow)
        )
    }
  }
)
