/**
 * What answers are worth: questions whose answers are known are asked, and a calibration is fitted from the outcome.
 */

export * from "../measures/index.js"
export {
  type CalibrateOptions,
  type CalibrationOutcome,
  calibrate,
  featurePlan,
  itemOf
} from "./calibrate.js"
export { isRightAnswer } from "./judge.js"
export { JudgedQuestion, type LineProblem, readQuestions } from "./questions.js"
