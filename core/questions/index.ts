/** What a question asks for: its kind of answer, subject, parts, and the same in the words of the documents. Pure. */
export { answerTypeTest, namesAnother, propertyTest, saysPlace } from "./answer-type.js"
export { type AnswerType, type Question, readQuestion } from "./question.js"
export { questionFit } from "./question-features.js"
export { hopOf } from "./question-hops.js"
export { otherForms, rephrased } from "./rephrase.js"
export {
  askedAboveBonus,
  asksForOther,
  asksNewest,
  asksWho,
  lacksName,
  mayAnswerAsList,
  predicateOf,
  pricedIn,
  saysBound,
  saysCondition,
  saysPrice,
  saysPurpose,
  thingOf
} from "./requested-answer.js"
