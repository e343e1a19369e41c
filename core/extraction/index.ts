/** Extraction of names, mentions and relations from documents. */

export * from "./document-facts.js"
export * from "./documents-about.js"
export * from "./extract.js"
export * from "./extractor.js"
export { graphFindings } from "./findings.js"
export { inspectGraph, inspectRanks } from "./inspect.js"
export * from "./inspection.js"
export * from "./name-claims.js"
export { NameReaders, readingNames } from "./name-reader.js"
export { extractByModelAgain, readAgain } from "./read-documents.js"
export * from "./store.js"
export { includes, mayHold, soughtPhrase, wordHash } from "./word-hash.js"
