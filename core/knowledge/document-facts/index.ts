/**
 * Reads the facts of one document: names, links, listed things and terms, and hashes of its words. Pure but for the
 * port.
 */
export { type Facts, type Reference, readFacts } from "./document-facts.js"
export { builtInExtractor, Extractor, hasOwnExtractor, LongFacts } from "./extractor.js"
export { mask } from "./mask-markup.js"
export { namedByKey } from "./named-things.js"
export { qualifiedNames } from "./qualified-names.js"
export { includes, mayHold, soughtPhrase, wordHash } from "./word-hash.js"
