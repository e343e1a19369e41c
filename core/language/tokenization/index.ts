/** Texts and queries as terms: character classes, word splitting, folding, stop words and other forms of a word. */
export {
  analyse,
  analyseForIndex,
  analyseInto,
  type IndexToken,
  type Token,
  type TokenKind,
  type TokenSink
} from "./analyse.js"
export { type AnalysedQuery, analyseQuery, type QueryTerm } from "./analyse-query.js"
export { foldRun } from "./fold-term.js"
export { baseForm } from "./irregular-forms.js"
export { probes, widen } from "./language-widen.js"
export { otherSigns } from "./sign-variants.js"
export { type Spelling, spellingOf } from "./spelling.js"
export { unitsOf } from "./text-units.js"
export { forgetWords, setStemming, termCount, termText } from "./words.js"
