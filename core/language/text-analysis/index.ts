/**
 * Rule-based analysis of texts: language, sentences, words, names, values, negations and opposites, and what a
 * question asks for. Analysed texts are cached across questions.
 */
export { alignedPlaces, isArgumentTurned, isPassive, replacedSlots, type Slot } from "./alignment.js"
export { type Anchor, AnchorField, findVersions, isIndefinite } from "./anchors.js"
export { type Attribute, attributeOf } from "./attributes.js"
export { boundOf } from "./bounds.js"
export { isShowable, plain, withoutMarkers } from "./fold-text.js"
export { isLightWord, type OpenWord, openWordsIn, turnsRelation } from "./open-words.js"
export {
  areOpposites,
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
export { polarityDiffers } from "./polarity.js"
export { lettersOf, ReadAtOnce, ReadClaim, ReadPassage, ReadText, ReadUnit } from "./read-text.js"
export { withoutRetractions } from "./retractions.js"
export { sentences } from "./sentences.js"
export { statesAlike, statesApart } from "./states.js"
export { amendmentIn, isOver, isPastOnly, isPresent, saysNow, saysPast } from "./tense.js"
export { type Row, TermLookup } from "./term-coverage.js"
export { type Analyser, contentTerms, type Idf, type Term, TermSet, type Token } from "./terms.js"
export { AnswerTexts, answerTexts, TextCache } from "./text-cache.js"
export {
  isWeekday,
  mentionsTime
} from "./time-mentions.js"
export { type TextUnit, textUnits } from "./units.js"
