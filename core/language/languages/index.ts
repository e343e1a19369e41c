/** Words of the known languages: word lists, function words, negations, synonyms, and which language a text is in. Pure. */
export { statesNothing } from "./courtesy.js"
export {
  functionWordCounts,
  holdsUnspaced,
  isAcronymIn,
  isFunctionWord,
  type Language,
  languageOf,
  negationCount,
  negationSpans,
  opensWithPronoun,
  type SpokenLanguage,
  spokenLanguageNamed,
  spokenLanguageOf,
  unspacedApart,
  withoutUnspaced
} from "./language.js"
export { letter, matchesOf, phrase, phrasePattern, spaced, wordwise } from "./patterns.js"
export { groupsOf, synonymOf } from "./synonyms.js"
