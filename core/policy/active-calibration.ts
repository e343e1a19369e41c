import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type ActiveCalibration,
  CalibrationStore,
  confidenceOf,
  type Fingerprint,
  MeasuredFeatures,
  priorOf,
  shippedCalibration,
  standingOf
} from "../calibration/index.js"
import { serviceLayer, type WorkspaceScope } from "../kernel/index.js"
import { type Calibration, Calibrations } from "./calibration.js"

/** The calibration that was fitted for a workspace, else the one that ships. */
export const calibrations = serviceLayer(
  Calibrations,
  Effect.map(CalibrationStore, (store) => ({
    active: (workspace: WorkspaceScope, running: Fingerprint, risk: Parameters<typeof standingOf>[2]) =>
      Effect.map(store.active(workspace), (own) =>
        ready(
          Option.match(own, {
            onNone: () => shippedCalibration,
            onSome: ({ artefact, createdAt, version }) => ({ artefact, version, fittedAt: createdAt })
          }),
          running,
          risk
        )
      )
  }))
)

/** The calibration as the gate wants it: for the pipeline that runs and the risk that is asked for. */
export const ready = (
  { artefact, fittedAt, version }: ActiveCalibration,
  running: Fingerprint,
  risk: Parameters<typeof standingOf>[2]
): Calibration => {
  const { brier, bins, ece } = artefact.measures
  return {
    version,
    ...standingOf({ artefact }, running, risk),
    confidence: (features) => confidenceOf(artefact, new MeasuredFeatures(features)),
    prior:
      artefact.prior === null
        ? null
        : {
            threshold: artefact.prior.threshold,
            probability: (features) => priorOf(artefact, new MeasuredFeatures(features)) ?? 0
          },
    report: { fittedAt, samples: artefact.fitted + artefact.calibrated, ece, brier, bins }
  }
}
