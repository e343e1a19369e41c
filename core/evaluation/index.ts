export {
  type CalibrateOptions,
  type CalibrationOutcome,
  calibrate,
  featurePlan,
  itemOf
} from "./calibrate.js"
export { answerF1, exactMatch, isRightAnswer, normaliseAnswer } from "./judge.js"
export { JudgedQuestion, type LineProblem, readQuestions } from "./questions.js"
