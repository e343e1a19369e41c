/**
 * Measures the quality of a workspace's search and answers: judgments, evaluation runs over them, their comparison, and
 * calibrations fitted from questions with known answers.
 */
export * from "../../answers/measures/index.js"
export {
  type CalibrateOptions,
  type CalibrationOutcome,
  calibrate,
  featurePlan,
  itemOf
} from "./calibrate.js"
export { type GateVerdict, mainMetric, nonInferiority } from "./compare.js"
export { putJudgments, trecQrels } from "./judgments.js"
export * from "./model.js"
export * as evaluationOperations from "./operations.js"
export { type PoolItem, poolItems } from "./pool.js"
export { JudgedQuestion, type LineProblem, readQuestions } from "./questions.js"
export { trecRun } from "./read.js"
export { workOnEval } from "./run.js"
export { isRightAnswer } from "./score-topic.js"
export * from "./store.js"
