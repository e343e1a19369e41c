/**
 * Measures the quality of a workspace's search and answers: judgments, evaluation runs over them, their comparison, and
 * calibrations fitted from questions with known answers.
 */
export * from "../../answers/measures/index.js"
export {
  type CalibrateOptions,
  type CalibrationOutcome,
  calibrate,
  itemOf
} from "./calibrate.js"
export { type GateVerdict, nonInferiority } from "./compare.js"
export { trecQrels } from "./judgments.js"
export * from "./model.js"
export * as evaluationOperations from "./operations.js"

export { JudgedQuestion, readQuestions } from "./questions.js"
export { trecRun } from "./read.js"
export { workOnEval } from "./run.js"
export { isRightAnswer } from "./score-topic.js"
export * from "./store.js"
