import {
  accuracy,
  adaptiveEce,
  aurc,
  auroc,
  brier,
  ece,
  type Judged,
  logLoss,
  optimalAurc,
  reliabilityBins
} from "../measures/index.js"
import type { CalibrationMeasures } from "./model.js"

/** Returns all measures. */
export const measuresOf = (items: ReadonlyArray<Judged>): CalibrationMeasures => {
  const area = aurc(items)
  return {
    brier: brier(items),
    logLoss: logLoss(items),
    ece: ece(items),
    adaptiveEce: adaptiveEce(items),
    aurc: area,
    excessAurc: area - optimalAurc(items),
    auroc: auroc(items),
    accuracy: accuracy(items),
    bins: [...reliabilityBins(items)]
  }
}
