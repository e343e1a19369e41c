/**
 * What answers are worth: questions whose answers are known are asked, and a calibration is fitted from the outcome.
 */
export {
  type CalibrateOptions,
  type CalibrationOutcome,
  calibrate,
  featurePlan,
  itemOf
} from "./calibrate.js"
export { answerF1, exactMatch, isRightAnswer, normaliseAnswer } from "./judge.js"
export { JudgedQuestion, type LineProblem, readQuestions } from "./questions.js"
