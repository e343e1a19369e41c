/**
 * Metrics and statistics as pure functions, published as `kanon/evaluation`: ranking, answers, confidence, significance
 * and agreement of judges, and a frozen set of claims with its scores. Imports nothing.
 */
export {
  type CorrectedRate,
  cohenKappa,
  correctJudgedRate,
  type JudgedCounts,
  krippendorffAlpha,
  nextLabelClass,
  type PowerTunedMean,
  predictionPoweredMean,
  type RatedUnit
} from "./agreement.js"
export * from "./answers.js"
export * from "./claim-set.js"
export { compareRuns, groupLetters, type RunPair, type RunTable } from "./compare-runs.js"
export * from "./confidence.js"
export { randomFrom } from "./random.js"
export * from "./ranking.js"
export * from "./score-run.js"
export {
  comparePaired,
  holm,
  type PairedComparison,
  type PairedOptions,
  type PairedValues,
  randomisationTest
} from "./significance.js"
