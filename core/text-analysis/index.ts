/**
 * Rule-based analysis of texts: language, sentences, words, names, values, negations and opposites, and what a
 * question asks for. Analysed texts are cached across questions.
 */
export { alignedPlaces, isArgumentTurned, replacedSlots } from "./alignment.js"
export { type Anchor, AnchorField, findAnchors } from "./anchors.js"
export { answerTypeTest, namesAnother, propertyTest, saysPlace } from "./answer-type.js"
export { type Attribute, attributeOf } from "./attributes.js"
export { boundOf, isWithinBound } from "./bounds.js"
export { statesNothing } from "./courtesy.js"
export { dateEntails, monthsIn } from "./dates.js"
export { isShowable, plain, withoutMarkers } from "./fold-text.js"
export {
  holdsUnspaced,
  isFunctionWord,
  type Language,
  languageOf,
  negationCount,
  opensWithPronoun,
  type SpokenLanguage,
  spokenLanguageOf
} from "./language.js"
export { memoize } from "./memoize.js"
export {
  antonymsOf,
  hasDirection,
  holdsAntonym,
  isDirectionWord,
  isOpposed,
  isStateWord,
  opposes,
  oppositeStates,
  overstates
} from "./oppositions.js"
export { isInOtherLanguage } from "./other-language.js"
export { matchesOf, wordwise } from "./patterns.js"
export { deniesAsked, isDenial, polarityDiffers } from "./polarity.js"
export { type AnswerType, type Question, readQuestion } from "./question.js"
export { questionFit } from "./question-features.js"
export { hopOf } from "./question-hops.js"
export { ReadClaim, ReadPassage, ReadText, ReadUnit } from "./read-text.js"
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
export { withoutRetractions } from "./retractions.js"
export { sentences } from "./sentences.js"
export { statesAlike, statesApart } from "./states.js"
export { areSynonyms, synonymOf } from "./synonyms.js"
export { amendmentIn, isOver, isPastOnly, isPresent, saysNow, saysPast } from "./tense.js"
export { type Row, TermLookup } from "./term-coverage.js"
export { type Analyser, contentTerms, type Idf, type Term, TermSet, type Token } from "./terms.js"
export { AnswerTexts, answerTexts, TextCache } from "./text-cache.js"
export { isMonth, isWeekday, mentionsMonths, mentionsWeekdays } from "./time-mentions.js"
export { type TextUnit, textUnits } from "./units.js"
export { type DateValue, findValues, type QuantityValue, type Value, valueEntails } from "./values.js"
