import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { serviceLayer, type WorkspaceScope } from "../../platform/kernel/index.js"
import {
  type ActiveCalibration,
  type Fingerprint,
  MeasuredFeatures,
  priorOf,
  shippedCalibration,
  standingOf
} from "../calibration/index.js"
import { answerConfidence, type Calibration, Calibrations } from "./calibration.js"
import { featuresId } from "./features.js"
import { PolicyStore } from "./store.js"

/** Provides the calibration fitted for a workspace, else the built-in one. */
export const calibrations = serviceLayer(
  Calibrations,
  Effect.map(PolicyStore, ({ calibrations: store }) => ({
    active: (workspace: WorkspaceScope, running: Fingerprint, risk: Parameters<typeof standingOf>[2]) =>
      Effect.map(store.active(workspace), (own) =>
        prepareCalibration(
          Option.match(own, {
            onNone: () => shippedCalibration,
            onSome: ({ artefact, createdAt, version }) =>
              // Features of an older list are not measured any more.
              artefact.features === featuresId
                ? { artefact, version, fittedAt: createdAt }
                : shippedCalibration
          }),
          running,
          risk
        )
      )
  }))
)

/** Prepares a calibration for the running pipeline and the requested risk. */
export const prepareCalibration = (
  { artefact, fittedAt, version }: ActiveCalibration,
  running: Fingerprint,
  risk: Parameters<typeof standingOf>[2]
): Calibration => {
  const { brier, bins, ece } = artefact.measures
  return {
    version,
    ...standingOf({ artefact }, running, risk),
    confidence: (features) => answerConfidence(artefact, features),
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
